"""Records in the embedded store's tables `holds`, `boot_leases`, `heartbeats` and `clock`.

Columns are the fields of the records in mcs.boot.records, under the same names. Runs in a transaction that others
begin. A record's name: `hold-<worker>-<digest of the config's name>`, a boot lease's own, `heartbeat-<worker>`. (Two
pools' rendered configs may bear one hash, so the hash in a config's name does not tell holds apart.)
"""

import hashlib
import sqlite3
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar, get_type_hints

from mcs.boot.records import BootLease, Heartbeat, Hold
from mcs.store.columns import Column, decoded, encoded, text
from mcs.store.failures import undecodable
from mcs.store.interface import RecordKind, Stored
from mcs.store.object_tables import next_version

__all__ = [
    "BOOT_LEASES",
    "HEARTBEATS",
    "HOLDS",
    "TABLES",
    "RecordTable",
    "advance_clock",
    "count_by_pool",
    "heartbeat_name",
    "hold_name",
    "latest_time",
    "set_clock",
]

T = TypeVar("T", bound=Hold | BootLease | Heartbeat)


def hold_name(worker: str, config: str) -> str:
    """Return the name of a worker's hold on a config."""
    return f"hold-{worker}-{hashlib.sha256(text(config).encode()).hexdigest()[:32]}"


def heartbeat_name(worker: str) -> str:
    """Return the name of a worker's heartbeat."""
    return f"heartbeat-{worker}"


@dataclass(frozen=True, slots=True)
class RecordTable(Generic[T]):
    """One table of records. order: the columns by which all are listed."""

    kind: RecordKind
    table: str
    record: type[T]
    name_of: Callable[[T], str]
    order: str
    _columns: dict[str, Any] = field(init=False)  # beside the store's own, with the types of their values

    def __post_init__(self) -> None:
        columns = {column: hint for column, hint in get_type_hints(self.record).items() if column != "name"}
        object.__setattr__(self, "_columns", columns)

    def find(self, connection: sqlite3.Connection, name: str) -> Stored[T] | None:
        """Return one record, or None; raises StoreUnavailable if it does not decode."""
        found = connection.execute(f"{self._select()} WHERE name = ?", (text(name),)).fetchone()
        return self._stored(found) if found is not None else None

    def find_all(self, connection: sqlite3.Connection) -> list[Stored[T]]:
        """Return all records in the table's order; raises StoreUnavailable if one does not decode."""
        # All at once: a cursor that is left half-way by an exception would keep its snapshot beyond the transaction.
        rows = connection.execute(f"{self._select()} ORDER BY {self.order}").fetchall()
        return [self._stored(found) for found in rows]

    def put(self, connection: sqlite3.Connection, record: T, created: float) -> None:
        """Create or replace a record; one that is replaced keeps uid and creation time (seconds since 1970)."""
        columns = ["name", "uid", "created", "resource_version", *self._columns]
        replaced = ", ".join(f"{column} = excluded.{column}" for column in columns[3:])
        values = [encoded(getattr(record, column)) for column in self._columns]
        connection.execute(
            f"INSERT INTO {self.table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
            f" ON CONFLICT (name) DO UPDATE SET {replaced}",
            (text(self.name_of(record)), str(uuid.uuid4()), created, next_version(connection), *values),
        )

    def delete(self, connection: sqlite3.Connection, name: str) -> None:
        """Delete a record; the deletion takes a resourceVersion too."""
        connection.execute(f"DELETE FROM {self.table} WHERE name = ?", (text(name),))  # noqa: S608
        next_version(connection)

    def _select(self) -> str:
        # All that is formatted into statements are this module's own names.
        columns = ", ".join(self._columns)
        return f"SELECT name, uid, resource_version, created, {columns} FROM {self.table}"  # noqa: S608

    def _stored(self, found: tuple[Column, ...]) -> Stored[T]:
        name, uid, version, created, *values = found
        if not (isinstance(name, str) and isinstance(uid, str) and isinstance(version, int)):
            raise undecodable(self.kind.value, str(name), "its name, uid or version is of another type")
        try:
            hints = self._columns.items()
            members = {column: decoded(value, hint) for (column, hint), value in zip(hints, values, strict=True)}
            stamp = decoded(created, float)
        except ValueError as error:
            raise undecodable(self.kind.value, name, str(error)) from error
        if any(known.name == "name" for known in fields(self.record)):
            members["name"] = name
        return Stored(name, uid, version, stamp, self.record(**members))


HOLDS: RecordTable[Hold] = RecordTable(
    RecordKind.HOLD, "holds", Hold, lambda hold: hold_name(hold.worker, hold.config), "name"
)
BOOT_LEASES: RecordTable[BootLease] = RecordTable(
    RecordKind.BOOT_LEASE, "boot_leases", BootLease, lambda lease: lease.name, "fetched, name"
)
HEARTBEATS: RecordTable[Heartbeat] = RecordTable(
    RecordKind.HEARTBEAT, "heartbeats", Heartbeat, lambda heartbeat: heartbeat_name(heartbeat.worker), "name"
)
TABLES: dict[RecordKind, RecordTable[Hold] | RecordTable[BootLease] | RecordTable[Heartbeat]] = {
    RecordKind.HOLD: HOLDS,
    RecordKind.BOOT_LEASE: BOOT_LEASES,
    RecordKind.HEARTBEAT: HEARTBEATS,
}


def count_by_pool(connection: sqlite3.Connection, at: float) -> dict[str, int]:
    """Return how many boot leases each pool has that have neither ended nor run out by then."""
    live = "SELECT pool, count(*) FROM boot_leases WHERE ended IS NULL AND renewed + duration >= ? GROUP BY pool"
    return dict(connection.execute(live, (at,)))


# ---- the latest time that anybody wrote


def latest_time(connection: sqlite3.Connection) -> float:
    """Return the latest time that anybody wrote into a record, in seconds since 1970; 0 if nobody did."""
    (latest,) = connection.execute("SELECT latest FROM clock").fetchone()
    return float(latest)


def advance_clock(connection: sqlite3.Connection, written: float) -> None:
    """Note that a record was written with this time; the latest one never goes back by this."""
    connection.execute("UPDATE clock SET latest = ? WHERE latest < ?", (written, written))


def set_clock(connection: sqlite3.Connection, now: float) -> None:
    """Say that the latest time that anybody wrote is `now`, whatever was written."""
    connection.execute("UPDATE clock SET latest = ?", (now,))
