"""What may befall one worker or one reload, and what the others go on doing meanwhile."""

import os
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.web.serving import ask, free_port, serving
from tests.web.test_poller import LARGE, REQUEST, connect, fill, read_all_of, read_answer

pytestmark = pytest.mark.real


@pytest.mark.parametrize("change", ["listen", "admin-listen"])
def test_an_address_changes_only_with_a_restart(tmp_path: Path, change: str) -> None:
    settings = tmp_path / "mcs.toml"
    addresses = {"listen": f"127.0.0.1:{free_port()}", "admin-listen": f"127.0.0.1:{free_port()}"}
    settings.write_text("".join(f'{key} = "{text}"\n' for key, text in addresses.items()))
    port = int(addresses["listen"].partition(":")[2])
    flags = ("--settings", str(settings), "--workers", "1")
    with serving(fill(tmp_path), *flags, port=port, addresses=False) as server:
        addresses[change] = f"127.0.0.1:{free_port()}"
        settings.write_text("".join(f'{key} = "{text}"\n' for key, text in addresses.items()))
        server.reload()
        server.wait_for(lambda: "change only with a restart" in server.log(), "it says why")
        assert server.ask().status == 200


def test_a_reload_to_a_store_that_cannot_be_used_keeps_the_old_one(tmp_path: Path) -> None:
    settings = tmp_path / "mcs.toml"
    store = fill(tmp_path)
    settings.write_text(f'store = "sqlite:///{store}"\n')
    with serving(store, "--settings", str(settings), "--workers", "1", addresses=True, store=False) as server:
        (tmp_path / "other.txt").write_text("no store" * 10)
        settings.write_text(f'store = "sqlite:///{tmp_path}/other.txt"\n')
        server.reload()
        server.wait_for(lambda: "the old settings stay in use" in server.log(), "it says so")
        assert server.ask().status == 200


def test_a_worker_that_cannot_start_ends_nobody_else(tmp_path: Path) -> None:
    # A successor raises when it opens more files than it may: its siblings have theirs.
    with serving(fill(tmp_path), "--workers", "2") as server:
        server.wait_for(lambda: len(server.worker_ids()) == 2, "both workers are ready")
        subprocess.run(["prlimit", "--pid", str(server.process.pid), "--nofile=12:4096"], check=True)
        victim, _ = server.worker_pids()
        os.kill(victim, signal.SIGKILL)
        server.wait_for(lambda: "a worker ended right after its start" in server.log(), "its successor fails")
        for _ in range(5):
            assert server.ask().status == 200
        assert server.process.poll() is None


def test_a_worker_that_drains_by_itself_is_replaced_at_once(tmp_path: Path) -> None:
    path = fill(tmp_path, LARGE)
    with serving(path, "--workers", "1") as server, connect(server) as slow:
        slow.sendall(REQUEST)
        assert slow.recv(1) == b"H"
        [pid] = server.worker_pids()
        os.kill(pid, signal.SIGTERM)
        server.wait_for(lambda: len(server.worker_ids()) == 2, "a successor has started")
        assert server.ask().status == 200
        assert pid in server.worker_pids()  # still sending to the slow one
        assert len(read_all_of(slow)) > LARGE


def test_a_signal_that_comes_while_a_worker_starts_is_not_lost(tmp_path: Path) -> None:
    path = fill(tmp_path)
    for _ in range(5):
        with serving(path, "--workers", "2", ready=False) as server:
            server.wait_for(lambda: "Booting worker" in server.log(), "a worker starts")
            assert server.stop() == 0


def test_a_peer_that_asks_without_pause_does_not_stop_others(tmp_path: Path) -> None:
    head = b"HEAD /config/worker HTTP/1.1\r\n\r\n" * 500
    with serving(fill(tmp_path), "--workers", "1", "--log-level", "error") as server, connect(server) as greedy:
        greedy.setblocking(False)
        answered = 0
        while answered < 20:
            for _ in range(20):  # keep its pipeline full, and take what comes
                with suppress(BlockingIOError):
                    greedy.send(head)
                with suppress(BlockingIOError):
                    greedy.recv(1 << 20)
            assert server.ask("/healthz", timeout=5).status == 200
            answered += 1


def test_machines_leave_room_for_those_who_look_after_the_server(tmp_path: Path) -> None:
    admin = free_port()
    flags = ("--workers", "1", "--connections", "5", "--head-deadline", "60s", "--admin-listen", f"127.0.0.1:{admin}")
    with serving(fill(tmp_path), *flags) as server, ExitStack() as stack:
        for _ in range(30):
            stack.enter_context(connect(server))
        assert ask(admin, "/healthz").status == 200
        assert b"mcs_" in ask(admin, "/metrics").body


def test_asking_again_does_not_prolong_the_body_deadline(tmp_path: Path) -> None:
    path = fill(tmp_path, LARGE)
    flags = ("--workers", "1", "--body-deadline", "2s")
    with serving(path, *flags) as server, connect(server, 4096) as sock:
        sock.sendall(REQUEST * 3)
        received = len(sock.recv(100))
        sock.settimeout(30)
        with suppress(ConnectionResetError):
            while data := sock.recv(4096):
                received += len(data)
                time.sleep(0.01)  # slow, but never so slow that it would be given up for that
        assert received < LARGE


def test_an_ordinary_keep_alive_connection_outlives_the_body_deadline(tmp_path: Path) -> None:
    with serving(fill(tmp_path), "--workers", "1", "--body-deadline", "1s") as server, connect(server) as sock:
        began = time.monotonic()
        while time.monotonic() - began < 2.5:
            sock.sendall(REQUEST)
            assert read_answer(sock)[0] == 200
