"""What a worker has ready before a machine asks, and what becomes of it over time."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcs.boot.records import Hold
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import RecordKind, Store
from tests.store.broken import BrokenStore
from tests.web.world import A, B, World, config, pool

Start = Callable[..., World]

MARK = {"metadata": {"annotations": {ANNOTATION_MARK: "2026-01-01T00:00:00Z some-nonce"}}}


def holds(running: World) -> dict[str, Hold]:
    return {stored.value.config: stored.value for stored in running.store.holds()}


def served(running: World) -> str | None:
    return running.get().headers.get("MCS-Config")


def test_a_hold_is_renewed_once_a_period_while_a_pool_resolves_to_it(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    start = running.clock().wall
    running.clock.move(299)
    running.keeper.look()
    assert holds(running)[A].renewed == start
    running.clock.move(1)
    running.keeper.look()
    assert holds(running)[A].renewed == start + 300
    assert holds(running)[A].acquired == start


def test_requests_write_no_hold(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    before = running.store.holds()
    for _ in range(20):
        assert running.get().status_code == 200
    assert running.store.holds() == before


def test_a_pool_is_switched_once_the_new_hold_is_there(world: Start) -> None:
    running = world(config(A), config(B), pool("worker", A))
    running.store.apply([pool("worker", B)])
    assert served(running) == A
    running.keeper.look()
    assert served(running) == B
    assert set(holds(running)) == {A, B}


def test_a_config_that_no_pool_resolves_to_is_renewed_no_more_and_its_hold_stays(world: Start) -> None:
    running = world(config(A), config(B), pool("worker", A))
    start = running.clock().wall
    running.store.apply([pool("worker", B)])
    running.keeper.look()
    running.clock.move(1000)
    running.keeper.look()
    assert holds(running)[A].renewed == start
    assert holds(running)[A].expires == start + 86400
    assert holds(running)[B].renewed == start + 1000


def test_a_new_config_that_is_not_there_yet_leaves_the_old_one_being_sent(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.store.apply([pool("worker", B)])
    running.keeper.look()
    assert served(running) == A
    state = running.keeper.states["worker"]
    assert state.serving.config == A
    assert f"{B} does not exist" in state.serving.why
    running.store.apply([config(B)])
    running.keeper.look()
    assert served(running) == B


def test_what_was_served_last_is_read_back_from_holds_at_a_start(world: Start) -> None:
    first = world(config(A), pool("worker", A))
    assert served(first) == A
    first.server.stop()
    first.store.apply([pool("worker", B)])
    second = world()
    assert served(second) == A
    assert "served last" in second.keeper.states["worker"].serving.why


def test_a_pool_that_is_deleted_is_served_no_more(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.store.delete(Kind.POOL, "worker")
    running.keeper.look()
    assert running.get().get_json()["reason"] == "pool-unknown"


@pytest.mark.parametrize(
    "unseen",
    [
        pytest.param(lambda _: None, id="between two looks"),
        pytest.param(lambda running: running.keeper.look(), id="over a look"),
    ],
)
def test_a_pool_that_is_made_anew_is_not_sent_what_the_old_one_was(
    world: Start, unseen: Callable[[World], None]
) -> None:
    running = world(config(A), pool("worker", A))
    assert served(running) == A
    running.store.delete(Kind.POOL, "worker")
    unseen(running)
    running.store.apply([pool("worker", B)])
    running.keeper.look()
    assert running.get().get_json()["reason"] == "config-missing"
    assert A in holds(running)  # machines that got it may still be booting
    running.clock.move(300)
    running.keeper.look()
    assert holds(running)[A].renewed == running.clock().wall - 300
    running.store.apply([config(B)])
    running.keeper.look()
    assert served(running) == B


@pytest.mark.parametrize("seconds", [0, 59, 7200])
def test_nor_is_it_after_a_start(world: Start, seconds: float) -> None:
    first = world(config(A), pool("worker", A))
    assert served(first) == A
    first.server.stop()
    first.clock.move(seconds)
    first.store.delete(Kind.POOL, "worker")
    first.store.apply([pool("worker", B)])
    second = world()
    assert second.get().get_json()["reason"] == "config-missing"
    assert "served last" not in second.keeper.states["worker"].serving.why


def test_two_pools_share_one_hold_that_names_both(world: Start) -> None:
    running = world(config(A), pool("worker", A), pool("infra", A))
    assert holds(running)[A].pools == ("infra", "worker")
    running.store.delete(Kind.POOL, "infra")
    running.keeper.look()
    running.keeper.look()
    assert holds(running)[A].pools == ("worker",)


def test_a_marked_config_that_a_pool_names_is_unmarked_at_once(world: Start) -> None:
    running = world(config(A))
    running.store.patch(Kind.CONFIG, A, MARK)  # type: ignore[arg-type]  # a JSON object
    running.store.apply([pool("worker", A)])
    running.keeper.look()
    assert served(running) == A
    meta = running.store.metadata(Kind.CONFIG, A)
    assert meta is not None
    assert meta.mark is None


# ---- what becomes of a config that is held


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[BrokenStore]:
    store = BrokenStore(EmbeddedStore(tmp_path / "store.db"))
    yield store
    store.close()


SOON = pytest.mark.parametrize("seconds", [pytest.param(1, id="next look"), pytest.param(300, id="renewal")])


@SOON
def test_a_config_that_is_marked_while_it_is_held_is_unmarked(world: Start, seconds: float) -> None:
    running = world(config(A), pool("worker", A))
    running.store.patch(Kind.CONFIG, A, MARK)  # type: ignore[arg-type]  # a JSON object
    assert served(running) == A  # the hold is older than the mark, so the collector sees it
    running.clock.move(seconds)
    running.keeper.look()
    meta = running.store.metadata(Kind.CONFIG, A)
    assert meta is not None
    assert meta.mark is None
    assert served(running) == A


@SOON
def test_a_config_that_vanishes_is_sent_no_more(world: Start, seconds: float) -> None:
    running = world(config(A), pool("worker", A))
    running.store.delete(Kind.CONFIG, A)
    running.clock.move(seconds)
    running.keeper.look()
    assert running.get().get_json()["reason"] == "config-missing"
    assert A in holds(running)  # machines that got it may still be booting
    running.store.apply([config(A)])
    running.clock.move(1)
    running.keeper.look()
    assert served(running) == A


@SOON
def test_an_object_that_is_replaced_is_served_as_it_is_now(world: Start, seconds: float) -> None:
    running = world(config(A, kernelArguments=["one"]), pool("worker", A))
    before = running.get().data
    running.store.delete(Kind.CONFIG, A)
    running.store.apply([config(A, kernelArguments=["two"])])
    running.clock.move(seconds)
    running.keeper.look()
    after = running.get().data
    assert b"one" in before
    assert b"two" in after


@pytest.mark.parametrize(
    ("event", "reads"),
    [
        pytest.param(lambda _: None, 0, id="nothing"),
        pytest.param(lambda store: store.apply([pool("infra", None)]), 0, id="a pool"),
        pytest.param(lambda store: store.apply([(Kind.NODE, {"metadata": {"name": "n"}})]), 0, id="a node"),
        pytest.param(lambda store: store.apply([config(B)]), 1, id="another config"),
    ],
)
def test_what_is_held_is_looked_at_only_after_a_change_of_configs_and_written_for_none(
    world: Start, watched: BrokenStore, event: Callable[[Store], object], reads: int
) -> None:
    running = world(config(A), pool("worker", A), store=watched)
    running.keeper.look()
    event(running.store)
    watched.calls.clear()
    for _ in range(5):
        running.clock.move(1)
        running.keeper.look()
        assert served(running) == A
    assert (watched.calls.count("metadata"), watched.calls.count("put_hold")) == (reads, 0)


def test_what_cannot_be_looked_at_is_sent_on_and_looked_at_later(world: Start, watched: BrokenStore) -> None:
    running = world(config(A), pool("worker", A), store=watched)
    running.store.delete(Kind.CONFIG, A)
    watched.fail("metadata")
    running.clock.move(1)
    running.keeper.look()
    assert served(running) == A
    watched.heal()
    running.keeper.look()
    assert running.get().get_json()["reason"] == "config-missing"


def test_bytes_never_come_from_another_object_than_the_verified_one(world: Start) -> None:
    running = world(config(A), pool("worker", A), cache_size="10")  # too small to keep anything
    running.store.delete(Kind.CONFIG, A)
    running.store.apply([config(A, kernelArguments=["two"])])
    response = running.get()
    assert (response.status_code, response.get_json()["reason"]) == (503, "config-changed")


def test_nor_from_another_generation_of_it(world: Start) -> None:
    kind, document = config(A)
    document["metadata"] = {"name": "base"}
    spec: JSONObject = {"config": {"ignition": {"version": "3.2.0"}}, "kernelArguments": ["two"]}
    changed: JSONObject = {**document, "spec": spec}
    running = world((kind, document), pool("worker", "base"), cache_size="10")  # too small to keep anything
    assert running.get().status_code == 200
    running.store.apply([(kind, changed)])
    assert running.get(minor=6).get_json()["reason"] == "config-changed"
    running.clock.move(300)
    running.keeper.look()
    assert running.get().status_code == 200


def test_workers_share_what_leases_a_server_may_write(world: Start) -> None:
    running = world(config(A), pool("worker", A), workers="4")
    for _ in range(60):
        running.get()
    assert running.worker.recorder.aggregated == 10  # 200 a second and server, a quarter of it here


def test_a_clock_that_is_behind_the_store_stops_new_holds(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.clock.step_wall(-3600)
    running.clock.move(300)
    running.keeper.look()
    response = running.get()
    assert (response.status_code, response.get_json()["reason"]) == (503, "clock-off")
    assert "-3300 s" in response.get_json()["detail"]
    running.clock.step_wall(3600)
    running.keeper.look()
    assert running.get().status_code == 200


def test_a_hold_that_somebody_deleted_is_said_in_the_heartbeat(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    [beat] = [stored.value for stored in running.store.heartbeats()]
    assert beat.lost_hold is None
    [hold] = running.store.holds()
    running.store.delete_record(RecordKind.HOLD, hold.name, uid=hold.uid, resource_version=hold.resource_version)
    running.clock.move(200)
    running.worker.keeper.claims.acquire(A)
    running.keeper.look()
    [beat] = [stored.value for stored in running.store.heartbeats()]
    assert beat.lost_hold == running.clock().wall
    assert served(running) == A


def test_a_lapsed_hold_is_acquired_and_verified_anew(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.store.delete(Kind.CONFIG, A)
    running.clock.move(86400)
    response = running.get()
    assert (response.status_code, response.get_json()["reason"]) == (503, "config-missing")
    running.store.apply([config(A)])
    assert running.get().status_code == 200
    assert holds(running)[A].acquired == running.clock().wall


@pytest.mark.parametrize(
    ("seconds", "status"), [pytest.param(42299, 200, id="just in time"), pytest.param(42301, 503, id="a second late")]
)
def test_bytes_leave_only_while_the_hold_outlasts_them_by_the_boot_bound(
    world: Start, seconds: float, status: int
) -> None:
    # 24 h hold - 12 h boot bound - 15 min body deadline = 42,300 s
    running = world(config(A), pool("worker", A))
    assert running.get().status_code == 200
    running.store.delete(Kind.CONFIG, A)  # a new hold would be refused
    running.clock.move(seconds)
    assert running.get().status_code == status


def test_heartbeats_are_renewed_and_count_what_was_recorded(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.get()
    running.leases()
    running.clock.move(300)
    running.keeper.look()
    [beat] = [stored.value for stored in running.store.heartbeats()]
    assert (beat.worker, beat.server) == (running.worker.identity.worker, "one")
    assert beat.renewed == running.clock().wall
    assert beat.expires > beat.renewed + 300
    assert beat.recorded == 1


def test_an_annotation_that_is_ignored_is_logged_once(world: Start, caplog: pytest.LogCaptureFixture) -> None:
    running = world(config(A), pool("worker", A, **{"mcs.internal/serve": "Nonsense"}))
    for _ in range(3):
        running.keeper.look()
    assert caplog.text.count("is ignored: 'Nonsense'") == 1
    assert served(running) == A


def test_what_is_said_of_a_pool_is_said_when_it_changes(world: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    metadata: JSONObject = {"name": "mine", "labels": {"role": "worker"}}
    mine: JSONObject = {"metadata": metadata, "spec": {"kernelArguments": ["a"]}}
    kind, gated = pool("worker", A, **{"mcs.internal/hold": "long"})
    named: JSON = [{"name": "mine"}]
    selector: JSON = {"matchLabels": {"role": "worker"}}
    gated["spec"] = {"configuration": {"name": A, "source": named}, "machineConfigSelector": selector}
    running = world(config(A), (Kind.CONFIG, mine), (kind, gated))
    running.clock.move(5)
    running.keeper.look()
    caplog.clear()
    for number in range(5):  # the pool settles and unsettles, and serves the same for the same reason
        running.store.apply([(Kind.CONFIG, {**mine, "spec": {"kernelArguments": [str(number)]}})])
        running.clock.move(5)
        running.keeper.look()
        running.clock.move(5)
        running.keeper.look()
    assert [record.getMessage() for record in caplog.records] == []
    running.store.apply([pool("worker", A, **{"mcs.internal/hold": "longer"})])
    running.keeper.look()
    [line] = [record.getMessage() for record in caplog.records]
    assert line.startswith("pool worker: annotation mcs.internal/hold: 'longer' is ignored: it is not a duration")


def test_a_pool_sets_its_own_durations(world: Start) -> None:
    slow = {"mcs.internal/boot-bound": "20h", "mcs.internal/hold": "48h", "mcs.internal/boot-lease": "30d"}
    running = world(config(A), config(B), pool("worker", A), pool("infra", B, **slow))
    assert holds(running)[A].duration == 24 * 3600
    assert holds(running)[B].duration == 48 * 3600
    assert running.get("/config/infra").status_code == 200
    [lease] = running.leases()
    assert lease.duration == 30 * 86400


def test_a_config_of_several_pools_is_held_for_the_slowest(world: Start) -> None:
    slow = {"mcs.internal/boot-bound": "20h", "mcs.internal/hold": "48h"}
    running = world(config(A), pool("worker", A), pool("infra", A, **slow))
    assert holds(running)[A].duration == 48 * 3600


def test_a_hold_that_has_become_too_short_is_written_anew_at_once(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.store.apply([pool("worker", A, **{"mcs.internal/hold": "48h"})])
    running.keeper.look()
    assert holds(running)[A].duration == 48 * 3600


def test_durations_of_a_pool_that_break_the_rule_are_ignored_and_said(
    world: Start, caplog: pytest.LogCaptureFixture
) -> None:
    running = world(config(A), pool("worker", A, **{"mcs.internal/boot-bound": "24h"}))
    assert holds(running)[A].duration == 24 * 3600
    assert "the pool's durations are ignored: hold ≥ boot bound" in caplog.text
    assert served(running) == A


def test_a_config_that_cannot_be_served_leaves_the_old_one_being_sent(world: Start) -> None:
    running = world(config(A), config(B, {"ignition": {"version": "9.0.0"}}), pool("worker", A))
    running.store.apply([pool("worker", B)])
    running.keeper.look()
    assert served(running) == A
    assert f"{B} cannot be served: Ignition spec 9.0.0" in running.keeper.states["worker"].serving.why
    assert running.get("/readyz").status_code == 200


def test_a_pool_whose_only_config_cannot_be_served_is_not_ready(world: Start) -> None:
    running = world(config(A, {"ignition": {"version": "9.0.0"}}), pool("worker", A))
    assert running.get().get_json()["reason"] == "config-invalid"
    assert running.get("/readyz").get_json()["reason"] == "config-invalid"


def test_an_annotation_that_names_a_missing_config_changes_nothing_yet(world: Start) -> None:
    first = world(config(A), pool("worker", A))
    first.store.apply([pool("worker", A, **{"mcs.internal/serve": B})])
    first.keeper.look()
    assert served(first) == A
    first.server.stop()
    second = world()
    assert served(second) == A
    assert f"{B} does not exist" in second.keeper.states["worker"].serving.why


def test_a_config_that_may_not_be_sent_costs_no_write_at_each_look(world: Start) -> None:
    running = world(pool("worker", A))
    for _ in range(5):
        running.keeper.look()
    assert running.store.holds() == []


def test_a_loss_is_noticed_after_a_refusal_in_between(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.store.delete(Kind.CONFIG, A)
    running.clock.move(300)
    running.keeper.look()
    assert running.get().get_json()["reason"] == "config-missing"
    [hold] = running.store.holds()
    running.store.delete_record(RecordKind.HOLD, hold.name, uid=hold.uid, resource_version=hold.resource_version)
    running.store.apply([config(A)])
    running.clock.move(10)
    running.keeper.look()
    assert served(running) == A
    [beat] = [stored.value for stored in running.store.heartbeats()]
    assert beat.lost_hold == running.clock().wall


def test_a_pool_of_slow_machines_stops_to_be_sent_sooner(world: Start) -> None:
    # 48 h hold - 20 h boot bound - 15 min body deadline = 99,900 s
    slow = {"mcs.internal/boot-bound": "20h", "mcs.internal/hold": "48h"}
    running = world(config(A), pool("worker", A, **slow))
    running.store.delete(Kind.CONFIG, A)
    running.clock.move(99899)
    assert running.get().status_code == 200
    running.clock.move(2)
    assert running.get().status_code == 503
