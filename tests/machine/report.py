"""How a machine that has booted tells what it has become: it sends its own files, as a tar, until we have them all.

What sends them is part of the config that the machine is served: a unit and its script.
"""

import queue
import socketserver
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from mcs.ignition import dataurl
from mcs.jsondata import JSONObject
from tests.clients.written import Written
from tests.machine.guest import ADDRESS, REPORT_PORT

__all__ = ["REPORT_FILE", "REPORT_UNIT", "Report", "Reports", "receiving"]

_SCRIPT_PATH = "/usr/local/bin/report-in"
_UNITS = "/run/report/units"
_ROOT = "/run/report/root"
_COMPLETE = "/run/report/complete"
_SENT = "etc home usr/local var/lib/kubelet run/watch run/report/units run/report/root run/report/complete"

_SCRIPT = f"""#!/bin/bash
mkdir -p /run/report
systemctl list-units --all --plain --no-legend --no-pager >{_UNITS}
findmnt --noheadings --output SOURCE,FSTYPE / >{_ROOT}
touch {_COMPLETE}
report() (
  exec 3<>/dev/tcp/{ADDRESS}/{REPORT_PORT} || exit
  tar --create --file=- --directory=/ {_SENT} >&3; read -r -t 30 answer <&3 && [[ $answer == received ]]
)
until report; do sleep 1; done
"""

_UNIT = f"""[Unit]
Description=Tell what this machine has become
After=multi-user.target

[Service]
Type=oneshot
ExecStart={_SCRIPT_PATH}

[Install]
WantedBy=multi-user.target
"""

REPORT_FILE: JSONObject = {
    "path": _SCRIPT_PATH,
    "mode": 0o755,
    "contents": {"source": dataurl.encode(_SCRIPT.encode())},
}
REPORT_UNIT: JSONObject = {"name": "report-in.service", "enabled": True, "contents": _UNIT}


@dataclass(frozen=True, slots=True)
class Report:
    """What a machine has become. files: all that it has sent, by absolute path."""

    files: Mapping[str, Written]

    @property
    def units(self) -> dict[str, tuple[str, str]]:
        """The active state and the sub-state of the units that its service manager knows, by name."""
        rows = [line.split() for line in self.files[_UNITS].text.splitlines()]
        return {row[0]: (row[2], row[3]) for row in rows}

    @property
    def root(self) -> list[str]:
        """The device and the type of its root file system."""
        return self.files[_ROOT].text.split()


class Reports:
    """What has been received on a port of the loopback."""

    def __init__(self) -> None:
        self._received: queue.SimpleQueue[Report] = queue.SimpleQueue()

        class Receiver(socketserver.StreamRequestHandler):
            timeout = 60

            def handle(handler) -> None:  # noqa: N805  # self is the one outside
                try:
                    files = _read_tar(handler)
                except (tarfile.TarError, OSError):
                    return  # cut off: the machine will try again
                if _COMPLETE in files:
                    handler.wfile.write(b"received\n")
                    self._received.put(Report(files))

        self.server = socketserver.TCPServer(("127.0.0.1", 0), Receiver)

    @property
    def port(self) -> int:
        """Where they are received."""
        port: int = self.server.server_address[1]
        return port

    def next(self, timeout: float) -> Report | None:
        """Return the next one, or None if none comes in time."""
        try:
            return self._received.get(timeout=timeout)
        except queue.Empty:
            return None


@contextmanager
def receiving() -> Iterator[Reports]:
    """Receive reports until the end of the block."""
    reports = Reports()
    with reports.server:
        thread = threading.Thread(target=reports.server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield reports
        finally:
            reports.server.shutdown()
            thread.join()


def _read_tar(handler: socketserver.StreamRequestHandler) -> dict[str, Written]:
    with tarfile.open(mode="r|", fileobj=handler.rfile) as archive:
        return {f"/{member.name}": _written(archive, member) for member in archive}


def _written(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Written:
    kind, contents = "other", b""
    if member.isdir():
        kind = "directory"
    elif member.issym():
        kind, contents = "link", member.linkname.encode()
    elif (content := archive.extractfile(member)) is not None:
        kind, contents = "file", content.read()
    return Written(kind, member.mode, member.uid, member.gid, contents)
