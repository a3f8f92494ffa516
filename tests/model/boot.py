"""The model, put together: servers, collector, renderer, environment, and what must never be."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mcs.boot.durations import Durations
from tests.model.checker import Outcome, explore
from tests.model.collector import CollectorActor
from tests.model.environment import EnvironmentActor
from tests.model.renderer import RendererActor, nothing_rendered, noticed
from tests.model.server import Protocol, ServerActor, having
from tests.model.world import NEVER, Actor, Candidate, Config, Event, Move, Server, State, World

__all__ = ["DURATIONS", "SHIPPED", "BootModel", "is_broken", "lacks_config"]

SHIPPED = Protocol()

DURATIONS = Durations(hold=4, renewal=1, boot=1, body=1, lease=1, skew=0)
"""The least whole numbers that the rule between durations allows, so that lapsing is as near as it can be."""


def lacks_config(state: State) -> bool:
    """Tell whether N is gone while a machine receives it, or had its last byte no longer than a boot bound ago."""
    if state.candidate.config is not None:
        return False
    return state.booting >= state.now or any(server.worker.body is not None for server in state.servers)


def is_broken(state: State) -> bool:
    """Tell whether a machine lacks N, the pool names N and N is gone, or the pool went back to older MachineConfigs."""
    pool = state.rendering.pool
    return lacks_config(state) or pool.backwards or (pool.names_config and state.candidate.config is None)


def _alike(state: State) -> State:
    """Return the state that stands for this one and its mirror image: servers with equal clocks differ by name only."""
    first, second = state.servers
    left, right = first.worker.serial, second.worker.serial
    if left < right or (left == right and first[1:] <= second[1:]):
        return state
    return state._replace(servers=(second, first))


@dataclass(frozen=True)
class BootModel:
    """One world, and the protocols that its servers and its renderer run."""

    world: World = field(default_factory=lambda: World(DURATIONS, horizon=5))
    protocol: Protocol = SHIPPED

    def initial(self) -> State:
        """Return the start: N is there, nobody holds it, all servers have just started."""
        servers = tuple(Server(having(), NEVER, NEVER, budget) for budget in self.world.budgets)
        start = Candidate(Config(uid=1, version=1, marked=False))
        return State(0, start, servers, NEVER, NEVER, NEVER, self.world.recreations, nothing_rendered(self.world))

    def moves(self) -> Callable[[State], Iterator[Move]]:
        """Return the function that yields each move of anybody."""
        servers = tuple(ServerActor(self.world, self.protocol, slot) for slot in range(len(self.world.budgets)))
        renderer = RendererActor(self.world, self.protocol)
        environment = EnvironmentActor(self.world, servers, renderer)
        actors: tuple[Actor, ...] = (*servers, CollectorActor(self.world), renderer, environment)

        def moves(state: State) -> Iterator[Move]:
            for actor in actors:
                for event, after in actor(state):
                    yield event, noticed(state, after)

        return moves

    def explore(
        self,
        is_bad: Callable[[State], bool] = is_broken,
        visit: Callable[[State], None] | None = None,
    ) -> Outcome[State, Event]:
        """Search every interleaving for a machine that lacks its config, or for what else is called bad."""
        budgets, offsets = self.world.budgets, self.world.offsets
        twins = len(budgets) == 2 and budgets[0] == budgets[1] and offsets[0] == offsets[1]
        return explore(self.initial(), self.moves(), is_bad, _alike if twins else lambda state: state, visit)
