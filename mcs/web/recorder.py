"""Writes boot leases behind the requests' backs: queued, in batches, retried; what waits is written before the end."""

import logging
from contextlib import suppress
from threading import Condition, Thread

from mcs.boot.lease_queue import LeaseLimits, LeaseQueue
from mcs.boot.records import BootLease
from mcs.clock import Clock
from mcs.store.interface import Store, StoreError
from mcs.web.metrics import Metrics
from mcs.web.threads import ends_worker_unless

__all__ = ["Recorder"]

_log = logging.getLogger(__name__)

_BATCH = 200
_GATHER = 0.05  # seconds to let a batch gather
_RETRY = (0.5, 1.0, 2.0, 5.0)
_COUNT_EVERY = 30.0
_LAST_TRIES = 5


class Recorder:
    """A queue and the thread that empties it into the store."""

    def __init__(self, store: Store, limits: LeaseLimits, clock: Clock, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._clock = clock
        self._queue = LeaseQueue(limits)
        self._wake = Condition()
        self._stopping = False
        self._counted: float | None = None
        self._thread = Thread(target=self._run, name="boot-leases", daemon=True)
        self.recorded = 0

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Write what waits and end; what cannot be written in time is lost and logged (the holds protect)."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(timeout)
        if self.queued:
            _log.warning("%d boot leases could not be written; their machines are protected by holds", self.queued)

    def record(self, lease: BootLease) -> None:
        """Queue a lease; never waits for the store."""
        with self._wake:
            idle = len(self._queue) == 0
            self._queue.put(lease, self._clock().boot)
            if idle:  # else the thread is awake, and would only be called from gathering its batch
                self._wake.notify()

    @property
    def queued(self) -> int:
        """How many leases wait."""
        with self._wake:
            return len(self._queue)

    @property
    def dropped(self) -> int:
        """How many leases were given up because the queue was full."""
        return self._queue.dropped

    @property
    def aggregated(self) -> int:
        """How many fetches went into aggregate leases."""
        return self._queue.aggregated

    def _run(self) -> None:
        with ends_worker_unless(lambda: self._stopping):
            failures = 0
            with suppress(StoreError):  # the first write says what is wrong
                self.learn_counts()
            while (batch := self._next_batch(failures)) is not None:
                failures = 0 if self._write(batch) else failures + 1
                self._tell()
            self._tell()

    def _next_batch(self, failures: int) -> list[BootLease] | None:
        """Wait for leases, and longer after failures; None at the end."""
        with self._wake:
            self._wake.wait_for(lambda: self._stopping or len(self._queue) > 0)
            if self._stopping and (len(self._queue) == 0 or failures > _LAST_TRIES):
                return None
            if not self._stopping:
                pause = _RETRY[min(failures, len(_RETRY)) - 1] if failures else _GATHER
                self._wake.wait_for(lambda: self._stopping, pause)
            return self._queue.take(_BATCH)

    def _write(self, batch: list[BootLease]) -> bool:
        try:
            now = self._clock().boot
            if self._counted is None or now - self._counted >= _COUNT_EVERY:
                self.learn_counts()
            self._store.put_boot_leases(batch)
        except StoreError as error:
            with self._wake:
                self._queue.give_back(batch)
            _log.warning("%d boot leases wait: %s", len(batch), error)
            return False
        self.recorded += sum(1 for lease in batch if lease.network is None)
        return True

    def _tell(self) -> None:
        self._metrics.follow_leases(
            queued=self.queued, recorded=self.recorded, dropped=self.dropped, aggregated=self.aggregated
        )

    def learn_counts(self) -> None:
        """Read how many leases each pool has; the thread does so now and then. Raises StoreError."""
        counts = self._store.count_boot_leases(at=self._clock().wall)
        with self._wake:
            self._queue.know_counts(counts)
        self._counted = self._clock().boot
