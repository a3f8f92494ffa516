"""Configs of spec 3 laid over one another, as a client does with what it fetches, derived from the table of fields.

Pure. Nothing but types is checked, and two valid configs may make an invalid one: whoever needs to know validates.
"""

import copy
from collections.abc import Mapping, Sequence
from functools import cache

from mcs.ignition.errors import InvalidConfig
from mcs.ignition.fields import CONCATENATED, ListOf, Scalar, Struct
from mcs.ignition.keys import Key, key_of
from mcs.ignition.plain import is_plain
from mcs.ignition.tables import table
from mcs.ignition.versions import SPEC_3, SpecVersion, declared_version, declaring
from mcs.ignition.walk import Walk
from mcs.jsondata import JSON, JSONObject, list_at, lookup

__all__ = ["merge"]


def merge(parent: JSONObject, *children: JSONObject) -> JSONObject:
    """Return the parent with each child laid over it in turn; the inputs stay as they are and share nothing with it.

    A scalar that the child sets wins, objects merge member by member, lists item by item: an item of the child merges
    into the parent's item of the same key, or comes after all of them. Lists without keys are concatenated. An HTTP
    header without a value takes the parent's header away; a file takes away a directory or link at its path, and so
    on. These are the rules of the reference, coreos/ignition's config/merge.

    Configs of different specs are converted up to the newest of them first. A member that the config's own spec does
    not know is left out, as conversion does. The time taken is linear in the size of all configs together where no list
    has a key twice, which is invalid: many configs are best given at once.

    >>> merge(
    ...     {"ignition": {"version": "3.4.0"}, "systemd": {"units": [{"name": "a.service", "enabled": True}]}},
    ...     {"ignition": {"version": "3.4.0"}, "systemd": {"units": [{"name": "a.service", "mask": True}]}},
    ... )
    {'ignition': {'version': '3.4.0'}, 'systemd': {'units': [{'name': 'a.service', 'enabled': True, 'mask': True}]}}

    Raises InvalidConfig at the first value of a wrong type, and at the version of a config of spec 2 (it has to be
    converted first); InvalidVersion and UnknownVersion for the version of a config.
    """
    configs = (parent, *children)
    versions = [_own_spec(config) for config in configs]
    newest = max(versions)
    contributions = [
        Walk(version).object(table(version), config, (), newest)
        for config, version in zip(configs, versions, strict=True)
    ]
    return declaring(_objects(table(newest), contributions, newest), newest)


def _own_spec(config: JSONObject) -> SpecVersion:
    version = declared_version(config)
    if version not in SPEC_3:
        raise InvalidConfig.at(
            ("ignition", "version"), f"spec {version} cannot be merged: the config has to be converted to spec 3 first"
        )
    return version


# From here on contributions are what the walk made: well-typed and in one spec, the parent's first. What is not used by
# two places of the result may become part of it.

# A plain member of the child wins only where it or its optional companion says something: the reference keeps the two
# in an object of their own.
_COMPANIONS = {("link", "target"): "hard"}


def _objects(struct: Struct, contributions: Sequence[JSONObject], version: SpecVersion) -> JSONObject:
    """Merge objects of one kind. (The reference skips one that is zero altogether; only _COMPANIONS make that show.)"""
    if len(contributions) == 1:
        return contributions[0]
    result: JSONObject = {}
    done: set[str] = set()
    for name in dict.fromkeys(name for contribution in contributions for name in contribution):
        if name in done:
            continue
        field = struct.fields[name]
        values = [value for contribution in contributions if (value := contribution.get(name)) is not None]
        if isinstance(field.type, ListOf) and field.type.key is not CONCATENATED:
            lists = _lists_with_common_keys(struct, name)
            result |= _keyed_lists(lists, contributions, version)
            done.update(lists)
        elif isinstance(field.type, ListOf):
            result[name] = [item for value in values if isinstance(value, list) for item in value]
        elif isinstance(field.type, Struct):
            objects = [value for value in values if isinstance(value, dict)]
            if objects:
                result[name] = _objects(field.type, objects, version)
        elif is_plain(field, version):  # absence means zero, and a later zero wins
            result[name] = _last_plain(struct, name, contributions)
        elif values:
            result[name] = values[-1]
    return result


def _last_plain(struct: Struct, name: str, contributions: Sequence[JSONObject]) -> JSON:
    """Return what the last object says, or with a companion the last one in which either says anything."""
    kind = struct.fields[name].type
    assert isinstance(kind, Scalar)
    companion = _COMPANIONS.get((struct.name, name))
    last = contributions[-1]
    if companion is not None:
        telling = (one for one in reversed(contributions) if one.get(name) or one.get(companion) is not None)
        last = next(telling, last)
    value = last.get(name)
    return kind.zero if value is None else value


@cache
def _lists_with_common_keys(struct: Struct, name: str) -> Mapping[str, ListOf]:
    """Return the list and the others of its group, in the order of their names.

    Where one config has a key in several of them, which is invalid, the last one counts, as it does for the reference.
    """
    lists = {other: field.type for other, field in sorted(struct.fields.items()) if isinstance(field.type, ListOf)}
    group = lists[name].group
    return {other: kind for other, kind in lists.items() if other == name or (group and kind.group == group)}


class _KeyedList:
    """A list in the making. slots: what contributes to each item, empty where it was taken away; places: by key."""

    def __init__(self) -> None:
        self.slots: list[list[JSON]] = []
        self.places: dict[Key, list[int]] = {}

    def append(self, key: Key, item: JSON) -> None:
        self.places.setdefault(key, []).append(len(self.slots))
        self.slots.append([item])

    def remove(self, key: Key) -> None:
        for place in self.places.pop(key):
            self.slots[place] = []

    def lay_over(self, key: Key, item: JSON) -> None:
        for count, place in enumerate(self.places[key]):
            self.slots[place].append(copy.deepcopy(item) if count else item)


def _keyed_lists(lists: Mapping[str, ListOf], contributions: Sequence[JSONObject], version: SpecVersion) -> JSONObject:
    """Merge the lists of a group: an item is looked up in its own list, and takes away what has its key in another."""
    made = {name: _KeyedList() for name in lists}
    for contribution in contributions:
        keyed = {
            name: [(key_of(kind, item), item) for item in list_at(contribution, name)] for name, kind in lists.items()
        }
        last = {key: (name, item) for name, items in keyed.items() for key, item in items}
        new = {
            name: [(key, item) for key, item in items if key not in made[name].places] for name, items in keyed.items()
        }
        for key, (owner, item) in last.items():
            for name, target in made.items():
                if key not in target.places:
                    continue
                if name == owner and not _takes_away(lists[name], item):
                    target.lay_over(key, item)
                else:
                    target.remove(key)
        for name, items in new.items():
            for key, item in items:
                made[name].append(key, item)
    return {
        name: merged
        for name, kind in lists.items()
        if (merged := [_item(kind.element, slot, version) for slot in made[name].slots if slot])
    }


def _takes_away(kind: ListOf, item: JSON) -> bool:
    """Tell whether the item removes the parent's rather than merging into it: an HTTP header without a value."""
    return bool(kind.needed) and lookup(item, kind.needed) is None


def _item(kind: Scalar | Struct, contributions: Sequence[JSON], version: SpecVersion) -> JSON:
    if isinstance(kind, Scalar):
        return contributions[-1]
    return _objects(kind, [item for item in contributions if isinstance(item, dict)], version)
