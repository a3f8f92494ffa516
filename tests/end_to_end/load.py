"""The load test's machines in threads: they boot one after the other against a port, until told to stop."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, IncompleteRead
from itertools import cycle
from threading import Event, Lock

from loadtests.boot import HEADER_SECONDS, Answer, Machine, NoAnswer, Outcome, boot, machines
from loadtests.tally import Tally

__all__ = ["Load", "under_load"]

_LIMIT = 60.0  # seconds after which a machine counts as lost
_PATIENCE = 60.0  # seconds until a test gives up on boots that should happen
_PAUSE = 0.05  # seconds between two boots at a place: beyond 200 a second, boots have no leases of their own


class Load:
    """Machines that boot. fetch: makes one attempt of a machine on a new connection."""

    def __init__(self, pools: str, fetch: Callable[[Machine], Outcome]) -> None:
        self.tally = Tally()
        self._fetch = fetch
        self._machines = cycle(machines(pools))
        self._lock = Lock()
        self._over = Event()

    def booted(self) -> int:
        """Return how many have booted so far."""
        with self._lock:
            return len(self.tally.seconds)

    def wait_for_boots(self, count: int) -> None:
        """Wait until so many more have booted."""
        wanted = self.booted() + count
        end = time.monotonic() + _PATIENCE
        while self.booted() < wanted:
            assert time.monotonic() < end, f"machines do not boot:\n{self.tally.summary()}"
            time.sleep(0.02)

    def end(self) -> None:
        """Let boots that are under way end, and begin no other."""
        self._over.set()

    def run(self) -> None:
        """Boot machines, one after the other."""
        while not self._over.wait(_PAUSE):
            with self._lock:
                machine = next(self._machines)
                self.tally.begin()
            ended = boot(
                machine.client,
                _LIMIT,
                fetch=lambda _left, machine=machine: self._fetch(machine),  # type: ignore[misc]  # its default binds it
                now=time.monotonic,
                sleep=time.sleep,
            )
            with self._lock:
                self.tally.end(machine, ended)


def _fetch(port: int, machine: Machine) -> Outcome:
    connection = HTTPConnection("127.0.0.1", port, timeout=HEADER_SECONDS)
    try:
        connection.request("GET", machine.path, headers=machine.client.headers)
        response = connection.getresponse()
        headers = {name.lower(): text for name, text in response.getheaders()}
        try:
            return Answer(response.status, headers, response.read())
        except (OSError, IncompleteRead) as error:
            return Answer(response.status, headers, b"", cut=repr(error))
    except (OSError, HTTPException) as error:
        return NoAnswer(repr(error))
    finally:
        connection.close()


@contextmanager
def under_load(port: int, pools: str, places: int) -> Iterator[Load]:
    """Boot so many machines at a time until the end of the block; then all have ended."""
    load = Load(pools, lambda machine: _fetch(port, machine))
    with ThreadPoolExecutor(places) as executor:
        running = [executor.submit(load.run) for _ in range(places)]
        try:
            yield load
        finally:
            load.end()
    for each in running:
        each.result()
