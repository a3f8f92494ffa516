"""Refused requests: which are kept for people, how they reach the store, and what they cost the server."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcs.boot.records import Attempt
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import MAX_ATTEMPTS
from mcs.web.attempts import AttemptRecorder
from mcs.web.metrics import Metrics, exposition
from tests.store.broken import BrokenStore
from tests.store.samples import attempt
from tests.web.samples import samples
from tests.web.world import A, World, config, pool

Start = Callable[..., World]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BrokenStore]:
    broken = BrokenStore(EmbeddedStore(tmp_path / "store.db"))
    yield broken
    broken.close()


def written(running: World) -> list[Attempt]:
    """Return the attempts once all that wait are written."""
    running.worker.attempts.stop(timeout=10)
    return running.store.attempts()


# ---- which


def test_a_machine_that_loops_is_one_attempt_with_a_count(world: Start) -> None:
    running = world(config(A), pool("worker", A))
    start = running.clock().wall
    for _ in range(5):
        running.get("/config/wroker")
        running.clock.move(5)
    assert written(running) == [
        Attempt(
            address="127.0.0.1",
            client="Ignition/2.19.0",
            pool="wroker",
            reason="pool-unknown",
            first=start,
            last=start + 20,
            count=5,
        )
    ]


@pytest.mark.parametrize(
    ("path", "headers", "kept"),
    [
        pytest.param("/config/worker", {}, None, id="a config"),
        pytest.param("/healthz", {}, None, id="a probe"),
        pytest.param("/config/empty", {}, ("empty", "pool-names-no-config"), id="no config yet"),
        pytest.param("/config/Worker", {}, ("Worker", "pool-name-impossible"), id="no name of a pool"),
        pytest.param("/config/a%1b%5b2Jb", {}, ("a?[2Jb", "pool-name-impossible"), id="what steers a terminal"),
        pytest.param("/konfig/worker", {}, ("", "no-such-path"), id="another path"),
        pytest.param("/config/worker", {"Accept": "application/vnd.coreos.ignition+json;version=2.1.0"},
                     ("worker", "spec-not-spoken"), id="an old client"),
    ],
)  # fmt: skip
def test_refused_requests_are_kept(
    world: Start, path: str, headers: dict[str, str], kept: tuple[str, str] | None
) -> None:
    running = world(config(A), pool("worker", A), pool("empty", None))
    running.get(path, 4, **headers)
    found = [(one.pool, one.reason) for one in written(running)]
    assert found == ([kept] if kept is not None else [])


def test_probes_of_a_server_that_is_not_ready_are_not_kept(world: Start) -> None:
    running = world(config(A))
    assert running.client.get("/readyz").status_code == 503
    assert written(running) == []


def test_a_request_waits_for_no_write(world: Start, store: BrokenStore) -> None:
    running = world(config(A), store=store)
    before = list(store.calls)
    running.get("/config/nobody")
    assert "put_attempts" not in store.calls[len(before) :]
    running.worker.attempts.stop(timeout=10)
    assert "put_attempts" in store.calls


# ---- how


@pytest.fixture
def recorder(store: BrokenStore) -> Iterator[Callable[[Metrics], AttemptRecorder]]:
    made: list[AttemptRecorder] = []

    def make(metrics: Metrics) -> AttemptRecorder:
        made.append(AttemptRecorder(store, metrics))
        return made[-1]

    yield make
    for one in made:
        one.stop(timeout=10)


def test_many_become_one_write(store: BrokenStore, recorder: Callable[[Metrics], AttemptRecorder]) -> None:
    running = recorder(Metrics())
    for number in range(1000):
        running.record(attempt(address=f"192.0.2.{number % 10}", last=1000.0 + number))
    running.start()
    running.stop(timeout=10)
    assert store.calls.count("put_attempts") == 1
    assert [one.count for one in store.attempts()] == [100] * 10


@pytest.mark.slow
def test_what_could_not_be_written_is_written_later(
    store: BrokenStore, recorder: Callable[[Metrics], AttemptRecorder]
) -> None:
    store.fail("put_attempts", times=1)
    running = recorder(Metrics())
    running.record(attempt())
    running.start()
    while "put_attempts" not in store.calls:
        time.sleep(0.01)  # until the first write has failed
    running.stop(timeout=10)
    assert [one.key for one in store.attempts()] == [attempt().key]


def test_a_flood_while_the_store_is_away_is_bounded_and_counted(
    store: BrokenStore, recorder: Callable[[Metrics], AttemptRecorder]
) -> None:
    metrics = Metrics()
    running = recorder(metrics)
    for number in range(MAX_ATTEMPTS + 7):
        running.record(attempt(address=f"a{number}"))
    store.fail("put_attempts")
    running.start()
    running.stop(timeout=10)
    assert running.dropped == 7
    assert samples(exposition(metrics, 0.0))["mcs_attempts_dropped_total"] == 7
    assert store.attempts() == []


def test_a_stop_tries_once(store: BrokenStore, recorder: Callable[[Metrics], AttemptRecorder]) -> None:
    store.fail("put_attempts")
    running = recorder(Metrics())
    running.start()
    running.record(attempt())
    running.stop(timeout=10)
    assert store.calls.count("put_attempts") == 1
