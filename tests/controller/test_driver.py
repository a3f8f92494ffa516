"""Publishing against the embedded store: what is stored afterwards, and what becomes of every failed call."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mcs.boot.clock import Reading
from mcs.boot.durations import Durations
from mcs.boot.records import Hold
from mcs.controller.driver import Publisher, publication_of
from mcs.controller.protocol import Outcome, Reason
from mcs.jsondata import JSON, JSONObject, lookup, object_at
from mcs.machineconfig.names import ANNOTATION_MARK, ANNOTATION_SERVE, Kind
from mcs.machineconfig.rendered_name import rendered_name
from mcs.machineconfig.rendering import Rendered
from mcs.machineconfig.serving import last_served
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import RecordKind, Stored, StoreError, StoreUnavailable
from tests.store.broken import BrokenStore
from tests.store.samples import manifest

LIMITS = Durations(hold=100, renewal=10, boot=50, lease=50, skew=5, body=10)
SPEC: JSONObject = {"config": {"ignition": {"version": "3.5.0"}}, "kernelArguments": ["quiet"], "fips": False}
N = rendered_name("worker", SPEC)
RENDERED = Rendered(name=N, spec=SPEC, source=("00-worker", "99-ssh"), annotations={})
OLD = "rendered-worker-" + "0" * 32
SOURCE: JSON = [
    {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig", "name": "00-worker"},
    {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig", "name": "99-ssh"},
]
MARK: JSONObject = {"metadata": {"annotations": {ANNOTATION_MARK: "2026-01-01T00:00:00Z nonce"}}}


class World:
    """A store with a pool that names OLD, and a publisher; time is moved by hand."""

    def __init__(self, path: Path) -> None:
        self.seconds = 1000.0
        self.file = EmbeddedStore(path / "mcs.sqlite", now=lambda: self.seconds)
        self.store = BrokenStore(self.file)
        pool: JSONObject = {"paused": False, "configuration": {"name": OLD}}
        self.file.apply([manifest(Kind.POOL, "worker", spec=pool, status={"configuration": {"name": OLD}})])
        self.publisher = self.successor("w1")

    def successor(self, worker: str) -> Publisher:
        """Return the publisher of another process."""
        return Publisher(self.store, worker=worker, server="one", clock=lambda: Reading(self.seconds, self.seconds))

    def pool(self) -> Stored[JSONObject]:
        """Return the pool as it is stored."""
        stored = self.file.get(Kind.POOL, "worker")
        assert stored is not None
        return stored

    def publish(self, pool: Stored[JSONObject] | None = None) -> Outcome:
        """Make one attempt to publish RENDERED for the pool as it is, or as it was read before."""
        return self.publisher.publish(pool or self.pool(), RENDERED, LIMITS)

    def config(self) -> JSONObject | None:
        """Return N as it is stored."""
        stored = self.file.get(Kind.CONFIG, N)
        return stored.value if stored is not None else None

    def holds(self) -> list[Hold]:
        """Return all holds."""
        return [stored.value for stored in self.file.holds()]

    def there(self, *, marked: bool = False) -> None:
        """Have N there already."""
        self.file.apply([(Kind.CONFIG, RENDERED.document("worker"))])
        if marked:
            self.file.patch(Kind.CONFIG, N, MARK)

    def is_marked(self) -> bool:
        """Tell whether N is there and bears a mark."""
        return ANNOTATION_MARK in object_at(self.config(), "metadata", "annotations")

    def named(self) -> JSON:
        """Return what the pool names."""
        return lookup(self.pool().value, "spec", "configuration", "name")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_what_was_rendered_is_stored_and_the_pool_names_it_with_its_source(world: World) -> None:
    outcome = world.publish()
    assert (outcome.reason, outcome.created, outcome.unmarked) == (Reason.POINTED, True, False)
    assert lookup(world.config(), "spec") == SPEC
    assert lookup(world.config(), "metadata", "ownerReferences") is None
    assert lookup(world.pool().value, "spec") == {"paused": False, "configuration": {"name": N, "source": SOURCE}}
    assert lookup(world.pool().value, "status", "configuration", "name") == OLD
    assert [(hold.config, hold.renewed, hold.duration) for hold in world.holds()] == [(N, 1000.0, 100.0)]


def test_calls_come_in_the_order_of_the_rules(world: World) -> None:
    world.there(marked=True)
    outcome = world.publish()
    assert (outcome.reason, outcome.unmarked) == (Reason.POINTED, True)
    assert world.store.calls == ["get", "put_hold", "get", "patch", "patch"]
    assert not world.is_marked()


def test_hold_names_no_pool_for_nobody_is_served_by_it(world: World) -> None:
    world.publish()
    assert last_served(world.pool().value, world.holds(), created=0.0, skew=0.0) is None


def test_what_stands_is_left_as_it_is_but_for_its_hold(world: World) -> None:
    world.publish()
    before = world.pool()
    world.seconds += 9
    assert world.publish().reason is Reason.STANDING
    assert [hold.renewed for hold in world.holds()] == [1000.0]
    world.seconds += 1
    assert world.publish().reason is Reason.STANDING
    assert [(hold.acquired, hold.renewed) for hold in world.holds()] == [(1000.0, 1010.0)]
    assert world.pool() == before


@pytest.mark.parametrize(
    ("source", "standing"),
    [
        pytest.param(SOURCE, True, id="same"),
        pytest.param([{"name": "00-worker"}, {"name": "99-ssh", "uid": "x"}], True, id="same-names"),
        pytest.param([{"name": "99-ssh"}, {"name": "00-worker"}], False, id="another-order"),
        pytest.param([{"name": "00-worker"}], False, id="fewer"),
        pytest.param([{"name": "00-worker"}, {"name": "99-ssh"}, "odd"], False, id="odd"),
        pytest.param(None, False, id="none"),
    ],
)
def test_pool_stands_if_it_names_the_config_and_its_source(world: World, source: JSON, standing: bool) -> None:
    world.file.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": N, "source": source}}})
    assert publication_of(world.pool(), RENDERED).standing is standing
    world.file.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": OLD}}})
    assert not publication_of(world.pool(), RENDERED).standing


def test_config_that_was_deleted_from_under_the_pool_is_made_anew(world: World) -> None:
    world.publish()
    world.file.delete(Kind.CONFIG, N)
    before = world.pool()
    outcome = world.publish()
    assert (outcome.reason, outcome.created) == (Reason.STANDING, True)
    assert lookup(world.config(), "spec") == SPEC
    assert world.pool() == before


def test_pool_that_was_changed_since_it_was_read_stays_as_it_is(world: World) -> None:
    pool = world.pool()
    world.file.patch(Kind.POOL, "worker", {"spec": {"machineConfigSelector": {}}})
    outcome = world.publish(pool)
    assert (outcome.reason, world.named()) == (Reason.POOL_CHANGED, OLD)
    assert world.publish().reason is Reason.POINTED


def test_pool_that_was_made_anew_stays_as_it_is(world: World) -> None:
    pool = world.pool()
    world.file.delete(Kind.POOL, "worker")
    assert world.publish(pool).reason is Reason.POOL_CHANGED
    world.file.apply([manifest(Kind.POOL, "worker")])
    assert world.publish(pool).reason is Reason.POOL_CHANGED
    assert world.named() is None


@pytest.mark.parametrize(
    ("document", "why"),
    [
        pytest.param({**RENDERED.document("worker"), "spec": {**SPEC, "fips": True}}, Reason.NAME_TAKEN, id="rendered"),
        pytest.param(
            manifest(Kind.CONFIG, N, spec={**SPEC, "fips": True})[1], Reason.NAME_TAKEN, id="a-person's-config"
        ),
        pytest.param(manifest(Kind.CONFIG, N, spec=None)[1], Reason.NAME_TAKEN, id="no-spec"),
        pytest.param(manifest(Kind.CONFIG, N, spec={"a": 1.5})[1], Reason.NAME_TAKEN, id="spec-that-has-no-name"),
    ],
)
def test_config_of_this_name_with_another_spec_stays_and_is_not_pointed_at(
    world: World, document: JSONObject, why: Reason
) -> None:
    world.file.apply([(Kind.CONFIG, document)])
    before = world.config()
    assert world.publish().reason is why
    assert (world.config(), world.named()) == (before, OLD)
    assert world.holds() == [], "its owner has to be able to delete it"


def test_members_of_a_spec_may_stand_in_any_order(world: World) -> None:
    world.file.apply([(Kind.CONFIG, {**RENDERED.document("worker"), "spec": dict(reversed(SPEC.items()))})])
    assert world.publish().reason is Reason.POINTED


# ---- failures: whatever happens at whatever call, the next attempt gets there

FAILING = ("put_hold", "get", "create", "patch")
EXPECTED = {
    "put_hold": Reason.HOLD_NOT_ACKED,
    "get": Reason.STORE_UNREACHABLE,
    "create": Reason.WRITE_UNKNOWN,
    "patch": Reason.WRITE_UNKNOWN,
}


@pytest.mark.parametrize("done", [pytest.param(False, id="not-done"), pytest.param(True, id="done-unanswered")])
@pytest.mark.parametrize("call", FAILING)
@pytest.mark.parametrize("same_process", [pytest.param(True, id="again"), pytest.param(False, id="successor")])
def test_next_attempt_gets_there(world: World, call: str, done: bool, same_process: bool) -> None:
    # A config is looked at twice: for a foreign one before the hold, and by the protocol after it.
    world.store.fail(call, done=done, times=2 if call == "get" else 1)
    assert world.publish().reason is EXPECTED[call]
    if not same_process:
        world.publisher = world.successor("w2")
    assert world.publish().published
    assert (world.named(), lookup(world.config(), "spec")) == (N, SPEC)
    assert {hold.config for hold in world.holds()} == {N}


def test_nothing_is_written_but_the_hold_before_the_config_was_seen(world: World) -> None:
    world.store.fail("get")
    world.publish()
    assert (world.config(), world.named(), len(world.holds())) == (None, OLD, 1)


def test_without_a_hold_nothing_is_written(world: World) -> None:
    world.there(marked=True)
    world.store.fail("put_hold")
    world.publish()
    assert (world.is_marked(), world.named(), world.holds()) == (True, OLD, [])


def test_what_appears_after_the_look_is_never_overwritten(world: World) -> None:
    class Rival(BrokenStore):
        """A store in which another spec appears after the look."""

        def get(self, kind: Kind, name: str) -> Stored[JSONObject] | None:
            found = super().get(kind, name)
            if kind is Kind.CONFIG and found is None:
                world.file.apply([(kind, {"metadata": {"name": name}, "spec": {"fips": True}})])
            return found

    world.store = Rival(world.file)
    world.publisher = world.successor("w2")
    assert world.publish().reason is Reason.NAME_TAKEN
    found = world.file.get(Kind.CONFIG, RENDERED.name)
    assert found is not None
    assert found.value["spec"] == {"fips": True}


def test_clock_that_is_off_from_the_store_s_stops_it(world: World) -> None:
    world.publish()
    world.seconds -= 6
    world.publisher = world.successor("w2")
    assert world.publish().reason is Reason.CLOCK_OFF


def test_lost_hold_is_noticed_unless_it_had_lapsed(world: World) -> None:
    def clear() -> None:
        for stored in world.file.holds():
            world.file.delete_record(
                RecordKind.HOLD, stored.name, uid=stored.uid, resource_version=stored.resource_version
            )

    world.publish()
    clear()
    world.seconds += 10
    assert world.publisher.lost_hold is None
    world.publish()
    assert world.publisher.lost_hold == 1010.0
    clear()
    world.seconds += 100
    world.publish()
    assert world.publisher.lost_hold == 1010.0


def test_claims_are_kept_until_they_lapse(world: World) -> None:
    world.publish()
    claim = world.publisher.claim(N)
    assert claim is not None
    assert claim.since == Reading(1000.0, 1000.0)
    world.seconds += 100
    other = Rendered(name=rendered_name("worker", {}), spec={}, source=("00-worker",), annotations={})
    world.publisher.publish(world.pool(), other, LIMITS)
    assert world.publisher.claim(N) is None


# ---- unmarking


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"spec": {"configuration": {"name": N}}}, id="spec"),
        pytest.param({"status": {"configuration": {"name": N}}}, id="status"),
        pytest.param({"metadata": {"annotations": {ANNOTATION_SERVE: N}}}, id="annotation"),
    ],
)
def test_marked_config_that_a_pool_names_is_unmarked(world: World, patch: JSONObject) -> None:
    world.there(marked=True)
    assert world.publisher.unmark(N).reason is Reason.NOT_NAMED
    assert world.is_marked()
    world.file.patch(Kind.POOL, "worker", patch)
    assert world.publisher.unmark(N).reason is Reason.UNMARKED
    assert not world.is_marked()
    assert world.publisher.unmark(N).reason is Reason.NOT_MARKED


@pytest.mark.parametrize(
    ("renewed", "reason"),
    [
        pytest.param(1060.1, Reason.UNMARKED, id="by-this-pool"),
        pytest.param(1060.0, Reason.NOT_NAMED, id="perhaps-by-one-of-its-name-before"),
        pytest.param(900.0, Reason.NOT_NAMED, id="by-one-of-its-name-before"),
    ],
)
def test_marked_config_that_a_pool_was_served_last_is_unmarked(world: World, renewed: float, reason: Reason) -> None:
    world.there(marked=True)
    hold = Hold(worker="s1", server="one", config=N, pools=("worker",), acquired=900.0, renewed=renewed, duration=100.0)
    world.file.put_hold(hold, acked=None)
    assert world.publisher.unmark(N).reason is reason
    assert world.is_marked() == (reason is Reason.NOT_NAMED)


def test_config_that_is_gone_is_not_unmarked(world: World) -> None:
    assert world.publisher.unmark(N).reason is Reason.CONFIG_MISSING


@pytest.mark.parametrize(
    ("call", "error", "why"),
    [
        pytest.param("metadata", None, Reason.STORE_UNREACHABLE, id="look-fails"),
        pytest.param("objects", None, Reason.STORE_UNREACHABLE, id="pools-unreadable"),
        pytest.param("patch", StoreUnavailable("locked"), Reason.WRITE_UNKNOWN, id="no-answer"),
    ],
)
def test_mark_stays_where_a_call_fails(world: World, call: str, error: StoreError | None, why: Reason) -> None:
    world.there(marked=True)
    world.file.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": N}}})
    world.store.fail(call, error=error)
    assert world.publisher.unmark(N).reason is why
    assert world.is_marked()


@pytest.mark.parametrize(
    "meanwhile",
    [
        pytest.param(lambda file: file.patch(Kind.CONFIG, N, {"metadata": {"labels": {"a": "b"}}}), id="changed"),
        pytest.param(lambda file: file.delete(Kind.CONFIG, N), id="deleted"),
    ],
)
def test_mark_is_taken_off_only_what_was_looked_at(world: World, meanwhile: Callable[[EmbeddedStore], object]) -> None:
    class Slow(BrokenStore):
        """A store in which something happens between the look and the write."""

        def objects(self, kind: Kind) -> list[Stored[JSONObject]]:
            meanwhile(world.file)
            return super().objects(kind)

    world.there(marked=True)
    world.file.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": N}}})
    world.store = Slow(world.file)
    assert world.successor("w2").unmark(N).reason is Reason.CONFIG_CHANGED
    assert world.config() is None or world.is_marked()
