"""The boot protocol against a free collector, over every interleaving: no machine that was sent a config lacks it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from mcs.boot.clock import Reading, elapsed
from mcs.boot.durations import Durations
from mcs.boot.protocol import Claim
from tests.model.boot import DURATIONS, BootModel, lacks_config
from tests.model.checks import check_mutant, check_search
from tests.model.mutants import MUTANTS, Mutant, shipped_with
from tests.model.searches import SEARCHES, Search, story
from tests.model.story import told
from tests.model.world import NEVER, Budget, State, World

QUICK = (
    Search("one-server-to-3", "one server without limits", World(DURATIONS, horizon=3)),
    Search("two-servers-at-once", "two servers without limits, no time", World(DURATIONS, 0, (Budget(), Budget()))),
    Search("two-servers-to-lapse", "two servers, once each", World(DURATIONS, 5, (Budget(1, 1, 0), Budget(0, 1, 0)))),
    Search("every-step", "one server, redundant steps too", World(DURATIONS, horizon=2, every_step=True)),
)


@pytest.mark.parametrize(
    "search",
    [
        *(pytest.param(search, id=search.name) for search in QUICK),
        *(pytest.param(search, id=search.name, marks=pytest.mark.slow) for search in SEARCHES),
    ],
)
def test_no_machine_lacks_its_config(search: Search) -> None:
    check_search(search)


@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=mutant.name) for mutant in MUTANTS])
def test_mutant_loses_a_machine(mutant: Mutant) -> None:
    check_mutant(mutant, "machine 1 lacks N")


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=mutant.name) for mutant in MUTANTS])
def test_story_is_the_shortest_without_limits_too(mutant: Mutant) -> None:
    trace = BootModel(World(DURATIONS, horizon=5, every_step=True), mutant.protocol).explore().trace
    assert trace is not None
    assert len(trace.events) == story(mutant)[0]


def test_mutant_that_replaces_nothing_is_refused() -> None:
    with pytest.raises(AttributeError, match="no_such_function"):
        shipped_with(no_such_function=lambda: None)


# ---- the world is not so safe by itself


def is_deleted(state: State) -> bool:
    return state.candidate.config is None


def is_sending(state: State) -> bool:
    return any(server.worker.body is not None for server in state.servers)


@pytest.mark.parametrize(
    ("reached", "steps"),
    [
        pytest.param(is_deleted, 3, id="deletion-while-nothing-is-sent"),
        pytest.param(is_sending, 5, id="sending"),
        pytest.param(lambda state: state.booting >= state.now, 6, id="booting"),
        pytest.param(lambda state: is_sending(state) and state.former != NEVER, 8, id="sending-after-a-crash"),
        pytest.param(lambda state: is_deleted(state) and state.now == 5, 8, id="deletion-at-the-end"),
    ],
)
def test_state_can_be_reached(reached: Callable[[State], bool], steps: int) -> None:
    trace = BootModel(World(DURATIONS, 5, (Budget(1, 2, 1), Budget(1, 1, 0)))).explore(is_bad=reached).trace
    assert trace is not None
    assert len(trace.events) == steps


KINDS = {
    "server A": {
        *("ask", "covered", "obtain", "renew", "clock", "hold", "hold, unknown", "hold, late", "hold, refused", "look"),
        *("look, failed", "send", "too late", "refuse", "last byte", "goes away", "crash"),
    },
    "collector": {
        *("mark", "mark, late", "adopt", "read", "read, held", "unmark", "unmark, late", "delete", "delete, late"),
        "crash",
    },
    "store": {"hold lands", "former hold lands", "mark lands", "unmark lands", "delete lands"},
    "archive": {"restore"},
    "clock": {"tick"},
}


def test_every_kind_of_step_occurs() -> None:
    kinds = {actor: set[str]() for actor in KINDS}
    for world in (
        World(DURATIONS, horizon=1, budgets=(Budget(1, 2, 2),), recreations=1, every_step=True),
        World(DURATIONS, horizon=4, budgets=(Budget(1, 2, 0),)),
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


def covers_without(**forgotten: float) -> Callable[[Claim, Reading, Durations], bool]:
    def covers(claim: Claim, now: Reading, durations: Durations) -> bool:
        counted = replace(durations, **forgotten)
        return elapsed(claim.since, now) + counted.body < claim.hold - counted.boot

    return covers


@pytest.mark.slow
@pytest.mark.parametrize(
    "forgotten",
    [pytest.param({"boot": 0}, id="boot-bound"), pytest.param({"body": 0}, id="body-deadline")],
)
def test_send_deadline_counts(forgotten: dict[str, float]) -> None:
    durations = Durations(hold=6, renewal=1, boot=2, body=2, lease=2, skew=0)
    world = World(durations, horizon=8, budgets=(Budget(1, 1, 0),))
    assert BootModel(world).explore().trace is None
    trace = BootModel(world, shipped_with(covers=covers_without(**forgotten))).explore().trace
    assert trace is not None
    assert lacks_config(trace.states[-1])


@pytest.mark.slow
def test_store_must_not_let_a_late_write_shorten_a_hold() -> None:
    world = World(DURATIONS, horizon=5, budgets=(Budget(1, 2, 1),))
    assert BootModel(world).explore().trace is None
    trace = BootModel(replace(world, store_shortens=True)).explore().trace
    assert trace is not None
    assert any("carries out the late write of server A's hold" in line for line in told(trace))


def test_server_must_know_that_its_clock_is_off() -> None:
    world = World(DURATIONS, horizon=5, offsets=(-3,))
    assert BootModel(world).explore(is_bad=is_sending).trace is None
    trace = BootModel(replace(world, store_has_clock=False)).explore().trace
    assert trace is not None
    assert "machine 1 lacks N" in told(trace)[-1]
