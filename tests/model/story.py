"""A trace as a story for people: who does what, when, and what is lost or wrong in the end."""

from tests.model.checker import Trace
from tests.model.server import name_of
from tests.model.world import Event, State

__all__ = ["told"]


def told(trace: Trace[State, Event]) -> list[str]:
    """Return the story's lines: one for each step but the passing of time, which the times tell, and the end."""
    lines: list[str] = []
    machines = 0
    served: dict[str, int] = {}  # which machine each server has to do with
    booting, since = 0, 0
    for event, before, after in zip(trace.events, trace.states, trace.states[1:], strict=False):
        if event.kind == "tick":
            continue
        if event.kind == "ask":
            machines += 1
            served[event.actor] = machines
        if event.kind == "last byte" and after.booting > before.booting:
            booting, since = served[event.actor], after.now
        lines.append(f"t={before.now} {event.actor}: {_named(event, served)}")
    last = trace.states[-1]
    if last.rendering.pool.backwards:
        return [*lines, f"t={last.now}: the pool names again what older MachineConfigs render to"]
    if last.candidate.config is None and last.rendering.pool.names_config:
        return [*lines, f"t={last.now}: the pool names N, and N is gone"]
    sending = next((name_of(slot) for slot, server in enumerate(last.servers) if server.worker.body is not None), None)
    if sending is not None:
        return [*lines, f"t={last.now}: machine {served[sending]} lacks N, which {sending} is sending it"]
    return [*lines, f"t={last.now}: machine {booting} lacks N, of which it had the last byte at t={since}"]


def _named(event: Event, served: dict[str, int]) -> str:
    if event.actor not in served:
        return event.text
    machine = f"machine {served[event.actor]}"
    text = event.text.replace("a machine", machine, 1) if event.kind == "ask" else event.text
    return text.replace("the machine", machine)
