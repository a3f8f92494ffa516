import pytest

from mcs.boot.durations import DurationRuleError, Durations


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
