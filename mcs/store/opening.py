"""Opening the embedded store's file: is it ours, may it live there, who may read it, which version has it.

Nothing is changed in a file, nor in its modes, before it is known to be ours. A new file is made by mknod, which opens
nothing (see Rule 2 of mcs.store.connections), with mode 0600: rendered configs hold secrets. SQLite gives the file's
mode to the -wal and -shm files that it makes beside it.
"""

import os
import sqlite3
import stat
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from mcs.store.connections import Opened, identity_of
from mcs.store.failures import is_busy, unavailable, unavailable_file
from mcs.store.filesystems import network_file_system
from mcs.store.interface import StoreUnusable
from mcs.store.schema import Migration, file_version, migrate

__all__ = ["BUSY_TIMEOUT", "mount_table", "open_file"]

BUSY_TIMEOUT = 1.0  # seconds that a call waits for another process's lock

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_PAUSE = 0.01
_SMALLEST = 512  # bytes; SQLite takes a smaller file for an empty one and writes over it
# Outside a transaction, and only once the file is known to be ours.
_SETTINGS = (
    "PRAGMA synchronous = FULL",  # with WAL: what was acknowledged survives a loss of power
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",  # a temporary file would hold secrets
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",  # a damaged page is noticed, not followed
)


def mount_table() -> str:
    """Return the kernel's mount table for this process, empty where the kernel tells none."""
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def open_file(
    path: Path, migrations: Sequence[Migration], mounts: Callable[[], str] = mount_table, *, create: bool = True
) -> Opened:
    """Open the file at an absolute path, making or migrating it where needed; return the connection.

    mounts: returns the text of the mount table. create: whether a file that is not there is made. Raises StoreUnusable
    (no such directory or file, network file system, another program's file, a newer version) and StoreUnavailable.
    """
    # A link leads to where the -wal and -shm files are made: what counts is that place.
    path = Path(os.path.realpath(path))
    try:
        _check_place(path, mounts())
        if not create and not path.exists():
            raise StoreUnusable(f"there is no store at {path}; `mcs apply` and `mcs serve` make one")
        with suppress(FileExistsError):
            os.mknod(path, stat.S_IFREG | stat.S_IRUSR | stat.S_IWUSR)
    except OSError as error:
        raise unavailable_file(path, error) from error
    identity = identity_of(path)
    try:
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode=rw",
            uri=True,
            timeout=BUSY_TIMEOUT,
            isolation_level=None,  # transactions are begun and ended in so many words
            check_same_thread=False,  # only so that another thread may close it
        )
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    try:
        _set_up(connection, path, migrations, create=create)
    except BaseException as error:
        with suppress(sqlite3.Error):
            connection.close()
        if isinstance(error, sqlite3.Error):
            raise unavailable(path, error) from error
        raise
    log = _beside(path, "-wal")
    return Opened(connection, identity, log, identity_of(log), len(migrations))


def _check_place(path: Path, mountinfo: str) -> None:
    if not path.parent.is_dir():
        raise StoreUnusable(
            f"the directory {path.parent} of the store {path.name} does not exist; make it first"
            " (an absolute path takes four slashes: sqlite:////var/lib/mcs/store.db)"
        )
    if path.is_dir():
        raise StoreUnusable(f"{path} is a directory; name a file in it as the store")
    if path.exists() and not path.is_file():
        raise StoreUnusable(f"{path} is no regular file; name another file as the store")
    if path.exists() and 0 < path.stat().st_size < _SMALLEST and not _beside(path, "-journal").exists():
        raise StoreUnusable(f"{path} is no SQLite file; name another file as the store")
    network = network_file_system(mountinfo, str(path))
    if network is not None:
        raise StoreUnusable(
            f"{path} is on a network file system, {network}, which SQLite cannot share safely; use a local disk"
        )


def _set_up(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration], *, create: bool) -> None:
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            version = file_version(connection, path, len(migrations))
            if version == 0 and not create:
                raise StoreUnusable(f"{path} is empty; `mcs apply` and `mcs serve` make a store")
            _close_to_others(path)
            _use_wal(connection, path)
            for setting in _SETTINGS:
                connection.execute(setting)
            if version != len(migrations):
                migrate(connection, path, migrations)
        except sqlite3.Error as error:
            # When several processes make one file at once, SQLite refuses some without waiting.
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreUnusable(f"{path} is on a file system without shared memory (mmap), which SQLite needs; move it")


def _close_to_others(path: Path) -> None:
    for file in (path, _beside(path, "-wal"), _beside(path, "-shm")):
        try:
            mode = stat.S_IMODE(file.stat().st_mode)
            if mode & _OTHERS:
                file.chmod(mode & ~_OTHERS)
        except FileNotFoundError:
            continue
        except PermissionError as error:
            raise StoreUnusable(
                f"{file} can be read by others than its owner, and rendered configs hold secrets; chmod 600 it"
            ) from error
        except OSError as error:
            raise unavailable_file(path, error) from error


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
