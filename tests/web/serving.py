"""`mcs serve` as a process of its own, on loopback, for tests that kill, starve or overload it."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

__all__ = ["Answer", "Serving", "ask", "serving"]

_PATIENCE = 30.0  # seconds until a test gives up on something that should happen


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as a client saw it."""

    status: int
    headers: dict[str, str]
    body: bytes


def ask(port: int, path: str = "/config/worker", minor: int = 4, timeout: float = 10.0) -> Answer:
    """Ask as an Ignition client does; raises OSError or HTTPException where there is no whole answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        accept = f"application/vnd.coreos.ignition+json;version=3.{minor}.0, */*;q=0.1"
        connection.request("GET", path, headers={"Accept": accept, "User-Agent": "Ignition/2.19.0"})
        response = connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()


class Serving:
    """A running server."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
        self.process = process
        self.port = port
        self._log = log

    def log(self) -> str:
        """Return what it has logged so far."""
        return self._log.read_text()

    def ask(self, path: str = "/config/worker", minor: int = 4, timeout: float = 10.0) -> Answer:
        """Ask once."""
        return ask(self.port, path, minor, timeout)

    def wait_until_ready(self) -> None:
        """Wait until it says that it is ready."""
        self.wait_for(lambda: self.ask("/readyz").status == 200, "it is ready")

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until something holds; a refused connection means not yet."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log()}")
            try:
                if condition():
                    return
            except (OSError, HTTPException):
                pass
            time.sleep(0.02)
        raise AssertionError(f"in vain waited until {what}:\n{self.log()}")

    def worker_pids(self) -> list[int]:
        """Return the pids of the worker processes, the oldest first."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return sorted(int(pid) for pid in children)

    def worker_ids(self) -> list[str]:
        """Return the ids that workers logged at their start."""
        return re.findall(r"worker ([0-9a-f]{32}) serves", self.log())

    def reload(self) -> None:
        """Have it read its settings anew."""
        self.process.send_signal(signal.SIGHUP)

    def stop(self) -> int:
        """End it as a service manager does; return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_PATIENCE)

    def kill(self) -> None:
        """End it and its workers at once, as a loss of power would."""
        self.process.send_signal(signal.SIGSTOP)  # so that it does not fork while its workers are counted
        for pid in (*self.worker_pids(), self.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.process.wait(_PATIENCE)


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(
    path: Path,
    *flags: str,
    port: int | None = None,
    prefix: tuple[str, ...] = (),
    ready: bool = True,
    addresses: bool = True,
    store: bool = True,
) -> Iterator[Serving]:
    """Run `mcs serve` over a store's file. prefix: a command that runs it, such as one that limits it.

    addresses, store: whether these are given as flags; else the flags given name them in another way.
    """
    port = port or free_port()
    log = path.parent / f"serve-{port}-{time.monotonic_ns()}.log"
    command = [*prefix, sys.executable, "-m", "mcs", "serve", "--pool-refresh", "100ms", "--drain", "0"]
    if store:
        command += ["--store", f"sqlite:///{path}"]
    if addresses:
        command += ["--listen", f"127.0.0.1:{port}", "--admin-listen", "127.0.0.1:0"]
    command += flags
    environment = {key: text for key, text in os.environ.items() if not key.startswith("MCS_")}
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    running = Serving(process, port, log)
    try:
        if ready:
            running.wait_until_ready()
        yield running
    finally:
        if process.poll() is None:
            running.kill()
