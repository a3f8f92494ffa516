"""What one process writes of its holds, and when it finds that one was lost."""

from pathlib import Path

import pytest

from mcs.boot.clock import Reading
from mcs.boot.protocol import Acked, NotAcked, PutHold
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import RecordKind
from mcs.store.own_holds import OwnHolds
from tests.store.broken import BrokenStore

N = "rendered-worker-" + "0" * 32
WORKER = "0f" * 16


def asked(seconds: float, duration: float = 100.0) -> PutHold:
    return PutHold(N, Reading(wall=1000.0 + seconds, boot=seconds), duration)


@pytest.fixture
def broken(tmp_path: Path) -> BrokenStore:
    return BrokenStore(EmbeddedStore(tmp_path / "store.db"))


def test_a_hold_keeps_when_it_was_acquired(store: EmbeddedStore) -> None:
    holds = OwnHolds(store, worker=WORKER, server="mcs-0")
    holds.put(asked(0), ["worker", "infra"])
    holds.put(asked(10), ["worker"])
    (hold,) = [stored.value for stored in store.holds()]
    assert (hold.worker, hold.server, hold.config, hold.pools) == (WORKER, "mcs-0", N, ("worker",))
    assert (hold.acquired, hold.renewed, hold.duration) == (1000.0, 1010.0, 100.0)


@pytest.mark.parametrize(
    ("deleted", "after", "lost"),
    [
        pytest.param(False, 10.0, None, id="as-it-was-left"),
        pytest.param(True, 10.0, 1010.0, id="deleted-while-it-protects"),
        pytest.param(True, 100.0, None, id="cleared-away-after-it-lapsed"),
    ],
)
def test_a_loss_is_noticed_when_it_is_written_again(
    store: EmbeddedStore, deleted: bool, after: float, lost: float | None
) -> None:
    holds = OwnHolds(store, worker=WORKER, server="mcs-0")
    holds.put(asked(0), [])
    if deleted:
        (hold,) = store.holds()
        store.delete_record(RecordKind.HOLD, hold.name, uid=hold.uid, resource_version=hold.resource_version)
    written = holds.put(asked(after), [])
    assert isinstance(written, Acked)
    assert (written.lost, holds.lost) == (lost is not None, lost)


def test_what_is_not_acknowledged_is_remembered_as_before(broken: BrokenStore) -> None:
    holds = OwnHolds(broken, worker=WORKER, server="mcs-0")
    holds.put(asked(0), [])
    broken.fail("put_hold", times=1)
    assert isinstance(holds.put(asked(10), []), NotAcked)
    assert holds.put(asked(20), []) == Acked(lost=False, store_clock=None)


def test_what_has_lapsed_is_forgotten_and_named(store: EmbeddedStore) -> None:
    holds = OwnHolds(store, worker=WORKER, server="mcs-0")
    holds.put(asked(0), [])
    assert holds.forget_lapsed(Reading(1099.0, 99.0)) == []
    assert holds.forget_lapsed(Reading(1100.0, 100.0)) == [N]
    assert holds.forget_lapsed(Reading(1100.0, 100.0)) == []
