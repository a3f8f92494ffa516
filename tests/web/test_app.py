"""What the node-facing port answers, request by request."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from mcs.boot.reasons import Reason
from mcs.ignition import SPEC_3, TARGETS, Serve, dataurl
from mcs.jsondata import JSONObject
from mcs.machineconfig.names import Kind
from tests.web.world import ACCEPT, A, B, World, config, pool

Start = Callable[..., World]

OLD = (
    "application/vnd.coreos.ignition+json; version={}, "
    "application/vnd.coreos.ignition+json; version=1; q=0.5, */*; q=0.1"
)
VARY = "Accept, User-Agent"
KARGS: JSONObject = {"ignition": {"version": "3.4.0"}, "kernelArguments": {"shouldNotExist": ["quiet"]}}
LUKS: JSONObject = {"ignition": {"version": "3.4.0"}, "storage": {"luks": [{"name": "data", "device": "/dev/sdb"}]}}


def files(body: bytes) -> dict[str, bytes]:
    document = json.loads(body)
    return {entry["path"]: dataurl.decode(entry["contents"]["source"]) for entry in document["storage"]["files"]}


def test_a_machine_gets_its_config(world: Start) -> None:
    response = world(config(A), pool("worker", A)).get(minor=4)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/vnd.coreos.ignition+json; version=3.4.0"
    assert response.headers["Content-Length"] == str(len(response.data))
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Vary"] == VARY
    assert response.headers["MCS-Config"] == A
    assert json.loads(response.data)["ignition"]["version"] == "3.4.0"


def test_each_response_carries_a_boot_id_of_its_own_and_leaves_a_lease(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    responses = [running.get(minor=minor, User_Agent=f"Ignition/{minor}") for minor in (2, 6)]
    ids = [response.headers["MCS-Boot-Id"] for response in responses]
    for boot_id, response in zip(ids, responses, strict=True):
        annotations = files(response.data)["/etc/machine-config-daemon/node-annotations.json"]
        assert json.loads(annotations)["mcs.internal/boot"] == boot_id
        assert f"mcs.internal/boot={boot_id}".encode() in files(response.data)["/etc/mcs/node-labels.env"]
    leases = {lease.boot_id: lease for lease in running.leases()}
    assert set(leases) == set(ids)
    first = leases[ids[0]]
    assert (first.pool, first.config, first.asked, first.served) == ("worker", A, "3.2.0", "3.2.0")
    assert (first.address, first.client, first.server) == ("127.0.0.1", "Ignition/2", "one")
    assert first.fetched == first.renewed == running.clock().wall
    assert first.duration == 7 * 86400


def test_the_hold_is_there_before_the_first_byte(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    [hold] = [stored.value for stored in running.store.holds()]
    assert (hold.config, hold.pools, hold.worker) == (A, ("worker",), running.worker.identity.worker)
    assert running.get().status_code == 200


@pytest.mark.parametrize("spec", TARGETS, ids=str)
def test_every_spec_is_spoken(world: Start, spec: Any) -> None:
    running = world(config(A), pool("worker", A))
    response = running.get(Accept=f"application/vnd.coreos.ignition+json;version={spec}")
    assert response.headers["Content-Type"] == f"application/vnd.coreos.ignition+json; version={spec}"
    assert json.loads(response.data)["ignition"]["version"] == str(spec)
    [lease] = running.leases()
    assert (lease.asked, lease.served) == (str(spec), str(spec))


@pytest.mark.parametrize(
    ("setting", "client", "served"),
    [
        pytest.param("auto", "Ignition/0.35.0", "2.2.0", id="a client of spec 2"),
        pytest.param("auto", "Ignition/2.0.1", "3.0.0", id="2.0.1 reads spec 3.0 alone"),
        pytest.param("auto", "Ignition/v2.0.1-dirty", "3.0.0", id="2.0.1 of another builder"),
        pytest.param("auto", "", "2.2.0", id="a client without a name"),
        pytest.param("2.2", "Ignition/2.0.1", "2.2.0", id="always 2.2"),
        pytest.param("3.0", "Ignition/0.35.0", "3.0.0", id="always 3.0"),
    ],
)
def test_what_asks_for_spec_2_2_is_told_apart_by_name(world: Start, setting: str, client: str, served: str) -> None:
    running = world(config(A), pool("worker", A), spec_for_2_2=setting)
    response = running.get(Accept=OLD.format("2.2.0"), User_Agent=client)
    assert json.loads(response.data)["ignition"]["version"] == served
    [lease] = running.leases()
    assert (lease.asked, lease.served, lease.client) == ("2.2.0", served, client)


def test_one_header_and_two_names_are_two_answers_also_where_they_are_at_hand(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    accept = OLD.format("2.2.0")
    assert not running.server.answers_at_once("/config/worker", accept, "Ignition/2.0.1")
    running.get(Accept=accept, User_Agent="Ignition/2.0.1")
    assert running.server.answers_at_once("/config/worker", accept, "Ignition/2.0.1")
    assert not running.server.answers_at_once("/config/worker", accept, "Ignition/0.35.0")
    for client, served in (("Ignition/0.35.0", "2.2.0"), ("Ignition/2.0.1", "3.0.0")) * 2:
        body = running.get(Accept=accept, User_Agent=client).data
        assert json.loads(body)["ignition"]["version"] == served


@pytest.mark.parametrize("client", ["Ignition/2.0.0", "Ignition/2.0.1", "Ignition/v2.0.1-1-gabc"])
def test_names_that_mean_the_same_share_what_is_built(world: Start, client: str) -> None:
    running = world(config(A), pool("worker", A))
    running.get(minor=0)
    assert running.server.answers_at_once("/config/worker", OLD.format("2.2.0"), client)


@pytest.mark.parametrize(
    "accept",
    [
        pytest.param(None, id="no Accept"),
        pytest.param("*/*", id="anything"),
        pytest.param("application/vnd.coreos.ignition+json", id="no version"),
    ],
)
def test_with_compat_mco_spec_2_2_is_served_where_no_version_is_asked_for(world: Start, accept: str | None) -> None:
    running = world(config(A), pool("worker", A), compat_mco="on")
    headers = {"Accept": accept} if accept is not None else {}
    body = running.client.get("/config/worker", headers=headers).data
    assert json.loads(body)["ignition"]["version"] == "2.2.0"
    assert json.loads(running.get(minor=4).data)["ignition"]["version"] == "3.4.0"
    assert {(lease.asked, lease.served) for lease in running.leases()} == {(None, "2.2.0"), ("3.4.0", "3.4.0")}


def test_the_settings_reach_the_negotiation(world: Start) -> None:
    running = world(config(A), pool("worker", A), compat_mco="on", spec_for_2_2="3.0")
    assert running.server.negotiated(OLD.format("2.2.0"), "Ignition/0.35.0") == Serve(SPEC_3[0], "2.2.0")
    assert running.server.negotiated(None, None) == Serve(TARGETS[0], None)


@pytest.mark.parametrize(
    "accept",
    [
        pytest.param(None, id="no Accept"),
        pytest.param("*/*", id="anything"),
        pytest.param("text/html", id="a browser's"),
        pytest.param("application/vnd.coreos.ignition+json", id="no version"),
    ],
)
def test_without_a_version_the_stored_spec_is_served(world: Start, accept: str | None) -> None:
    headers = {"Accept": accept} if accept is not None else {}
    running = world(config(A), pool("worker", A))
    response = running.client.get("/config/worker", headers=headers)
    assert json.loads(response.data)["ignition"]["version"] == "3.2.0"
    assert running.leases()[0].asked is None


def test_head_has_the_same_headers_without_a_boot_id_and_leaves_nothing(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    head = running.client.head("/config/worker", headers={"Accept": ACCEPT.format(4)})
    holds = len(running.store.holds())
    get = running.get()
    assert head.data == b""
    without = {key: text for key, text in get.headers.items() if key != "MCS-Boot-Id"}
    assert dict(head.headers) == without
    assert len(running.store.holds()) == holds
    assert len(running.leases()) == 1


def test_head_does_not_promise_what_a_get_would_not_give(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.store.delete(Kind.CONFIG, A)
    running.clock.move(86400)
    assert running.client.head("/config/worker").status_code == 503
    assert running.get().status_code == 503


def test_head_takes_no_hold_even_where_there_is_none(world: Start) -> None:
    running = world()
    running.store.apply([config(A), pool("worker", None)])
    running.keeper.look()
    running.store.apply([pool("worker", A)])
    assert running.client.head("/config/worker").status_code == 503
    assert running.store.holds() == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("/config/Worker", Reason.POOL_NAME_IMPOSSIBLE, id="upper case"),
        pytest.param("/config/a_b", Reason.POOL_NAME_IMPOSSIBLE, id="an underscore"),
        pytest.param("/config/" + "a" * 254, Reason.POOL_NAME_IMPOSSIBLE, id="too long"),
        pytest.param("/config/%ff%fe", Reason.POOL_NAME_IMPOSSIBLE, id="not UTF-8"),
        pytest.param("/config/worker%00", Reason.POOL_NAME_IMPOSSIBLE, id="a null byte"),
        pytest.param("/config/worker/", Reason.NO_SUCH_PATH, id="a slash behind"),
        pytest.param("/config//worker", Reason.NO_SUCH_PATH, id="two slashes"),
        pytest.param("//config/worker", Reason.NO_SUCH_PATH, id="two slashes in front"),
        pytest.param("/config/a/b", Reason.NO_SUCH_PATH, id="deeper"),
        pytest.param("/config/", Reason.NO_SUCH_PATH, id="no pool"),
        pytest.param("/config", Reason.NO_SUCH_PATH, id="no pool and no slash"),
        pytest.param("/", Reason.NO_SUCH_PATH, id="the root"),
        pytest.param("/metrics", Reason.NO_SUCH_PATH, id="what belongs to another port"),
        pytest.param("/healthz/", Reason.NO_SUCH_PATH, id="a slash behind healthz"),
    ],
)
def test_paths_at_which_nothing_can_ever_be(world: Start, path: str, reason: Reason) -> None:
    response = world(config(A), pool("worker", A)).get(path)
    assert (response.status_code, response.get_json()["reason"]) == (404, reason.code)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("path", ["/config/worker", "/healthz", "/nowhere"])
def test_other_methods(world: Start, method: str, path: str) -> None:
    response = world(config(A), pool("worker", A)).client.open(path, method=method)
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
    assert response.get_json()["reason"] == "method-not-allowed"


@pytest.mark.parametrize(
    ("accept", "status", "reason", "detail"),
    [
        pytest.param(
            OLD.format("2.1.0"),
            501,
            "spec-not-spoken",
            "2.1.0 is asked for; this server speaks 2.2.0, 2.4.0 and 3.0.0 to 3.6.0",
            id="a client older than 0.22",
        ),
        pytest.param(
            "application/vnd.coreos.ignition+json;version=4.0.0, */*;q=0.1",
            501,
            "spec-not-spoken",
            "4.0.0",
            id="a client of the future",
        ),
        pytest.param(
            "application/vnd.coreos.ignition+json;version=three", 400, "accept-malformed", "three", id="no version"
        ),
    ],
)
def test_accept_headers_that_cannot_be_served(world: Start, accept: str, status: int, reason: str, detail: str) -> None:
    response = world(config(A), pool("worker", A)).get(Accept=accept)
    document = response.get_json()
    assert (response.status_code, document["reason"], response.headers["Vary"]) == (status, reason, VARY)
    assert detail in document["detail"]


@pytest.mark.parametrize(
    ("ignition", "minor", "path", "since"),
    [
        pytest.param(KARGS, 2, "$.kernelArguments.shouldNotExist", "3.3.0", id="arguments to remove"),
        pytest.param(LUKS, 1, "$.storage.luks", "3.2.0", id="encrypted disks"),
    ],
)
def test_a_feature_that_the_spec_lacks(world: Start, ignition: JSONObject, minor: int, path: str, since: str) -> None:
    running = world(config(A, ignition), pool("worker", A))
    response = running.get(minor=minor)
    document = response.get_json()
    assert (response.status_code, document["reason"]) == (500, "spec-lacks-feature")
    assert response.headers["Vary"] == VARY
    assert path in document["detail"]
    assert since in document["detail"]
    assert running.get(minor=4).status_code == 200
    assert len(running.leases()) == 1


def test_all_that_spec_2_lacks_is_named(world: Start) -> None:
    ignition: JSONObject = {
        "ignition": {"version": "3.4.0", "proxy": {"httpProxy": "http://proxy.example.net"}},
        "storage": {"luks": [{"name": "data", "device": "/dev/sdb"}]},
        "kernelArguments": {"shouldNotExist": ["quiet"]},
    }
    running = world(config(A, ignition), pool("worker", A))
    response = running.get(Accept=OLD.format("2.2.0"), User_Agent="Ignition/0.35.0")
    document = response.get_json()
    assert (response.status_code, document["reason"]) == (500, "spec-lacks-feature")
    for path in ("$.ignition.proxy.httpProxy", "$.storage.luks", "$.kernelArguments.shouldNotExist"):
        assert path in document["detail"]
    assert running.get(minor=4).status_code == 200


SPEC_2_CONFIG: JSONObject = {
    "ignition": {"version": "2.3.0"},
    "storage": {"files": [{"filesystem": "root", "path": "/etc/own", "mode": 420, "contents": {"source": "data:,x"}}]},
}


@pytest.mark.parametrize(
    ("accept", "served"),
    [
        pytest.param("*/*", "2.3.0", id="its own spec"),
        pytest.param(OLD.format("2.4.0"), "2.4.0", id="a newer spec 2"),
        pytest.param(OLD.format("2.2.0"), "2.2.0", id="an older spec 2"),
        pytest.param("application/vnd.coreos.ignition+json;version=3.0.0", "3.0.0", id="spec 3.0"),
        pytest.param("application/vnd.coreos.ignition+json;version=3.6.0", "3.6.0", id="the newest spec 3"),
    ],
)
def test_a_stored_config_of_spec_2_is_served(world: Start, accept: str, served: str) -> None:
    response = world(config(A, SPEC_2_CONFIG), pool("worker", A)).get(Accept=accept)
    assert response.status_code == 200, response.data
    assert json.loads(response.data)["ignition"]["version"] == served
    assert files(response.data)["/etc/own"] == b"x"
    assert "/etc/machine-config-daemon/node-annotations.json" in files(response.data)


def test_what_spec_3_lacks_is_named_and_served_at_spec_2(world: Start) -> None:
    networkd: JSONObject = {"units": [{"name": "a.network", "contents": "[Match]\n"}]}
    running = world(config(A, {**SPEC_2_CONFIG, "networkd": networkd}), pool("worker", A))
    response = running.get(minor=4)
    document = response.get_json()
    assert (response.status_code, document["reason"]) == (500, "spec-lacks-feature")
    assert "$.networkd" in document["detail"]
    assert running.get(Accept=OLD.format("2.4.0")).status_code == 200


@pytest.mark.parametrize(
    "ignition",
    [
        pytest.param({"ignition": {"version": "9.0.0"}}, id="a version that nobody knows"),
        pytest.param({"ignition": {}}, id="no version"),
        pytest.param({"ignition": {"version": "3.2.0"}, "storage": {"files": "none"}}, id="a wrong type"),
        pytest.param({"ignition": {"version": "2.2.0"}, "storage": {"files": "none"}}, id="a wrong type in spec 2"),
    ],
)
def test_a_stored_config_that_is_none(world: Start, ignition: JSONObject) -> None:
    response = world(config(A, ignition), pool("worker", A)).get()
    assert (response.status_code, response.get_json()["reason"]) == (500, "config-invalid")
    assert A in response.get_json()["detail"]


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        pytest.param([config(A)], Reason.POOL_UNKNOWN, id="no such pool"),
        pytest.param([pool("worker", None)], Reason.POOL_NAMES_NO_CONFIG, id="the pool names no config"),
        pytest.param([pool("worker", A)], Reason.CONFIG_MISSING, id="the config does not exist"),
        pytest.param(
            [config(A), pool("worker", A, **{"mcs.internal/serve": B})], Reason.CONFIG_MISSING, id="an annotation"
        ),
    ],
)
def test_states_that_may_pass(world: Start, objects: list[Any], reason: Reason) -> None:
    response = world(*objects).get()
    assert (response.status_code, response.get_json()["reason"]) == (503, reason.code)
    assert int(response.headers["Retry-After"]) > 0


def test_a_pool_that_was_just_made_is_found_without_waiting_for_a_look(world: Start) -> None:
    running = world(config(A))
    assert running.get().status_code == 503
    running.store.apply([pool("worker", A)])
    running.clock.move(1)
    assert running.get().status_code == 200


def test_pools_that_nobody_knows_do_not_wear_out_the_store(world: Start) -> None:
    running = world(config(A))
    running.clock.move(1)
    assert running.get("/config/one").status_code == 503
    running.store.apply([pool("two", A)])
    assert running.get("/config/two").status_code == 503
    running.clock.move(1)
    assert running.get("/config/two").status_code == 200


def test_errors_are_problem_documents(world: Start) -> None:
    response = world().get()
    assert response.headers["Content-Type"] == "application/problem+json"
    document = json.loads(response.data)
    assert document == {
        "type": "about:blank",
        "title": Reason.POOL_UNKNOWN.title,
        "status": 503,
        "reason": "pool-unknown",
        "detail": "there is no pool worker",
    }


def test_before_the_worker_has_started_machines_are_asked_to_wait(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    worker, running.server.worker = running.server.worker, None
    assert running.get().get_json()["reason"] == "starting"
    assert running.get("/readyz").status_code == 503
    assert running.get("/healthz").status_code == 200
    running.server.worker = worker
    assert running.get().status_code == 200


def test_ready_means_that_some_pool_can_be_served(world: Start) -> None:
    running = world()
    assert running.get("/readyz").get_json()["reason"] == "pool-unknown"
    running.store.apply([pool("worker", A), config(B), pool("infra", None)])
    running.keeper.look()
    assert running.get("/readyz").get_json()["reason"] == "config-missing"
    running.store.apply([config(A)])
    running.keeper.look()
    assert running.get("/readyz").status_code == 200


def test_appended_files_are_read_anew_for_each_request(world: Start, tmp_path: Any) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text("one")
    running = world(config(A), pool("worker", A), kubeconfig=str(kubeconfig))
    assert files(running.get().data)["/etc/kubernetes/kubeconfig"] == b"one"
    kubeconfig.write_text("two")
    assert files(running.get().data)["/etc/kubernetes/kubeconfig"] == b"two"
    kubeconfig.unlink()
    response = running.get()
    assert (response.status_code, response.get_json()["reason"]) == (503, "file-unreadable")
    assert str(kubeconfig) in response.get_json()["detail"]


def test_a_thousand_mixed_requests_leave_the_stored_object_byte_identical(world: Start) -> None:
    ignition: JSONObject = {
        "ignition": {"version": "3.3.0"},
        "kernelArguments": {"shouldExist": ["quiet"]},
        "storage": {"files": [{"path": "/etc/own", "contents": {"source": "data:,x"}}]},
    }
    running = world(config(A, ignition, kernelArguments=["base"]), pool("worker", A), full_config="on")
    before = json.dumps(running.store.get(Kind.CONFIG, A).value)  # type: ignore[union-attr]  # it exists
    bodies: dict[int, set[int]] = {}
    for number in range(1000):
        minor = number % 7
        response = running.get(minor=minor) if number % 3 else running.client.head("/config/worker")
        assert response.status_code == 200
        if number % 3:
            bodies.setdefault(minor, set()).add(len(response.data))
    assert json.dumps(running.store.get(Kind.CONFIG, A).value) == before  # type: ignore[union-attr]  # it exists
    assert all(len(lengths) == 1 for lengths in bodies.values())
    encapsulated = json.loads(files(running.get(minor=2).data)["/etc/ignition-machine-config-encapsulated.json"])
    assert encapsulated["spec"]["kernelArguments"] == ["base", "quiet"]


def test_without_boot_ids_the_bytes_are_always_the_same(world: Start) -> None:
    running = world(config(A), pool("worker", A), boot_id="off")
    one, two = running.get(), running.get()
    assert one.data == two.data
    assert "MCS-Boot-Id" not in one.headers
    leases = running.leases()
    assert [lease.boot_id for lease in leases] == [None, None]
    assert len({lease.name for lease in leases}) == 2


def test_foreign_text_is_made_harmless(world: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    running = world(config(A), pool("worker", A))
    running.get(User_Agent="a\x1b[31m" + "x" * 1000)
    [lease] = running.leases()
    assert lease.client.startswith("a?[31mx")
    assert len(lease.client) == 200
    assert "\x1b" not in caplog.text


def test_queries_are_neither_heeded_nor_logged(world: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    assert world(config(A), pool("worker", A)).get("/config/worker?token=secret").status_code == 200
    assert all("secret" not in str(record.__dict__) for record in caplog.records if record.name == "mcs.requests")
