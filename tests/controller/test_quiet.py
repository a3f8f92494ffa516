"""The laws of the quiet period: never earlier than quiet, never later than the cap, one rendering for a burst."""

from itertools import accumulate, pairwise
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.controller.quiet import QuietPeriod, Waiting, begun

# Whole numbers as seconds: what is compared here is exact.
PERIODS = st.tuples(st.integers(0, 8), st.integers(0, 40)).map(lambda pair: QuietPeriod(pair[0], pair[0] + pair[1]))


def renderings(changes: list[int], period: QuietPeriod, every: int = 1) -> list[tuple[int, Waiting[int]]]:
    """Look every so often while something changes at these times, and for long after; return when it was rendered.

    With each time comes what was known just before. The inputs are how many changes there were.
    """
    looks = range(0, max(changes, default=0) + int(period.cap) + 2 * every, every)
    waiting = begun(0, 0).done(0)
    rendered = []
    for now in looks:
        waiting = waiting.observed(sum(change <= now for change in changes), now)
        if waiting.is_due(period, now):
            rendered.append((now, waiting))
            waiting = waiting.done(waiting.seen)
    return rendered


TIMES = st.lists(st.integers(1, 200), max_size=30).map(sorted)


@given(TIMES, PERIODS, st.integers(1, 3))
def test_nothing_is_rendered_before_it_was_quiet_or_the_cap_was_reached(
    changes: list[int], period: QuietPeriod, every: int
) -> None:
    for now, waiting in renderings(changes, period, every):
        assert waiting.latest is not None
        assert waiting.first is not None
        assert now >= waiting.latest + period.quiet or now >= waiting.first + period.cap


@given(TIMES, PERIODS, st.integers(1, 3))
def test_no_change_waits_longer_than_the_cap_from_when_it_was_seen(
    changes: list[int], period: QuietPeriod, every: int
) -> None:
    times = [now for now, _ in renderings(changes, period, every)]
    for change in changes:
        seen = ceil(change / every) * every
        latest = ceil((seen + period.cap) / every) * every
        assert any(seen <= now <= latest for now in times), (change, times)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(5, 8), st.integers(0, 40))
def test_a_burst_of_any_shape_gives_one_rendering_and_one_for_each_cap(gaps: list[int], quiet: int, more: int) -> None:
    changes = list(accumulate(gaps, initial=1))
    assert all(after - before < quiet for before, after in pairwise(changes))
    period = QuietPeriod(quiet, quiet + more)
    assert 1 <= len(renderings(changes, period)) <= ceil((changes[-1] - changes[0]) / period.cap) + 1


@given(TIMES, PERIODS)
def test_the_last_rendering_has_taken_in_every_change(changes: list[int], period: QuietPeriod) -> None:
    rendered = renderings(changes, period)
    assert bool(rendered) == bool(changes)
    assert not changes or rendered[-1][1].seen == len(changes)


@pytest.mark.parametrize(
    ("period", "changes", "times"),
    [
        pytest.param(QuietPeriod(5, 60), [10], [15], id="one change"),
        pytest.param(QuietPeriod(5, 60), [10, 12, 14, 16], [21], id="a burst of four"),
        pytest.param(QuietPeriod(5, 60), [10, 15, 20], [25], id="as far apart as the quiet period"),
        pytest.param(QuietPeriod(5, 60), [10, 16, 22], [15, 21, 27], id="farther apart: no burst"),
        pytest.param(QuietPeriod(5, 12), list(range(10, 31)), [22, 35], id="a burst without end meets the cap"),
        pytest.param(QuietPeriod(0, 0), [10, 11, 12, 13], [10, 11, 12, 13], id="switched off: one for each"),
        pytest.param(QuietPeriod(5, 60), [], [], id="nothing happens"),
    ],
)
def test_when_a_pool_is_rendered(period: QuietPeriod, changes: list[int], times: list[int]) -> None:
    assert [now for now, _ in renderings(changes, period)] == times


def test_what_is_seen_unchanged_restarts_nothing() -> None:
    waiting = begun("a", 0.0)
    assert waiting.observed("a", 4.0) is waiting
    assert waiting.observed("a", 4.0).due_at(QuietPeriod(5, 60)) == 5.0


def test_a_change_that_is_taken_back_still_waits() -> None:
    waiting = begun("a", 0.0).done("a").observed("b", 1.0).observed("a", 2.0)
    assert waiting.due_at(QuietPeriod(5, 60)) == 7.0


def test_what_a_rendering_itself_leaves_is_no_change() -> None:
    waiting = begun("a", 0.0).done("a, rendered")
    assert waiting.observed("a, rendered", 9.0).due_at(QuietPeriod(5, 60)) is None
    assert waiting.rendered == "a, rendered"


@pytest.mark.parametrize(("quiet", "cap"), [(5.0, 4.0), (-1.0, 4.0), (5.0, float("inf")), (float("nan"), 5.0)])
def test_a_period_that_makes_no_sense_cannot_be_made(quiet: float, cap: float) -> None:
    with pytest.raises(ValueError, match="quiet period ≤ cap does not hold"):
        QuietPeriod(quiet, cap)
