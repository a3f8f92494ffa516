"""The tables of the embedded store's file, and how a file of an older version becomes one of this version.

objects    one row an object: its metadata. `metadata` is JSON of what the store does not own (labels, annotations).
bodies     the rest of an object's document as JSON, apart: a mark does not rewrite it, metadata does not read it.
holds, boot_leases, heartbeats
           one row a record; columns as the fields of mcs.boot.records, times in seconds since 1970.
sequence   one row: the latest resourceVersion that was given out, to whatever object or record.
changed    one row a kind of objects: a random token, another one after each change of any object of the kind.
clock      one row: the latest time that anybody wrote into a record.
attempts   one row for all refused requests of the same key; columns as the fields of Attempt. Since version 2.

PRAGMA application_id says that the file is ours, PRAGMA user_version which migrations it has seen. A migration that was
ever released is never edited: it is followed by another.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from mcs.store.interface import StoreUnusable

__all__ = ["APPLICATION_ID", "MIGRATIONS", "Migration", "file_version", "migrate"]

Migration = Sequence[str]

APPLICATION_ID = 0x6D637331  # "mcs1"

_VERSION_1: Migration = (
    """
    CREATE TABLE objects (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        uid TEXT NOT NULL,
        resource_version INTEGER NOT NULL,
        generation INTEGER NOT NULL,
        created REAL NOT NULL,
        metadata TEXT NOT NULL,
        UNIQUE (kind, name)
    )
    """,
    """
    CREATE TABLE bodies (
        object INTEGER PRIMARY KEY REFERENCES objects (id) ON DELETE CASCADE,
        body TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE holds (
        name TEXT PRIMARY KEY NOT NULL,
        uid TEXT NOT NULL,
        resource_version INTEGER NOT NULL,
        created REAL NOT NULL,
        worker TEXT NOT NULL,
        server TEXT NOT NULL,
        config TEXT NOT NULL,
        pools TEXT NOT NULL,
        acquired REAL NOT NULL,
        renewed REAL NOT NULL,
        duration REAL NOT NULL
    )
    """,
    """
    CREATE TABLE boot_leases (
        name TEXT PRIMARY KEY NOT NULL,
        uid TEXT NOT NULL,
        resource_version INTEGER NOT NULL,
        created REAL NOT NULL,
        boot_id TEXT,
        network TEXT,
        server TEXT NOT NULL,
        worker TEXT NOT NULL,
        pool TEXT NOT NULL,
        config TEXT NOT NULL,
        asked TEXT,
        served TEXT NOT NULL,
        address TEXT NOT NULL,
        client TEXT NOT NULL,
        fetched REAL NOT NULL,
        renewed REAL NOT NULL,
        duration REAL NOT NULL,
        count INTEGER NOT NULL,
        ended REAL,
        node TEXT
    )
    """,
    "CREATE INDEX boot_leases_by_pool ON boot_leases (pool, fetched)",
    "CREATE INDEX boot_leases_by_fetch ON boot_leases (fetched, name)",
    """
    CREATE TABLE heartbeats (
        name TEXT PRIMARY KEY NOT NULL,
        uid TEXT NOT NULL,
        resource_version INTEGER NOT NULL,
        created REAL NOT NULL,
        worker TEXT NOT NULL,
        server TEXT NOT NULL,
        version TEXT NOT NULL,
        started REAL NOT NULL,
        renewed REAL NOT NULL,
        duration REAL NOT NULL,
        recorded INTEGER NOT NULL,
        dropped INTEGER NOT NULL,
        lost_hold REAL
    )
    """,
    "CREATE TABLE sequence (one INTEGER PRIMARY KEY CHECK (one = 1), latest INTEGER NOT NULL)",
    "INSERT INTO sequence VALUES (1, 0)",
    "CREATE TABLE changed (kind TEXT PRIMARY KEY NOT NULL, token INTEGER NOT NULL)",
    "INSERT INTO changed VALUES ('MachineConfigPool', random()), ('MachineConfig', random()), ('Node', random())",
    "CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), latest REAL NOT NULL)",
    "INSERT INTO clock VALUES (1, 0)",
)

_VERSION_2: Migration = (
    """
    CREATE TABLE attempts (
        address TEXT NOT NULL,
        client TEXT NOT NULL,
        pool TEXT NOT NULL,
        reason TEXT NOT NULL,
        first REAL NOT NULL,
        last REAL NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (address, client, pool, reason)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX attempts_by_last ON attempts (last)",
)

# Entry n leads from version n to version n + 1; an empty file is of version 0.
MIGRATIONS: tuple[Migration, ...] = (_VERSION_1, _VERSION_2)


def file_version(connection: sqlite3.Connection, path: Path, newest: int) -> int:
    """Return the version of an opened file, 0 for an empty one. The connection must be in autocommit mode.

    Raises StoreUnusable for a file of another program or of a version above `newest`, sqlite3.Error.
    """
    # One snapshot: another process may be filling the file just now.
    connection.execute("BEGIN")
    try:
        return _version(connection, path, newest)
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Bring an opened file to the newest version, in one transaction. The connection must be in autocommit mode.

    Raises StoreUnusable, sqlite3.Error; the file is then as it was.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Looked at again: another process may have been faster.
        for migration in migrations[_version(connection, path, len(migrations)) :]:
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, path: Path, newest: int) -> int:
    application = _number(connection, "PRAGMA application_id")
    version = _number(connection, "PRAGMA user_version")
    if application != APPLICATION_ID:
        if application or version or _number(connection, "SELECT count(*) FROM sqlite_master"):
            raise StoreUnusable(f"{path} is a database of another program; name another file as the store")
        return 0
    if version > newest:
        raise StoreUnusable(
            f"{path} was written by a newer version of mcs (store version {version}, this one knows up to {newest});"
            " upgrade mcs here, or name another file as the store"
        )
    return version


def _number(connection: sqlite3.Connection, query: str) -> int:
    (number,) = connection.execute(query).fetchone()
    return int(number)
