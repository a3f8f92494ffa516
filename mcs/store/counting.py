"""Keeps the counters in pools' status true to the nodes that are stored. Runs in a transaction that others begin.

Rule 1: counts that somebody else brought stay: whoever wrote a status counts for it.
Rule 2: what is counted here says so, in a member of the status that goes where the status goes. A document that was
read, edited and applied again is thus counted anew, instead of claiming old counts for a new spec.
Rule 3: a pool that says nothing of its nodes (no nodeSelector) is left alone until it was counted once.
"""

import sqlite3

from mcs.jsondata import JSONObject, lookup, object_at
from mcs.machineconfig.membership import counted, members
from mcs.machineconfig.names import POOL_COUNTS, STATUS_COUNTED, Kind
from mcs.machineconfig.selectors import is_empty
from mcs.store import object_tables
from mcs.store.documents import Content, same
from mcs.store.object_tables import Row

__all__ = ["COUNTED_KINDS", "recount"]

COUNTED_KINDS = frozenset({Kind.POOL, Kind.NODE})  # a change of one of these may change counts

_COUNTS = {"configuration", *POOL_COUNTS}  # what counting writes, besides the generation that it is about


def recount(connection: sqlite3.Connection) -> None:
    """Bring the counters of all pools that are counted here up to date; what is true already is not written."""
    rows = object_tables.find_all(connection, Kind.POOL)
    wanted = [row for row in rows if _is_ours(row.content.body)]
    if not wanted:
        return
    nodes = [_document(row) for row in object_tables.find_all(connection, Kind.NODE)]
    own = members(nodes, [_document(row) for row in rows])
    for row in wanted:
        status: JSONObject = {**counted(_document(row), own.get(row.name, ())), STATUS_COUNTED: True}
        if not same(status, row.content.body.get("status")):
            content = Content(row.content.metadata, {**row.content.body, "status": status}, row.content.generation)
            object_tables.update(connection, Kind.POOL, row, content)


def _is_ours(body: JSONObject) -> bool:
    status = object_at(body, "status")
    if STATUS_COUNTED in status:
        return status[STATUS_COUNTED] is True
    return not is_empty(lookup(body, "spec", "nodeSelector")) and not _COUNTS & status.keys()


def _document(row: Row) -> JSONObject:
    """Return what counting reads of an object."""
    metadata: JSONObject = {**row.content.metadata, "name": row.name, "generation": row.content.generation}
    return {**row.content.body, "metadata": metadata}
