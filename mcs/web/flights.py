"""Single-flight work with a time limit: many requests wait for one run, and none waits longer than it may."""

from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["FlightTimeoutError", "Flights"]

T = TypeVar("T")


class FlightTimeoutError(Exception):
    """The work is still under way; a later caller joins it."""


class Flights(Generic[T]):
    """Runs work by key, one at a time for each key, in another thread than the caller's.

    The caller's thread is never stuck in a write that a dying disk does not finish; the work goes on without it.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._lock = Lock()
        self._under_way: dict[Hashable, Future[T]] = {}

    def join(self, key: Hashable, work: Callable[[], T], timeout: float) -> T:
        """Return what the run for this key returns or raise what it raises; start one if none is under way.

        Raises FlightTimeoutError after `timeout` seconds.
        """
        with self._lock:
            flight = self._under_way.get(key)
            if flight is None:
                flight = self._executor.submit(work)
                self._under_way[key] = flight
                fresh = True
            else:
                fresh = False
        if fresh:  # outside the lock: a run that is over already calls back at once, in this thread
            flight.add_done_callback(lambda _: self._land(key))
        try:
            return flight.result(timeout)
        except FutureTimeoutError:
            if flight.done():
                raise  # the work itself raised it
            raise FlightTimeoutError from None

    def _land(self, key: Hashable) -> None:
        with self._lock:
            self._under_way.pop(key, None)
