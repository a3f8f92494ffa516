"""The boot leases that wait to be written: bounded, coalesced, and aggregated past the limits. Not safe for threads.

A hold protects every machine by itself for the boot bound, so that a lease may be late, and in a flood the oldest may
be dropped; it is counted.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from mcs.boot.identity import network_of
from mcs.boot.records import BootLease

__all__ = ["LeaseLimits", "LeaseQueue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseLimits:
    """queued: leases that may wait. per_second: new leases of this worker. per_pool: leases that a pool may have."""

    queued: int = 10_000
    per_second: float = 200.0
    per_pool: int = 20_000


class LeaseQueue:
    """Takes leases from requests, gives them to a writer in batches."""

    def __init__(self, limits: LeaseLimits) -> None:
        self._limits = limits
        self._waiting: OrderedDict[str, BootLease] = OrderedDict()
        self._aggregates: OrderedDict[str, BootLease] = OrderedDict()
        self._of_pool: dict[str, int] = {}
        self._tokens = limits.per_second
        self._refilled: float | None = None
        self.dropped = 0
        self.aggregated = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, lease: BootLease, now: float) -> None:
        """Queue a lease, or past the limits renew the aggregate of its config and network. now: seconds, monotonic."""
        if self._may_be_single(lease.pool, now):
            self._of_pool[lease.pool] = self._of_pool.get(lease.pool, 0) + 1
            self._queue(lease)
        else:
            self.aggregated += 1
            self._queue(self._aggregate(lease))

    def take(self, most: int) -> list[BootLease]:
        """Take the oldest leases out, to be written."""
        return [self._waiting.popitem(last=False)[1] for _ in range(min(most, len(self._waiting)))]

    def give_back(self, leases: Sequence[BootLease]) -> None:
        """Put leases in front again, after a write that may not have been done; a newer record of a name stays."""
        for lease in reversed(leases):
            if lease.name not in self._waiting:
                self._waiting[lease.name] = lease
                self._waiting.move_to_end(lease.name, last=False)
        self._trim()

    def know_counts(self, counts: Mapping[str, int]) -> None:
        """Learn how many leases each pool has in the store; what waits here is added."""
        self._of_pool = dict(counts)
        for lease in self._waiting.values():
            self._of_pool[lease.pool] = self._of_pool.get(lease.pool, 0) + 1

    def _may_be_single(self, pool: str, now: float) -> bool:
        rate = self._limits.per_second
        if self._refilled is not None:
            self._tokens = min(rate, self._tokens + max(0.0, now - self._refilled) * rate)
        self._refilled = now
        if self._of_pool.get(pool, 0) >= self._limits.per_pool or self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def _aggregate(self, lease: BootLease) -> BootLease:
        network = network_of(lease.address)
        digest = sha256(f"{lease.worker}\n{lease.config}\n{network}".encode()).hexdigest()[:32]
        name = f"aggregate-{digest}"
        earlier = self._aggregates.get(name)
        aggregate = replace(
            lease,
            name=name,
            boot_id=None,
            network=network,
            fetched=earlier.fetched if earlier is not None else lease.fetched,
            duration=max(lease.expires, earlier.expires if earlier is not None else 0.0) - lease.renewed,
            count=earlier.count + 1 if earlier is not None else 1,
        )
        self._aggregates[name] = aggregate
        self._aggregates.move_to_end(name)
        if len(self._aggregates) > self._limits.queued:
            self._aggregates.popitem(last=False)
        return aggregate

    def _queue(self, lease: BootLease) -> None:
        self._waiting[lease.name] = lease
        self._trim()

    def _trim(self) -> None:
        while len(self._waiting) > self._limits.queued:
            self._waiting.popitem(last=False)
            self.dropped += 1
