"""A store that fails: what is held is still sent, what is not is refused, and nothing else is ever said."""

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TypeVar

import pytest

from mcs.boot.reasons import Reason
from mcs.store.embedded import EmbeddedStore
from mcs.store.forwarding import ForwardingStore
from tests.store.broken import BrokenStore
from tests.web.world import A, B, World, config, pool

Start = Callable[..., World]
T = TypeVar("T")


@pytest.fixture
def broken(tmp_path: Path) -> BrokenStore:
    return BrokenStore(EmbeddedStore(tmp_path / "store.db"))


def test_a_running_server_sends_what_it_holds_for_as_long_as_the_hold_lasts(world: Start, broken: BrokenStore) -> None:
    running = world(config(A), pool("worker", A), store=broken)
    broken.fail()
    for seconds in (0, 300, 3600, 36000):
        running.clock.move(seconds)
        running.keeper.look()
        assert running.get(minor=seconds % 7).status_code == 200
        assert running.get("/readyz").status_code == 200
    running.clock.move(3600)
    response = running.get()
    assert (response.status_code, response.get_json()["reason"]) == (503, "hold-not-acked")
    assert running.get("/readyz").get_json()["reason"] == "store-unreachable"
    running.keeper.look()
    refusal = running.keeper.states["worker"].refusal
    assert refusal is not None
    assert refusal.reason is Reason.HOLD_NOT_ACKED
    broken.heal()
    running.keeper.look()
    assert running.get().status_code == 200
    assert running.get("/readyz").status_code == 200


def test_a_trouble_is_logged_once_when_it_comes_and_once_when_it_goes(
    world: Start, broken: BrokenStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    running = world(config(A), pool("worker", A), store=broken)
    broken.fail("pools")
    for _ in range(5):
        running.keeper.look()
    broken.heal()
    for _ in range(5):
        running.keeper.look()
    assert caplog.text.count("the store cannot be read") == 1
    assert caplog.text.count("the store can be read again") == 1


@pytest.mark.parametrize(
    ("call", "done", "reason"),
    [
        pytest.param("put_hold", False, "hold-not-acked", id="the hold is refused"),
        pytest.param("put_hold", True, "hold-not-acked", id="the hold is written, and nobody says so"),
        pytest.param("metadata", False, "store-unreachable", id="the look fails"),
        pytest.param("get", False, "store-unreachable", id="the object cannot be read"),
    ],
)
def test_nothing_is_sent_that_is_not_held_and_verified(
    world: Start, broken: BrokenStore, call: str, done: bool, reason: str
) -> None:
    broken.fail(call, done=done)
    running = world(config(A), pool("worker", A), store=broken)
    for _ in range(3):
        response = running.get()
        assert (response.status_code, response.get_json()["reason"]) == (503, reason)
    assert running.get("/readyz").status_code == 503
    broken.heal()
    running.keeper.look()
    assert running.get().status_code == 200


def test_a_hold_that_cannot_be_had_leaves_the_pool_at_what_it_was_sent(world: Start, broken: BrokenStore) -> None:
    running = world(config(A), config(B), pool("worker", A), store=broken)
    running.store.apply([pool("worker", B)])
    broken.fail("put_hold")
    running.keeper.look()
    assert running.get().headers["MCS-Config"] == A
    broken.heal()
    running.keeper.look()
    assert running.get().headers["MCS-Config"] == B


def test_a_server_that_starts_without_its_store_asks_machines_to_wait(world: Start, broken: BrokenStore) -> None:
    broken.fail()
    running = world(config(A), pool("worker", A), store=broken, wait=False)
    running.keeper.look()
    assert running.get().get_json()["reason"] == "store-unreachable"
    assert running.get("/readyz").status_code == 503
    broken.heal()
    running.keeper.look()
    assert running.get().status_code == 200


def test_boots_are_recorded_when_the_store_is_back(world: Start, broken: BrokenStore) -> None:
    running = world(config(A), pool("worker", A), store=broken)
    broken.fail("put_boot_leases", "count_boot_leases")
    served = {running.get().headers["MCS-Boot-Id"] for _ in range(20)}
    broken.heal()
    assert {lease.boot_id for lease in running.leases()} == served


def test_unmarking_that_fails_is_tried_again(world: Start, broken: BrokenStore) -> None:
    running = world(config(A), store=broken)
    running.store.patch(config(A)[0], A, {"metadata": {"annotations": {"mcs.internal/mark": "x"}}})
    running.store.apply([pool("worker", A)])
    broken.fail("patch")
    running.keeper.look()
    assert running.get().get_json()["reason"] == "config-marked"
    broken.heal()
    running.keeper.look()
    assert running.get().status_code == 200


class Stuck(ForwardingStore):
    """A store whose disk hangs: calls of one name do not come back until they are let go."""

    def __init__(self, path: Path) -> None:
        super().__init__(EmbeddedStore(path))
        self.hangs: str | None = None
        self.go = Event()

    def _call(self, name: str, call: Callable[[], T]) -> T:
        if name == self.hangs:
            assert self.go.wait(60)
        return call()


@pytest.mark.slow
@pytest.mark.parametrize("call", ["put_hold", "metadata", "get", "pools"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_machine_is_answered_while_the_store_hangs(world: Start, tmp_path: Path, call: str, method: str) -> None:
    stuck = Stuck(tmp_path / "store.db")
    running = world(config(A), store=stuck)
    running.store.apply([pool("worker", A)])
    stuck.hangs = call
    running.clock.move(1)
    try:
        response = running.client.open("/config/worker", method=method)  # it comes back although the store does not
        takes_none = (method, call) == ("HEAD", "put_hold")  # what does not happen does not hang
        assert response.status_code == (200 if takes_none else 503)
    finally:
        stuck.go.set()
    stuck.hangs = None
    running.keeper.look()
    assert running.get().status_code == 200
