"""Time as the protocols use it: values that are handed in, never read here."""

from dataclasses import dataclass

__all__ = ["Reading", "elapsed"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at both clocks of a host, in seconds.

    wall: since 1970, UTC; it may be set back and forth. boot: since the host started, suspend included
    (Linux CLOCK_BOOTTIME; Python's monotonic clock stops in suspend).
    """

    wall: float
    boot: float


def elapsed(since: Reading, now: Reading) -> float:
    """Return the seconds between two readings of one host: the larger of the two clocks' differences.

    The larger one errs towards "a hold has lapsed", which costs a write and never a machine.

    >>> elapsed(Reading(wall=100.0, boot=5.0), Reading(wall=90.0, boot=8.0))
    3.0
    """
    return max(now.wall - since.wall, now.boot - since.boot)
