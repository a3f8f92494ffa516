from hypothesis import given
from hypothesis import strategies as st

from mcs.boot.clock import Reading, elapsed

seconds = st.floats(min_value=0, max_value=1e10)


@given(seconds, seconds, st.floats(min_value=0, max_value=1e6), st.floats(min_value=-1e6, max_value=1e6))
def test_setting_the_wall_clock_back_never_hides_time_that_passed(
    wall: float, boot: float, by: float, step: float
) -> None:
    since = Reading(wall, boot)
    now = Reading(wall + by + step, boot + by)
    assert elapsed(since, now) >= now.boot - since.boot


def test_a_clock_set_forward_counts_as_time_that_passed() -> None:
    assert elapsed(Reading(wall=1000, boot=10), Reading(wall=4600, boot=11)) == 3600
