"""The whole server as processes: forks, kills, full disks, locked and damaged files."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from mcs.boot.records import Hold
from mcs.jsondata import JSON
from mcs.settings import table
from mcs.store import open_store
from tests.web.serving import free_port, serving
from tests.web.world import A, config, pool

pytestmark = pytest.mark.real

FEW_SECONDS = ("--hold", "30s", "--boot-bound", "5s", "--body-deadline", "2s", "--renewal", "1s", "--skew", "1s")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store's file with one pool in it."""
    file = tmp_path / "store.db"
    store = open_store(f"sqlite:///{file}")
    files: list[JSON] = [
        {"path": f"/etc/file-{number}", "contents": {"source": "data:," + "x" * 3000}} for number in range(60)
    ]
    store.apply([config(A, {"ignition": {"version": "3.2.0"}, "storage": {"files": files}}), pool("worker", A)])
    store.close()
    return file


def holds(path: Path) -> dict[str, Hold]:
    """Read the holds in a process of its own kind: by worker."""
    store = open_store(f"sqlite:///{path}")
    try:
        return {stored.value.worker: stored.value for stored in store.holds()}
    finally:
        store.close()


def opened_by(pid: int) -> list[str]:
    """Return what a process has open, by name; what it closes meanwhile is left out."""
    names = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            names.append(str(entry.readlink()))
    return names


def boots(path: Path) -> set[str | None]:
    store = open_store(f"sqlite:///{path}")
    try:
        return {stored.value.boot_id for stored in store.boot_leases()}
    finally:
        store.close()


def test_nothing_is_drawn_before_the_fork_each_worker_has_a_hold_of_its_own(path: Path) -> None:
    with serving(path, "--workers", "4") as server:
        server.wait_for(lambda: len(holds(path)) == 4, "four workers hold")
        first = holds(path)
        assert len(server.worker_pids()) == 4
        victim = server.worker_pids()[0]
        os.kill(victim, signal.SIGKILL)
        server.wait_for(lambda: len(holds(path)) == 5, "its successor holds")
        assert victim not in server.worker_pids()
        assert set(first) < set(holds(path))
        assert all(hold.config == A for hold in holds(path).values())


def test_the_arbiter_opens_neither_store_nor_random_source(path: Path) -> None:
    with serving(path, "--workers", "2") as server:
        held = opened_by(server.process.pid)
        assert not [name for name in held if "store.db" in name]
        threads = list(Path(f"/proc/{server.process.pid}/task").iterdir())
        assert len(threads) == 1
        worker = server.worker_pids()[0]
        assert [name for name in opened_by(worker) if name.endswith("store.db")]


def test_killing_the_whole_server_loses_no_hold_that_a_client_relied_on(path: Path) -> None:
    port = free_port()
    relied: dict[str, Hold] = {}
    for _ in range(6):
        with serving(path, "--workers", "2", port=port, ready=False) as server:
            server.wait_for(lambda: server.ask().status == 200, "a machine gets its config")
            server.kill()  # while the other worker may be anywhere in its start
            mine = {worker: hold for worker, hold in holds(path).items() if worker in server.worker_ids()}
        assert mine, "somebody answered 200 without a durable hold"
        assert all(hold.config == A for hold in mine.values())
        relied |= mine
    kept = holds(path)
    assert all(kept[worker].expires >= hold.expires for worker, hold in relied.items())


def test_leases_that_wait_are_written_before_the_server_ends(path: Path) -> None:
    with serving(path) as server:
        served = {server.ask().headers["MCS-Boot-Id"] for _ in range(40)}
        assert server.stop() == 0
    assert served <= boots(path)


def test_a_locked_file_does_not_stop_a_running_server(path: Path) -> None:
    with serving(path) as server:
        server.wait_for(lambda: len(server.worker_ids()) == 2, "both workers are ready")
        lock = sqlite3.connect(path, isolation_level=None)
        try:
            lock.execute("BEGIN IMMEDIATE")
            answers = [server.ask() for _ in range(5)]
        finally:
            lock.close()
        assert [answer.status for answer in answers] == [200] * 5
        ids = {answer.headers["MCS-Boot-Id"] for answer in answers}
        server.wait_for(lambda: ids <= boots(path), "their leases are written")


def test_a_file_that_is_locked_at_the_start_means_503_until_it_is_free(path: Path) -> None:
    lock = sqlite3.connect(path, isolation_level=None)
    try:
        lock.execute("BEGIN IMMEDIATE")
        with serving(path, ready=False) as server:
            server.wait_for(lambda: server.ask().status == 503, "it answers")
            answer = server.ask()
            assert answer.status == 503
            assert json.loads(answer.body)["reason"] in {"hold-not-acked", "starting", "store-unreachable"}
            assert server.ask("/readyz").status == 503
            lock.execute("ROLLBACK")
            server.wait_until_ready()
            assert server.ask().status == 200
            assert "Traceback" not in server.log()
    finally:
        lock.close()


def test_a_full_disk_means_503_for_new_holds_and_a_clear_line_in_the_log(path: Path) -> None:
    # No file may grow beyond 1 kB: the write-ahead log is such a file. SIGXFSZ is ignored by Python.
    limited = ("prlimit", "--fsize=1024", "--")
    with serving(path, prefix=limited, ready=False) as server:
        server.wait_for(lambda: server.ask().status == 503, "it answers")
        answer = server.ask()
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.headers["Retry-After"]
        assert b"Traceback" not in answer.body
        assert "Traceback" not in server.log()
        assert " warning " in server.log() or " error " in server.log()
    with serving(path) as server:
        assert server.ask().status == 200


def test_a_damaged_file_means_503_and_a_clear_line_in_the_log(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    damaged = bytearray(path.read_bytes())
    damaged[4096:] = os.urandom(len(damaged) - 4096)
    path.write_bytes(damaged)
    with serving(path, ready=False) as server:
        server.wait_for(lambda: server.ask().status == 503, "it answers")
        answer = server.ask()
        assert json.loads(answer.body)["reason"] in {"store-unreachable", "pool-unknown", "starting"}
        assert "Traceback" not in server.log()
        assert "store" in server.log()


def test_a_file_of_another_program_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    command = [sys.executable, "-m", "mcs", "serve", "--store", f"sqlite:///{file}"]
    ended = subprocess.run([*command, "--listen", f"127.0.0.1:{free_port()}"], capture_output=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.startswith(b"mcs serve: ")
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        pytest.param(("--hold", "13h", "--renewal", "1h"), "hold ≥ boot bound", id="durations"),
        pytest.param(("--listen", "0.0.0.0:22623"), "--allow-plain-http", id="plain HTTP for everybody"),
        pytest.param(("--workers", "none"), "--workers: 'none'", id="a bad number"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_in_a_sentence(path: Path, flags: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "mcs", "serve", "--store", f"sqlite:///{path}", *flags]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_store_that_goes_away_does_not_stop_what_is_held(path: Path) -> None:
    with serving(path, *FEW_SECONDS) as server:
        server.wait_for(lambda: len(server.worker_ids()) == 2, "both workers are ready")
        away = path.with_suffix(".away")
        renamed = [(name, Path(f"{away}{name.name.removeprefix(path.name)}")) for name in path.parent.glob("store.db*")]
        for name, aside in renamed:
            name.rename(aside)
        server.wait_for(lambda: "the store cannot be read" in server.log(), "it notices")
        assert [server.ask().status for _ in range(3)] == [200] * 3
        assert server.ask("/readyz").status == 200
        assert not path.exists()  # no empty store takes its place
        for name, aside in renamed:
            aside.rename(name)
        server.wait_until_ready()
        assert server.ask().status == 200
        assert "Traceback" not in server.log()


def test_holds_are_renewed_while_they_are_needed(path: Path) -> None:
    with serving(path, *FEW_SECONDS, "--workers", "1") as server:
        [before] = holds(path).values()
        server.wait_for(lambda: next(iter(holds(path).values())).renewed >= before.renewed + 2, "it is renewed twice")
        [after] = holds(path).values()
        assert (after.worker, after.config, after.acquired) == (before.worker, before.config, before.acquired)


def test_json_logs_are_one_object_a_line(path: Path) -> None:
    with serving(path, "--log-format", "json") as server:
        boot = server.ask().headers["MCS-Boot-Id"]
        assert server.stop() == 0
        lines = [json.loads(line) for line in server.log().splitlines()]
    [line] = [line for line in lines if line.get("boot") == boot]
    assert (line["status"], line["pool"], line["config"], line["spec"]) == (200, "worker", A, "3.4.0")
    assert {"time", "level", "logger", "message", "pid", "ms", "address", "client", "bytes"} <= set(line)


def test_help_names_every_setting() -> None:
    text = subprocess.run([sys.executable, "-m", "mcs", "serve", "--help"], capture_output=True, text=True, check=True)
    words = " ".join(text.stdout.split())
    for row in table():
        assert row.flag in words
        assert row.variable in words.replace("- ", "-")
