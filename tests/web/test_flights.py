from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from mcs.web.flights import Flights, FlightTimeoutError


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def test_all_who_come_meanwhile_get_the_result_of_one_run(executor: ThreadPoolExecutor) -> None:
    flights: Flights[int] = Flights(executor)
    go, started = Event(), Event()
    runs: list[int] = []

    def work() -> int:
        runs.append(1)
        started.set()
        assert go.wait(10)
        return len(runs)

    with ThreadPoolExecutor(8) as callers:
        first = callers.submit(flights.join, "key", work, 10.0)
        assert started.wait(10)
        others = [callers.submit(flights.join, "key", work, 10.0) for _ in range(7)]
        while sum(caller.running() for caller in others) < 7:
            pass
        go.set()
        assert [caller.result(10) for caller in (first, *others)] == [1] * 8


def test_keys_do_not_wait_for_each_other(executor: ThreadPoolExecutor) -> None:
    flights: Flights[str] = Flights(executor)
    go = Event()
    with ThreadPoolExecutor(1) as callers:
        slow = callers.submit(flights.join, "slow", lambda: str(go.wait(10)), 10.0)
        assert flights.join("quick", lambda: "done", 10.0) == "done"
        go.set()
        assert slow.result(10) == "True"


def test_who_does_not_wait_long_enough_leaves_the_run_going(executor: ThreadPoolExecutor) -> None:
    flights: Flights[str] = Flights(executor)
    go = Event()
    with pytest.raises(FlightTimeoutError):
        flights.join("key", lambda: str(go.wait(10)), 0.0)
    go.set()
    assert flights.join("key", lambda: "another run", 10.0) in {"True", "another run"}


def test_what_the_work_raises_reaches_every_caller_and_the_next_run_is_fresh(executor: ThreadPoolExecutor) -> None:
    flights: Flights[str] = Flights(executor)

    def fail() -> str:
        raise TimeoutError("the work's own")

    with pytest.raises(TimeoutError, match="the work's own"):
        flights.join("key", fail, 10.0)
    assert flights.join("key", lambda: "well", 10.0) == "well"
