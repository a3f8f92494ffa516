"""Attempts in the embedded store's table `attempts`. Runs in a transaction that others begin."""

import sqlite3
from collections.abc import Iterable
from typing import get_type_hints

from mcs.boot.records import Attempt
from mcs.store.columns import Column, decoded, encoded
from mcs.store.failures import undecodable

__all__ = ["add", "find_all", "trim"]

_TYPES = get_type_hints(Attempt)
_COLUMNS = ", ".join(_TYPES)

# All that is formatted into statements are this module's own names.
_ADD = (
    f"INSERT INTO attempts ({_COLUMNS}) VALUES ({', '.join('?' * len(_TYPES))})"  # noqa: S608
    " ON CONFLICT (address, client, pool, reason) DO UPDATE SET"
    " first = min(first, excluded.first), last = max(last, excluded.last), count = count + excluded.count"
)
_FIND = f"SELECT {_COLUMNS} FROM attempts ORDER BY last DESC, address, client, pool, reason"  # noqa: S608
_TRIM = (
    "DELETE FROM attempts WHERE (address, client, pool, reason) IN"
    " (SELECT address, client, pool, reason FROM attempts ORDER BY last DESC LIMIT -1 OFFSET ?)"
)


def add(connection: sqlite3.Connection, attempts: Iterable[Attempt]) -> None:
    """Add attempts to those of the same key."""
    connection.executemany(_ADD, [[encoded(getattr(attempt, column)) for column in _TYPES] for attempt in attempts])


def trim(connection: sqlite3.Connection, most: int) -> None:
    """Delete all but the `most` attempts with the latest requests."""
    connection.execute(_TRIM, (most,))


def find_all(connection: sqlite3.Connection) -> list[Attempt]:
    """Return all attempts, the latest request first; raises StoreUnavailable if one does not decode."""
    return [_attempt(found) for found in connection.execute(_FIND).fetchall()]


def _attempt(found: tuple[Column, ...]) -> Attempt:
    try:
        fields = {column: decoded(value, hint) for (column, hint), value in zip(_TYPES.items(), found, strict=True)}
    except ValueError as error:
        raise undecodable("attempt", str(found[0]), str(error)) from error
    return Attempt(**fields)
