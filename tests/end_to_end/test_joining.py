"""The circle closes: what a client wrote becomes a Node, and the Node ends the boot that it came from."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mcs.jsondata import JSONObject
from tests.end_to_end.cluster import Cluster
from tests.end_to_end.fleet import served_name
from tests.end_to_end.machines import Booted, boot, client_named

pytestmark = pytest.mark.real

CURRENT = "machineconfiguration.openshift.io/currentConfig"
BOOT = "mcs.internal/boot"


@dataclass(frozen=True, slots=True)
class Machines:
    """Three machines that have booted from a fleet of their own, all their boots on record."""

    cluster: Cluster
    one: Booted
    two: Booted
    other: Booted

    def states(self) -> tuple[str, str, str]:
        """What `mcs get boots` says of the three."""
        states = self.cluster.boot_states()
        assert len(states) == 3
        return states[self.one.boot_id], states[self.two.boot_id], states[self.other.boot_id]


@pytest.fixture(scope="module")
def booted(tmp_path_factory: pytest.TempPathFactory) -> Machines:
    cluster = Cluster(tmp_path_factory.mktemp("booted"))
    cluster.load()
    with cluster.serve() as server:
        one, two, other = (
            boot(client_named(name), server.port, pool)
            for name, pool in (("2.26.0", "worker"), ("2.2.1", "worker"), ("2.14.0", "infra"))
        )
        assert server.stop() == 0  # what waits to be recorded is recorded now
    return Machines(cluster, one, two, other)


@pytest.fixture
def machines(booted: Machines, tmp_path: Path) -> Machines:
    """The machines that have booted, with a copy of their store for each test to change."""
    shutil.copytree(booted.cluster.folder, tmp_path, dirs_exist_ok=True)
    return replace(booted, cluster=Cluster(tmp_path))


def node(name: str, annotations: dict[str, str] | None = None, labels: dict[str, str] | None = None) -> JSONObject:
    metadata: JSONObject = {"name": name, "annotations": {**(annotations or {})}, "labels": {**(labels or {})}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def test_a_boot_is_fetched_until_its_node_is_there(machines: Machines) -> None:
    assert machines.states() == ("fetched", "fetched", "fetched")


def test_a_node_with_all_that_its_machine_wrote_ends_its_boot_and_no_other(machines: Machines) -> None:
    machines.cluster.apply(node("worker-7", machines.one.annotations))
    assert machines.states() == ("joined", "fetched", "fetched")
    machines.cluster.apply(node("infra-7", machines.other.annotations))
    assert machines.states() == ("joined", "fetched", "joined")


def test_two_nodes_with_the_same_id_end_nothing(machines: Machines) -> None:
    machines.cluster.apply(node("worker-7", machines.one.annotations), node("its-clone", machines.one.annotations))
    assert machines.states() == ("fetched", "fetched", "fetched")


def test_a_clone_that_is_gone_again_no_longer_matters(machines: Machines) -> None:
    machines.cluster.apply(node("worker-7", machines.one.annotations), node("its-clone", machines.one.annotations))
    machines.cluster.mcs("delete", "node", "its-clone")
    assert machines.states() == ("joined", "fetched", "fetched")


def test_a_node_that_names_another_config_ends_nothing(machines: Machines) -> None:
    other = machines.other.annotations[CURRENT]
    machines.cluster.apply(node("worker-7", machines.one.annotations | {CURRENT: other}))
    assert machines.states() == ("fetched", "fetched", "fetched")


def test_a_node_without_the_id_ends_nothing(machines: Machines) -> None:
    annotations = {key: text for key, text in machines.one.annotations.items() if key != BOOT}
    machines.cluster.apply(node("worker-7", annotations))
    assert machines.states() == ("fetched", "fetched", "fetched")


def test_a_node_made_by_a_kubelet_alone_ends_its_boot_once_it_names_the_config(machines: Machines) -> None:
    machines.cluster.apply(node("worker-7", labels=machines.one.labels))
    assert machines.states() == ("fetched", "fetched", "fetched")
    annotations = {CURRENT: str(machines.one.annotations[CURRENT])}
    machines.cluster.apply(node("worker-7", annotations, machines.one.labels))
    assert machines.states() == ("joined", "fetched", "fetched")


def test_a_boot_refers_to_its_config_until_its_node_has_joined(machines: Machines) -> None:
    def referring() -> str:
        listed = machines.cluster.mcs("get", "configs", name, "-o", "wide")
        return next(line for line in listed.splitlines() if name in line)

    name = served_name("infra")
    assert f"boot {machines.other.boot_id}" in referring()
    machines.cluster.apply(node("infra-7", machines.other.annotations))
    assert f"boot {machines.other.boot_id}" not in referring()
    assert "node infra-7 (current, desired, first)" in referring()
