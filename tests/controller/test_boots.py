"""Boots end when their nodes have joined: some at a time, whatever else happens to the store."""

import logging
from collections.abc import Callable

import pytest

from mcs.boot.records import BootLease
from mcs.jsondata import JSONObject
from mcs.machineconfig.names import Kind
from mcs.store.interface import Conflict
from tests.boot.examples import CONFIG, lease
from tests.controller.scene import Scene

ID = "a" * 26


def node(name: str, boot_id: str, config: str | None = CONFIG) -> tuple[Kind, JSONObject]:
    annotations: JSONObject = {"mcs.internal/boot": boot_id}
    if config is not None:
        annotations["machineconfiguration.openshift.io/currentConfig"] = config
    document: JSONObject = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": annotations}}
    return Kind.NODE, document


def lease_of(running: Scene, name: str = ID) -> BootLease:
    return next(stored.value for stored in running.others.boot_leases() if stored.name == name)


@pytest.fixture
def running(make: Callable[..., Scene]) -> Scene:
    """A controller that renders nothing, and a machine that boots."""
    made = make(origin=None)
    made.others.put_boot_leases([lease(ID)])
    made.controller.look()
    return made


def test_a_boot_ends_when_its_node_names_the_config(running: Scene) -> None:
    running.apply(node("n", ID, config=None))
    running.wait(10)
    assert lease_of(running).ended is None
    running.apply(node("n", ID))
    running.wait(2)
    ended = lease_of(running)
    assert (ended.ended, ended.node) == (running.clock().wall, "n")


def test_a_boot_of_two_nodes_goes_on(running: Scene) -> None:
    running.apply(node("n", ID), node("m", ID))
    running.wait(10)
    assert lease_of(running).ended is None


def test_many_boots_end_some_at_a_time_and_soon_all(running: Scene) -> None:
    ids = [f"{number:026}" for number in range(250)]
    running.others.put_boot_leases([lease(boot_id) for boot_id in ids])
    running.apply(*(node(f"n{boot_id}", boot_id) for boot_id in ids))
    running.clock.move(2)
    ended = []
    for _ in range(4):
        running.controller.look()
        ended.append(sum(stored.value.ended is not None for stored in running.others.boot_leases()))
    assert ended == [100, 200, 250, 250]


def test_without_open_boots_no_node_is_read(running: Scene) -> None:
    running.apply(node("n", ID))
    running.wait(2)
    running.store.calls.clear()
    running.wait(20)
    assert running.store.calls.count("boot_leases") == 10
    assert "objects" not in running.store.calls


def test_nodes_are_read_after_the_boots(running: Scene) -> None:
    running.store.calls.clear()
    running.wait(2)
    calls = [call for call in running.store.calls if call in {"boot_leases", "objects"}]
    assert calls == ["boot_leases", "objects"]


def test_who_was_quicker_wins(running: Scene) -> None:
    running.apply(node("n", ID))
    running.store.fail("end_boot_lease", times=1, error=Conflict("boot lease", ID, "resourceVersion", 1, 2))
    running.wait(2)
    assert lease_of(running).ended is None
    running.wait(2)
    assert lease_of(running).ended is not None


def test_who_was_quicker_keeps_no_other_boot_waiting(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    other = "b" * 26
    running.others.put_boot_leases([lease(other)])
    running.apply(node("n", ID), node("m", other))
    running.store.fail("end_boot_lease", times=1, error=Conflict("boot lease", ID, "resourceVersion", 1, 2))
    running.wait(2)
    assert sum(stored.value.ended is not None for stored in running.others.boot_leases()) == 1
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("operation", ["boot_leases", "objects", "end_boot_lease"])
def test_a_store_that_fails_is_asked_less_often_and_then_it_is_made_up_for(
    running: Scene, operation: str, caplog: pytest.LogCaptureFixture
) -> None:
    running.apply(node("n", ID))
    running.store.fail(operation)
    running.wait(600, step=0.5)
    assert 5 <= running.store.calls.count(operation) <= 40
    assert len(caplog.records) == 1
    running.store.heal()
    running.wait(40)
    assert lease_of(running).node == "n"


def test_it_is_said(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    running.apply(node("n", ID))
    running.wait(2)
    [line] = [record for record in caplog.records if record.getMessage() == "joined"]
    assert vars(line)["facts"] == {"boot": ID, "node": "n", "config": CONFIG, "pool": "worker"}
