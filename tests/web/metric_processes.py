"""An arbiter that forks workers which count: `python -m tests.web.metric_processes SCENARIO`, and how to run one.

A scenario prints what a worker shows at its points, each as one JSON object of samples by their text. It runs in a
process of its own, since where metrics are kept is settled once for a process.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from fcntl import LOCK_SH, flock
from pathlib import Path

from mcs.boot.reasons import Reason
from mcs.web import metric_files
from mcs.web.metrics import Metrics, clean, exposition, forget, prepare
from tests.web.samples import samples

__all__ = ["run"]

_ROOT = Path(__file__).resolve().parents[2]
NOW = 5000.0


def run(scenario: str) -> list[dict[str, float]]:
    """Run a scenario and return what was shown at its points."""
    command = [sys.executable, "-W", "error", "-m", "tests.web.metric_processes", scenario]
    done = subprocess.run(command, cwd=_ROOT, text=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _say(shown: dict[str, float]) -> None:
    print(json.dumps(shown), flush=True)  # noqa: T201  # this is how a scenario answers


def _start(work: Callable[[Metrics], object]) -> int:
    """Fork a worker that does its work and then waits to be killed; return its pid once the work is done."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        said = work(Metrics())
        os.write(writing, said if isinstance(said, bytes) else b".")
        os.close(writing)
        while True:
            signal.pause()
    os.close(writing)
    with closing(os.fdopen(reading, "rb")) as pipe:
        answer = pipe.read()
    assert answer
    _said[pid] = answer
    return pid


_said: dict[int, bytes] = {}


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    forget(pid)


def _show(now: float = NOW) -> None:
    """Print what a worker shows of all."""
    pid = _start(lambda metrics: exposition(metrics, now))
    _say(samples(_said[pid]))
    _end(pid)


def _count(times: int) -> Callable[[Metrics], None]:
    def work(metrics: Metrics) -> None:
        for _ in range(times):
            metrics.count_request(pool="worker", asked="3.4.0", status=503, reason=Reason.CONFIG_MISSING)
            metrics.finished("worker", 0.5)(100, True, 0.25)

    return work


def _hold(renewed: float, until: float, queued: int) -> Callable[[Metrics], None]:
    def work(metrics: Metrics) -> None:
        metrics.show_holds({"worker": (renewed, until)})
        metrics.follow_leases(queued=queued, recorded=queued, dropped=0, aggregated=0)
        metrics.certificate_expires(9000.0 + queued)

    return work


def _together() -> None:
    """Two workers count, hold and queue."""
    for work in (_count(2), _count(3), _hold(4000.0, 6000.0, 4), _hold(4500.0, 5500.0, 7)):
        _start(work)
    _show()


def _ended() -> None:
    """A worker ends; then another; then one that counts on."""
    first, second = _start(_count(2)), _start(_count(3))
    holding = _start(_hold(4000.0, 6000.0, 4))
    _show()
    for pid in (first, holding):
        _end(pid)
    _show()
    _end(second)
    _start(_count(1))
    _show()


def _files(path: Path) -> None:
    """Twenty workers come and go; what is left is printed by name and number."""
    for _ in range(20):
        _end(_start(_count(1)))
    _show()
    names = sorted(file.name for file in path.glob("*.db"))
    _say(dict.fromkeys(names, 1.0))


def _read_meanwhile(path: Path) -> None:
    """A worker ends while another reads, and is taken in at the end of the next."""
    first, second = _start(_count(2)), _start(_count(3))
    descriptor = os.open(path, os.O_RDONLY)
    flock(descriptor, LOCK_SH)
    _end(first)
    _say({f"counter_{first}.db": float((path / f"counter_{first}.db").exists())})
    os.close(descriptor)
    _show()
    _end(second)
    _say({"files": float(len(list(path.glob("counter_*"))))})
    _show()


def _gone(_path: Path) -> None:
    """A pool is deleted: one worker has seen it, and then there is only that one."""
    late = _start(_hold(4000.0, 6000.0, 0))

    def forgets(metrics: Metrics) -> None:
        metrics.show_holds({"worker": (4500.0, 5500.0)})
        metrics.show_holds({})

    _start(forgets)
    _show()
    _end(late)
    _show()


def _half_made(path: Path) -> None:
    """A worker has made its file and written nothing yet."""
    _start(_count(1))
    (path / "counter_1.db").touch()
    _show()


def _leftover(path: Path) -> None:
    """A server is killed, arbiter and all; another starts beside one that lives."""
    killed = _start(lambda _: str(prepare()).encode())
    left = Path(_said[killed].decode())
    _end(killed)
    _say({"left": float(left.exists())})
    for directory in (left, path):
        os.utime(directory, (0, 0))
    young = _start(lambda _: str(prepare()).encode())
    _say({"left": float(left.exists()), "living": float(path.exists())})
    _end(young)
    shutil.rmtree(_said[young].decode())


def _no_room(_path: Path) -> None:
    """No file may grow beyond 1 kB."""
    clean()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    with tempfile.TemporaryDirectory() as place:
        metric_files._MEMORY = Path(place)
        made = prepare()
        _say({"made": float(made is not None), "left": float(len(list(Path(place).iterdir())))})
    _start(_count(2))

    def counts_and_shows(metrics: Metrics) -> bytes:
        _count(3)(metrics)
        return exposition(metrics, NOW)

    _say(samples(_said[_start(counts_and_shows)]))


_SCENARIOS: dict[str, Callable[[Path], None]] = {
    "together": lambda _: _together(),
    "ended": lambda _: _ended(),
    "files": _files,
    "read meanwhile": _read_meanwhile,
    "gone": _gone,
    "leftover": _leftover,
    "no room": _no_room,
    "half made": _half_made,
}


def _main(scenario: str) -> None:
    path = prepare()
    assert path is not None
    try:
        _SCENARIOS[scenario](path)
    finally:
        clean()
        for pid in _said:
            if Path(f"/proc/{pid}").exists():
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    _say({"directory": float(path.exists())})


if __name__ == "__main__":
    _main(sys.argv[1])
