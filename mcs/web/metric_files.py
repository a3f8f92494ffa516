"""Where the workers of a server keep their metrics: a directory with files of each process, which any of them adds up.

Rule 1: the arbiter makes the directory before it forks; each worker opens its own files after the fork.
Rule 2: counters never go down. What an ended worker counted is added to the files of all ended workers, so that a
server whose workers die often does not gather files. Nobody reads meanwhile, else it would be seen twice or not at all.
Rule 3: a directory is in use while one of its processes is alive, each of which has a lock on its file `alive`. What a
killed server left is removed by the next.
"""

import fcntl
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prometheus_client import values
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

__all__ = ["clean", "collect", "directory", "forget", "prepare"]

_log = logging.getLogger(__name__)

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"  # the library's
_MEMORY = Path("/dev/shm")  # noqa: S108  # a disk that is full would kill a worker as it writes into a mapped file

# Parts of the library that have no types of their own. A file is a mapping of floats with times.
_value_class: Callable[[], Any] = values.MultiProcessValue
_merge: Callable[[list[str]], Iterable[Metric]] = MultiProcessCollector.merge
_mark_dead: Callable[[int, str], None] = mark_process_dead
_opened: Callable[[str], Any] = MmapedDict
_read: Callable[[str], Iterable[tuple[str, float, float, int]]] = MmapedDict.read_all_values_from_file

_PREFIX = "mcs-metrics-"
_ALIVE = "alive"
_ROOM = 4 * 1024 * 1024  # bytes; about ten times what two workers take
_SETTLED = 60.0  # seconds after which a directory's own server has surely taken its lock

_ended: set[int] = set()
_locks: list[int] = []


def prepare() -> Path | None:
    """Make the directory, and have all metrics that are made from now on kept there. For the arbiter, before it forks.

    It does not matter whether the library has been imported already. Where there is no room this is logged, and None
    returned: each worker then keeps its metrics for itself, since machines must be served without them too.
    """
    base = _MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    _remove_leftovers(base)
    try:
        made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        _locks.append(_take_lock(made))
    except OSError as error:
        _log.warning("there is no room in %s; each worker keeps its metrics for itself: %s", base, error.strerror)
        return None
    os.environ[_VARIABLE] = str(made)
    values.ValueClass = _value_class()
    _ended.clear()
    return made


def directory() -> Path | None:
    """Return the directory; None where this process keeps its metrics for itself."""
    path = os.environ.get(_VARIABLE)
    return Path(path) if path else None


def clean() -> None:
    """Remove the directory. For the arbiter, at its end; metrics that are made afterwards are a process's own."""
    found = directory()
    if found is None:
        return
    shutil.rmtree(found, ignore_errors=True)
    while _locks:
        os.close(_locks.pop())
    del os.environ[_VARIABLE]
    values.ValueClass = values.MutexValue


def forget(pid: int) -> None:
    """Take in that a worker has ended and been waited for: its gauges go, its counts stay. For the arbiter.

    It never waits: where a worker is just reading, the files are left for the next call.
    """
    found = directory()
    if found is None:
        return
    _mark_dead(pid, str(found))
    _ended.add(pid)
    try:
        with _locked(found, fcntl.LOCK_EX | fcntl.LOCK_NB):
            # A successor may have the same pid; it goes on with the files that it found.
            for gone in [one for one in _ended if not Path(f"/proc/{one}").exists()]:
                _add_up(found, gone)
                _ended.discard(gone)
    except BlockingIOError:
        return


def collect(found: Path) -> list[Metric]:
    """Return the metrics of all workers together."""
    with _locked(found, fcntl.LOCK_SH):
        # A worker that is just starting has files with nothing in them yet.
        files = [str(file) for file in sorted(found.glob("*.db")) if _size(file)]
        return list(_merge(files))


def _take_lock(made: Path) -> int:
    """Return a lock that workers inherit; raises OSError, also if files of workers would not fit."""
    lock = os.open(made / _ALIVE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.posix_fallocate(lock, 0, _ROOM)
        os.truncate(lock, 0)
    except OSError:
        os.close(lock)
        shutil.rmtree(made, ignore_errors=True)
        raise
    return lock


def _remove_leftovers(base: Path) -> None:
    for left in base.glob(f"{_PREFIX}*"):
        try:
            status = left.lstat()
            if status.st_uid != os.geteuid() or time.time() - status.st_mtime < _SETTLED:
                continue
            lock = os.open(left / _ALIVE, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # it is being removed, or is not ours after all
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(lock)


def _add_up(found: Path, pid: int) -> None:
    for kind in ("counter", "histogram"):
        file = found / f"{kind}_{pid}.db"
        if _size(file):
            together = _opened(str(found / f"{kind}_ended.db"))
            for key, value, _, _ in _read(str(file)):
                together.write_value(key, together.read_value(key)[0] + value, 0.0)
            together.close()
        file.unlink(missing_ok=True)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # the gauges of a worker that has just ended
        return 0


@contextmanager
def _locked(found: Path, how: int) -> Iterator[None]:
    """Hold a lock on the directory, which ends with the process in any case. Raises BlockingIOError for LOCK_NB."""
    descriptor = os.open(found, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
