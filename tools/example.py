"""Serves the example fleet on loopback: `run` for a person to try, `load` for machines that boot against it.

Calls only the commands that users have, `mcs apply` and `mcs serve`. All state is under run/ in the tree.
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
FLEET = ROOT / "examples" / "fleet"
STATE = ROOT / "run"
MCS = Path(sys.executable).parent / "mcs"
LOCUST = ROOT / ".venv-load" / "bin" / "locust"
READY_SECONDS = 30.0
STOP_SECONDS = 30.0
LOAD = {"LOCUST_USERS": "50", "LOCUST_SPAWN_RATE": "25", "LOCUST_RUN_TIME": "30s"}

TRY = """
The example fleet is served at http://{listen}; state is in {folder}. In another terminal:

  curl -si -H 'Accept: application/vnd.coreos.ignition+json;version=3.4.0' http://{listen}/config/worker | head -20
  {mcs} get boots --store {store}

Ctrl-C stops it.
"""


class Failed(Exception):
    """The example cannot be served; the text says why."""


def main(arguments: list[str]) -> int:
    """Run one of the two commands. Returns the exit code of the server, or of locust."""
    parser = argparse.ArgumentParser(prog="example.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="serve until stopped")
    run.add_argument("--listen", default="127.0.0.1:22623", metavar="HOST:PORT")
    commands.add_parser("load", help="serve, and boot machines against it for 30 s")
    chosen = parser.parse_args(arguments)
    try:
        return _run(chosen.listen) if chosen.command == "run" else _load()
    except Failed as failed:
        print(f"make {chosen.command}: {failed}", file=sys.stderr)
        return 1


def _run(listen: str) -> int:
    _require_free(listen)
    stopped_by_a_person: list[int] = []
    # Ctrl-C reaches the server by itself, as a member of the terminal's foreground group: here it is only noted.
    signal.signal(signal.SIGINT, lambda number, _frame: stopped_by_a_person.append(number))
    store = _apply(STATE)
    with _serving(store, listen) as server:
        print(TRY.format(listen=listen, folder=_short(STATE), store=store, mcs=_short(MCS)), flush=True)
        code = server.wait()
        return 0 if stopped_by_a_person else code


def _load() -> int:
    folder = STATE / "load"
    shutil.rmtree(folder, ignore_errors=True)
    store = _apply(folder)
    listen = f"127.0.0.1:{_free_port()}"
    log = folder / "server.log"
    print(f"Booting machines against {listen} for 30 s; the server's log is {_short(log)}.", flush=True)
    with log.open("wb") as output, _serving(store, listen, output) as server:
        command = [
            str(LOCUST),
            "--headless",
            "--only-summary",
            "-f",
            "loadtests/locustfile.py",
            "--host",
            f"http://{listen}",
        ]
        done = subprocess.run(command, check=False, cwd=ROOT, env=LOAD | os.environ)
        if server.poll() is not None:
            raise Failed(f"the server ended under load with exit code {server.returncode}: see {_short(log)}")
    return done.returncode


def _apply(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    store = f"sqlite:///{folder / 'store.db'}"
    if subprocess.run([MCS, "apply", "--store", store, "-f", FLEET], check=False, stdout=subprocess.DEVNULL).returncode:
        raise Failed(f"mcs apply refused {_short(FLEET)}; what it said stands above")
    return store


@contextmanager
def _serving(store: str, listen: str, output: IO[bytes] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Start the server, wait until it is ready, stop it at the end of the block."""
    command = [str(MCS), "serve", "--store", store, "--listen", listen]
    server = subprocess.Popen(command, stdout=output, stderr=output)

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # the shape of a signal handler
        server.terminate()

    signal.signal(signal.SIGTERM, stop)
    try:
        _wait_until_ready(server, listen)
        yield server
    finally:
        if server.poll() is None:
            server.terminate()
        try:
            server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_ready(server: "subprocess.Popen[bytes]", listen: str) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise Failed(f"mcs serve ended with exit code {server.returncode} before it was ready")
        try:
            with urllib.request.urlopen(f"http://{listen}/readyz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise Failed(f"mcs serve at {listen} was not ready within {READY_SECONDS:.0f} s")


def _require_free(listen: str) -> None:
    # Otherwise another server's readiness would be taken for ours.
    host, _, port = listen.rpartition(":")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except (OSError, ValueError) as error:
            raise Failed(
                f"cannot listen on {listen}: {error}; choose another with make run LISTEN=HOST:PORT"
            ) from error


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _short(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
