"""Which partitions overlap another: what comparing each to each finds."""

from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.extents import Extent, crowded, extent

numbers = st.integers(0, 12)


@given(st.lists(st.tuples(numbers, numbers), max_size=7))
def test_those_that_share_room_with_another_are_found(members: list[tuple[int, int]]) -> None:
    extents = [extent(place, start, size) for place, (start, size) in enumerate(members)]
    rooms = [set(range(start, start + max(size, 1))) for start, size in members]
    expected = [
        each
        for each in extents
        if any(rooms[each.place] & rooms[other.place] for other in extents if other.place != each.place)
    ]
    assert list(crowded(extents)) == expected


def test_all_are_compared_where_one_ends_before_it_begins() -> None:
    extents = [Extent(0, 1, 1), extent(1, 9, -4), Extent(2, 20, 20)]
    assert crowded(extents) == extents
