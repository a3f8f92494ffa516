"""Objects in the embedded store's tables `objects`, `bodies` and `changed`. Runs in a transaction that others begin."""

import sqlite3
import uuid
from dataclasses import dataclass, replace

from mcs.jsondata import JSONObject, texts_at
from mcs.machineconfig.metadata import Metadata, is_rendered
from mcs.machineconfig.names import Kind, is_dns_subdomain
from mcs.store.documents import Content, decode, document_of, encode
from mcs.store.failures import undecodable
from mcs.store.interface import Stored

__all__ = [
    "Row",
    "delete",
    "find",
    "find_all",
    "find_all_metadata",
    "find_metadata",
    "insert",
    "next_version",
    "stored_of",
    "token_of",
    "update",
]

_HEAD = "SELECT name, uid, resource_version, generation, created, metadata FROM objects WHERE kind = ?"
_WHOLE = (
    "SELECT name, uid, resource_version, generation, created, metadata, body"
    " FROM objects LEFT JOIN bodies ON bodies.object = objects.id WHERE kind = ?"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One object as stored. created: seconds since 1970."""

    name: str
    uid: str
    resource_version: int
    created: float
    content: Content


def find(connection: sqlite3.Connection, kind: Kind, name: str) -> Row | None:
    """Return one object, or None; raises StoreUnavailable if it does not decode."""
    found = _find(connection, _WHOLE, kind, name)
    return _row(kind, found) if found is not None else None


def find_all(connection: sqlite3.Connection, kind: Kind) -> list[Row]:
    """Return all objects of a kind, by name; raises StoreUnavailable if one does not decode."""
    return [_row(kind, found) for found in _find_all(connection, _WHOLE, kind)]


def find_metadata(connection: sqlite3.Connection, kind: Kind, name: str) -> Metadata | None:
    """Return one object's metadata without reading its body, or None; raises StoreUnavailable."""
    found = _find(connection, _HEAD, kind, name)
    return _metadata(kind, _row(kind, (*found, "{}"))) if found is not None else None


def find_all_metadata(connection: sqlite3.Connection, kind: Kind) -> list[Metadata]:
    """Return the metadata of all objects of a kind, by name, without reading their bodies; raises StoreUnavailable."""
    return [_metadata(kind, _row(kind, (*found, "{}"))) for found in _find_all(connection, _HEAD, kind)]


def stored_of(kind: Kind, row: Row) -> Stored[JSONObject]:
    """Return an object as the store hands it out."""
    document = document_of(kind, row.name, row.uid, row.resource_version, row.created, row.content)
    return Stored(row.name, row.uid, row.resource_version, row.created, document)


def token_of(connection: sqlite3.Connection, kind: Kind) -> int:
    """Return a number that is another one after each change of an object of the kind."""
    (token,) = connection.execute("SELECT token FROM changed WHERE kind = ?", (kind.kind,)).fetchone()
    return int(token)


def next_version(connection: sqlite3.Connection) -> int:
    """Take the next resourceVersion of the one sequence; it is used only if the transaction is committed."""
    connection.execute("UPDATE sequence SET latest = latest + 1")
    (version,) = connection.execute("SELECT latest FROM sequence").fetchone()
    return int(version)


def insert(connection: sqlite3.Connection, kind: Kind, name: str, created: float, content: Content) -> None:
    """Create an object under a new uid; raises DocumentRefused for what is no JSON."""
    metadata, body = encode(content.metadata), encode(content.body)
    cursor = connection.execute(
        "INSERT INTO objects (kind, name, uid, resource_version, generation, created, metadata)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (kind.kind, name, str(uuid.uuid4()), next_version(connection), content.generation, created, metadata),
    )
    connection.execute("INSERT INTO bodies (object, body) VALUES (?, ?)", (cursor.lastrowid, body))
    _touch(connection, kind)


def update(connection: sqlite3.Connection, kind: Kind, row: Row, content: Content) -> Row:
    """Write new content over an object and return it as stored; a body that is the very same is not written.

    Raises DocumentRefused for what is no JSON.
    """
    version = next_version(connection)
    connection.execute(
        "UPDATE objects SET resource_version = ?, generation = ?, metadata = ? WHERE kind = ? AND name = ?",
        (version, content.generation, encode(content.metadata), kind.kind, row.name),
    )
    if content.body is not row.content.body:
        connection.execute(
            "UPDATE bodies SET body = ? WHERE object = (SELECT id FROM objects WHERE kind = ? AND name = ?)",
            (encode(content.body), kind.kind, row.name),
        )
    _touch(connection, kind)
    return replace(row, resource_version=version, content=content)


def delete(connection: sqlite3.Connection, kind: Kind, name: str) -> None:
    """Delete an object with its body; the deletion takes a resourceVersion too."""
    connection.execute("DELETE FROM objects WHERE kind = ? AND name = ?", (kind.kind, name))
    next_version(connection)
    _touch(connection, kind)


def _touch(connection: sqlite3.Connection, kind: Kind) -> None:
    # Not a counter: a file restored from a backup would count to the same number again, for other objects.
    connection.execute("UPDATE changed SET token = random() WHERE kind = ?", (kind.kind,))


def _find(connection: sqlite3.Connection, query: str, kind: Kind, name: str) -> tuple[object, ...] | None:
    if not is_dns_subdomain(name):  # nothing is stored under such a name, which need not even be encodable
        return None
    found: tuple[object, ...] | None = connection.execute(f"{query} AND name = ?", (kind.kind, name)).fetchone()
    return found


def _find_all(connection: sqlite3.Connection, query: str, kind: Kind) -> list[tuple[object, ...]]:
    # All at once: a cursor that is left half-way by an exception would keep its snapshot beyond the transaction.
    return connection.execute(f"{query} ORDER BY name", (kind.kind,)).fetchall()


def _row(kind: Kind, found: tuple[object, ...]) -> Row:
    name, uid, version, generation, created, metadata, body = found
    if not (isinstance(name, str) and isinstance(uid, str) and isinstance(created, float)):
        raise undecodable(kind.kind, str(name), "its metadata is of another type")
    if not (isinstance(version, int) and isinstance(generation, int)):
        raise undecodable(kind.kind, name, "its version is no number")
    if not (isinstance(metadata, str) and isinstance(body, str)):
        raise undecodable(kind.kind, name, "a part of it is missing")
    try:
        content = Content(decode(metadata), decode(body), generation)
    except ValueError as error:
        raise undecodable(kind.kind, name, str(error)) from error
    return Row(name, uid, version, created, content)


def _metadata(kind: Kind, row: Row) -> Metadata:
    return Metadata(
        name=row.name,
        uid=row.uid,
        resource_version=row.resource_version,
        generation=row.content.generation,
        created=row.created,
        rendered=kind is Kind.CONFIG and is_rendered({"metadata": {**row.content.metadata, "name": row.name}}),
        labels=texts_at(row.content.metadata, "labels"),
        annotations=texts_at(row.content.metadata, "annotations"),
    )
