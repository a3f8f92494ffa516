import pytest

from mcs.controller.conditions import RENDER_DEGRADED, WELL, Condition, condition_of, conditions_with
from mcs.jsondata import JSON, JSONObject

BAD = Condition(holds=True, reason="no_configs", message="nothing is selected")
OTHER: JSONObject = {"type": "Updated", "status": "True"}
THEN, NOW = "2026-01-01T00:00:00Z", "2027-01-15T08:00:00Z"
NOW_SECONDS = 1_800_000_000.9


def written(condition: Condition, time: str) -> JSONObject:
    return {
        "type": RENDER_DEGRADED,
        "status": str(condition.holds),
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": time,
    }


def pool(*conditions: JSON) -> JSONObject:
    return {"status": {"conditions": list(conditions)}}


@pytest.mark.parametrize(
    ("before", "condition", "after"),
    [
        pytest.param({}, WELL, [written(WELL, NOW)], id="a pool without a status"),
        pytest.param(pool(OTHER), BAD, [OTHER, written(BAD, NOW)], id="others stay"),
        pytest.param(pool(written(WELL, THEN), OTHER), BAD, [OTHER, written(BAD, NOW)], id="it became bad"),
        pytest.param(pool(written(BAD, THEN)), WELL, [written(WELL, NOW)], id="it became well"),
        pytest.param(
            pool(written(BAD, THEN)),
            Condition(holds=True, reason="selector", message="another"),
            [written(Condition(holds=True, reason="selector", message="another"), THEN)],
            id="it is bad for another reason: the time stays",
        ),
        pytest.param(pool(written(BAD, THEN)), BAD, None, id="it says so already"),
        pytest.param(pool(written(WELL, THEN), OTHER), WELL, None, id="it is well already"),
        pytest.param(
            pool({"type": RENDER_DEGRADED, "status": "True"}), BAD, [written(BAD, NOW)], id="one without a time"
        ),
        pytest.param(pool(written(WELL, THEN), written(BAD, THEN)), BAD, [written(BAD, NOW)], id="of two one is left"),
        pytest.param(pool("junk", None), WELL, ["junk", None, written(WELL, NOW)], id="what is no condition stays"),
    ],
)
def test_the_conditions_after_one_was_set(before: JSONObject, condition: Condition, after: list[JSON] | None) -> None:
    assert conditions_with(before, RENDER_DEGRADED, condition, NOW_SECONDS) == after


@pytest.mark.parametrize("condition", [WELL, BAD])
def test_what_was_set_is_read_back_and_need_not_be_set_again(condition: Condition) -> None:
    made = pool(*(conditions_with({}, RENDER_DEGRADED, condition, NOW_SECONDS) or []))
    assert condition_of(made, RENDER_DEGRADED) == condition
    assert conditions_with(made, RENDER_DEGRADED, condition, NOW_SECONDS + 9) is None


def test_an_unknown_status_is_not_true() -> None:
    assert condition_of(pool({"type": RENDER_DEGRADED, "status": "Unknown"}), RENDER_DEGRADED) == WELL
