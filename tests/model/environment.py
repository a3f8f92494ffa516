"""What nobody does: time passes, late writes are carried out, the config is restored, MachineConfigs change."""

from collections.abc import Iterator

from tests.model.renderer import RendererActor
from tests.model.server import ServerActor
from tests.model.world import NEVER, Candidate, Config, Event, Move, State, World, carry_out, settled

__all__ = ["EnvironmentActor"]

TICK = Event("clock", "tick", "time passes")


class EnvironmentActor:
    """The moves of the environment."""

    def __init__(self, world: World, servers: tuple[ServerActor, ...], renderer: RendererActor) -> None:
        self.world = world
        self.servers = servers
        self.renderer = renderer

    def __call__(self, state: State) -> Iterator[Move]:
        """Yield each thing that may happen."""
        for request in sorted(state.candidate.requests, key=lambda request: request.verb.value):
            text = f"carries out the collector's late request: {request.verb.value} N"
            yield (
                Event("store", f"{request.verb.value} lands", text),
                state._replace(candidate=carry_out(state.candidate, request)),
            )
        if state.former_late != NEVER:
            text = f"carries out the late write of a dead worker's hold, renewed at t={state.former_late}"
            yield (
                Event("store", "former hold lands", text),
                state._replace(former=max(state.former, state.former_late), former_late=NEVER),
            )
        if state.candidate.config is None and state.recreations > 0:
            made = Candidate(Config(self.world.recreations - state.recreations + 2, 1, marked=False))
            yield (
                Event("archive", "restore", "N is restored from it, with another uid"),
                state._replace(candidate=made, recreations=state.recreations - 1),
            )
        if state.now < self.world.horizon:
            yield TICK, self._tick(state)

    def _tick(self, state: State) -> State:
        now = state.now + 1
        servers = tuple([actor.aged(server, now) for server, actor in zip(state.servers, self.servers, strict=True)])
        former, former_late = settled(self.world, state.former, state.former_late, now)
        booting = state.booting if state.booting >= now else NEVER
        rendering = self.renderer.aged(state.rendering, now)
        return State(now, state.candidate, servers, former, former_late, booting, state.recreations, rendering)
