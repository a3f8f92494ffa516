"""The searches that the tests run and the document quotes: each world once, with its result kept."""

from dataclasses import dataclass
from functools import cache

from mcs.boot.durations import Durations
from tests.model.boot import DURATIONS, BootModel
from tests.model.checker import Outcome
from tests.model.mutants import Mutant
from tests.model.rendering_mutants import RENDERING_MUTANTS
from tests.model.story import told
from tests.model.world import Budget, Event, RenderingBudget, State, World

__all__ = ["RENDERING_SEARCHES", "SEARCHES", "Search", "result", "story"]

ONCE = Budget(asks=1, flights=1, mishaps=0)
ONE_MISHAP = Budget(asks=1, flights=1, mishaps=1)
RENEWING = Budget(asks=1, flights=2, mishaps=0)
HOLDING = Budget(asks=0, flights=1, mishaps=0)
SOME = Budget(asks=2, flights=2, mishaps=1)

SKEWED = Durations(hold=6, renewal=1, boot=1, body=1, lease=1, skew=1)


@dataclass(frozen=True)
class Search:
    """name: for test ids. title: what is in the world, for people."""

    name: str
    title: str
    world: World


SEARCHES = (
    Search(
        "one-server",
        "one server without limits: machines one after another, renewals, crashes, lost, late and refused answers",
        World(DURATIONS, horizon=7),
    ),
    Search(
        "mishaps",
        "two servers: each is asked by a machine, obtains its hold once, and meets a crash or a lost, late or refused"
        " answer at any point",
        World(DURATIONS, horizon=5, budgets=(ONE_MISHAP, ONE_MISHAP)),
    ),
    Search(
        "renewal",
        "two servers: one is asked by a machine, and renews its hold or acquires it anew; the other holds N too",
        World(DURATIONS, horizon=6, budgets=(RENEWING, HOLDING)),
    ),
    Search(
        "skew",
        "two servers whose clocks are off by the skew, one to each side: the late one is asked by a machine",
        World(SKEWED, horizon=9, budgets=(ONCE, HOLDING), offsets=(-1, 1)),
    ),
    Search(
        "made-anew",
        "one server: two machines, the hold written twice, one such mishap; N may be made anew once it is deleted",
        World(DURATIONS, horizon=5, budgets=(SOME,), recreations=1),
    ),
)

RENDERING_SEARCHES = (
    Search(
        "one-renderer",
        "one renderer without limits: attempts one after another, crashes, lost, late and refused answers; N may be"
        " made or restored once it is deleted",
        World(DURATIONS, horizon=6, budgets=(), recreations=1, rendering=RenderingBudget(changes=1)),
    ),
    Search(
        "reverts",
        "one renderer: the pool's MachineConfigs are changed three times, back and forth; two attempts of any meet a"
        " crash or a lost, late or refused answer",
        World(DURATIONS, horizon=5, budgets=(), rendering=RenderingBudget(changes=3, mishaps=2)),
    ),
    Search(
        "renderer-and-server",
        "one renderer that publishes N once, and one server that is asked by a machine and obtains its hold once; the"
        " renderer meets a crash or a lost, late or refused answer",
        World(DURATIONS, horizon=5, budgets=(ONCE,), rendering=RenderingBudget(changes=1, runs=1, mishaps=1)),
    ),
    Search(
        "renderer-and-renewal",
        "one renderer that publishes N once, and one server that renews its hold or acquires it anew",
        World(DURATIONS, horizon=5, budgets=(RENEWING,), rendering=RenderingBudget(changes=1, runs=1, mishaps=0)),
    ),
)

STORIES = World(DURATIONS, horizon=5, budgets=(RENEWING, HOLDING))
"""Where mutants are looked for: two servers, the one with a machine and two flights, the other with a hold to write."""

RENDERING_STORIES = World(DURATIONS, horizon=5, budgets=(), rendering=RenderingBudget(changes=2, runs=2, mishaps=1))
"""Where mutants of rendering are looked for: two attempts, of which one meets a mishap."""


@cache
def result(search: Search) -> Outcome[State, Event]:
    """Return what a search of the shipped protocol finds."""
    return BootModel(search.world).explore()


@cache
def story(mutant: Mutant) -> tuple[int, list[str]]:
    """Return the number of steps of a mutant's shortest bad trace, time's included, and its story."""
    trace = BootModel(RENDERING_STORIES if mutant in RENDERING_MUTANTS else STORIES, mutant.protocol).explore().trace
    assert trace is not None, f"nothing is lost by {mutant.name}"
    return len(trace.events), told(trace)
