"""The embedded store: one SQLite file for the threads and processes of one host. Knows rules, no tables and no errors.

Each method is one transaction, on a connection of the calling thread. The file is opened at the first call, so that a
store may be made before a fork and used after it. Never open the file by other means in a process that uses the store.
"""

import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from mcs.boot.records import Attempt, BootLease, Heartbeat, Hold
from mcs.jsondata import JSONObject, text_at
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import Kind, is_dns_subdomain
from mcs.store import attempt_table, object_tables, record_tables
from mcs.store.connections import Connections
from mcs.store.counting import COUNTED_KINDS, recount
from mcs.store.documents import DocumentRefused, patched, replaced, same
from mcs.store.interface import (
    MAX_ATTEMPTS,
    Change,
    Conflict,
    HoldAck,
    NotFound,
    ObjectRefused,
    PoolsView,
    RecordKind,
    Stored,
)
from mcs.store.opening import mount_table, open_file
from mcs.store.record_tables import BOOT_LEASES, HEARTBEATS, HOLDS, TABLES
from mcs.store.schema import MIGRATIONS, Migration

__all__ = ["EmbeddedStore"]


class EmbeddedStore:
    """A Store (see mcs.store.interface) in one SQLite file, which is made if its directory exists.

    path: of the file; a relative one is taken from the working directory at once. address: for messages.
    create: whether a file that is not there is made, else it is StoreUnusable. now: returns the time in seconds since
    1970. mounts: returns the text of /proc/self/mountinfo.
    """

    server_unmarks = True  # there is no controller beside it that would
    counts_machines = True  # nor one that counts

    def __init__(
        self,
        path: Path,
        *,
        address: str | None = None,
        now: Callable[[], float] = time.time,
        mounts: Callable[[], str] = mount_table,
        migrations: Sequence[Migration] = MIGRATIONS,
        create: bool = True,
    ) -> None:
        self._path = path.absolute()
        self._address = address if address is not None else f"sqlite:///{path}"
        self._now = now
        self._connections = Connections(self._path, lambda: open_file(self._path, migrations, mounts, create=create))
        self._pools: PoolsView | None = None

    @property
    def address(self) -> str:
        """What `--store` was."""
        return self._address

    def close(self) -> None:
        """Close the connections of all threads of this process. The store may be used again: it opens anew."""
        self._connections.close()

    # ---- objects

    def get(self, kind: Kind, name: str) -> Stored[JSONObject] | None:
        """Return one object, or None."""
        with self._connections.read() as connection:
            row = object_tables.find(connection, kind, name)
        return object_tables.stored_of(kind, row) if row is not None else None

    def metadata(self, kind: Kind, name: str) -> Metadata | None:
        """Return one object's metadata, or None; its body is not read."""
        with self._connections.read() as connection:
            return object_tables.find_metadata(connection, kind, name)

    def objects(self, kind: Kind) -> list[Stored[JSONObject]]:
        """Return all objects of a kind, by name."""
        with self._connections.read() as connection:
            rows = object_tables.find_all(connection, kind)
        return [object_tables.stored_of(kind, row) for row in rows]

    def all_metadata(self, kind: Kind) -> list[Metadata]:
        """Return the metadata of all objects of a kind, by name; no body is read."""
        with self._connections.read() as connection:
            return object_tables.find_all_metadata(connection, kind)

    def version(self, kind: Kind) -> int:
        """Return a number that is another one after each change of an object of the kind, by whatever process."""
        with self._connections.read() as connection:
            return object_tables.token_of(connection, kind)

    def pools(self) -> PoolsView:
        """Return all pools, decoded anew only after some process changed one; age is always 0."""
        known = self._pools
        with self._connections.read() as connection:
            token = object_tables.token_of(connection, Kind.POOL)
            if known is not None and known.version == token:
                return known
            rows = object_tables.find_all(connection, Kind.POOL)
        view = PoolsView(token, tuple(object_tables.stored_of(Kind.POOL, row) for row in rows), 0.0)
        self._pools = view
        return view

    def apply(self, documents: Sequence[tuple[Kind, JSONObject]]) -> list[Change]:
        """Create or replace objects, all or none; see Store.apply. Raises ObjectRefused."""
        created = self._now()
        changes = []
        with self._connections.write() as connection:
            for index, (kind, document) in enumerate(documents):
                try:
                    changes.append(_apply(connection, kind, document, created))
                except DocumentRefused as error:
                    raise ObjectRefused(index, str(error)) from error
            if any(change.kind in COUNTED_KINDS and change.outcome != "unchanged" for change in changes):
                recount(connection)
        return changes

    def create(self, kind: Kind, document: JSONObject) -> bool:
        """Create an object unless there is one of its name; see Store.create. Raises ObjectRefused."""
        name = text_at(document, "metadata", "name")
        created = self._now()
        with self._connections.write() as connection:
            if name is not None and object_tables.find_metadata(connection, kind, name) is not None:
                return False
            try:
                _apply(connection, kind, document, created)
            except DocumentRefused as error:
                raise ObjectRefused(0, str(error)) from error
            if kind in COUNTED_KINDS:
                recount(connection)
        return True

    def patch(
        self, kind: Kind, name: str, patch: JSONObject, *, uid: str | None = None, resource_version: int | None = None
    ) -> Stored[JSONObject]:
        """Apply a JSON merge patch under preconditions; see Store.patch. Raises NotFound, Conflict, ObjectRefused."""
        with self._connections.write() as connection:
            row = _required(kind.kind, name, object_tables.find(connection, kind, name), uid, resource_version)
            try:
                content = patched(kind, name, row.content, patch)
                if content.body is not row.content.body or not same(content.metadata, row.content.metadata):
                    row = object_tables.update(connection, kind, row, content)
                    if kind in COUNTED_KINDS:
                        recount(connection)
                        row = object_tables.find(connection, kind, name) or row
            except DocumentRefused as error:
                raise ObjectRefused(0, str(error)) from error
        return object_tables.stored_of(kind, row)

    def delete(self, kind: Kind, name: str, *, uid: str | None = None, resource_version: int | None = None) -> None:
        """Delete one object under preconditions, whatever its finalizers; raises NotFound, Conflict."""
        with self._connections.write() as connection:
            _required(kind.kind, name, object_tables.find_metadata(connection, kind, name), uid, resource_version)
            object_tables.delete(connection, kind, name)
            if kind in COUNTED_KINDS:
                recount(connection)

    # ---- records

    def put_hold(self, hold: Hold, *, acked: float | None) -> HoldAck:
        """Create or renew the hold of (worker, config); see Store.put_hold."""
        with self._connections.write() as connection:
            stored = HOLDS.find(connection, record_tables.hold_name(hold.worker, hold.config))
            latest = record_tables.latest_time(connection)
            if stored is not None:  # neither its renewal nor its end goes back
                renewed = max(stored.value.renewed, hold.renewed)
                lasting = max(stored.value.expires, hold.expires)
                HOLDS.put(connection, replace(hold, renewed=renewed, duration=lasting - renewed), self._now())
            else:
                HOLDS.put(connection, hold, self._now())
            record_tables.advance_clock(connection, hold.renewed)
        lost = acked is not None and (stored is None or stored.value.renewed < acked)
        return HoldAck(lost, latest if latest > hold.renewed else None)

    def holds(self) -> list[Stored[Hold]]:
        """Return all holds, by name."""
        with self._connections.read() as connection:
            return HOLDS.find_all(connection)

    def put_boot_leases(self, leases: Sequence[BootLease]) -> None:
        """Create or replace boot leases by name, in one transaction. An ended lease stays as it is."""
        with self._connections.write() as connection:
            for lease in leases:
                stored = BOOT_LEASES.find(connection, lease.name)
                if stored is None or stored.value.ended is None:
                    BOOT_LEASES.put(connection, lease, self._now())
                record_tables.advance_clock(connection, lease.renewed)

    def boot_leases(self) -> list[Stored[BootLease]]:
        """Return all boot leases, oldest fetch first."""
        with self._connections.read() as connection:
            return BOOT_LEASES.find_all(connection)

    def count_boot_leases(self, *, at: float) -> dict[str, int]:
        """Return how many boot leases each pool has that have neither ended nor run out by then."""
        with self._connections.read() as connection:
            return record_tables.count_by_pool(connection, at)

    def end_boot_lease(self, name: str, *, uid: str, resource_version: int, node: str, ended: float) -> None:
        """Record that a lease's machine joined as `node`; raises NotFound, Conflict."""
        with self._connections.write() as connection:
            kind = RecordKind.BOOT_LEASE.value
            stored = _required(kind, name, BOOT_LEASES.find(connection, name), uid, resource_version)
            BOOT_LEASES.put(connection, replace(stored.value, node=node, ended=ended), self._now())

    def put_heartbeat(self, heartbeat: Heartbeat) -> None:
        """Create or replace the heartbeat of its worker."""
        with self._connections.write() as connection:
            HEARTBEATS.put(connection, heartbeat, self._now())
            record_tables.advance_clock(connection, heartbeat.renewed)

    def heartbeats(self) -> list[Stored[Heartbeat]]:
        """Return all heartbeats, by name."""
        with self._connections.read() as connection:
            return HEARTBEATS.find_all(connection)

    def put_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Add attempts to those of the same key, and keep the latest; see Store.put_attempts."""
        with self._connections.write() as connection:
            attempt_table.add(connection, attempts)
            attempt_table.trim(connection, MAX_ATTEMPTS)

    def attempts(self) -> list[Attempt]:
        """Return all attempts, the one with the latest request first."""
        with self._connections.read() as connection:
            return attempt_table.find_all(connection)

    def delete_record(self, kind: RecordKind, name: str, *, uid: str, resource_version: int) -> None:
        """Delete one record under preconditions; raises NotFound, Conflict."""
        table = TABLES[kind]
        with self._connections.write() as connection:
            _required(kind.value, name, table.find(connection, name), uid, resource_version)
            table.delete(connection, name)

    # ---- beyond the interface

    def reset_clock(self) -> None:
        """Set the store's idea of now to this host's clock.

        For the case that a host whose clock was far ahead wrote a record: every worker would be told that its own
        clock is off until that time has come. Correct that host's clock, or stop it, before.
        """
        with self._connections.write() as connection:
            record_tables.set_clock(connection, self._now())


class _Versioned(Protocol):
    @property
    def uid(self) -> str: ...
    @property
    def resource_version(self) -> int: ...


V = TypeVar("V", bound=_Versioned)


def _required(kind: str, name: str, found: V | None, uid: str | None, resource_version: int | None) -> V:
    """Return what was found if it is what the caller means; raises NotFound, Conflict."""
    if found is None:
        raise NotFound(kind, name)
    if uid is not None and found.uid != uid:
        raise Conflict(kind, name, "uid", uid, found.uid)
    if resource_version is not None and found.resource_version != resource_version:
        raise Conflict(kind, name, "resourceVersion", resource_version, found.resource_version)
    return found


def _apply(connection: sqlite3.Connection, kind: Kind, document: JSONObject, created: float) -> Change:
    name = text_at(document, "metadata", "name")
    if name is None:
        raise DocumentRefused(f"the {kind.kind} has no metadata.name")
    if not is_dns_subdomain(name):
        raise DocumentRefused(f"metadata.name {name!r} of the {kind.kind} is no name that an object can have")
    row = object_tables.find(connection, kind, name)
    content = replaced(kind, name, row.content if row is not None else None, document)
    if row is None:
        object_tables.insert(connection, kind, name, created, content)
        return Change(kind, name, "created")
    if content.body is row.content.body and same(content.metadata, row.content.metadata):
        return Change(kind, name, "unchanged")
    object_tables.update(connection, kind, row, content)
    return Change(kind, name, "configured")
