"""Where partitions lie on a disk, and which of them lie alone, found without comparing each to each. Pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

__all__ = ["Crowd", "Extent", "extent"]


class Extent(NamedTuple):
    """Where a partition is to be, both ends included, in whatever unit. place: of the partition in its list.

    It covers what is from its start to its end: nothing, where a negative size makes it end before it begins.
    """

    place: int
    start: int
    end: int

    def covers(self, point: int) -> bool:
        """Tell whether a point is on it."""
        return self.start <= point <= self.end


def extent(place: int, start: int, size: int) -> Extent:
    """Make an extent; a size of 0 fills what is free: only its start is certain."""
    return Extent(place, start, start + (size or 1) - 1)


class Crowd:
    """All extents of a disk, sorted once: whether one of them is alone is then told without looking at each other one.

    >>> crowd = Crowd([extent(0, 1, 4), extent(1, 5, 1), extent(2, 4, 1)])
    >>> crowd.covers_an_end_of(extent(0, 1, 4)), crowd.covers_an_end_of(extent(1, 5, 1))
    (True, False)
    """

    def __init__(self, extents: Sequence[Extent]) -> None:
        covering = [each for each in extents if each.start <= each.end]
        self._starts = sorted(each.start for each in covering)
        self._ends = sorted(each.end for each in covering)
        self._bounds = sorted(bound for each in extents for bound in (each.start, each.end))
        by_start = sorted(extents, key=lambda each: each.start)
        self._all_starts = [each.start for each in by_start]
        # The least end of each extent and those that start later.
        self._least_ends = [*accumulate((each.end for each in reversed(by_start)), min)][::-1]

    def covers_an_end_of(self, one: Extent) -> bool:
        """Tell whether another extent covers the start or the end of one."""
        itself = one.start <= one.end
        return self._covering(one.start) > itself or self._covering(one.end) > itself

    def _covering(self, point: int) -> int:
        return bisect_right(self._starts, point) - bisect_left(self._ends, point)

    def has_an_end_on(self, one: Extent) -> bool:
        """Tell whether one extent covers the start or the end of another."""
        return bisect_right(self._bounds, one.end) - bisect_left(self._bounds, one.start) > 2  # its own two

    def is_within(self, one: Extent) -> bool:
        """Tell whether another extent starts after one and ends before it."""
        later = bisect_right(self._all_starts, one.start)
        return later < len(self._least_ends) and self._least_ends[later] < one.end
