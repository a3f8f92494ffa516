"""What a table of fields is made of: the kinds of entries, for every spec and every use (convert, validate, merge).

A table says of each field what it holds and which specs know it. It decides nothing itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from mcs.ignition.versions import SUPPORTED, SpecVersion
from mcs.jsondata import JSON

__all__ = ["CONCATENATED", "ITSELF", "Crossing", "Feature", "Field", "ListOf", "Scalar", "Struct", "Type"]


class Scalar(Enum):
    """A single value. python: the type of the value in a decoded document; zero: what a Go client reads for nothing."""

    TEXT = (str, "")
    INTEGER = (int, 0)
    BOOLEAN = (bool, False)

    def __init__(self, python: type, zero: str | int | bool) -> None:
        self.python = python
        self.zero = zero


_EVER = SUPPORTED[0]

CONCATENATED: None = None
ITSELF: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list. key: what makes two items the same one, for merging and for finding duplicates:
    ITSELF for a list of strings, else the names of members, of which the first that is set (not null, not 0) counts,
    together with its name; CONCATENATED: no two items are the same. group: lists of one object that share their keys,
    so that an item of one excludes the item of that key in another. needed: the member without which a later item takes
    the earlier one of its key away in merging.
    """

    element: "Scalar | Struct"
    key: tuple[str, ...] | None
    group: str = ""
    needed: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """An object with known members."""

    name: str
    fields: "Mapping[str, Field]"


Type: TypeAlias = "Scalar | ListOf | Struct"


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that only some values of a field use, and that only specs from `since` on have."""

    since: SpecVersion
    words: str
    used_by: Callable[[JSON], bool]


def _same(value: JSON) -> JSON:
    return value


@dataclass(frozen=True, slots=True)
class Crossing:
    """What becomes of a value that crosses the border below `spec`: upwards into it, or downwards out of it.

    The functions get the value in the members' own spelling, return another one (None: nothing) and change nothing.
    """

    spec: SpecVersion
    up: Callable[[JSON], JSON] = _same
    down: Callable[[JSON], JSON] = _same


@dataclass(frozen=True, slots=True)
class Field:
    """A member of an object.

    since            the first spec that knows it; without it, all specs of the table do
    words            what it is, for people; given where since is later than the table's first spec
    default          the value that says what its absence says too, so that a spec without the field loses nothing
                     (an empty list, and an object whose members all say nothing, always do)
    optional_since   scalars: from this spec on, absent and zero differ (null is absent); before it, and always where
                     this is None, absent means zero
    optional_before  objects: before this spec an object that is there but empty differs from none at all; None: never
    features         of values, the newest first; the first one that applies is reported
    crossings        rules for values between two specs
    """

    type: Type
    since: SpecVersion = _EVER
    words: str = ""
    default: str | int | bool | None = None
    optional_since: SpecVersion | None = _EVER
    optional_before: SpecVersion | None = None
    features: tuple[Feature, ...] = ()
    crossings: tuple[Crossing, ...] = ()
