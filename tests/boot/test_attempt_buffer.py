"""Attempts that wait to be written: what is coalesced, what is dropped, what a failed write leaves."""

from hypothesis import given
from hypothesis import strategies as st

from mcs.boot.attempt_buffer import AttemptBuffer
from mcs.boot.records import Attempt
from tests.store.samples import attempt

attempts = st.lists(
    st.builds(
        lambda address, moment, count: attempt(address=address, first=moment, last=moment, count=count),
        st.sampled_from("abcdef"),
        st.integers(0, 100).map(float),
        st.integers(1, 5),
    )
)


def test_attempts_of_one_key_wait_as_one() -> None:
    buffer = AttemptBuffer(10)
    for moment in (1003.0, 1001.0, 1002.0):
        buffer.put(attempt(first=moment, last=moment))
    assert buffer.take() == [attempt(first=1001.0, last=1003.0, count=3)]
    assert buffer.take() == []


def test_the_one_that_came_least_lately_makes_room() -> None:
    buffer = AttemptBuffer(2)
    for address in ("a", "b", "a", "c"):
        buffer.put(attempt(address=address))
    assert [one.address for one in buffer.take()] == ["a", "c"]
    assert buffer.dropped == 1


def test_what_is_given_back_makes_room_for_what_came_since() -> None:
    buffer = AttemptBuffer(2)
    buffer.put(attempt(address="a", count=5))
    buffer.put(attempt(address="b"))
    taken = buffer.take()
    buffer.put(attempt(address="b"))
    buffer.put(attempt(address="c"))
    buffer.give_back(taken)
    assert buffer.take() == [attempt(address="b", count=2), attempt(address="c")]
    assert buffer.dropped == 5


@given(attempts, st.integers(1, 4), st.integers(0, 20))
def test_every_request_waits_or_is_counted_as_dropped(came: list[Attempt], most: int, given_back_after: int) -> None:
    buffer = AttemptBuffer(most)
    for number, one in enumerate(came):
        buffer.put(one)
        if number == given_back_after:
            buffer.give_back(buffer.take())
        assert len(buffer) <= most
    waiting = buffer.take()
    assert len({one.key for one in waiting}) == len(waiting)
    assert sum(one.count for one in waiting) + buffer.dropped == sum(one.count for one in came)
