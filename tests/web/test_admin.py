"""What the admin listener answers, and what only it answers."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from flask.testing import FlaskClient

import mcs
from mcs.boot.reasons import Reason
from mcs.boot.records import Heartbeat
from mcs.jsondata import JSONObject
from mcs.machineconfig.names import Kind
from mcs.settings import load
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Stored
from mcs.web.admin import create_admin_app
from mcs.web.app import Server
from mcs.web.metric_table import TABLE
from tests.store.broken import BrokenStore
from tests.web.samples import samples
from tests.web.world import A, B, World, config, pool

Start = Callable[..., World]


def admin(running: World) -> FlaskClient:
    return create_admin_app(running.server).test_client()


def status(running: World) -> dict[str, object]:
    response = admin(running).get("/status")
    assert response.status_code == 200
    found = json.loads(response.data)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[BrokenStore]:
    store = BrokenStore(EmbeddedStore(tmp_path / "store.db"))
    yield store
    store.close()


# ---- what is answered where


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/metrics", "text/plain; version=1.0.0; charset=utf-8"),
        ("/status", "application/json"),
        ("/healthz", "text/plain; charset=utf-8"),
        ("/readyz", "text/plain; charset=utf-8"),
    ],
)
def test_the_admin_listener_answers(world: Start, path: str, content_type: str) -> None:
    client = admin(world(config(A), pool("worker", A)))
    response, head = client.get(path), client.head(path)
    assert (response.status_code, head.status_code) == (200, 200)
    assert response.headers["Content-Type"].startswith(content_type)
    assert response.headers["Cache-Control"] == "no-store"
    assert response.data
    assert head.data == b""


@pytest.mark.parametrize(
    ("method", "path", "reason"),
    [
        pytest.param("GET", "/", Reason.NO_SUCH_PATH, id="the root"),
        pytest.param("GET", "/config/worker", Reason.NO_SUCH_PATH, id="a machine's path"),
        pytest.param("GET", "//metrics", Reason.NO_SUCH_PATH, id="no redirect"),
        pytest.param("GET", "/metrics/", Reason.NO_SUCH_PATH, id="no redirect from a slash at the end"),
        pytest.param("POST", "/metrics", Reason.METHOD_NOT_ALLOWED, id="POST"),
        pytest.param("OPTIONS", "/status", Reason.METHOD_NOT_ALLOWED, id="OPTIONS"),
        pytest.param("DELETE", "/nothing", Reason.METHOD_NOT_ALLOWED, id="DELETE of nothing"),
    ],
)
def test_all_else_is_refused_as_a_problem(world: Start, method: str, path: str, reason: Reason) -> None:
    response = admin(world(config(A), pool("worker", A))).open(path, method=method)
    assert (response.status_code, response.get_json()["reason"]) == (reason.status, reason.code)
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/metrics", "/status"])
def test_machines_see_nothing_of_it(world: Start, path: str) -> None:
    response = world(config(A), pool("worker", A)).client.get(path)
    assert (response.status_code, response.get_json()["reason"]) == (404, "no-such-path")


@pytest.mark.parametrize("path", ["/metrics", "/status", "/readyz"])
def test_before_the_worker_has_started_it_says_so(tmp_path: Path, path: str) -> None:
    server = Server(load({"store": f"sqlite:///{tmp_path / 'store.db'}"}, {}))
    response = create_admin_app(server).test_client().get(path)
    assert (response.status_code, response.get_json()["reason"]) == (503, "starting")


def test_readiness_is_that_of_the_machines_port(world: Start) -> None:
    running = world(config(A))
    response, same = admin(running).get("/readyz"), running.client.get("/readyz")
    assert (response.status_code, response.data) == (same.status_code, same.data)
    assert response.get_json()["reason"] == "pool-unknown"
    assert admin(running).get("/healthz").data == b"alive\n"


def test_a_fault_of_the_program_shows_nothing_of_itself(world: Start, caplog: pytest.LogCaptureFixture) -> None:
    running = world(config(A), pool("worker", A))
    running.keeper._states["worker"] = None  # type: ignore[assignment]  # a fault
    response = admin(running).get("/status")
    assert (response.status_code, response.get_json()["reason"]) == (500, "internal")
    assert b"NoneType" not in response.data
    assert "NoneType" in caplog.text


# ---- metrics


def test_metrics_are_valid_and_documented(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.get()
    text = admin(running).get("/metrics").data
    found = samples(text)
    assert found['mcs_hold_age_seconds{pool="worker"}'] == 0
    for row in TABLE:
        assert f"# HELP {row.name} {row.help}\n# TYPE {row.name} {row.kind.value}\n".encode() in text


# ---- status


def test_the_status_says_what_each_pool_serves_and_why(world: Start) -> None:
    running = world(
        config(A),
        config(B),
        pool("worker", A),
        pool("infra", B, **{"mcs.internal/serve": "Nonsense", "mcs.internal/boot-lease": "30d"}),
        pool("lost", "rendered-lost-" + "0" * 32),
        pool("empty", None),
    )
    pools = status(running)["pools"]
    assert isinstance(pools, dict)
    assert list(pools) == ["empty", "infra", "lost", "worker"]
    worker, infra, lost, empty = pools["worker"], pools["infra"], pools["lost"], pools["empty"]
    assert (worker["serves"], worker["sends"], worker["refusal"]) == (A, A, None)
    assert worker["why"].startswith("spec.configuration")
    assert worker["sending_left"] == 42_300
    assert "Nonsense" in infra["notes"][0]
    assert infra["durations"]["lease"] == 30 * 86400
    assert (lost["sends"], lost["sending_left"], lost["refusal"]["reason"]) == (None, None, "config-missing")
    assert (empty["serves"], empty["refusal"]) == (None, None)


def test_the_status_says_what_is_held_and_for_how_long(world: Start) -> None:
    running = world(config(A), pool("worker", A), pool("infra", A))
    start = running.clock().wall
    running.clock.move(100)
    holds = status(running)["holds"]
    assert isinstance(holds, dict)
    meta = running.store.metadata(Kind.CONFIG, A)
    assert meta is not None
    assert holds == {
        A: {
            "uid": meta.uid,
            "pools": ["infra", "worker"],
            "renewed": start,
            "duration": 86400,
            "sending_left": 42_200,
        }
    }


def test_the_status_says_who_answers_and_which_workers_are_alive(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    now = running.clock().wall
    base = {"worker": "other", "server": "two", "version": "0.0.9", "started": now - 500, "duration": 900.0}
    running.store.put_heartbeat(Heartbeat(**{**base, "renewed": now - 300}))  # type: ignore[arg-type]  # its fields
    running.store.put_heartbeat(Heartbeat(**{**base, "worker": "dead", "renewed": now - 961}))  # type: ignore[arg-type]  # as above
    found = status(running)
    own = running.worker.identity.worker
    assert (found["server"], found["version"], found["worker"], found["time"]) == ("one", mcs.__version__, own, now)
    workers = found["workers"]
    assert isinstance(workers, list)
    assert [(beat["server"], beat["worker"]) for beat in workers] == [("one", own), ("two", "other")]
    assert found["workers_unknown"] is None


def test_the_status_says_what_waits(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    running.get()
    running.leases()
    assert status(running)["queue"] == {
        "waiting": 0,
        "recorded": 1,
        "dropped": 0,
        "aggregated": 0,
        "attempts_dropped": 0,
    }


def test_the_status_answers_without_the_store(world: Start, broken: BrokenStore) -> None:
    running = world(config(A), store=broken)
    running.store.apply([pool("worker", A)])
    running.keeper.look()
    broken.fail()
    running.clock.move(7)
    running.keeper.look()
    found = status(running)
    assert found["trouble"] == "pools fails in this test"
    assert found["staleness"] == 7
    assert found["refusal"] is None  # what is held is still sent
    assert found["workers"] is None
    assert found["workers_unknown"] == {"reason": "store-unreachable", "detail": "heartbeats fails in this test"}
    assert isinstance(found["pools"], dict)
    assert found["pools"]["worker"]["sends"] == A


def test_before_the_first_look_nothing_is_known(world: Start, broken: BrokenStore) -> None:
    broken.fail()
    found = status(world(store=broken))
    assert (found["staleness"], found["pools"], found["holds"]) == (None, {}, {})
    assert found["refusal"] == {"reason": "store-unreachable", "detail": "pools fails in this test"}


class Stuck(EmbeddedStore):
    """A store that does not come back when it is asked for heartbeats, until it is let go."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.go = Event()
        self.asked = 0

    def heartbeats(self) -> list[Stored[Heartbeat]]:
        self.asked += 1
        assert self.go.wait(60)
        return super().heartbeats()


@pytest.mark.slow
def test_a_store_that_hangs_is_waited_for_once_and_not_for_long(world: Start, tmp_path: Path) -> None:
    stuck = Stuck(tmp_path / "store.db")
    running = world(config(A), store=stuck)
    running.store.apply([pool("worker", A)])
    running.keeper.look()
    try:
        for _ in range(3):
            unknown = status(running)["workers_unknown"]
            assert unknown == {"reason": "too-slow", "detail": "the store did not answer within 1.5 s"}
        assert stuck.asked == 1  # threads that hold configs are not used up by people who look
    finally:
        stuck.go.set()


def test_no_secret_is_shown(world: Start, tmp_path: Path) -> None:
    secret = tmp_path / "kubeconfig"
    secret.write_text("token: hush-hush")
    ignition: JSONObject = {
        "ignition": {"version": "3.2.0"},
        "passwd": {"users": [{"name": "core", "passwordHash": "hush-hush"}]},
    }
    running = world(config(A, ignition), pool("worker", A), kubeconfig=str(secret))
    assert b"hush-hush" in running.get().data
    client = admin(running)
    assert all(b"hush" not in client.get(path).data for path in ("/metrics", "/status", "/readyz"))
