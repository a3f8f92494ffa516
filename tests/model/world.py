"""The simulated world: one config, its store and collector, servers, machines, a pool and who renders it.

A state is a value. Time is a small whole number that only the environment moves. Times that can no longer matter are
forgotten where they stop to matter (a hold expired beyond doubt, a boot that is over, a request whose precondition
can never hold again): the states that become equal by it behave alike for ever, so nothing is lost.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from mcs.boot.durations import Durations

if TYPE_CHECKING:
    from tests.model.renderer import Renderer
    from tests.model.server import Worker

__all__ = [
    "NEVER",
    "Actor",
    "Budget",
    "Candidate",
    "Collector",
    "Config",
    "Event",
    "Move",
    "Phase",
    "Pointing",
    "Pool",
    "Rendering",
    "RenderingBudget",
    "Request",
    "Server",
    "State",
    "Verb",
    "World",
    "carry_out",
    "settled",
    "written",
]

NEVER = -1_000
"""A time before all times: no hold, no late write, no machine."""


class Event(NamedTuple):
    """What happened, for people. kind: a word of its actor's, for tests and for telling machines apart."""

    actor: str
    kind: str
    text: str


# ---- the config and its collector


class Config(NamedTuple):
    """The config N as it is stored. version: its resourceVersion."""

    uid: int
    version: int
    marked: bool


class Phase(StrEnum):
    """Where the collector stands; what it remembers dies with it."""

    IDLE = "idle"
    MARKED = "marked"
    UNREFERENCED = "unreferenced"
    UNNAMED = "unnamed"


class Collector(NamedTuple):
    """uid and version: of the marked config, seen before the holds were read (v1); 0 while idle."""

    phase: Phase
    uid: int = 0
    version: int = 0


class Verb(StrEnum):
    """What can be asked of the store about the config."""

    MARK = "mark"
    UNMARK = "unmark"
    DELETE = "delete"


class Request(NamedTuple):
    """A write of the config with preconditions; in flight, it may be carried out at any later time."""

    verb: Verb
    uid: int
    version: int


class Candidate(NamedTuple):
    """The config, None once it is deleted, and who may be about to change it. requests: those in flight."""

    config: Config | None
    collector: Collector = Collector(Phase.IDLE)
    requests: frozenset[Request] = frozenset()


def carry_out(candidate: Candidate, request: Request) -> Candidate:
    """Carry out a write of the config if its preconditions hold, else change nothing (404, 409).

    Whoever knows an older version can do nothing any more, for each of its writes gets 409: so after a write no
    request is in flight, the collector is idle, and versions, which are only ever compared for equality, start again
    at 1. This is exact, and it leaves the number of writes unbounded.
    """
    config = candidate.config
    if config is None or (config.uid, config.version) != (request.uid, request.version):
        return candidate
    if request.verb is Verb.DELETE:
        return Candidate(None)
    return Candidate(Config(config.uid, 1, request.verb is Verb.MARK))


# ---- servers


class Budget(NamedTuple):
    """How often a server may still do a thing; None: without limit.

    asks: machines that ask it. flights: runs that obtain or renew its hold. mishaps: writes of the hold that are not
    acknowledged (refused; done; or late, and done at any later time or never), reads that fail, deaths of the server.
    """

    asks: int | None = None
    flights: int | None = None
    mishaps: int | None = None


class Server(NamedTuple):
    """One server: its worker, and what the store has of this worker (times of renewal, NEVER if nothing).

    late: a write of the hold that was not acknowledged and may still be carried out.
    """

    worker: "Worker"
    hold: int
    late: int
    budget: Budget


# ---- the pool and its renderer


class Pool(NamedTuple):
    """The pool. rendering: which state of its MachineConfigs the config that it names was rendered from.

    In the first state they render to another config, in the next to N, and so on by turns: each second change takes the
    one before it back. backwards: whether it was pointed at what older MachineConfigs render to than it named already.
    """

    rendering: int = 0
    backwards: bool = False

    @property
    def names_config(self) -> bool:
        """Whether the pool names N."""
        return self.rendering % 2 == 1


class Pointing(NamedTuple):
    """A write of the pool in flight, which may be done until then. conditional: on the version of the pool."""

    rendering: int
    until: int
    conditional: bool


class RenderingBudget(NamedTuple):
    """How often a thing may happen; None: without limit.

    changes: of the pool's MachineConfigs. runs: attempts to publish N. mishaps: as for servers.
    """

    changes: int
    runs: int | None = None
    mishaps: int | None = None


class Rendering(NamedTuple):
    """The pool, its MachineConfigs, and its renderer. hold, late: as for servers. pointings: in flight."""

    inputs: int
    pool: Pool
    renderer: "Renderer | None"
    hold: int
    late: int
    pointings: frozenset[Pointing]
    budget: RenderingBudget


class State(NamedTuple):
    """All there is. former, former_late: like hold and late, the latest of all workers that died.

    Only the latest: the collector asks for the hold that expires last. booting: until when some machine that has had
    its last byte needs the config. recreations: how often the config may still be made anew.
    """

    now: int
    candidate: Candidate
    servers: tuple[Server, ...]
    former: int
    former_late: int
    booting: int
    recreations: int
    rendering: Rendering


Move = tuple[Event, State]
Actor = Callable[[State], Iterable[Move]]


@dataclass(frozen=True)
class World:
    """What holds in every state.

    horizon: the last time; then the clock stands. budgets: one for each server. offsets: how far each server's wall
    clock is ahead of the collector's and the store's. recreations: how often the config may be made anew.
    store_has_clock: whether an acknowledgement tells the store's time.
    store_shortens: whether a late write replaces a newer hold (a store that does is broken).
    rendering: what happens to a pool and its renderer, None in a world without.
    pools_last: whether the collector reads the pools after the holds (one that reads them before only is broken).
    writes_in_time: whether a late write of the pool is done within a boot bound and a body deadline, or never.
    every_step: whether to take the steps too that only lead where others lead (told where each is left out).
    """

    durations: Durations
    horizon: int
    budgets: tuple[Budget, ...] = (Budget(),)
    offsets: tuple[int, ...] = (0, 0)
    recreations: int = 0
    store_has_clock: bool = True
    store_shortens: bool = False
    rendering: RenderingBudget | None = None
    pools_last: bool = True
    writes_in_time: bool = True
    every_step: bool = False

    def protects(self, renewed: int, now: int) -> bool:
        """Tell whether the collector, looking now, must believe in a hold (design: expired beyond doubt)."""
        return now <= renewed + self.durations.hold + self.durations.skew

    def is_held(self, state: State) -> bool:
        """Tell whether a consistent read of all holds finds one that has not expired."""
        return self.protects(
            max(state.former, state.rendering.hold, *(server.hold for server in state.servers)), state.now
        )


def written(world: World, server: Server, renewed: int) -> Server:
    """Return the server with its hold written; a hold never gets shorter."""
    return server._replace(hold=renewed if world.store_shortens else max(server.hold, renewed))


def settled(world: World, hold: int, late: int, now: int) -> tuple[int, int]:
    """Return a hold and a late write without what has expired beyond doubt, or would change nothing."""
    hold = hold if world.protects(hold, now) else NEVER
    useless = not world.protects(late, now) or (late <= hold and not world.store_shortens)
    return hold, NEVER if useless else late
