"""The conditions of a pool's status: how one is read, and how the list is after one has changed. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime

from mcs.jsondata import JSON, JSONObject, list_at, text_at

__all__ = ["RENDER_DEGRADED", "WELL", "Condition", "condition_of", "conditions_with"]

RENDER_DEGRADED = "RenderDegraded"


@dataclass(frozen=True, slots=True)
class Condition:
    """What a condition says: whether it is so (its status is "True"), a code, and words for people."""

    holds: bool
    reason: str = ""
    message: str = ""


WELL = Condition(holds=False)


def condition_of(pool: JSONObject, kind: str) -> Condition | None:
    """Return a condition of a pool by its type, or None."""
    for condition in list_at(pool, "status", "conditions"):
        if text_at(condition, "type") == kind:
            holds = text_at(condition, "status") == "True"
            return Condition(holds, text_at(condition, "reason") or "", text_at(condition, "message") or "")
    return None


def conditions_with(pool: JSONObject, kind: str, condition: Condition, now: float) -> list[JSON] | None:
    """Return the pool's conditions after one was set, or None if that one says so already.

    now: seconds since 1970. lastTransitionTime is when the status changed, whatever else did since.
    """
    before = condition_of(pool, kind)
    if before == condition:
        return None
    conditions = list_at(pool, "status", "conditions")
    stamped = next((text_at(each, "lastTransitionTime") for each in conditions if text_at(each, "type") == kind), None)
    if before is None or before.holds != condition.holds or stamped is None:
        stamped = datetime.fromtimestamp(int(now), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    written: JSONObject = {
        "type": kind,
        "status": str(condition.holds),
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": stamped,
    }
    return [*(each for each in conditions if text_at(each, "type") != kind), written]
