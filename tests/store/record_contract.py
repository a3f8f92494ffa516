"""What every store does with records, as tests. See tests/store/contract.py."""

import pytest

from mcs.store.interface import Conflict, NotFound, RecordKind, Store
from tests.store.samples import heartbeat, hold, lease

__all__ = ["RecordContract"]


class RecordContract:
    """Holds, boot leases and heartbeats."""

    def test_an_empty_store_has_none(self, store: Store) -> None:
        assert store.holds() == []
        assert store.boot_leases() == []
        assert store.heartbeats() == []
        assert store.count_boot_leases(at=0.0) == {}

    # ---- holds

    def test_a_hold_comes_back(self, store: Store) -> None:
        ack = store.put_hold(hold(), acked=None)
        assert not ack.lost
        (stored,) = store.holds()
        assert stored.value == hold()
        assert stored.name.startswith(f"hold-{hold().worker}-")
        assert stored.uid
        assert stored.resource_version > 0

    def test_there_is_one_hold_for_each_worker_and_config(self, store: Store) -> None:
        other = "rendered-infra-0123456789abcdef0123456789abcdef"  # of another pool, with the same hash
        holds = [hold(), hold(config=other), hold(worker="ab" * 16), hold(config="custom")]
        for each in holds:
            store.put_hold(each, acked=None)
        assert {stored.value for stored in store.holds()} == set(holds)
        names = [stored.name for stored in store.holds()]
        assert names == sorted(set(names))

    @pytest.mark.parametrize(
        ("second", "after"),
        [
            pytest.param({"renewed": 1050.0}, {"renewed": 1050.0}, id="a renewal lasts longer"),
            pytest.param(
                {"renewed": 1050.0, "duration": 10.0},
                {"renewed": 1050.0, "duration": 50.0},
                id="renewed later but to end earlier",
            ),
            pytest.param({"renewed": 950.0}, {}, id="a late retry of an older write"),
            pytest.param({"pools": ("worker",)}, {"pools": ("worker",)}, id="as long, for other pools"),
            pytest.param(
                {"renewed": 1050.0, "duration": 50.0},
                {"renewed": 1050.0, "duration": 50.0},
                id="renewed later, as long",
            ),
        ],
    )
    def test_a_hold_never_gets_shorter_nor_older(
        self, store: Store, second: dict[str, object], after: dict[str, object]
    ) -> None:
        store.put_hold(hold(), acked=None)
        (first,) = store.holds()
        store.put_hold(hold(**second), acked=1000.0)
        (stored,) = store.holds()
        assert stored.value == hold(**after)
        assert (stored.name, stored.uid) == (first.name, first.uid)

    def test_a_hold_that_is_to_last_less_long_is_not_lost(self, store: Store) -> None:
        store.put_hold(hold(duration=200.0), acked=None)
        for renewed in (1010.0, 1020.0, 1030.0):
            assert not store.put_hold(hold(renewed=renewed, duration=100.0), acked=renewed - 10.0).lost
        (stored,) = store.holds()
        assert stored.value.expires == 1200.0

    @pytest.mark.parametrize(
        ("stored", "acked", "lost"),
        [
            pytest.param(None, None, False, id="a first write"),
            pytest.param(None, 1000.0, True, id="the record is gone"),
            pytest.param(1000.0, 1000.0, False, id="the record is as acknowledged"),
            pytest.param(990.0, 1000.0, True, id="the record is older than acknowledged"),
            pytest.param(1010.0, 1000.0, False, id="a write came through that seemed to fail"),
            pytest.param(1000.0, None, False, id="a write came through before any was acknowledged"),
            pytest.param(1000.123456789, 1000.123456789, False, id="fractions are kept"),
        ],
    )
    def test_a_lost_hold_is_told(self, store: Store, stored: float | None, acked: float | None, lost: bool) -> None:
        if stored is not None:
            store.put_hold(hold(renewed=stored), acked=None)
        assert store.put_hold(hold(renewed=1020.0), acked=acked).lost is lost

    # ---- boot leases

    def test_boot_leases_come_back_oldest_fetch_first(self, store: Store) -> None:
        full = lease(
            "c", network="192.0.2.0/24", boot_id=None, asked=None, count=7, fetched=900.0, client="Ignition/\xfc \u2028"
        )
        leases = [lease("b", fetched=1100.0), lease("a", fetched=1000.5), full]
        store.put_boot_leases(leases)
        found = store.boot_leases()
        assert [stored.value for stored in found] == [full, leases[1], leases[0]]
        assert [stored.name for stored in found] == ["c", "a", "b"]
        assert len({stored.uid for stored in found}) == 3

    def test_a_boot_lease_is_replaced_under_its_name(self, store: Store) -> None:
        store.put_boot_leases([lease("a"), lease("b", pool="infra")])
        before = {stored.name: stored for stored in store.boot_leases()}
        store.put_boot_leases([lease("a", renewed=1500.0, count=2)])
        after = {stored.name: stored for stored in store.boot_leases()}
        assert after["a"].value == lease("a", renewed=1500.0, count=2)
        assert after["a"].uid == before["a"].uid
        assert after["a"].resource_version > before["a"].resource_version
        assert after["b"] == before["b"]

    def test_no_leases_are_nothing_to_do(self, store: Store) -> None:
        store.put_boot_leases([])
        assert store.boot_leases() == []

    def test_live_boot_leases_are_counted_by_pool(self, store: Store) -> None:
        store.put_boot_leases([lease("a"), lease("b"), lease("c", pool="infra"), lease("d"), lease("e", renewed=1e6)])
        end = lease("a").expires
        (ended,) = [stored for stored in store.boot_leases() if stored.name == "d"]
        store.end_boot_lease("d", uid=ended.uid, resource_version=ended.resource_version, node="node-1", ended=1000.0)
        assert store.count_boot_leases(at=end) == {"worker": 3, "infra": 1}
        assert store.count_boot_leases(at=end + 1) == {"worker": 1}

    def test_an_ended_lease_stays_as_it_is(self, store: Store) -> None:
        store.put_boot_leases([lease("a"), lease("b")])
        before = store.boot_leases()[0]
        store.end_boot_lease("a", uid=before.uid, resource_version=before.resource_version, node="n1", ended=1200.0)
        ended = store.boot_leases()[0]
        assert ended.value == lease("a", node="n1", ended=1200.0)
        assert ended.uid == before.uid
        assert ended.resource_version > before.resource_version
        store.put_boot_leases([lease("a", renewed=1500.0), lease("b", renewed=1500.0)])
        assert store.boot_leases()[0] == ended
        assert store.boot_leases()[1].value == lease("b", renewed=1500.0)

    def test_a_lease_ends_only_as_the_one_that_was_seen(self, store: Store) -> None:
        with pytest.raises(NotFound, match="boot lease a does not exist"):
            store.end_boot_lease("a", uid="0", resource_version=1, node="n1", ended=1200.0)
        store.put_boot_leases([lease("a")])
        (seen,) = store.boot_leases()
        with pytest.raises(Conflict, match="uid"):
            store.end_boot_lease("a", uid="0", resource_version=seen.resource_version, node="n1", ended=1200.0)
        store.put_boot_leases([lease("a", count=2)])
        (now,) = store.boot_leases()
        with pytest.raises(Conflict, match="resourceVersion"):
            store.end_boot_lease("a", uid=seen.uid, resource_version=seen.resource_version, node="n1", ended=1200.0)
        assert store.boot_leases() == [now]

    # ---- heartbeats

    def test_a_heartbeat_is_replaced_by_its_worker_s_next(self, store: Store) -> None:
        store.put_heartbeat(heartbeat())
        store.put_heartbeat(heartbeat(worker="ab" * 16, lost_hold=950.0))
        (first, second) = store.heartbeats()
        assert [first.value, second.value] == [heartbeat(), heartbeat(worker="ab" * 16, lost_hold=950.0)]
        assert first.name == f"heartbeat-{heartbeat().worker}"
        store.put_heartbeat(heartbeat(renewed=1030.0, recorded=3, dropped=1))
        renewed = store.heartbeats()[0]
        assert renewed.value == heartbeat(renewed=1030.0, recorded=3, dropped=1)
        assert renewed.uid == first.uid
        assert renewed.resource_version > first.resource_version

    # ---- all records

    @pytest.mark.parametrize("kind", RecordKind, ids=lambda kind: kind.value)
    def test_a_record_is_deleted_only_as_the_one_that_was_seen(self, store: Store, kind: RecordKind) -> None:
        def write(renewed: float) -> None:
            if kind is RecordKind.HOLD:
                store.put_hold(hold(renewed=renewed), acked=None)
            elif kind is RecordKind.BOOT_LEASE:
                store.put_boot_leases([lease("a", renewed=renewed)])
            else:
                store.put_heartbeat(heartbeat(renewed=renewed))

        def version(name: str) -> tuple[str, int]:
            records = [*store.holds(), *store.boot_leases(), *store.heartbeats()]
            (found,) = [record for record in records if record.name == name]
            return found.uid, found.resource_version

        write(1000.0)
        (name,) = [record.name for record in [*store.holds(), *store.boot_leases(), *store.heartbeats()]]
        uid, seen = version(name)
        write(1050.0)
        _, now = version(name)
        with pytest.raises(Conflict, match=f"{kind.value} {name} has resourceVersion {now}, not {seen}"):
            store.delete_record(kind, name, uid=uid, resource_version=seen)
        with pytest.raises(Conflict, match="uid"):
            store.delete_record(kind, name, uid="0", resource_version=now)
        store.delete_record(kind, name, uid=uid, resource_version=now)
        assert [*store.holds(), *store.boot_leases(), *store.heartbeats()] == []
        with pytest.raises(NotFound, match=f"{kind.value} {name} does not exist"):
            store.delete_record(kind, name, uid=uid, resource_version=now)
