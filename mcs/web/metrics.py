"""What a worker counts and measures. Made after the fork; counting costs microseconds and never waits.

`exposition` shows all workers' metrics together where `mcs.web.metric_files.prepare` was called before the fork.
"""

import math
import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

import mcs
from mcs.boot.clock import elapsed
from mcs.boot.protocol import Acquisition, Claim
from mcs.boot.reasons import Reason
from mcs.ignition import SUPPORTED, SpecVersion
from mcs.store.forwarding import OPERATIONS
from mcs.web import metric_table as rows
from mcs.web.metric_files import clean, collect, directory, forget, prepare
from mcs.web.metric_table import TABLE, Kind, Row, Shown

__all__ = ["NO_POOL", "UNKNOWN_POOL", "Metrics", "clean", "exposition", "forget", "prepare"]

NO_POOL = "none"  # the label of requests that are not for a pool
UNKNOWN_POOL = "unknown"  # the label of all pools that do not exist

_NONE = "none"
_OTHER = "other"
_SPECS = frozenset(map(str, SUPPORTED))
_ABSENT = math.inf  # a gauge of this value is not shown; it is never the least of several workers

M = TypeVar("M")


class _Children(dict[tuple[str, ...], M]):
    """The children of a metric by their labels, made at the first use: a lookup is all that a second one costs."""

    def __init__(self, child: Callable[..., M]) -> None:
        super().__init__()
        self._child = child

    def __missing__(self, labels: tuple[str, ...]) -> M:
        child = self[labels] = self._child(*labels)
        return child


class _Following:
    """A counter that follows a total which is counted elsewhere. For one thread."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._seen = 0

    def follow(self, total: int) -> None:
        self._counter.inc(total - self._seen)
        self._seen = total


@dataclass(frozen=True, slots=True)
class _Sending:
    """What becomes of the responses of one pool."""

    duration: Histogram
    cut_short: Counter
    sent: Counter

    def finished(self, took: float, sent: int, whole: bool, seconds: float) -> None:
        self.sent.inc(sent)
        if whole:
            self.duration.observe(took + seconds)
        else:
            self.cut_short.inc()


class Metrics:
    """The metrics of this process. Safe for many threads, but for what says otherwise."""

    def __init__(self) -> None:
        """Make all metrics of the table. Where they are kept for several processes, this opens their files."""
        self._registry = CollectorRegistry()
        self._requests = _Children(self._counter(rows.REQUESTS).labels)
        self._durations = _Children(self._histogram(rows.RESPONSE_DURATION).labels)
        self._cut_short = _Children(self._counter(rows.BODIES_CUT_SHORT).labels)
        self._sent = _Children(self._counter(rows.SENT_BYTES).labels)
        self._sending: dict[str, _Sending] = {}
        self._ages = _Children(self._gauge(rows.HOLD_AGE).labels)
        self._sending_left = _Children(self._gauge(rows.HOLD_SENDING_LEFT).labels)
        self._acquisitions = self._counter(rows.HOLD_ACQUISITIONS)
        self._renewals = self._counter(rows.HOLD_RENEWALS)
        self._refusals = _Children(self._counter(rows.HOLD_REFUSALS).labels)
        self._recorded = _Following(self._counter(rows.LEASES_RECORDED))
        self._queued = self._gauge(rows.LEASES_QUEUED)
        self._dropped = _Following(self._counter(rows.LEASES_DROPPED))
        self._aggregated = _Following(self._counter(rows.LEASES_AGGREGATED))
        self._attempts_dropped = _Following(self._counter(rows.ATTEMPTS_DROPPED))
        self._cache_bytes = self._gauge(rows.CACHE_BYTES)
        self._cache_entries = self._gauge(rows.CACHE_ENTRIES)
        self._cache_hits = self._counter(rows.CACHE_HITS)
        self._cache_misses = self._counter(rows.CACHE_MISSES)
        self._store_durations = _Children(self._histogram(rows.STORE_DURATION).labels)
        self._store_errors = _Children(self._counter(rows.STORE_ERRORS).labels)
        self._certificate_expiry = self._gauge(rows.CERTIFICATE_EXPIRY)
        self._clock_offset = self._gauge(rows.CLOCK_OFFSET)
        self._build = self._gauge(rows.BUILD)
        self._certificate_expiry.set(_ABSENT)
        self._build.labels(mcs.__version__, platform.python_version()).set(1)
        for operation in OPERATIONS:
            self._store_errors[(operation,)].inc(0)  # the first error must be seen as an increase

    # ---- requests

    def count_request(
        self,
        *,
        pool: str = NO_POOL,
        asked: str | None = None,
        served: SpecVersion | None = None,
        status: int,
        reason: Reason | None = None,
    ) -> None:
        """Count an answer. pool: one that exists, UNKNOWN_POOL or NO_POOL. asked: as the client writes the spec."""
        spec_asked = _NONE if asked is None else asked if asked in _SPECS else _OTHER
        spec_served = str(served) if served is not None else _NONE
        code = reason.code if reason is not None else _NONE
        self._requests[pool, spec_asked, spec_served, str(status), code].inc()

    def finished(self, pool: str, took: float) -> Callable[[int, bool, float], None]:
        """Return what is to be told of a response's end: bytes sent, whether all, and seconds of sending.

        took: the seconds before, from the request to the response. Call it once, from any thread.
        """
        sending = self._sending.get(pool)
        if sending is None:
            labels = (pool,)
            sending = _Sending(self._durations[labels], self._cut_short[labels], self._sent[labels])
            self._sending[pool] = sending
        return partial(sending.finished, took)

    # ---- what protects

    def count_hold(self, held: Claim | None, acquisition: Acquisition) -> None:
        """Count what became of an attempt to acquire or renew a hold. held: the claim before it."""
        if acquisition.refusal is not None:
            self._refusals[(acquisition.refusal.reason.code,)].inc()
        elif acquisition.claim is not None and acquisition.claim is not held:
            renewed = held is not None and elapsed(held.since, acquisition.claim.since) < held.hold
            (self._renewals if renewed else self._acquisitions).inc()

    def show_holds(self, holds: Mapping[str, tuple[float, float]]) -> None:
        """Show when the hold of each pool's config was renewed and until when it may be sent, in seconds since 1970.

        A pool that is not among them is shown no more. For one thread.
        """
        for pool in {*holds, *(labels[0] for labels in self._ages)}:
            renewed, until = holds.get(pool, (_ABSENT, _ABSENT))
            self._ages[(pool,)].set(renewed)
            self._sending_left[(pool,)].set(until)

    def follow_leases(self, *, queued: int, recorded: int, dropped: int, aggregated: int) -> None:
        """Show how many boot leases wait, and take over the totals of the others. For one thread."""
        self._queued.set(queued)
        self._recorded.follow(recorded)
        self._dropped.follow(dropped)
        self._aggregated.follow(aggregated)

    def follow_attempts(self, *, dropped: int) -> None:
        """Take over the total of attempts that were dropped. For one thread."""
        self._attempts_dropped.follow(dropped)

    # ---- cache, store, certificate, clock

    def count_cache(self, *, hit: bool) -> None:
        """Count a look into the cache of built configs."""
        (self._cache_hits if hit else self._cache_misses).inc()

    def show_cache(self, *, size: float, entries: int) -> None:
        """Show how many bytes and entries the cache holds."""
        self._cache_bytes.set(size)
        self._cache_entries.set(entries)

    def count_store(self, operation: str, seconds: float, *, failed: bool) -> None:
        """Count a call of the store. operation: one of mcs.store.forwarding.OPERATIONS."""
        self._store_durations[(operation,)].observe(seconds)
        if failed:
            self._store_errors[(operation,)].inc()

    def certificate_expires(self, moment: float) -> None:
        """Show when the certificate in use ends, in seconds since 1970."""
        self._certificate_expiry.set(moment)

    def clock_offset(self, seconds: float) -> None:
        """Show how far this host's clock is ahead of the store's."""
        self._clock_offset.set(seconds)

    # ---- the objects

    def families(self) -> Iterable[Metric]:
        """Return this process's own metrics."""
        return self._registry.collect()

    def _counter(self, row: Row) -> Counter:
        assert row.kind is Kind.COUNTER, row.name
        return Counter(row.name, row.help, row.labels, registry=self._registry)

    def _gauge(self, row: Row) -> Gauge:
        assert row.kind is Kind.GAUGE, row.name
        return Gauge(row.name, row.help, row.labels, registry=self._registry, multiprocess_mode=row.across.value)

    def _histogram(self, row: Row) -> Histogram:
        assert row.kind is Kind.HISTOGRAM, row.name
        return Histogram(row.name, row.help, row.labels, registry=self._registry, buckets=row.buckets)


# ---- what is shown


@dataclass(frozen=True, slots=True)
class _Families(Collector):
    families: Iterable[Metric]

    def collect(self) -> Iterable[Metric]:
        return self.families


_SHOWN = {row.name: row.shown for row in TABLE}


def exposition(metrics: Metrics, now: float) -> bytes:
    """Return the metrics of all workers in Prometheus' text format. metrics: the calling worker's. now: since 1970."""
    found = directory()
    families = sorted(collect(found) if found is not None else metrics.families(), key=lambda family: family.name)
    return generate_latest(_Families([_shown(family, now) for family in families]))


def _shown(family: Metric, now: float) -> Metric:
    """Return a family without gauges that are absent, with moments as durations."""
    if family.type != Kind.GAUGE.value:
        return family
    shown = _SHOWN.get(family.name, Shown.AS_SET)
    result = Metric(family.name, family.documentation, family.type)
    for sample in family.samples:
        if math.isfinite(sample.value):
            value = {Shown.AS_SET: sample.value, Shown.SINCE: now - sample.value, Shown.UNTIL: sample.value - now}
            result.add_sample(sample.name, sample.labels, value[shown])
    return result
