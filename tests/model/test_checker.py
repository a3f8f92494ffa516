"""The checker itself: on worlds small enough to count by hand."""

from collections.abc import Iterator

from tests.model.checker import explore

Pair = tuple[int, int]


def two_counters(state: Pair) -> Iterator[tuple[str, Pair]]:
    """Each of two counters goes up to 3."""
    left, right = state
    if left < 3:
        yield "left", (left + 1, right)
    if right < 3:
        yield "right", (left, right + 1)


def is_never(state: Pair) -> bool:
    return False


def is_two_and_one(state: Pair) -> bool:
    return sorted(state) == [1, 2]


def test_every_state_is_visited_once() -> None:
    visited: list[Pair] = []
    outcome = explore((0, 0), two_counters, is_never, visit=visited.append)
    assert sorted(visited) == [(left, right) for left in range(4) for right in range(4)]
    assert (outcome.states, outcome.transitions, outcome.depth, outcome.trace) == (16, 24, 6, None)


def test_trace_is_a_shortest_one() -> None:
    def moves(state: int) -> Iterator[tuple[str, int]]:
        yield from (("one", state + 1), ("three", state + 3)) if state < 9 else ()

    trace = explore(0, moves, lambda state: state == 7).trace
    assert trace is not None
    assert sorted(trace.events) == ["one", "three", "three"]
    assert (trace.states[0], trace.states[-1], len(trace.states)) == (0, 7, 4)


def test_bad_start_is_found() -> None:
    trace = explore((0, 0), two_counters, lambda state: state == (0, 0)).trace
    assert trace is not None
    assert (trace.events, trace.states) == ((), ((0, 0),))


def test_mirror_images_are_one_state_and_the_trace_is_still_a_run() -> None:
    def canonical(state: Pair) -> Pair:
        return min(state, state[::-1])

    assert explore((0, 0), two_counters, is_never, canonical).states == 10
    trace = explore((0, 0), two_counters, is_two_and_one, canonical).trace
    assert trace is not None
    assert len(trace.events) == 3
    for before, event, after in zip(trace.states, trace.events, trace.states[1:], strict=False):
        assert (event, after) in list(two_counters(before))
