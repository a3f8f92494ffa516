"""Where this library differs from the reference on purpose: the cases that a listed deviation decides, and how."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mcs.ignition import InvalidConfig, SpecVersion
from mcs.ignition.fields import ListOf, Struct, Type
from mcs.ignition.report import Path
from mcs.ignition.tables import table
from tests.vectors.verdicts import Said

__all__ = [
    "CONTENTS_DESCRIBED",
    "DEVIATIONS",
    "KEY_CASE",
    "MERGED_INVALID",
    "NEXT_LINE",
    "OVERWRITE_NOTHING",
    "SEVERAL_APPENDS",
    "TYPE_IN_SPEC_2",
    "Deviation",
    "is_refused_at",
    "misspelt",
    "misspelt_in_spec_2",
]


@dataclass(frozen=True, slots=True)
class Deviation:
    """One deliberate difference. reason: why it is right."""

    name: str
    reason: str


KEY_CASE = Deviation(
    "key-case",
    "a key that differs from a known one in case only is an error at its path: the reference honours it, and yet warns"
    " that it is unused",
)

TYPE_IN_SPEC_2 = Deviation(
    "type-in-spec-2",
    "a value of a wrong type in a 2.x config is an error at its path: the reference tries ever older specs, and then"
    " says that the version is unknown",
)

# Of rendering.

OVERWRITE_NOTHING = Deviation(
    "overwrite-nothing",
    "`overwrite: true` is added only to files that have a source: the reference adds it to all, and no client takes it"
    " without one",
)

MERGED_INVALID = Deviation(
    "merged-invalid",
    "MachineConfigs that are valid alone and invalid together are refused: the reference renders what it cannot read",
)

CONTENTS_DESCRIBED = Deviation(
    "contents-described",
    "compression and hash stay with the source that they came with: the reference keeps those of a source that was"
    " replaced",
)

NEXT_LINE = Deviation(
    "next-line",
    "U+0085 is refused: to the reference it is white space when a name is made, so two specs would share one",
)

SEVERAL_APPENDS = Deviation(
    "several-appends",
    "a 2.x config may append several configs: the reference takes them for duplicates, whatever their sources are",
)

DEVIATIONS = (
    KEY_CASE,
    TYPE_IN_SPEC_2,
    OVERWRITE_NOTHING,
    MERGED_INVALID,
    CONTENTS_DESCRIBED,
    NEXT_LINE,
    SEVERAL_APPENDS,
)

_UNUSED = "unused key "
_UNRECOGNIZED = re.compile(r"Did you mean (?P<known>.*) instead of (?P<key>.*)", re.DOTALL)


def misspelt(entries: Iterable[Said], version: SpecVersion) -> list[Path]:
    """Return the paths of keys that the reference calls unused and that differ from a known one in case only."""
    unused = [entry for entry in entries if entry.path and (entry.message or "").startswith(_UNUSED)]
    return [entry.path for entry in unused if entry.path and _differs_in_case(entry.path, version)]


def _differs_in_case(path: Path, version: SpecVersion) -> bool:
    kind: Type | None = table(version)
    for key in path[:-1]:
        if isinstance(kind, ListOf):
            kind = kind.element
        elif isinstance(kind, Struct) and key in kind.fields:
            kind = kind.fields[str(key)].type
        else:
            return False
    if not isinstance(kind, Struct):
        return False
    known = {name for name, field in kind.fields.items() if field.since <= version}
    key = str(path[-1])
    return key not in known and key.casefold() in {name.casefold() for name in known}


def misspelt_in_spec_2(entries: Iterable[Said]) -> list[Path]:
    """Return the keys, as paths of one name, that the reference of spec 2 recognises in another case only."""
    found = [_UNRECOGNIZED.fullmatch(entry.message or "") for entry in entries]
    return [(each["key"],) for each in found if each and each["known"].casefold() == each["key"].casefold()]


def is_refused_at(error: Exception | None, path: Path) -> bool:
    """Tell whether a config was refused for what is at the path, or at any path that ends so."""
    if not isinstance(error, InvalidConfig):
        return False
    return any(entry.path[-len(path) :] == path for entry in error.report.errors)
