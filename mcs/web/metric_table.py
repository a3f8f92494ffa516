"""All metrics as a table, from which their objects and their document are made.

Rule: no label has values without bound. A pool is one that exists (else `unknown`), a spec one of a closed list.
Names and units follow Prometheus' conventions (https://prometheus.io/docs/practices/naming/).
"""

from dataclasses import dataclass
from enum import Enum

__all__ = [
    "ATTEMPTS_DROPPED",
    "BODIES_CUT_SHORT",
    "BUILD",
    "CACHE_BYTES",
    "CACHE_ENTRIES",
    "CACHE_HITS",
    "CACHE_MISSES",
    "CERTIFICATE_EXPIRY",
    "CLOCK_OFFSET",
    "HOLD_ACQUISITIONS",
    "HOLD_AGE",
    "HOLD_REFUSALS",
    "HOLD_RENEWALS",
    "HOLD_SENDING_LEFT",
    "LEASES_AGGREGATED",
    "LEASES_DROPPED",
    "LEASES_QUEUED",
    "LEASES_RECORDED",
    "REQUESTS",
    "RESPONSE_DURATION",
    "SENT_BYTES",
    "STORE_DURATION",
    "STORE_ERRORS",
    "TABLE",
    "Across",
    "Kind",
    "Row",
    "Shown",
]


class Kind(Enum):
    """The kinds of metrics that are used here."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Across(Enum):
    """How the workers' values of a gauge become one; a worker that has ended counts no more.

    Counters and histograms are always added up, those of ended workers included.
    """

    LEAST = "livemin"
    SUM = "livesum"
    LATEST = "livemostrecent"


class Shown(Enum):
    """What a gauge shows of what was set: that, or how long a moment (seconds since 1970) is past or ahead.

    A moment stays right while nothing sets it, so that a worker which hangs does not show an age that stands still.
    """

    AS_SET = "as set"
    SINCE = "since"
    UNTIL = "until"


@dataclass(frozen=True, slots=True)
class Row:
    """One metric. help: without a full stop. buckets: upper bounds in the metric's unit, for a histogram."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    across: Across = Across.LEAST
    shown: Shown = Shown.AS_SET


REQUESTS = Row(
    "mcs_requests_total",
    Kind.COUNTER,
    "Requests answered on the machines' port; reason: none for a config, else as in the problem document",
    ("pool", "spec_asked", "spec_served", "status", "reason"),
)
RESPONSE_DURATION = Row(
    "mcs_response_duration_seconds",
    Kind.HISTOGRAM,
    "From the request to the last byte of its response, of responses that were sent whole",
    ("pool",),
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900),
)
BODIES_CUT_SHORT = Row(
    "mcs_bodies_cut_short_total",
    Kind.COUNTER,
    "Responses that were not sent whole: the client left or took nothing more; each may cost a machine",
    ("pool",),
)
SENT_BYTES = Row(
    "mcs_sent_bytes_total",
    Kind.COUNTER,
    "Bytes of responses that were sent, headers included, of those cut short too",
    ("pool",),
)
HOLD_AGE = Row(
    "mcs_hold_age_seconds",
    Kind.GAUGE,
    "How long ago the hold on the config that the pool is sent was renewed, by the worker that did so longest ago",
    ("pool",),
    shown=Shown.SINCE,
)
HOLD_SENDING_LEFT = Row(
    "mcs_hold_sending_left_seconds",
    Kind.GAUGE,
    "For how long the pool's config may still be sent if its hold is not renewed, by the worker that has least",
    ("pool",),
    shown=Shown.UNTIL,
)
HOLD_ACQUISITIONS = Row("mcs_hold_acquisitions_total", Kind.COUNTER, "Holds that were acquired and verified")
HOLD_RENEWALS = Row("mcs_hold_renewals_total", Kind.COUNTER, "Holds that were renewed and verified anew")
HOLD_REFUSALS = Row(
    "mcs_hold_refusals_total", Kind.COUNTER, "Holds that were not acquired, renewed or verified", ("reason",)
)
LEASES_RECORDED = Row("mcs_boot_leases_recorded_total", Kind.COUNTER, "Boot leases written for one boot each")
LEASES_QUEUED = Row("mcs_boot_leases_queued", Kind.GAUGE, "Boot leases that wait to be written", across=Across.SUM)
LEASES_DROPPED = Row("mcs_boot_leases_dropped_total", Kind.COUNTER, "Boot leases given up because the queue was full")
LEASES_AGGREGATED = Row(
    "mcs_boot_leases_aggregated_total", Kind.COUNTER, "Boots recorded only in the lease of their network"
)
ATTEMPTS_DROPPED = Row(
    "mcs_attempts_dropped_total", Kind.COUNTER, "Refused requests that `mcs get attempts` will never show"
)
CACHE_BYTES = Row("mcs_cache_bytes", Kind.GAUGE, "Size of the built configs that are kept", across=Across.SUM)
CACHE_ENTRIES = Row("mcs_cache_entries", Kind.GAUGE, "Number of built configs that are kept", across=Across.SUM)
CACHE_HITS = Row("mcs_cache_hits_total", Kind.COUNTER, "Configs that were at hand")
CACHE_MISSES = Row("mcs_cache_misses_total", Kind.COUNTER, "Configs that had to be built")
STORE_DURATION = Row(
    "mcs_store_operation_duration_seconds",
    Kind.HISTOGRAM,
    "How long calls of the store took, failed ones included",
    ("operation",),
    (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5),
)
STORE_ERRORS = Row("mcs_store_errors_total", Kind.COUNTER, "Calls that the store could not answer", ("operation",))
CERTIFICATE_EXPIRY = Row(
    "mcs_certificate_expiry_timestamp_seconds",
    Kind.GAUGE,
    "When the certificate in use ends, in seconds since 1970; absent without TLS",
)
CLOCK_OFFSET = Row(
    "mcs_clock_offset_seconds",
    Kind.GAUGE,
    "How far this host's clock is ahead of the store's, as the latest hold found it (the embedded store's clock is the"
    " latest time that anybody wrote, so that only a clock behind shows there)",
    across=Across.LATEST,
)
BUILD = Row("mcs_build_info", Kind.GAUGE, "Always 1; says what runs", ("version", "python"))

TABLE: tuple[Row, ...] = (
    REQUESTS,
    RESPONSE_DURATION,
    BODIES_CUT_SHORT,
    SENT_BYTES,
    HOLD_AGE,
    HOLD_SENDING_LEFT,
    HOLD_ACQUISITIONS,
    HOLD_RENEWALS,
    HOLD_REFUSALS,
    LEASES_RECORDED,
    LEASES_QUEUED,
    LEASES_DROPPED,
    LEASES_AGGREGATED,
    ATTEMPTS_DROPPED,
    CACHE_BYTES,
    CACHE_ENTRIES,
    CACHE_HITS,
    CACHE_MISSES,
    STORE_DURATION,
    STORE_ERRORS,
    CERTIFICATE_EXPIRY,
    CLOCK_OFFSET,
    BUILD,
)
