"""How long somebody waits who failed: longer each time, up to a bound, and never quite as long as others. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Random", "Retry", "pause"]

Random: TypeAlias = Callable[[], float]  # from 0 to 1

_FIRST = 0.25  # seconds
_MOST = 30.0
_DOUBLINGS = 10  # enough for _MOST


def pause(failures: int, random: float) -> float:
    """Return the seconds to wait after so many failures in a row. random: from 0 to 1, so that peers spread.

    >>> pause(1, 1.0), pause(3, 0.0), pause(1000, 1.0)
    (0.25, 0.5, 30.0)
    """
    longest = min(_MOST, _FIRST * float(2 ** min(failures - 1, _DOUBLINGS)))
    return longest * (0.5 + random / 2)


@dataclass(frozen=True, slots=True)
class Retry:
    """failures: in a row. at: when to try again, in seconds of a clock that never goes back."""

    failures: int = 0
    at: float = float("-inf")

    def failed(self, now: float, random: float) -> "Retry":
        """Take in one more failure."""
        return Retry(self.failures + 1, now + pause(self.failures + 1, random))
