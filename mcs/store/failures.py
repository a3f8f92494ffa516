"""SQLite's errors in words: what happened to the store's file and what to do about it. Never the SQL, never a row."""

import errno
import sqlite3
from pathlib import Path

from mcs.store.interface import StoreUnavailable

__all__ = ["is_busy", "unavailable", "unavailable_file", "undecodable"]

# SQLite's primary result code (https://www.sqlite.org/rescode.html); the text follows "store PATH: ".
_WORDS: dict[int, str] = {
    sqlite3.SQLITE_BUSY: "another process has kept it locked; find out which (fuser, lsof), or wait",
    sqlite3.SQLITE_LOCKED: "another process has kept it locked; find out which (fuser, lsof), or wait",
    sqlite3.SQLITE_FULL: "there is no space left for it; free some on its file system",
    sqlite3.SQLITE_IOERR: "reading or writing it failed; look for a full or failing disk, a quota or a file size limit",
    sqlite3.SQLITE_READONLY: "it cannot be written; check the modes of the file and of its directory, and the mount",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check the modes of the file and of its directory, and open files",
    sqlite3.SQLITE_PERM: "it may not be opened; check the modes of the file and of its directory",
    sqlite3.SQLITE_CORRUPT: "its content is damaged; stop all that use it and restore it from a backup",
    sqlite3.SQLITE_NOTADB: "it is no SQLite file, or its first page is damaged; restore it from a backup",
    sqlite3.SQLITE_NOMEM: "there is not enough memory to read it",
    sqlite3.SQLITE_PROTOCOL: "too many processes open it at once; wait",
    sqlite3.SQLITE_SCHEMA: "another process changed its tables meanwhile; wait",
    sqlite3.SQLITE_INTERRUPT: "the call was interrupted",
}
_PRIMARY = 0xFF  # extended codes carry the primary one in their low byte


def _primary(error: sqlite3.Error) -> int | None:
    # Errors that the sqlite3 module raises by itself (text that is no UTF-8) carry no code.
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code & _PRIMARY if code is not None else None


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether the file was only locked, so that the connection is as good as before."""
    return _primary(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def unavailable(path: Path, error: sqlite3.Error) -> StoreUnavailable:
    """Return what to raise, from `error`, for an error of SQLite."""
    code = _primary(error)
    if code is None:
        return StoreUnavailable(f"store {path}: its content cannot be read as text; restore it from a backup")
    name = getattr(error, "sqlite_errorname", code)
    return StoreUnavailable(f"store {path}: {_WORDS.get(code, 'SQLite refused')} ({name})")


def unavailable_file(path: Path, error: OSError) -> StoreUnavailable:
    """Return what to raise, from `error`, when the operating system refuses the file or its directory."""
    name = errno.errorcode.get(error.errno or 0, "")
    return StoreUnavailable(
        f"store {path}: {error.strerror or error}; check the file, its directory and the mount ({name})"
    )


def undecodable(kind: str, name: str, why: str) -> StoreUnavailable:
    """Return what to raise for a stored value that is not what this project writes."""
    return StoreUnavailable(f"the stored {kind} {name} is damaged ({why}); restore the store from a backup")
