"""Stubs that pin a hash of the config: they need the same bytes each time, so boot ids are switched off for them."""

import hashlib
import json
import time
from collections.abc import Iterator

import pytest

from mcs.jsondata import JSONObject, object_at
from tests.clients.ignition import Client, fetch, scratch
from tests.end_to_end.cluster import Cluster
from tests.end_to_end.declared import declared_files, differing
from tests.end_to_end.fleet import served_config, served_name
from tests.end_to_end.machines import (
    BOOTING,
    NODE_ANNOTATIONS,
    NODE_LABELS,
    ask_as,
    boot,
    client_named,
    stub,
    wait_until,
)
from tests.web.serving import Serving

pytestmark = pytest.mark.real

CURRENT = "machineconfiguration.openshift.io/currentConfig"
WORKER = served_name("worker")


@pytest.fixture(scope="module")
def without_ids(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server of the fleet that gives no boot ids."""
    cluster = Cluster(tmp_path_factory.mktemp("without-ids"))
    cluster.load()
    with cluster.serve("--boot-id", "off") as server:
        yield server


def pinning_stub(client: Client, server: Serving) -> JSONObject:
    """Return a stub that pins the hash of what the server answers to this client at this moment."""
    answer = ask_as(client, server.port, "/config/worker")
    assert answer.status == 200
    verification: JSONObject = {"hash": f"sha512-{hashlib.sha512(answer.body).hexdigest()}"}
    return stub(client, server.port, "worker", verification=verification)


@pytest.mark.parametrize("name", BOOTING)
def test_a_client_accepts_the_pinned_config_where_boot_ids_are_off(name: str, without_ids: Serving) -> None:
    client = client_named(name)
    with scratch() as workdir:
        result = fetch(client, pinning_stub(client, without_ids), workdir)
    assert result.rc == 0, result.log


def test_a_client_refuses_the_pinned_config_where_each_boot_has_an_id(server: Serving) -> None:
    client = client_named("2.26.0")
    with scratch() as workdir:
        result = fetch(client, pinning_stub(client, server), workdir)
    assert result.rc == 1
    assert "hash verification failed" in result.log


def test_what_is_written_names_the_config_but_no_boot(without_ids: Serving) -> None:
    root = boot(client_named("2.19.0"), without_ids.port, "worker").root
    annotations = json.loads(root[NODE_ANNOTATIONS].contents)
    assert annotations[CURRENT] == WORKER
    assert "mcs.internal/boot" not in annotations
    digest = WORKER.removeprefix("rendered-worker-")
    assert root[NODE_LABELS].text == f"MCS_NODE_LABELS=mcs.internal/config-hash={digest}\n"
    assert differing(declared_files(object_at(served_config("worker"), "spec", "config")), root) == {}


def test_a_boot_without_id_is_recorded_and_ended_by_the_one_node_that_fits(cluster: Cluster) -> None:
    cluster.load()
    with cluster.serve("--boot-id", "off") as server:
        booted = boot(client_named("2.19.0"), server.port, "worker")
        assert server.stop() == 0  # what waits to be recorded is recorded now
    [lease] = cluster.leases()
    assert (lease.boot_id, lease.config, lease.asked, lease.served) == (None, WORKER, "3.4.0", "3.4.0")
    assert cluster.boot_states() == {lease.name: "fetched"}
    # A Node's creation is told in whole seconds, and must be after the fetch.
    wait_until(lambda: time.time() > lease.fetched + 1, "a second is over")
    status: JSONObject = {"addresses": [{"type": "InternalIP", "address": lease.address}]}
    metadata: JSONObject = {"name": "worker-7", "annotations": {**booted.annotations}}
    cluster.apply({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status})
    assert cluster.boot_states() == {lease.name: "joined"}
