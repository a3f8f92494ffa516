"""What is different between two specs of rendered configs: what was added, removed and changed, as data. Pure."""

import json
from dataclasses import dataclass
from enum import Enum

from mcs.ignition import IgnitionError, convert
from mcs.jsondata import JSON, JSONObject, compact, list_at, object_at
from mcs.machineconfig.components import COMMON_SPEC
from mcs.machineconfig.subjects import Subject, leaves, subjects

__all__ = ["Change", "Difference", "Leaf", "differences", "reordered"]


class Change(Enum):
    """What happened to a subject, as people read it."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One thing said of a subject, before and after; None where it is not said. path: "" for the subject itself."""

    path: str
    before: JSON
    after: JSON


@dataclass(frozen=True, slots=True)
class Difference:
    """One subject that differs. before, after: all that is said of it; leaves: what of that differs."""

    change: Change
    subject: Subject
    before: JSON
    after: JSON
    leaves: tuple[Leaf, ...]


def differences(before: JSONObject, after: JSONObject) -> list[Difference]:
    """Return how two rendered specs differ, of whatever Ignition specs they are; order counts for nothing here.

    >>> [(each.change.value, each.subject.name) for each in differences({"fips": False}, {"fips": True})]
    [('changed', 'fips')]
    """
    old, new = subjects(_comparable(before)), subjects(_comparable(after))
    found = []
    for subject in dict.fromkeys([*new, *old]):
        was, is_now = old.get(subject), new.get(subject)
        changed = _changed_leaves(was, is_now)
        if subject not in old:
            found.append(Difference(Change.ADDED, subject, None, is_now, changed))
        elif subject not in new:
            found.append(Difference(Change.REMOVED, subject, was, None, changed))
        elif changed:
            found.append(Difference(Change.CHANGED, subject, was, is_now, changed))
    return found


_ORDERED: tuple[tuple[str, ...], ...] = (
    ("kernelArguments",),
    ("extensions",),
    ("config", "kernelArguments", "shouldExist"),
    ("config", "ignition", "config", "merge"),
)


def reordered(before: JSONObject, after: JSONObject) -> list[Leaf]:
    """Return the lists whose order decides something and in which what both specs have stands in another order.

    >>> reordered({"kernelArguments": ["a", "b"]}, {"kernelArguments": ["b", "c", "a"]})
    [Leaf(path='kernelArguments', before=['a', 'b'], after=['b', 'a'])]
    """
    found = []
    for place in _ORDERED:
        old, new = ([compact(item) for item in list_at(spec, *place)] for spec in (before, after))
        common = {*old} & {*new}
        kept: list[JSON] = [json.loads(item) for item in dict.fromkeys(old) if item in common]
        now: list[JSON] = [json.loads(item) for item in dict.fromkeys(new) if item in common]
        if kept != now:
            found.append(Leaf(".".join(place), kept, now))
    return found


def _changed_leaves(before: JSON, after: JSON) -> tuple[Leaf, ...]:
    old, new = leaves(before), leaves(after)
    paths = dict.fromkeys([*new, *old])
    return tuple(Leaf(path, old.get(path), new.get(path)) for path in paths if not _same(old.get(path), new.get(path)))


def _same(one: JSON, other: JSON) -> bool:
    return type(one) is type(other) and one == other


def _comparable(spec: JSONObject) -> JSONObject:
    """Return the spec with its config at the common Ignition spec; as it is where that cannot be said."""
    try:
        config = convert(object_at(spec, "config"), COMMON_SPEC)
    except IgnitionError:  # nobody rendered it here: it is compared as it stands
        return spec
    ignition = {name: value for name, value in object_at(config, "ignition").items() if name != "version"}
    return {**spec, "config": {**config, "ignition": ignition}}
