"""Where partitions lie on a disk, and which of them lie alone, found without comparing each to each. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Extent", "crowded", "extent"]


class Extent(NamedTuple):
    """Where a partition is to be, both ends included, in whatever unit. place: of the partition in its list."""

    place: int
    start: int
    end: int


def extent(place: int, start: int, size: int) -> Extent:
    """Make an extent; a size of 0 fills what is free: only its start is certain."""
    return Extent(place, start, start + (size or 1) - 1)


def crowded(extents: Sequence[Extent]) -> Sequence[Extent]:
    """Return those that overlap another one, in their order; all of them where one ends before it begins.

    >>> crowded([extent(0, 1, 4), extent(1, 5, 1), extent(2, 4, 1)])
    [Extent(place=0, start=1, end=4), Extent(place=2, start=4, end=4)]
    """
    if any(one.end < one.start for one in extents):
        return extents
    places: set[int] = set()
    furthest: Extent | None = None
    for one in sorted(extents, key=lambda each: each.start):
        if furthest is not None and one.start <= furthest.end:
            places |= {one.place, furthest.place}
        if furthest is None or one.end > furthest.end:
            furthest = one
    return [one for one in extents if one.place in places]
