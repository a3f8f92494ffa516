"""The embedded store keeps the contract; and what is its own: its clock, its documents, its cache."""

import sqlite3
from pathlib import Path

import pytest

from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import ObjectRefused, Store
from tests.store.contract import StoreContract
from tests.store.samples import RENDERED, heartbeat, hold, lease, manifest, rendered


class TestEmbeddedStore(StoreContract):
    """The contract of all stores."""


def test_it_is_a_store_whose_server_takes_marks_off(path: Path) -> None:
    store: Store = EmbeddedStore(path)
    assert store.server_unmarks
    assert store.address == f"sqlite:///{path}"


# ---- the clock


@pytest.mark.parametrize(
    ("latest", "renewed", "clock"),
    [
        pytest.param(None, 1000.0, None, id="nobody wrote before"),
        pytest.param(900.0, 1000.0, None, id="the others wrote earlier"),
        pytest.param(1000.0, 1000.0, None, id="at the same time"),
        pytest.param(1060.5, 1000.0, 1060.5, id="somebody is ahead"),
    ],
)
@pytest.mark.parametrize("written", ["hold", "boot lease", "heartbeat"])
def test_the_store_s_clock_is_the_latest_time_anybody_wrote(
    store: EmbeddedStore, written: str, latest: float | None, renewed: float, clock: float | None
) -> None:
    if latest is not None and written == "hold":
        store.put_hold(hold(worker="ab" * 16, renewed=latest), acked=None)
    elif latest is not None and written == "boot lease":
        store.put_boot_leases([lease("a", renewed=latest), lease("b", renewed=1.0)])
    elif latest is not None:
        store.put_heartbeat(heartbeat(renewed=latest))
    assert store.put_hold(hold(renewed=renewed), acked=None).store_clock == clock


def test_the_clock_never_goes_back_with_a_write(store: EmbeddedStore) -> None:
    store.put_heartbeat(heartbeat(renewed=2000.0))
    store.put_heartbeat(heartbeat(renewed=500.0))
    assert store.put_hold(hold(renewed=1000.0), acked=None).store_clock == 2000.0
    assert store.put_hold(hold(renewed=2500.0), acked=1000.0).store_clock is None


def test_a_clock_that_was_set_far_ahead_can_be_reset(path: Path) -> None:
    store = EmbeddedStore(path, now=lambda: 1000.0)
    store.put_heartbeat(heartbeat(renewed=9e9))
    assert store.put_hold(hold(renewed=1010.0), acked=None).store_clock == 9e9
    store.reset_clock()
    assert store.put_hold(hold(renewed=1020.0), acked=1010.0).store_clock is None
    assert store.put_hold(hold(renewed=900.0, worker="ab" * 16), acked=None).store_clock == 1020.0
    store.close()


# ---- documents


def test_creation_is_told_in_whole_seconds_of_utc(path: Path) -> None:
    store = EmbeddedStore(path, now=lambda: 1_700_000_000.75)
    store.apply([manifest(Kind.POOL, "a")])
    (stored,) = store.objects(Kind.POOL)
    assert stored.created == 1_700_000_000.75
    metadata = stored.value["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["creationTimestamp"] == "2023-11-14T22:13:20Z"
    store.close()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**5000], ids=["nan", "infinite", "too long"])
def test_what_json_cannot_hold_is_refused(store: EmbeddedStore, number: float) -> None:
    with pytest.raises(ObjectRefused, match="JSON") as caught:
        store.apply([manifest(Kind.POOL, "a"), manifest(Kind.POOL, "b", spec={"n": number})])
    assert caught.value.index == 1
    store.apply([manifest(Kind.POOL, "a")])
    with pytest.raises(ObjectRefused, match="JSON"):
        store.patch(Kind.POOL, "a", {"spec": {"n": number}})
    with pytest.raises(ObjectRefused, match="JSON"):
        store.apply([manifest(Kind.POOL, "a", spec={"n": number})])


def test_text_that_is_no_unicode_survives_in_objects_and_stops_no_record(store: EmbeddedStore) -> None:
    store.apply([manifest(Kind.CONFIG, "a", spec={"text": "\ud800"})])
    assert store.objects(Kind.CONFIG)[0].value["spec"] == {"text": "\ud800"}
    store.put_boot_leases([lease("a", client="\ud800")])
    assert store.boot_leases()[0].value.client == "?"


def test_a_mark_does_not_rewrite_the_body_and_metadata_does_not_read_it(store: EmbeddedStore, path: Path) -> None:
    store.apply([rendered({"data": "x" * 300_000})])
    with sqlite3.connect(path) as damage:
        damage.execute("UPDATE bodies SET body = '{'")
    damage.close()
    metadata = store.metadata(Kind.CONFIG, RENDERED)
    assert metadata is not None
    assert store.all_metadata(Kind.CONFIG) == [metadata]
    with sqlite3.connect(path) as repair:
        repair.execute("UPDATE bodies SET body = '{\"spec\": {}}'")
        repair.execute("CREATE TRIGGER refuse BEFORE UPDATE ON bodies BEGIN SELECT RAISE(FAIL, 'body written'); END")
    repair.close()
    store.patch(Kind.CONFIG, RENDERED, {"metadata": {"annotations": {ANNOTATION_MARK: "nonce"}}})


# ---- the cache of pools


def test_pools_are_decoded_again_only_after_a_change(store: EmbeddedStore) -> None:
    store.apply([manifest(Kind.POOL, "a")])
    view = store.pools()
    store.apply([manifest(Kind.NODE, "n"), manifest(Kind.CONFIG, "c")])
    assert store.pools() is view


def test_another_store_s_change_is_seen_at_once(store: EmbeddedStore, path: Path) -> None:
    store.apply([manifest(Kind.POOL, "a")])
    before = store.pools()
    other = EmbeddedStore(path)
    other.patch(Kind.POOL, "a", {"spec": {"paused": True}})
    other.close()
    after = store.pools()
    assert after.version != before.version
    assert after.pools[0].value["spec"] == {"paused": True}
