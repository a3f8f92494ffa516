"""HAProxy, as Debian ships it, in front of servers on loopback: passes connections on as they are, looks at /readyz."""

import csv
import io
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Backend", "Haproxy", "HaproxyMissing", "haproxy"]

_PROGRAM = Path("/usr/sbin/haproxy")
_PATIENCE = 30.0  # seconds until a test gives up on something that should happen

_CONFIG = """\
global
    stats socket {folder}/stats
    maxconn 1000

defaults
    mode tcp
    retries 0
    timeout connect 2s
    timeout client 60s
    timeout server 60s

listen machines
    bind {address}:{port}
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter 200ms fall 1 rise 1 {options}
{servers}
"""


class HaproxyMissing(Exception):
    """HAProxy is not on this machine."""


@dataclass(frozen=True, slots=True)
class Backend:
    """A server behind it."""

    name: str
    address: str
    port: int


class Haproxy:
    """A running HAProxy. port: where machines connect to."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, folder: Path) -> None:
        self.process = process
        self.port = port
        self._folder = folder

    def said(self) -> str:
        """Return what it has written so far."""
        return (self._folder / "haproxy.log").read_text()

    def states(self) -> dict[str, str]:
        """Return what it makes of each server: UP, DOWN, or on the way to one."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(_PATIENCE)
            asking.connect(str(self._folder / "stats"))
            asking.sendall(b"show stat\n")
            said = b"".join(iter(lambda: asking.recv(65536), b"")).decode().removeprefix("# ")
        rows = csv.DictReader(io.StringIO(said))
        return {row["svname"]: row["status"] for row in rows if row["svname"] not in {"FRONTEND", "BACKEND"}}

    def wait_for(self, name: str, state: str) -> None:
        """Wait until it takes a server for UP or DOWN."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"HAProxy ended with {self.process.returncode}:\n{self.said()}")
            with suppress(OSError):  # it is starting
                if self.states()[name] == state:
                    return
            time.sleep(0.02)
        raise AssertionError(f"in vain waited until {name} is {state}: {self.states()}\n{self.said()}")


@contextmanager
def haproxy(
    folder: Path, port: int, backends: Sequence[Backend], *options: str, address: str = "127.0.0.1"
) -> Iterator[Haproxy]:
    """Run it in a folder of its own until the end of the block. options: how it speaks to servers.

    Begins once it takes all servers for up. Raises HaproxyMissing, saying what to do.
    """
    if not _PROGRAM.is_file():
        raise HaproxyMissing("missing: Debian's package haproxy. Run: make tools")
    folder.mkdir()
    servers = "\n".join(f"    server {each.name} {each.address}:{each.port}" for each in backends)
    config = folder / "haproxy.cfg"
    config.write_text(
        _CONFIG.format(folder=folder, address=address, port=port, options=" ".join(options), servers=servers)
    )
    with (folder / "haproxy.log").open("wb") as output:
        process = subprocess.Popen([_PROGRAM, "-db", "-f", config], stdout=output, stderr=output)
    running = Haproxy(process, port, folder)
    try:
        for each in backends:
            running.wait_for(each.name, "UP")
        yield running
    finally:
        process.kill()
        process.wait()
