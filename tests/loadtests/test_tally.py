"""The count of a load run: it fails on any machine that did not boot, and says why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.boot import Booted, Ended, Loss, Lost, machines
from loadtests.tally import Tally, percentile

MACHINE = machines("worker:3.6")[0]


def tally_of(*ended: Ended, begun: int | None = None) -> Tally:
    tally = Tally()
    for _ in range(len(ended) if begun is None else begun):
        tally.begin()
    for one in ended:
        tally.end(MACHINE, one)
    return tally


def booted(number: int, *retries: str) -> Ended:
    return Ended(Booted(f"boot-{number}", 100), retries, float(number))


LOST = Ended(Lost(Loss.CUT_SHORT, "10 bytes came, 5 did not"), ("503",), 9.0)


@pytest.mark.parametrize(
    ("tally", "failed"),
    [
        pytest.param(tally_of(booted(1), booted(2)), False, id="all booted"),
        pytest.param(tally_of(booted(1, "503", "503"), booted(2, "503")), False, id="retries are no failures"),
        pytest.param(tally_of(booted(1), LOST), True, id="one lost"),
        pytest.param(tally_of(booted(1), booted(1)), True, id="one boot id for two"),
        pytest.param(tally_of(booted(1), begun=2), True, id="one did not end"),
        pytest.param(tally_of(), True, id="none began"),
    ],
)
def test_a_run_fails_on_any_machine_that_did_not_boot(tally: Tally, failed: bool) -> None:
    assert tally.failed is failed
    assert ("FAILED" in tally.summary()) is failed


def test_the_summary_tells_boots_retries_losses_and_times() -> None:
    ended = [booted(number, "503 starting") for number in range(1, 101)]

    assert tally_of(*ended, LOST, LOST, booted(7), begun=104).summary().splitlines() == [
        "Boots: 104 begun, 100 booted, 3 lost, 1 not ended",
        "Retries: 102",
        "  100 × 503 starting",
        "  2 × 503",
        "Lost: 2 × body cut short, which is final for a client (worker 3.6.0: 10 bytes came, 5 did not)",
        "Lost: 1 × boot id was given to another boot too (worker 3.6.0: boot-7)",
        "Seconds to the last byte, retries included: p50 50.000, p99 99.000",
        "FAILED",
    ]


@given(st.lists(st.floats(0, 100), min_size=1), st.integers(0, 100))
def test_a_percentile_is_the_smallest_value_that_enough_do_not_exceed(values: list[float], percent: int) -> None:
    def share(limit: float) -> float:
        return sum(value <= limit for value in values) * 100 / len(values)

    found = percentile(values, percent)
    assert found in values
    assert share(found) >= percent
    assert all(share(value) < percent for value in values if value < found)
