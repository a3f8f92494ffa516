from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcs.boot.lease_queue import LeaseLimits
from mcs.store.embedded import EmbeddedStore
from mcs.web.metrics import Metrics
from mcs.web.recorder import Recorder
from tests.boot.examples import lease
from tests.store.broken import BrokenStore
from tests.web.world import MovedClock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BrokenStore]:
    broken = BrokenStore(EmbeddedStore(tmp_path / "store.db"))
    yield broken
    broken.close()


@pytest.fixture
def recorder(store: BrokenStore) -> Iterator[Callable[..., Recorder]]:
    made: list[Recorder] = []

    def make(**limits: float) -> Recorder:
        one = Recorder(store, LeaseLimits(**limits), MovedClock(), Metrics())  # type: ignore[arg-type]  # the limits' own names
        made.append(one)
        one.start()
        return one

    yield make
    for one in made:
        one.stop(timeout=10)


def names(store: BrokenStore) -> set[str]:
    return {stored.value.name for stored in store.boot_leases()}


def test_all_that_was_recorded_is_written_before_the_end(store: BrokenStore, recorder: Callable[..., Recorder]) -> None:
    running = recorder(per_second=1e6)
    leases = [lease(f"{number:026d}") for number in range(1000)]
    for one in leases:
        running.record(one)
    running.stop(timeout=30)
    assert names(store) == {one.name for one in leases}
    assert (running.queued, running.dropped, running.recorded) == (0, 0, 1000)


@pytest.mark.parametrize("done", [pytest.param(False, id="not done"), pytest.param(True, id="done all the same")])
def test_a_write_that_failed_is_done_again(store: BrokenStore, recorder: Callable[..., Recorder], done: bool) -> None:
    store.fail("put_boot_leases", done=done, times=2)
    running = recorder()
    running.record(lease("a" * 26))
    running.record(lease("b" * 26))
    running.stop(timeout=30)
    assert names(store) == {"a" * 26, "b" * 26}


def test_what_cannot_be_written_at_the_end_is_said(
    store: BrokenStore, recorder: Callable[..., Recorder], caplog: pytest.LogCaptureFixture
) -> None:
    store.fail("put_boot_leases")
    running = recorder()
    running.record(lease("a" * 26))
    running.stop(timeout=30)
    assert "1 boot leases could not be written" in caplog.text
    assert names(store) == set()


def test_a_pool_that_has_its_share_in_the_store_gets_aggregates(store: BrokenStore) -> None:
    store.put_boot_leases([lease(f"{number:026d}", renewed=MovedClock().reading.wall) for number in range(5)])
    running = Recorder(store, LeaseLimits(per_pool=5), MovedClock(), Metrics())
    running.learn_counts()
    running.record(lease("a" * 26))
    running.start()
    running.stop(timeout=30)
    assert running.aggregated == 1
    assert [stored.value.network for stored in store.boot_leases()].count("192.0.2.0/24") == 1
