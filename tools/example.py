"""Serves the example fleet on loopback: `run` for a person to try, `load` for machines that boot against it.

Runs the commands that users have, `mcs apply` and `mcs serve`, and reads the store only to see when all workers are
there. All state is under run/ in the tree.
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mcs.settings import Listen, Settings, SettingsError, load
from mcs.store import open_store
from mcs.store.interface import StoreError

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
FLEET = ROOT / "examples" / "fleet"
STATE = ROOT / "run"
MCS = Path(sys.executable).parent / "mcs"
LOCUST = ROOT / ".venv-load" / "bin" / "locust"
READY_SECONDS = 30.0
STOP_SECONDS = 30.0
LOAD = {"LOCUST_USERS": "50", "LOCUST_SPAWN_RATE": "25", "LOCUST_RUN_TIME": "30s"}

ACCEPT = "Accept: application/vnd.coreos.ignition+json;version=3.4.0"

TRY = """
The example fleet is served at http://{listen}; state is in {folder}. In another terminal:

  curl -s -o /dev/null -D - -H '{accept}' http://{listen}/config/worker
  curl -s -H '{accept}' http://{listen}/config/worker | python3 -m json.tool | head -30
  {mcs} get boots --store {store}

Ctrl-C stops it.
"""


class Failed(Exception):
    """The example cannot be served; the text says why."""


def main(arguments: list[str]) -> int:
    """Run one of the two commands. Returns the exit code of the server, 0 if a person stopped it, or that of locust."""
    parser = argparse.ArgumentParser(prog="example.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="serve until stopped")
    run.add_argument("--listen", default="127.0.0.1:22623", metavar="HOST:PORT")
    commands.add_parser("load", help="serve, and boot machines against it for 30 s")
    chosen = parser.parse_args(arguments)
    # SIGTERM stops it like Ctrl-C does; SIGINT is set too, since whoever starts it in the background may ignore it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        return _run(chosen.listen) if chosen.command == "run" else _load()
    except KeyboardInterrupt:
        return 0 if chosen.command == "run" else 130
    except Failed as failed:
        print(f"make {chosen.command}: {failed}", file=sys.stderr)
        return 1


def _run(listen: str) -> int:
    settings = _settings({"store": _store(STATE), "listen": listen})
    _require_free(settings.listen, "LISTEN=HOST:PORT")
    _require_free(settings.admin_listen, "MCS_ADMIN_LISTEN=HOST:PORT")
    _apply(STATE)
    with _serving(settings) as server:
        filled = TRY.format(listen=listen, folder=_short(STATE), store=settings.store, mcs=_short(MCS), accept=ACCEPT)
        print(filled, flush=True)
        return server.wait()


def _load() -> int:
    folder = STATE / "load"
    shutil.rmtree(folder, ignore_errors=True)
    _apply(folder)
    listen, admin_listen = (f"127.0.0.1:{_free_port()}" for _ in range(2))
    settings = _settings({"store": _store(folder), "listen": listen, "admin_listen": admin_listen})
    log = folder / "server.log"
    print(f"Booting machines against {listen} for 30 s; the server's log is {_short(log)}.", flush=True)
    with log.open("wb") as output, _serving(settings, output) as server:
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


def _store(folder: Path) -> str:
    return f"sqlite:///{folder / 'store.db'}"


def _settings(flags: dict[str, str | tuple[str, ...]]) -> Settings:
    try:
        return load(flags)
    except SettingsError as error:
        raise Failed(f"{'; '.join(error.problems)}; choose another with make run LISTEN=HOST:PORT") from error


def _apply(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = [str(MCS), "apply", "--store", _store(folder), "-f", str(FLEET)]
    if subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode:
        raise Failed(f"mcs apply refused {_short(FLEET)}; what it said stands above")


@contextmanager
def _serving(settings: Settings, output: IO[bytes] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Start the server, wait until all its workers are ready, stop it at the end of the block."""
    command = [str(MCS), "serve", "--store", settings.store]
    command += ["--listen", str(settings.listen), "--admin-listen", str(settings.admin_listen)]
    begun = time.time()
    # In a process group of its own, so that Ctrl-C reaches it through this process only, and once.
    server = subprocess.Popen(command, stdout=output, stderr=output, process_group=0)
    try:
        _wait_until_ready(server, settings, begun)
        yield server
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGINT)  # at once, without the wait for a load balancer
        try:
            server.wait(STOP_SECONDS)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            server.kill()
            server.wait()


def _wait_until_ready(server: "subprocess.Popen[bytes]", settings: Settings, begun: float) -> None:
    listen = settings.listen
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise Failed(f"mcs serve ended with exit code {server.returncode} before it was ready")
        try:
            with urllib.request.urlopen(f"http://{listen}/readyz", timeout=2):
                if _count_workers(settings.store, begun) >= settings.workers:
                    return
        except OSError:
            pass
        time.sleep(0.1)
    raise Failed(f"mcs serve at {listen} was not ready within {READY_SECONDS:.0f} s")


def _count_workers(address: str, begun: float) -> int:
    """Count the workers that have given a sign of life: each does once it has looked at the pools."""
    store = open_store(address, create=False)
    try:
        return sum(heartbeat.value.started >= begun for heartbeat in store.heartbeats())
    except StoreError:
        return 0
    finally:
        store.close()


def _require_free(listen: Listen, choice: str) -> None:
    # Otherwise another server's readiness would be taken for ours.
    with socket.socket(socket.AF_INET6 if ":" in listen.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((listen.host, listen.port))
        except OSError as error:
            why = error.strerror or str(error)
            raise Failed(f"cannot listen on {listen}: {why}; choose another with make run {choice}") from error


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _short(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
