"""A free collector: it may do, at any time, whatever the design's order C1, C2, C3 or C4 allows it, and die anywhere.

C1 marks N, or adopts the mark it finds. C2 reads the holds after that, and then, where there is one, the pool; that it
reads the pools before, too, only makes it stop sooner, and is left out. C3 takes the mark off, C4 deletes, both with
the uid and the version that were seen before C2. A second collector needs no actor of its own: one that dies leaves
its requests in flight, and its successor adopts its mark.
"""

from collections.abc import Iterator
from functools import cache

from tests.model.world import Candidate, Collector, Config, Event, Move, Phase, Request, State, Verb, World, carry_out

__all__ = ["CollectorActor"]

ACTOR = "collector"

TEXTS = {
    Verb.MARK: "marks N",
    Verb.UNMARK: "takes the mark off N",
    Verb.DELETE: "deletes N, which is unchanged since it was marked",
}

Change = tuple[Event, Candidate]


class CollectorActor:
    """The moves of the collector."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._changes = cache(lambda candidate, held, named: tuple(self._all_changes(candidate, held, named)))

    def __call__(self, state: State) -> Iterator[Move]:
        """Yield each move that the collector can make."""
        now, candidate, servers, former, former_late, booting, recreations, rendering = state
        for event, changed in self._changes(candidate, self.world.is_held(state), rendering.pool.names_config):
            yield event, State(now, changed, servers, former, former_late, booting, recreations, rendering)

    def _all_changes(self, candidate: Candidate, held: bool, named: bool) -> Iterator[Change]:
        config, collector = candidate.config, candidate.collector
        if config is None:
            return
        if collector.phase is Phase.IDLE:
            if config.marked:
                yield Event(ACTOR, "adopt", "adopts the mark that N bears"), _knowing(candidate, config)
            else:
                yield from self._write(candidate, Verb.MARK, config.uid, config.version)
            return
        if self._reads_pools(collector.phase):
            event = Event(ACTOR, "pools", "reads the pools: none names N")
            if named:
                yield Event(ACTOR, "pools, named", "reads the pools: one names N"), candidate
            else:
                yield event, candidate._replace(collector=collector._replace(phase=Phase.UNNAMED))
        elif self._reads_holds(collector.phase):
            event = Event(ACTOR, "read", "reads the holds: none, or none that has not expired")
            if held:
                yield Event(ACTOR, "read, held", "reads the holds: there is one"), candidate
            else:
                yield event, candidate._replace(collector=collector._replace(phase=Phase.UNREFERENCED))
        else:
            yield from self._write(candidate, Verb.DELETE, collector.uid, collector.version)
        yield from self._write(candidate, Verb.UNMARK, collector.uid, collector.version)
        event = Event(ACTOR, "crash", "dies; its successor knows nothing")
        yield event, candidate._replace(collector=Collector(Phase.IDLE))

    def _reads_pools(self, phase: Phase) -> bool:
        if self.world.rendering is None:
            return False
        return phase is (Phase.UNREFERENCED if self.world.pools_last else Phase.MARKED)

    def _reads_holds(self, phase: Phase) -> bool:
        return phase is (Phase.MARKED if self.world.pools_last else Phase.UNNAMED)

    def _write(self, candidate: Candidate, verb: Verb, uid: int, version: int) -> Iterator[Change]:
        """Write and know it; or send the write, and die or give up before it is answered."""
        request = Request(verb, uid, version)
        carried = carry_out(candidate, request)
        if verb is Verb.MARK and carried.config is not None:
            carried = _knowing(carried, carried.config)
        yield Event(ACTOR, verb.value, TEXTS[verb]), carried
        if verb is Verb.DELETE or self.world.every_step:
            # A late mark leads where a mark and a death do, a late unmark where the unmark of a successor does.
            event = Event(ACTOR, f"{verb.value}, late", f"{TEXTS[verb]}: no answer, and it may still be carried out")
            yield event, Candidate(candidate.config, Collector(Phase.IDLE), candidate.requests | {request})


def _knowing(candidate: Candidate, config: Config) -> Candidate:
    return candidate._replace(collector=Collector(Phase.MARKED, config.uid, config.version))
