from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.boot.durations import DurationRuleError, Durations, of_pool, widest


def test_the_defaults_keep_the_rule() -> None:
    durations = Durations()
    assert durations.hold >= durations.boot + durations.body + 2 * durations.renewal + 2 * durations.skew


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        pytest.param({"hold": 12 * 3600.0}, "hold ≥", id="hold as short as the boot bound"),
        pytest.param({"boot": 24 * 3600.0}, "hold ≥", id="boot bound as long as the hold"),
        pytest.param({"renewal": 6 * 3600.0}, "hold ≥", id="renewed too seldom"),
        pytest.param({"skew": 6 * 3600.0}, "hold ≥", id="clocks allowed too far apart"),
        pytest.param({"body": 12 * 3600.0}, "hold ≥", id="a body may take as long as a boot"),
        pytest.param({"lease": 3600.0}, "boot lease ≥", id="boot lease shorter than the boot bound"),
        pytest.param({"renewal": 0.0}, "renewal > 0", id="never renewed"),
        pytest.param({"skew": -1.0}, "skew ≥ 0", id="negative"),
        pytest.param({"hold": float("inf")}, "hold ≥ 0", id="endless"),
        pytest.param({"hold": float("nan")}, "hold ≥ 0", id="not a number"),
    ],
)
def test_a_set_that_breaks_a_rule_cannot_be_built(changed: dict[str, float], rule: str) -> None:
    with pytest.raises(DurationRuleError) as caught:
        Durations(**changed)
    assert caught.value.rule.startswith(rule)


def test_the_rule_itself_is_the_limit() -> None:
    # 2 + 1 + 2·0.5 + 2·0.25 = 4.5
    assert Durations(hold=4.5, renewal=0.5, boot=2, lease=2, skew=0.25, body=1).hold == 4.5
    with pytest.raises(DurationRuleError, match=r"is 4\.5 s"):
        Durations(hold=4.4, renewal=0.5, boot=2, lease=2, skew=0.25, body=1)


@pytest.mark.parametrize(
    ("annotations", "expected", "note"),
    [
        pytest.param({}, Durations(), None, id="none"),
        pytest.param(
            {"mcs.internal/boot-bound": "6h", "mcs.internal/hold": "8h"},
            replace(Durations(), boot=6 * 3600, hold=8 * 3600),
            None,
            id="together they keep the rule",
        ),
        pytest.param({"mcs.internal/boot-lease": "14d"}, replace(Durations(), lease=14 * 86400), None, id="one alone"),
        pytest.param({"mcs.internal/hold": "8h"}, Durations(), "hold ≥ boot bound", id="alone it breaks the rule"),
        pytest.param(
            {"mcs.internal/hold": "soon", "mcs.internal/boot-lease": "14d"},
            replace(Durations(), lease=14 * 86400),
            "'soon' is ignored: it is not a duration",
            id="one that cannot be read",
        ),
    ],
)
def test_what_a_pool_says_of_itself(annotations: dict[str, str], expected: Durations, note: str | None) -> None:
    durations, notes = of_pool(annotations, Durations())
    assert durations == expected
    assert [note in said for said in notes if note] == ([True] if note else [])
    assert bool(notes) == (note is not None)


hours = st.integers(0, 100).map(lambda number: number * 3600.0)


@given(st.lists(st.tuples(hours, hours, hours), min_size=1, max_size=4))
def test_what_is_wide_enough_for_all_pools_keeps_the_rule(of_pools: list[tuple[float, float, float]]) -> None:
    each = [
        replace(Durations(), boot=boot, hold=boot + 3 * 3600 + more, lease=boot + later)
        for boot, more, later in of_pools
    ]
    together = widest(each)
    assert together is not None
    assert together.hold == max(one.hold for one in each)
    assert together.boot == max(one.boot for one in each)


def test_no_pool_has_no_durations() -> None:
    assert widest([]) is None
