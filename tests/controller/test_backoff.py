from hypothesis import given
from hypothesis import strategies as st

from mcs.controller.backoff import Retry, pause

RANDOM = st.floats(0, 1)


@given(st.integers(1, 10_000), RANDOM)
def test_nobody_tries_again_at_once_or_waits_for_ever(failures: int, random: float) -> None:
    assert 0.1 <= pause(failures, random) <= 30.0


@given(st.integers(1, 100))
def test_it_waits_longer_each_time_up_to_a_bound(failures: int) -> None:
    assert pause(failures, 1.0) <= pause(failures + 1, 1.0) <= 2 * pause(failures, 1.0)


@given(st.integers(1, 100))
def test_two_that_failed_together_do_not_come_back_together(failures: int) -> None:
    assert pause(failures, 0.0) < pause(failures, 0.5) < pause(failures, 1.0)


def test_failures_add_up() -> None:
    assert Retry().failed(100.0, 1.0) == Retry(1, 100.25)
    assert Retry().failed(100.0, 1.0).failed(101.0, 1.0) == Retry(2, 101.5)
