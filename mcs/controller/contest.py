"""When others undo again and again what this process leaves on a pool, as controllers with other settings do. Pure.

Each of them is right by its own settings, so that nobody gives in: all that can be done is to tell people.
"""

from dataclasses import dataclass, replace

from mcs.controller.causes import Causes
from mcs.controller.quiet import QuietPeriod

__all__ = ["Contest", "undone"]

_TIMES = 3  # in a row, until it is told: people correct what they did by hand, too
_EVERY = 60.0  # seconds between two warnings
_PERIODS, _MORE = 4, 10.0  # quiet periods, and seconds, within which the next one follows: each side waits for quiet


@dataclass(frozen=True, slots=True)
class Contest:
    """Of one pool. times: how often in a row it was undone. latest, told: when last so, and when people were last told.

    Times are seconds of a clock that never goes back.
    """

    times: int = 0
    latest: float = float("-inf")
    told: float = float("-inf")

    def happened(self, now: float, period: QuietPeriod) -> "Contest":
        """Take in that it was undone once more, and is put right now."""
        follows = now - self.latest <= _PERIODS * period.quiet + _MORE
        return replace(self, times=self.times + 1 if follows else 1, latest=now)

    def is_to_be_told(self, now: float) -> bool:
        """Tell whether people should be told now."""
        return self.times >= _TIMES and now - self.told >= _EVERY


def undone(left: Causes | None, seen: Causes) -> bool:
    """Tell whether somebody has put another config, or the contrary of our word on rendering, in the place of ours.

    left: as the last rendering left the pool, None where this process has done none. What was only taken away does not
    count: a manifest that is applied anew does that.
    """
    if left is None or left.uid != seen.uid:
        return False
    ours, theirs = left.standing, seen.standing
    renamed = ours.config is not None and theirs.config is not None and ours.config != theirs.config
    contradicted = (
        ours.degraded is not None and theirs.degraded is not None and ours.degraded.holds != theirs.degraded.holds
    )
    return renamed or contradicted
