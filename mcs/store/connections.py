"""SQLite connections: one a thread, none across a fork, each call one transaction, each error in words.

Rule 1: no connection crosses a fork. SQLite keeps a process's locks in memory that a child inherits without having
the locks, so that even closing an inherited connection endangers the file. Hence a fork waits for the calls under way
and closes everything before; a connection that came through a fork all the same (told by pid) is never touched.
Rule 2: the file is never opened by other means than SQLite: closing any descriptor of it drops the process's locks.
Rule 3: a connection whose file is no longer the one at the path is closed: what it wrote, nobody would read.
Rule 4: after any error but "locked" the connection is closed, so that the next call starts from the file.
Rule 5: a file that another version of the program has migrated meanwhile is opened anew, which may refuse it.
Rule 6: locks are taken in one order: the registry's, then slots'. Whoever holds a slot's takes no other.
"""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from mcs.store.failures import is_busy, unavailable, unavailable_file
from mcs.store.interface import StoreUnavailable

__all__ = ["Connections", "Opened", "identity_of"]

Identity = tuple[int, int]


def identity_of(path: Path) -> Identity | None:
    """Return device and inode of the file at a path, None if there is none; raises StoreUnavailable."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise unavailable_file(path, error) from error
    return found.st_dev, found.st_ino


@dataclass(frozen=True, slots=True)
class Opened:
    """A new connection in autocommit mode.

    identity: the file that was at the path just before. log: the path of its write-ahead log, beside the file that
    links lead to; wal: what was there. version: its schema's.
    """

    connection: sqlite3.Connection
    identity: Identity | None
    log: Path
    wal: Identity | None
    version: int


@dataclass(eq=False, slots=True, weakref_slot=True)
class _Slot:
    """One thread's connection. lock: held during a call, and while somebody else closes the connection."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    opened: Opened | None = None
    pid: int = 0
    finalizer: "weakref.finalize[..., _Slot] | None" = None

    def fill(self, opened: Opened) -> Opened:
        self.opened, self.pid = opened, os.getpid()
        # When its thread has ended nobody can reach the slot, and the connection goes with it.
        self.finalizer = weakref.finalize(self, _close, opened.connection, self.pid)
        return opened

    def undo(self) -> None:
        """Leave no transaction behind: undo it, or failing that close the connection."""
        try:
            if self.opened is not None and self.opened.connection.in_transaction:
                self.opened.connection.execute("ROLLBACK")
        except sqlite3.Error:
            self.close()

    def close(self) -> None:
        if self.finalizer is not None:
            self.finalizer()
        self.opened = self.finalizer = None


def _close(connection: sqlite3.Connection, pid: int) -> None:
    if pid != os.getpid():
        _INHERITED.append(connection)
        return
    # A file that fails while it is being closed fails in the next call too, which reports it.
    with suppress(sqlite3.Error):
        connection.close()


class Connections:
    """The connections of one store in this process. Opens nothing before the first call.

    open_file: opens and checks the file; its StoreUnusable and StoreUnavailable pass through.
    """

    def __init__(self, path: Path, open_file: Callable[[], Opened]) -> None:
        self._path = path
        self._open_file = open_file
        self._mine = threading.local()
        self._registry = threading.RLock()
        self._slots: weakref.WeakSet[_Slot] = weakref.WeakSet()
        _ALL.add(self)

    def close(self) -> None:
        """Close the connections of all threads of this process, each after the call that it is in."""
        with self._registry:
            for slot in list(self._slots):
                with slot.lock:
                    slot.close()

    def open_count(self) -> int:
        """Return how many connections are open now."""
        with self._registry:
            return sum(slot.opened is not None for slot in self._slots)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection in a read transaction, which ends with the block.

        Raises StoreUnavailable, StoreUnusable.
        """
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Give a connection in a write transaction: durable after the block, undone by any exception in it.

        Raises StoreUnavailable, StoreUnusable.
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        slot = self._slot()
        with slot.lock:
            opened = self._opened(slot)
            connection = opened.connection
            try:
                connection.execute(begin)
                self._check_version(opened, slot)
                yield connection
                connection.execute("COMMIT")
            except sqlite3.Error as error:
                if is_busy(error):
                    slot.undo()
                else:
                    slot.close()
                raise unavailable(self._path, error) from error
            except BaseException:
                slot.undo()
                raise
            if identity_of(self._path) != opened.identity:
                raise StoreUnavailable(f"store {self._path}: the file was replaced by another during the call")

    def _slot(self) -> _Slot:
        slot: _Slot | None = getattr(self._mine, "slot", None)
        if slot is None:
            slot = self._mine.slot = _Slot()
            with self._registry:
                self._slots.add(slot)
        return slot

    def _opened(self, slot: _Slot) -> Opened:
        """Return the slot's connection if it is this process's and its file is still in place, else a new one."""
        if slot.opened is not None and slot.pid == os.getpid():
            identity = identity_of(self._path)
            if identity is not None and identity == slot.opened.identity:
                return slot.opened
            if identity is not None:
                self._check_log(slot.opened)
        slot.close()
        return slot.fill(self._open_file())

    def _check_log(self, former: Opened) -> None:
        # SQLite would take the former file's log for that of the file which replaced it, and write it over that.
        if former.wal is not None and identity_of(former.log) == former.wal:
            raise StoreUnavailable(
                f"store {self._path}: the file was replaced, but {former.log} of the former file is still there and"
                " would damage it; stop all that use the store, remove that file, start again"
            )

    def _check_version(self, opened: Opened, slot: _Slot) -> None:
        if opened.connection.execute("PRAGMA user_version").fetchone() != (opened.version,):
            slot.close()  # the next call looks whether this version of the program knows that of the file
            raise StoreUnavailable(f"store {self._path}: another version of mcs has just migrated it")

    # ---- forks

    def freeze(self) -> list[_Slot]:
        """Close all, and keep the calling process from opening any until `thaw`; see Rule 1."""
        self._registry.acquire()
        slots = list(self._slots)
        for slot in slots:
            slot.lock.acquire()
            slot.close()
        return slots

    def thaw(self, slots: list[_Slot]) -> None:
        """Undo `freeze`, in the parent and in the child."""
        for slot in slots:
            slot.lock.release()
        self._registry.release()


_ALL: weakref.WeakSet[Connections] = weakref.WeakSet()
_INHERITED: list[sqlite3.Connection] = []
_frozen: list[tuple[Connections, list[_Slot]]] = []


def _before_fork() -> None:
    _frozen.extend((connections, connections.freeze()) for connections in list(_ALL))


def _after_fork() -> None:
    while _frozen:
        connections, slots = _frozen.pop()
        connections.thaw(slots)


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
