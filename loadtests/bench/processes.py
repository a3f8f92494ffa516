"""What the kernel knows of processes and of this machine, read from /proc."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

__all__ = ["children", "cpu_seconds", "descriptors", "machine_facts", "pss", "rss"]

_TICKS = os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    """Return the direct children of a process, the oldest first."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the user and system seconds that processes have used so far, their threads included."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])  # utime and stime, counted after the command's name
    return total / _TICKS


def pss(pid: int) -> int:
    """Return the proportional set size of a process in bytes: pages that processes share count in parts."""
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss")


def rss(pid: int) -> int:
    """Return the resident set size of a process in bytes."""
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Rss")


def _kilobytes(file: Path, name: str) -> int:
    found = re.search(rf"^{name}: +(\d+) kB$", file.read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{file} says nothing of {name}")
    return int(found[1]) * 1024


def descriptors(pid: int) -> int:
    """Return how many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208  # names are all that is asked for


def machine_facts() -> dict[str, object]:
    """Return what figures depend on: processor, cores, kernel, versions, and how busy the machine is now."""
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "processor": model[1] if model is not None else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("mcs", "flask", "werkzeug", "gunicorn")},
        "openssl": _first_line([sys.executable, "-c", "import ssl; print(ssl.OPENSSL_VERSION)"]),
        "nginx": _first_line(["nginx", "-v"]),
        "wrk": _first_line(["wrk", "-v"]),
        "load_average": [round(one, 2) for one in os.getloadavg()],
    }


def _first_line(command: list[str]) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # wrk tells its version with status 1
    return (done.stdout + done.stderr).splitlines()[0].partition(" Copyright")[0]
