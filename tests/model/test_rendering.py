"""The protocol of rendering against a free collector, over every interleaving: what a pool names is there."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.model.boot import DURATIONS, BootModel, is_broken
from tests.model.checks import check_mutant, check_search
from tests.model.mutants import Mutant
from tests.model.rendering_mutants import RENDERING_MUTANTS, rendering_with
from tests.model.searches import ONCE, RENDERING_SEARCHES, Search
from tests.model.story import told
from tests.model.world import RenderingBudget, State, World

ONE_ATTEMPT = RenderingBudget(changes=1, runs=1, mishaps=1)

QUICK = (
    Search(
        "without-mishaps",
        "one renderer, any number of attempts, no mishap",
        World(DURATIONS, horizon=5, budgets=(), recreations=1, rendering=RenderingBudget(changes=2, mishaps=0)),
    ),
    Search(
        "one-mishap",
        "one renderer, two attempts, one mishap",
        World(DURATIONS, horizon=5, budgets=(), rendering=RenderingBudget(changes=2, runs=2, mishaps=1)),
    ),
    Search(
        "all-three-at-once",
        "a server, a renderer and a collector, no time",
        World(DURATIONS, horizon=0, budgets=(ONCE,), recreations=1, rendering=RenderingBudget(changes=2, mishaps=0)),
    ),
)


@pytest.mark.parametrize(
    "search",
    [
        *(pytest.param(search, id=search.name) for search in QUICK),
        *(pytest.param(search, id=search.name, marks=pytest.mark.slow) for search in RENDERING_SEARCHES),
    ],
)
def test_what_a_pool_names_is_there(search: Search) -> None:
    check_search(search)


@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=mutant.name) for mutant in RENDERING_MUTANTS])
def test_mutant_loses_what_a_pool_names(mutant: Mutant) -> None:
    check_mutant(mutant, "the pool names")


def test_mutant_that_replaces_nothing_is_refused() -> None:
    with pytest.raises(AttributeError, match="no_such_function"):
        rendering_with(no_such_function=lambda: None)


# ---- the world is not so safe by itself


def is_deleted(state: State) -> bool:
    return state.candidate.config is None


def is_pointed(state: State) -> bool:
    return state.rendering.pool.names_config


@pytest.mark.parametrize(
    ("reached", "steps"),
    [
        pytest.param(is_deleted, 4, id="deletion-while-nothing-is-rendered"),
        pytest.param(is_pointed, 6, id="pool-pointed-at-what-was-there"),
        pytest.param(
            lambda state: is_pointed(state) and state.recreations == 0, 11, id="pool-pointed-at-what-was-made-anew"
        ),
        pytest.param(
            lambda state: is_pointed(state) and state.candidate.config is not None and state.candidate.config.marked,
            7,
            id="mark-on-what-the-pool-names",
        ),
    ],
)
def test_state_can_be_reached(reached: Callable[[State], bool], steps: int) -> None:
    rendering = RenderingBudget(changes=2, runs=2, mishaps=1)
    trace = BootModel(World(DURATIONS, 5, (), recreations=1, rendering=rendering)).explore(is_bad=reached).trace
    assert trace is not None
    assert len(trace.events) == steps


KINDS = {
    "people": {"change"},
    "renderer": {
        *("begin", "point elsewhere", "clock", "hold", "hold, unknown", "hold, late", "hold, refused", "look"),
        *("look, failed", "create", "create, exists", "create, refused", "create, unknown", "create, failed"),
        *("unmark", "unmark, stale", "unmark, unknown", "unmark, failed"),
        *("point", "point, stale", "point, unknown", "point, late", "point, failed", "crash"),
    },
    "collector": {
        *("mark", "adopt", "read", "read, held", "pools", "pools, named", "unmark", "delete", "delete, late", "crash")
    },
    "store": {"renderer's hold lands", "former hold lands", "pointing lands", "delete lands"},
    "archive": {"restore"},
    "clock": {"tick"},
}


def test_every_kind_of_step_occurs() -> None:
    kinds = {actor: set[str]() for actor in KINDS}
    for world in (
        World(DURATIONS, horizon=0, budgets=(), recreations=1, rendering=RenderingBudget(2, runs=2, mishaps=2)),
        World(DURATIONS, horizon=5, budgets=(), rendering=RenderingBudget(1, runs=1, mishaps=0)),
    ):
        _note_kinds(BootModel(world), kinds)
    assert kinds == KINDS


def _note_kinds(model: BootModel, kinds: dict[str, set[str]]) -> None:
    moves = model.moves()

    def note(state: State) -> None:
        for event, _ in moves(state):
            kinds[event.actor].add(event.kind)

    model.explore(visit=note)


# ---- what the protocol needs of the rest


def test_collector_must_read_the_pools_after_the_holds() -> None:
    world = World(DURATIONS, horizon=5, budgets=(), rendering=ONE_ATTEMPT)
    assert BootModel(world).explore().trace is None
    trace = BootModel(replace(world, pools_last=False)).explore().trace
    assert trace is not None
    assert is_broken(trace.states[-1])


def test_store_must_not_write_the_pool_after_a_boot_bound() -> None:
    world = World(DURATIONS, horizon=5, budgets=(), rendering=ONE_ATTEMPT)
    trace = BootModel(replace(world, writes_in_time=False)).explore().trace
    assert trace is not None
    assert told(trace)[-1] == "t=5: the pool names N, and N is gone"
