"""MachineConfigs and their rendered configs arrive one after another while machines ask a running server."""

import time
from pathlib import Path

import pytest

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import LABEL_POOL, Kind
from mcs.store.embedded import EmbeddedStore
from tests.end_to_end.cluster import Cluster
from tests.web.serving import Serving

pytestmark = [pytest.mark.real, pytest.mark.slow]

ROLE = "machineconfiguration.openshift.io/role"
PARTS = ("00-worker", "10-osimageurl", "99-ssh", "99-kubelet")
WAITING = ("--quiet-period", "3s")


def rendered_name(number: int) -> str:
    return f"rendered-worker-{number:032x}"


def part(name: str) -> JSONObject:
    metadata: JSONObject = {"name": name, "labels": {ROLE: "worker"}}
    return {"apiVersion": Kind.CONFIG.api_version, "kind": "MachineConfig", "metadata": metadata, "spec": {}}


def rendered(number: int) -> JSONObject:
    metadata: JSONObject = {"name": rendered_name(number), "labels": {LABEL_POOL: "worker"}}
    spec: JSONObject = {"config": {"ignition": {"version": "3.2.0"}}}
    return {"apiVersion": Kind.CONFIG.api_version, "kind": "MachineConfig", "metadata": metadata, "spec": spec}


def pool(number: int, parts: tuple[str, ...]) -> JSONObject:
    source: list[JSON] = [{"name": name} for name in parts]
    spec: JSONObject = {
        "configuration": {"name": rendered_name(number), "source": source},
        "machineConfigSelector": {"matchLabels": {ROLE: "worker"}},
    }
    metadata: JSONObject = {"name": "worker"}
    return {"apiVersion": Kind.POOL.api_version, "kind": "MachineConfigPool", "metadata": metadata, "spec": spec}


def arrive(cluster: Cluster, *documents: JSONObject, ago: float = 0.0) -> None:
    """Store objects at once, as a process beside the server; new ones were made so many seconds ago."""
    store = EmbeddedStore(cluster.path, now=lambda: time.time() - ago)
    try:
        store.apply([(Kind.POOL if each["kind"] == "MachineConfigPool" else Kind.CONFIG, each) for each in documents])
    finally:
        store.close()


def config_given(server: Serving) -> str | None:
    return server.ask().headers.get("MCS-Config")


def test_no_machine_of_a_new_pool_gets_a_config_that_is_half_complete(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    with cluster.serve(*WAITING, ready=False) as server:
        server.wait_for(lambda: server.ask().status == 503, "it answers")
        given = []
        for number in range(1, len(PARTS) + 1):
            arrive(cluster, part(PARTS[number - 1]), rendered(number), pool(number, PARTS[:number]))
            given += [config_given(server) for _ in range(20)]
        server.wait_for(lambda: config_given(server) is not None, "a config is given")
        given += [config_given(server) for _ in range(20)]
    assert set(given) == {None, rendered_name(len(PARTS))}


def test_what_was_served_last_is_served_on_after_all_servers_were_restarted(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    arrive(cluster, part(PARTS[0]), rendered(1), pool(1, PARTS[:1]), ago=3600)
    with cluster.serve("--quiet-period", "200ms") as server:
        assert config_given(server) == rendered_name(1)
        assert server.stop() == 0
    arrive(cluster, part(PARTS[1]), part(PARTS[2]), rendered(2), pool(2, PARTS[:2]))
    with cluster.serve("--quiet-period", "200ms") as server:
        given = {config_given(server) for _ in range(100)}
        assert given == {rendered_name(1)}
        assert (
            cluster.mcs("get", "pools").count("served last; not settled: spec.configuration.source lacks 99-ssh") == 1
        )
        arrive(cluster, rendered(3), pool(3, PARTS[:3]))
        server.wait_for(lambda: config_given(server) == rendered_name(3), "the whole config is given")
