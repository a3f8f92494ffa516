"""Writes refused requests behind the requests' backs, for `mcs get attempts`: coalesced, seldom, and never for sure.

It has a thread of its own, so that no boot lease waits for what only people read.
"""

import logging
from threading import Condition, Thread

from mcs.boot.attempt_buffer import AttemptBuffer
from mcs.boot.records import Attempt
from mcs.store.interface import MAX_ATTEMPTS, Store, StoreError
from mcs.web.metrics import Metrics
from mcs.web.threads import ends_worker_unless

__all__ = ["AttemptRecorder"]

_log = logging.getLogger(__name__)

_GATHER = 1.0  # seconds to let a batch gather: many machines that loop cost the store one write a second
_RETRY = 5.0  # seconds after a write that failed


class AttemptRecorder:
    """A buffer and the thread that empties it into the store."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._buffer = AttemptBuffer(MAX_ATTEMPTS)
        self._wake = Condition()
        self._stopping = False
        self._thread = Thread(target=self._run, name="attempts", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Write what waits, once, and end."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(timeout)

    def record(self, attempt: Attempt) -> None:
        """Keep an attempt for the next write; never waits for the store."""
        with self._wake:
            was_empty = not self._buffer
            self._buffer.put(attempt)
            if was_empty:
                self._wake.notify()

    @property
    def dropped(self) -> int:
        """How many refused requests were given up: the store was out of reach, and too many different ones came."""
        return self._buffer.dropped

    def _run(self) -> None:
        with ends_worker_unless(lambda: self._stopping):
            pause = _GATHER
            stopping = False
            while not stopping:
                with self._wake:
                    self._wake.wait_for(lambda: self._stopping or len(self._buffer) > 0)
                    self._wake.wait_for(lambda: self._stopping, pause)
                    stopping, batch = self._stopping, self._buffer.take()
                pause = _GATHER if self._write(batch) else _RETRY

    def _write(self, batch: list[Attempt]) -> bool:
        try:
            if batch:
                self._store.put_attempts(batch)
        except StoreError as error:
            with self._wake:
                self._buffer.give_back(batch)
            _log.info("%d attempts wait: %s", len(batch), error)
            return False
        finally:
            self._metrics.follow_attempts(dropped=self._buffer.dropped)
        return True
