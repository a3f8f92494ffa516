"""A machine's first boot into a custom pool: its Node says nothing of that pool, and is counted there all the same."""

import json

import pytest

from mcs.jsondata import JSON, JSONObject, integer_at
from mcs.machineconfig.names import Kind
from tests.end_to_end.cluster import Cluster
from tests.end_to_end.test_rendering import ROLE, booted, controlling, part, wait_until
from tests.web.serving import Answer, ask

pytestmark = pytest.mark.real

QUIET = ("--quiet-period", "300ms")


def pool(name: str, *roles: str) -> JSONObject:
    """A pool that is rendered of these roles' MachineConfigs, and chooses nodes of the role of its own name."""
    chosen: list[JSON] = [*roles]
    selector: JSON = {"matchExpressions": [{"key": ROLE, "operator": "In", "values": chosen}]}
    nodes: JSON = {"matchLabels": {f"node-role.kubernetes.io/{name}": ""}}
    return {
        "apiVersion": Kind.POOL.api_version,
        "kind": Kind.POOL.kind,
        "metadata": {"name": name},
        "spec": {"machineConfigSelector": selector, "nodeSelector": nodes},
    }


def node(name: str, annotations: dict[str, str]) -> JSONObject:
    """A Node as a kubelet makes one that calls itself a worker, with what its machine wrote."""
    labels: JSON = {"node-role.kubernetes.io/worker": ""}
    metadata: JSONObject = {"name": name, "labels": labels, "annotations": {**annotations}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def machines(cluster: Cluster, name: str) -> int | None:
    """How many machines a pool counts."""
    return integer_at(json.loads(cluster.mcs("get", "pools", name, "-o", "json")), "status", "machineCount")


def test_a_machine_that_fetched_a_custom_pool_is_counted_in_it(cluster: Cluster) -> None:
    cluster.apply(pool("worker", "worker"), pool("infra", "worker", "infra"), part("00-worker"))
    with cluster.serve(*QUIET, ready=False) as server, controlling(cluster, *QUIET) as controller:
        answers: list[Answer] = []

        def has_booted() -> bool:
            answers.append(ask(server.port, "/config/infra"))
            return answers[-1].status == 200

        server.wait_for(has_booted, "the custom pool is served")
        cluster.apply(node("infra-1", booted(answers[-1]).annotations))
        wait_until(lambda: "labelled" in controller.log(), controller.log)
        listed = cluster.mcs("get", "nodes", "infra-1", "-o", "wide")
        assert controller.stop() == 0
    assert "infra, worker" in listed
    assert (machines(cluster, "infra"), machines(cluster, "worker")) == (1, 0)
    assert "labelled node=infra-1 " in controller.log()
