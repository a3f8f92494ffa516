"""What is counted and measured, and that no label can grow without bound."""

import re
import string
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder

import mcs
from mcs.boot.clock import Reading
from mcs.boot.protocol import Acquisition, Claim
from mcs.boot.reasons import Reason, Refusal
from mcs.ignition import SPEC_3
from mcs.machineconfig.names import Kind as ObjectKind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import NotFound, StoreUnavailable, StoreUnusable
from mcs.web.exchange import FINISHED
from mcs.web.measured_store import MeasuredStore
from mcs.web.metric_table import TABLE, Kind, Row
from mcs.web.metrics import Metrics, exposition
from tests.store.broken import BrokenStore
from tests.web.samples import samples
from tests.web.world import ACCEPT, A, B, World, config, pool

Start = Callable[..., World]

UNITS = ("seconds", "bytes", "info")
COUNTED = (
    *("requests", "entries", "queued", "hits", "misses", "recorded", "dropped", "aggregated", "errors", "short"),
    *("acquisitions", "renewals", "refusals"),
)


def shown(running: World) -> dict[str, float]:
    return samples(exposition(running.worker.metrics, running.clock().wall))


def requests(running: World) -> dict[tuple[str, ...], float]:
    """The requests that were counted, by pool, spec asked, spec served, status and reason."""
    pattern = re.compile(
        r'mcs_requests_total\{pool="(.*)",reason="(.*)",spec_asked="(.*)",spec_served="(.*)",status="(.*)"\}'
    )
    matches = ((pattern.fullmatch(name), value) for name, value in shown(running).items())
    return {
        (match[1], match[3], match[4], match[5], match[2]): value for match, value in matches if match and value > 0
    }


# ---- the table


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_names_follow_the_conventions(row: Row) -> None:
    assert re.fullmatch(r"mcs_[a-z]+(_[a-z]+)*", row.name)
    assert row.name.endswith("_total") == (row.kind is Kind.COUNTER)
    assert row.name.removesuffix("_total").rsplit("_", 1)[-1] in {*UNITS, *COUNTED}
    assert bool(row.buckets) == (row.kind is Kind.HISTOGRAM)
    assert row.help
    assert not row.help.endswith(".")


def test_every_metric_of_the_table_is_there_and_no_other() -> None:
    metrics = Metrics()
    names = {family.name for family in metrics.families()}
    assert names == {row.name.removesuffix("_total") for row in TABLE}


# ---- requests


def test_a_config_is_counted_by_pool_and_specs(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    for minor in (2, 4, 4):
        running.get(minor=minor)
    assert requests(running) == {
        ("worker", "3.2.0", "3.2.0", "200", "none"): 1,
        ("worker", "3.4.0", "3.4.0", "200", "none"): 2,
    }


@pytest.mark.parametrize(
    ("path", "accept", "labels"),
    [
        pytest.param("/config/worker", None, ("worker", "none", "3.2.0", "200", "none"), id="no spec"),
        pytest.param("/config/worker", "2.2.0", ("worker", "2.2.0", "2.2.0", "200", "none"), id="spec 2.2"),
        pytest.param(
            "/config/worker", "2.5.0", ("worker", "other", "2.4.0", "200", "none"), id="a spec 2 of no release"
        ),
        pytest.param("/config/worker", "2.1.0", ("worker", "2.1.0", "none", "501", "spec-not-spoken"), id="spec 2.1"),
        pytest.param("/config/worker", "3.99.0", ("worker", "other", "3.6.0", "200", "none"), id="a newer spec"),
        pytest.param(
            "/config/worker", "9.9.9", ("worker", "other", "none", "501", "spec-not-spoken"), id="no spec yet"
        ),
        pytest.param("/config/worker", "x", ("worker", "none", "none", "400", "accept-malformed"), id="malformed"),
        pytest.param("/config/nobody", "3.4.0", ("unknown", "3.4.0", "none", "503", "pool-unknown"), id="unknown pool"),
        pytest.param(
            "/config/empty", "3.4.0", ("empty", "3.4.0", "none", "503", "pool-names-no-config"), id="empty pool"
        ),
        pytest.param("/config/Wor_ker", "3.4.0", ("none", "none", "none", "404", "pool-name-impossible"), id="no name"),
        pytest.param("/else", "3.4.0", ("none", "none", "none", "404", "no-such-path"), id="another path"),
        pytest.param("/healthz", None, ("none", "none", "none", "200", "none"), id="a probe"),
    ],
)
def test_every_answer_is_counted(world: Start, path: str, accept: str | None, labels: tuple[str, ...]) -> None:
    running = world(config(A), pool("worker", A), pool("empty", None))
    headers = {"Accept": f"application/vnd.coreos.ignition+json;version={accept}"} if accept is not None else {}
    running.client.get(path, headers=headers)
    assert requests(running) == {labels: 1}


@given(st.text(max_size=12) | st.sampled_from([f"{major}.{minor}.0" for major in range(5) for minor in range(9)]))
def test_the_specs_that_are_asked_for_are_a_closed_list(asked: str) -> None:
    metrics = Metrics()
    metrics.count_request(asked=asked, status=501, reason=Reason.SPEC_NOT_SPOKEN)
    [name] = [name for name in samples(exposition(metrics, 0.0)) if name.startswith("mcs_requests_total")]
    [spec] = re.findall(r'spec_asked="([^"]*)"', name)
    assert spec in {"2.0.0", "2.1.0", "2.2.0", "2.3.0", "2.4.0", *map(str, SPEC_3), "other"}


def test_a_thousand_pools_that_do_not_exist_are_one(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    for number in range(50):
        running.get(f"/config/{string.ascii_lowercase[number % 26]}{number}")
    assert requests(running) == {("unknown", "3.4.0", "none", "503", "pool-unknown"): 50}


def finish(running: World, path: str, *, sent: int, whole: bool, seconds: float) -> None:
    """Ask, and say what became of the answer, as the server does."""
    environ = EnvironBuilder(path=path, headers=[("Accept", ACCEPT.format(4))]).get_environ()
    b"".join(running.client.application(environ, lambda *_: bytes))
    environ[FINISHED](sent, whole, seconds)


def test_the_duration_ends_with_the_last_byte(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    began = time.monotonic()
    finish(running, "/config/worker", sent=700, whole=True, seconds=42.0)
    took = time.monotonic() - began
    found = shown(running)
    assert found['mcs_response_duration_seconds_count{pool="worker"}'] == 1
    assert 42.0 < found['mcs_response_duration_seconds_sum{pool="worker"}'] <= 42.0 + took
    assert found['mcs_sent_bytes_total{pool="worker"}'] == 700
    assert found['mcs_bodies_cut_short_total{pool="worker"}'] == 0


def test_a_body_cut_short_is_counted_and_has_no_duration(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    finish(running, "/config/worker", sent=30, whole=False, seconds=60.0)
    found = shown(running)
    assert found['mcs_bodies_cut_short_total{pool="worker"}'] == 1
    assert found['mcs_response_duration_seconds_count{pool="worker"}'] == 0
    assert found['mcs_sent_bytes_total{pool="worker"}'] == 30


# ---- holds


CLAIM = Claim(A, "uid", 1, Reading(1000.0, 1000.0), hold=100.0)
LATER = Claim(A, "uid", 1, Reading(1050.0, 1050.0), hold=100.0)
MUCH_LATER = Claim(A, "uid", 1, Reading(1100.0, 1100.0), hold=100.0)
MARKED = Refusal(Reason.CONFIG_MARKED)


@pytest.mark.parametrize(
    ("held", "acquisition", "counted"),
    [
        pytest.param(None, Acquisition(CLAIM, None), "mcs_hold_acquisitions_total", id="the first"),
        pytest.param(CLAIM, Acquisition(LATER, None), "mcs_hold_renewals_total", id="in force"),
        pytest.param(CLAIM, Acquisition(MUCH_LATER, None), "mcs_hold_acquisitions_total", id="lapsed"),
        pytest.param(CLAIM, Acquisition(CLAIM, None), None, id="used as it is"),
        pytest.param(None, Acquisition(None, MARKED), 'mcs_hold_refusals_total{reason="config-marked"}', id="refused"),
        pytest.param(
            CLAIM,
            Acquisition(CLAIM, Refusal(Reason.HOLD_NOT_ACKED)),
            'mcs_hold_refusals_total{reason="hold-not-acked"}',
            id="not renewed",
        ),
    ],
)
def test_what_becomes_of_holds_is_counted(held: Claim | None, acquisition: Acquisition, counted: str | None) -> None:
    metrics = Metrics()
    metrics.count_hold(held, acquisition)
    found = samples(exposition(metrics, 0.0))
    assert [name for name, value in found.items() if name.startswith("mcs_hold_") and value] == [
        *([counted] if counted is not None else [])
    ]


def test_holds_age_until_they_are_renewed(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    age, left = 'mcs_hold_age_seconds{pool="worker"}', 'mcs_hold_sending_left_seconds{pool="worker"}'
    found = shown(running)
    assert (found[age], found[left]) == (0, 42_300)  # 24 h hold - 12 h boot bound - 15 min body deadline
    running.clock.move(299)
    found = shown(running)  # although nobody has looked since
    assert (found[age], found[left]) == (299, 42_300 - 299)
    running.clock.move(1)
    running.keeper.look()
    found = shown(running)
    assert (found[age], found[left]) == (0, 42_300)
    assert (found["mcs_hold_acquisitions_total"], found["mcs_hold_renewals_total"]) == (1, 1)


def test_a_pool_that_is_deleted_has_no_hold_any_more(world: Start) -> None:
    running = world(config(A), config(B), pool("worker", A), pool("infra", B))
    running.store.delete(ObjectKind.POOL, "infra")
    running.keeper.look()
    assert [name for name in shown(running) if name.startswith("mcs_hold_age")] == [
        'mcs_hold_age_seconds{pool="worker"}'
    ]


# ---- leases, cache, store, certificate, clock, build


def test_boot_leases_are_counted(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    for _ in range(3):
        running.get()
    running.leases()
    found = shown(running)
    assert found["mcs_boot_leases_recorded_total"] == 3
    assert found["mcs_boot_leases_queued"] == 0
    assert found["mcs_boot_leases_dropped_total"] == found["mcs_boot_leases_aggregated_total"] == 0


def test_totals_are_taken_over_as_they_grow() -> None:
    metrics = Metrics()
    for total in (0, 3, 3, 10):
        metrics.follow_leases(queued=total, recorded=total, dropped=2 * total, aggregated=3 * total)
        metrics.follow_attempts(dropped=4 * total)
    found = samples(exposition(metrics, 0.0))
    assert found["mcs_boot_leases_queued"] == found["mcs_boot_leases_recorded_total"] == 10
    assert found["mcs_boot_leases_dropped_total"] == 20
    assert found["mcs_boot_leases_aggregated_total"] == 30
    assert found["mcs_attempts_dropped_total"] == 40


def test_the_cache_is_shown(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    bodies = [running.get(minor=minor) for minor in (2, 4, 4, 4)]
    found = shown(running)
    assert (found["mcs_cache_misses_total"], found["mcs_cache_hits_total"]) == (2, 2)
    assert found["mcs_cache_entries"] == 2
    assert found["mcs_cache_bytes"] == sum(len(body.data) for body in bodies[:2])


@pytest.mark.parametrize(
    ("error", "errors"),
    [
        pytest.param(None, 0, id="none"),
        pytest.param(StoreUnavailable("locked"), 1, id="out of reach"),
        pytest.param(StoreUnusable("newer"), 1, id="not usable"),
        pytest.param(NotFound("Node", "n"), 0, id="an answer"),
    ],
)
def test_calls_of_the_store_are_measured(tmp_path: Path, error: Exception | None, errors: int) -> None:
    metrics = Metrics()
    broken = BrokenStore(EmbeddedStore(tmp_path / "store.db"))
    store = MeasuredStore(broken, metrics)
    if error is not None:
        broken.fail("holds", error=error)
        with pytest.raises(type(error)):
            store.holds()
    else:
        assert store.holds() == []
    store.close()
    found = samples(exposition(metrics, 0.0))
    assert found['mcs_store_operation_duration_seconds_count{operation="holds"}'] == 1
    assert found['mcs_store_errors_total{operation="holds"}'] == errors
    assert found['mcs_store_errors_total{operation="put_hold"}'] == 0


def test_the_certificate_is_shown_where_there_is_one(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    name = "mcs_certificate_expiry_timestamp_seconds"
    assert name not in shown(running)
    running.worker.metrics.certificate_expires(1_900_000_000.0)
    assert shown(running)[name] == 1_900_000_000


def test_the_clock_s_offset_is_that_of_the_latest_hold(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    assert shown(running)["mcs_clock_offset_seconds"] == 0
    running.clock.step_wall(-3600)
    running.clock.move(300)
    running.keeper.look()
    assert shown(running)["mcs_clock_offset_seconds"] == -3300


def test_it_says_what_runs() -> None:
    [name] = [name for name in samples(exposition(Metrics(), 0.0)) if name.startswith("mcs_build_info")]
    assert f'version="{mcs.__version__}"' in name
