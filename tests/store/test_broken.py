"""The broken store is a store while nothing is to fail, and fails exactly as told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcs.machineconfig.names import Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Conflict, Store, StoreUnavailable
from tests.store.broken import BrokenStore
from tests.store.contract import StoreContract
from tests.store.samples import hold, manifest


@pytest.fixture
def broken(store: EmbeddedStore) -> BrokenStore:
    return BrokenStore(store)


class TestBrokenStoreThatIsWell(StoreContract):
    """The contract of all stores."""

    @pytest.fixture
    def store(self, path: Path) -> Iterator[Store]:
        store: Store = BrokenStore(EmbeddedStore(path))
        yield store
        store.close()


def test_a_call_that_fails_does_nothing(broken: BrokenStore) -> None:
    broken.fail("put_hold")
    with pytest.raises(StoreUnavailable):
        broken.put_hold(hold(), acked=None)
    assert broken.holds() == []
    broken.heal()
    broken.put_hold(hold(), acked=None)
    assert len(broken.holds()) == 1
    assert broken.calls == ["put_hold", "holds", "put_hold", "holds"]


def test_a_call_may_be_done_and_its_answer_lost(broken: BrokenStore) -> None:
    broken.fail("put_hold", done=True)
    with pytest.raises(StoreUnavailable):
        broken.put_hold(hold(), acked=None)
    assert len(broken.holds()) == 1


def test_a_call_may_fail_some_times_and_with_any_error(broken: BrokenStore) -> None:
    error = Conflict("Node", "n", "uid", "a", "b")
    broken.fail("apply", times=2, error=error)
    for _ in range(2):
        with pytest.raises(Conflict):
            broken.apply([manifest(Kind.NODE, "n")])
    assert [change.outcome for change in broken.apply([manifest(Kind.NODE, "n")])] == ["created"]


def test_all_calls_can_fail(broken: BrokenStore) -> None:
    broken.fail()
    for call in (
        broken.pools,
        broken.holds,
        broken.boot_leases,
        broken.heartbeats,
        lambda: broken.count_boot_leases(at=0.0),
    ):
        with pytest.raises(StoreUnavailable):
            call()


def test_a_call_that_is_none_cannot_be_chosen(broken: BrokenStore) -> None:
    with pytest.raises(ValueError, match="no method put_holds"):
        broken.fail("put_holds")
