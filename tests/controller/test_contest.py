"""When it is told that others undo what a controller writes, and what is none of that."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.controller.causes import Causes, Standing
from mcs.controller.conditions import WELL, Condition
from mcs.controller.contest import Contest, undone
from mcs.controller.quiet import QuietPeriod

PERIOD = QuietPeriod(5, 60)  # so what follows within 30 s is in a row
BAD = Condition(holds=True, reason="image_lost", message="m")
LEFT = Standing("rendered-worker-a", ("00-worker",), ("u", 1), WELL)


def causes(standing: Standing = LEFT, uid: str = "p") -> Causes:
    return Causes(uid, "{}", None, (), standing)


@pytest.mark.parametrize(
    ("seen", "is_so"),
    [
        pytest.param(causes(), False, id="nothing"),
        pytest.param(causes(replace(LEFT, config="rendered-worker-b")), True, id="another config"),
        pytest.param(causes(replace(LEFT, degraded=BAD)), True, id="the contrary word"),
        pytest.param(causes(replace(LEFT, degraded=Condition(False, "r", "m"))), False, id="the same in other words"),
        pytest.param(causes(replace(LEFT, config=None)), False, id="taken away"),
        pytest.param(causes(replace(LEFT, degraded=None)), False, id="the condition taken away"),
        pytest.param(causes(replace(LEFT, source=())), False, id="another source"),
        pytest.param(causes(replace(LEFT, config="rendered-worker-b"), uid="q"), False, id="another pool"),
    ],
)
def test_what_is_undone(seen: Causes, is_so: bool) -> None:
    assert undone(causes(), seen) == is_so
    assert not undone(None, seen)


@given(st.lists(st.floats(0, 100), max_size=40))
def test_it_is_told_from_the_third_time_in_a_row_on_and_once_a_minute(gaps: list[float]) -> None:
    now, contest, row = 0.0, Contest(), 0
    told: list[float] = []
    for gap in gaps:
        now += gap
        row = row + 1 if now - contest.latest <= 30 else 1
        contest = contest.happened(now, PERIOD)
        is_due = row >= 3 and (not told or now - told[-1] >= 60)
        assert contest.is_to_be_told(now) == is_due
        if is_due:
            told.append(now)
            contest = replace(contest, told=now)
