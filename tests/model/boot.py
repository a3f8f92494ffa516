"""The boot protocol's model, put together: servers, collector, environment, and what must never be."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mcs.boot import protocol
from mcs.boot.durations import Durations
from tests.model.checker import Outcome, explore
from tests.model.collector import CollectorActor
from tests.model.environment import EnvironmentActor
from tests.model.server import Protocol, ServerActor, having
from tests.model.world import NEVER, Actor, Candidate, Config, Event, Move, Server, State, World

__all__ = ["DURATIONS", "SHIPPED", "BootModel", "lacks_config"]

SHIPPED = Protocol(protocol.answer, protocol.obtain, protocol.acquire)

DURATIONS = Durations(hold=4, renewal=1, boot=1, body=1, lease=1, skew=0)
"""The least whole numbers that the rule between durations allows, so that lapsing is as near as it can be."""


def lacks_config(state: State) -> bool:
    """Tell whether N is gone while a machine receives it, or had its last byte no longer than a boot bound ago."""
    if state.candidate.config is not None:
        return False
    return state.booting >= state.now or any(server.worker.body is not None for server in state.servers)


def _alike(state: State) -> State:
    """Return the state that stands for this one and its mirror image: servers with equal clocks differ by name only."""
    now, candidate, (first, second), *rest = state
    left, right = first.worker.serial, second.worker.serial
    if left < right or (left == right and first[1:] <= second[1:]):
        return state
    return State(now, candidate, (second, first), *rest)


@dataclass(frozen=True)
class BootModel:
    """One world, and the protocol that its servers run."""

    world: World = field(default_factory=lambda: World(DURATIONS, horizon=5))
    protocol: Protocol = SHIPPED

    def initial(self) -> State:
        """Return the start: N is there, nobody holds it, all servers have just started."""
        servers = tuple(Server(having(), NEVER, NEVER, budget) for budget in self.world.budgets)
        start = Candidate(Config(uid=1, version=1, marked=False))
        return State(0, start, servers, NEVER, NEVER, NEVER, self.world.recreations)

    def moves(self) -> Callable[[State], Iterator[Move]]:
        """Return the function that yields each move of anybody."""
        servers = tuple(ServerActor(self.world, self.protocol, slot) for slot in range(len(self.world.budgets)))
        actors: tuple[Actor, ...] = (*servers, CollectorActor(self.world), EnvironmentActor(self.world, servers))

        def moves(state: State) -> Iterator[Move]:
            for actor in actors:
                yield from actor(state)

        return moves

    def explore(
        self,
        is_bad: Callable[[State], bool] = lacks_config,
        visit: Callable[[State], None] | None = None,
    ) -> Outcome[State, Event]:
        """Search every interleaving for a machine that lacks its config, or for what else is called bad."""
        budgets, offsets = self.world.budgets, self.world.offsets
        twins = len(budgets) == 2 and budgets[0] == budgets[1] and offsets[0] == offsets[1]
        return explore(self.initial(), self.moves(), is_bad, _alike if twins else lambda state: state, visit)
