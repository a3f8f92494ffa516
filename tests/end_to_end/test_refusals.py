"""Machines that get no config: what they are told, what they do then, and that nothing is recorded for them."""

import json

import pytest

from mcs.jsondata import JSONObject
from tests.clients.ignition import FetchResult, fetch, scratch
from tests.end_to_end.cluster import Cluster, requests
from tests.end_to_end.machines import BOOTING, ask_as, client_named, stub
from tests.web.serving import Answer, Serving

pytestmark = pytest.mark.real


def tried(name: str, server: Serving, pool: str, seconds: float = 2.0) -> FetchResult:
    """Let a client try for so long; it must not get a config."""
    client = client_named(name)
    with scratch() as workdir:
        result = fetch(client, stub(client, server.port, pool), workdir, seconds)
    assert result.rc == 1, result.log
    assert result.config is None
    return result


def problem(answer: Answer) -> JSONObject:
    """Return the problem document of an answer."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    document = json.loads(answer.body)
    assert isinstance(document, dict)
    assert document["status"] == answer.status
    return document


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        pytest.param("2.0.1", "2.2", id="one of spec 3.0 gets 2.2"),
        pytest.param("0.35.0", "3.0", id="one of spec 2 gets 3.0"),
    ],
)
def test_a_client_that_asks_for_spec_2_2_refuses_what_its_name_does_not_tell(
    name: str, setting: str, cluster: Cluster
) -> None:
    cluster.load()
    with cluster.serve("--spec-for-2-2", setting) as server:
        result = tried(name, server, "worker", seconds=20)
        [logged] = requests(server, "/config/worker")
    assert "unsupported config version" in result.log
    assert (logged["status"], logged["asked"], logged["spec"]) == (200, "2.2.0", f"{setting}.0")


@pytest.mark.parametrize(
    ("name", "asked", "spec"),
    [
        pytest.param("0.35.0", "2.2.0", "2.2.0", id="0.35.0"),
        pytest.param("2.0.1", "2.2.0", "3.0.0", id="2.0.1"),
        pytest.param("2.2.1", "3.0.0", "3.0.0", id="2.2.1"),
        pytest.param("2.6.0", "3.1.0", "3.1.0", id="2.6.0"),
    ],
)
def test_a_feature_that_the_spec_lacks_is_named_to_operators_while_the_machine_keeps_asking(
    name: str, asked: str, spec: str, cluster: Cluster
) -> None:
    cluster.load()
    lacks = (f"spec {spec} lacks ", "$.storage.disks.0.partitions.0.resize (resizing a partition, since 3.2.0)")
    with cluster.serve() as server:
        told = problem(ask_as(client_named(name), server.port, "/config/edge"))
        assert (told["status"], told["reason"]) == (500, "spec-lacks-feature")
        assert all(text in str(told["detail"]) for text in lacks)
        result = tried(name, server, "edge")
        logged = requests(server, "/config/edge")[1:]
        assert server.stop() == 0
    assert result.log.count("GET result: Internal Server Error") == len(logged) >= 3
    assert "unable to fetch resource in time" in result.log
    assert {(line["status"], line["reason"], line["asked"]) for line in logged} == {(500, "spec-lacks-feature", asked)}
    assert all(text in str(line["detail"]) for line in logged for text in lacks)
    assert cluster.leases() == []


@pytest.mark.parametrize("name", BOOTING)
def test_a_pool_name_that_can_never_exist_is_final(name: str, server: Serving) -> None:
    pool = f"Worker_{name}"
    result = tried(name, server, pool, seconds=20)
    assert "GET result: Not Found" in result.log
    assert result.log.count("attempt #") == 1
    [logged] = requests(server, f"/config/{pool}")
    assert (logged["status"], logged["reason"]) == (404, "pool-name-impossible")


@pytest.mark.parametrize("name", BOOTING)
def test_a_pool_that_may_yet_exist_is_asked_for_again(name: str, server: Serving) -> None:
    pool = f"for-{name}"
    result = tried(name, server, pool, seconds=1)
    assert "unable to fetch resource in time" in result.log
    logged = requests(server, f"/config/{pool}")
    assert result.log.count("GET result: Service Unavailable") == len(logged) >= 2
    assert {(line["status"], line["reason"]) for line in logged} == {(503, "pool-unknown")}
