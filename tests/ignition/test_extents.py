"""Which partitions are not alone on a disk: what comparing each to each finds."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.extents import Crowd, Extent, extent

EXTENTS = st.lists(st.tuples(st.integers(0, 12), st.integers(-5, 12)), max_size=7).map(
    lambda drawn: [extent(place, start, size) for place, (start, size) in enumerate(drawn)]
)


@pytest.mark.parametrize(
    ("asked", "compared"),
    [
        pytest.param(
            Crowd.covers_an_end_of,
            lambda one, other: other.covers(one.start) or other.covers(one.end),
            id="covers an end of",
        ),
        pytest.param(
            Crowd.has_an_end_on,
            lambda one, other: one.covers(other.start) or one.covers(other.end),
            id="has an end on",
        ),
        pytest.param(
            Crowd.is_within,
            lambda one, other: one.start < other.start and other.end < one.end,
            id="is within",
        ),
    ],
)
@given(extents=EXTENTS)
def test_a_crowd_knows_what_comparing_each_to_each_finds(
    asked: Callable[[Crowd, Extent], bool], compared: Callable[[Extent, Extent], bool], extents: list[Extent]
) -> None:
    crowd = Crowd(extents)
    expected = [any(compared(one, other) for other in extents if other is not one) for one in extents]
    assert [asked(crowd, one) for one in extents] == expected


def test_a_partition_that_fills_what_is_free_is_certain_of_its_start_alone() -> None:
    assert (extent(0, 7, 0), extent(0, 7, 3)) == (Extent(0, 7, 7), Extent(0, 7, 9))
