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


def test_the_oldest_client_is_told_which_specs_are_spoken_here(server: Serving) -> None:
    answer = ask_as(client_named("2.0.1"), server.port, "/config/worker")
    assert answer.status == 501
    told = problem(answer)
    assert told["reason"] == "spec-not-spoken"
    assert told["title"] == "This server does not speak the Ignition spec that is asked for"
    assert told["detail"] == "2.2.0 is asked for; this server speaks 3.0.0 to 3.6.0"


def test_the_oldest_client_keeps_asking_so_that_an_upgraded_server_can_save_it(cluster: Cluster) -> None:
    cluster.load()
    with cluster.serve() as server:
        result = tried("2.0.1", server, "worker")
        logged = requests(server, "/config/worker")
        assert server.stop() == 0  # what waits to be recorded is recorded now
    assert result.log.count("GET result: Not Implemented") == len(logged) >= 3
    assert "unable to fetch resource in time" in result.log
    assert {(line["status"], line["reason"], line["asked"]) for line in logged} == {(501, "spec-not-spoken", "2.2.0")}
    assert cluster.leases() == []


@pytest.mark.parametrize(("name", "spec"), [("2.2.1", "3.0.0"), ("2.6.0", "3.1.0")])
def test_a_feature_that_the_spec_lacks_is_named_to_operators_while_the_machine_keeps_asking(
    name: str, spec: str, cluster: Cluster
) -> None:
    cluster.load()
    lacks = f"spec {spec} lacks $.storage.disks.0.partitions.0.resize (resizing a partition, since 3.2.0)"
    with cluster.serve() as server:
        told = problem(ask_as(client_named(name), server.port, "/config/edge"))
        assert (told["status"], told["reason"]) == (500, "spec-lacks-feature")
        assert str(told["detail"]).endswith(lacks)
        result = tried(name, server, "edge")
        logged = requests(server, "/config/edge")[1:]
        assert server.stop() == 0
    assert result.log.count("GET result: Internal Server Error") == len(logged) >= 3
    assert "unable to fetch resource in time" in result.log
    assert {(line["status"], line["reason"], line["asked"]) for line in logged} == {(500, "spec-lacks-feature", spec)}
    assert all(str(line["detail"]).endswith(lacks) for line in logged)
    assert cluster.leases() == []


@pytest.mark.parametrize("name", ["2.0.1", *BOOTING])
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
