"""Items of one list, or of lists that share their keys, that are the same one: spec 3 says each thing once. Pure."""

from collections.abc import Iterator
from functools import cache

from mcs.ignition.fields import CONCATENATED, ListOf, Struct
from mcs.ignition.keys import Key, key_of
from mcs.ignition.report import Entry, Kind, Path
from mcs.ignition.versions import SpecVersion
from mcs.jsondata import JSON

__all__ = ["duplicates"]


def duplicates(struct: Struct, value: JSON, version: SpecVersion, path: Path = ()) -> Iterator[Entry]:
    """Report every item that an earlier one is the same as, by the keys of the table. value: well-typed, or null.

    Lists of an object are looked at by name: a directory comes before the file of its path, which is then the repeat.

    >>> from mcs.ignition.schema import CONFIG
    >>> config = {"storage": {"files": [{"path": "/a"}], "directories": [{"path": "/a"}]}}
    >>> [str(entry) for entry in duplicates(CONFIG, config, SpecVersion(3, 0))]
    ['error at $.storage.files.0: duplicate entry defined']
    """
    if not isinstance(value, dict):
        return
    members = [(name, kind, value[name]) for name, kind in _members(struct, version) if value.get(name)]
    seen: dict[str, set[Key]] = {}
    for name, kind, member in members:
        if isinstance(kind, ListOf) and kind.key is not CONCATENATED and isinstance(member, list):
            keys = seen.setdefault(kind.group or name, set())
            for index, item in enumerate(member):
                key = key_of(kind, item)
                if key in keys:
                    yield Entry(Kind.ERROR, (*path, name, index), "duplicate entry defined")
                keys.add(key)
    for name, kind, member in members:
        if isinstance(kind, Struct):
            yield from duplicates(kind, member, version, (*path, name))
        elif isinstance(kind.element, Struct) and isinstance(member, list):
            for index, item in enumerate(member):
                yield from duplicates(kind.element, item, version, (*path, name, index))


@cache
def _members(struct: Struct, version: SpecVersion) -> tuple[tuple[str, ListOf | Struct], ...]:
    """Return the lists and objects of that spec that may hold a repeat, in the order of their names."""
    known = ((name, field.type) for name, field in sorted(struct.fields.items()) if field.since <= version)
    return tuple((name, kind) for name, kind in known if isinstance(kind, (ListOf, Struct)) and _matters(kind, version))


def _matters(kind: ListOf | Struct, version: SpecVersion) -> bool:
    if isinstance(kind, ListOf):
        return kind.key is not CONCATENATED or (isinstance(kind.element, Struct) and _matters(kind.element, version))
    return bool(_members(kind, version))
