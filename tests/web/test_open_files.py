"""A worker and the limit of its open files: it raises it where it may, and a full one neither ends nor busies it."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from mcs.store import open_store
from tests.web.serving import Serving, serving
from tests.web.test_poller import connect
from tests.web.world import A, config, pool

pytestmark = pytest.mark.real

REFUSED = "connections cannot be accepted for now: [Errno 24] Too many open files"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "store.db"
    store = open_store(f"sqlite:///{file}")
    store.apply([config(A), pool("worker", A)])
    store.close()
    return file


def limited(files: str) -> tuple[str, ...]:
    """Return what runs a command with a limit of open files; two numbers: soft and hard."""
    return ("prlimit", f"--nofile={files}", "--")


def turns(server: Serving) -> int:
    """Return how often the only worker has gone to sleep by itself: a busy one never does."""
    [pid] = server.worker_pids()
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


def test_a_limit_that_may_be_raised_is_no_limit(path: Path) -> None:
    flags = ("--workers", "1", "--connections", "500", "--head-deadline", "60s")
    with serving(path, *flags, prefix=limited("64:4096")) as server, ExitStack() as stack:
        for _ in range(400):
            stack.enter_context(connect(server))
        assert server.ask().status == 200
        assert "files may be open" not in server.log()


def test_a_limit_that_may_not_be_raised_is_told_and_the_rest_waits_its_turn(path: Path) -> None:
    flags = ("--workers", "1", "--connections", "500", "--head-deadline", "1s")
    with serving(path, *flags, prefix=limited("356")) as server, ExitStack() as stack:
        assert "100 connections at most instead of 500: no more than 356 files may be open" in server.log()
        for _ in range(300):
            stack.enter_context(connect(server))
        assert server.ask(timeout=30).status == 200
        assert REFUSED not in server.log()


def test_a_worker_that_can_open_no_more_files_waits_and_says_so_once(path: Path) -> None:
    flags = ("--workers", "1", "--head-deadline", "60s", "--log-level", "debug")
    with serving(path, *flags, prefix=limited("44")) as server:
        with ExitStack() as stack:
            for _ in range(60):
                stack.enter_context(connect(server))
            server.wait_for(lambda: REFUSED in server.log(), "there is no file more")
            slept = turns(server)
            server.wait_for(lambda: turns(server) > slept + 20, "it sleeps, over and over")
            assert server.log().count(REFUSED) == 1
        assert server.ask().status == 200
