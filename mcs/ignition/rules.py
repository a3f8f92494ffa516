"""What a rule of validation is, and the walk that asks the rules of every object of a config. Pure.

A rule is about one object of the table, whatever spec; it gets the object in its own spelling, well-typed, and says
what is wrong with it. Types, unknown members and duplicates are not its business.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from mcs.ignition.fields import ListOf, Struct
from mcs.ignition.report import Entry, Kind, Path
from mcs.ignition.versions import SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["Found", "Rule", "Rules", "error", "problem", "walk", "warning"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule has to say. path: from the rule's own object on; () is the object itself."""

    kind: Kind
    path: Path
    message: str


Rule: TypeAlias = Callable[[JSONObject, SpecVersion], Iterator[Found]]
Rules: TypeAlias = Mapping[str, tuple[Rule, ...]]  # by the name of the Struct


def error(message: str, *path: str | int) -> Found:
    """Say that the object, or what is at the path below it, is wrong."""
    return Found(Kind.ERROR, path, message)


def warning(message: str, *path: str | int) -> Found:
    """Say that the object, or what is at the path below it, is probably not meant."""
    return Found(Kind.WARNING, path, message)


def problem(message: str | None, *path: str | int) -> Iterator[Found]:
    """Make an error of a message, and nothing of None."""
    if message is not None:
        yield error(message, *path)


def walk(struct: Struct, value: JSON, version: SpecVersion, rules: Rules, path: Path = ()) -> Iterator[Entry]:
    """Ask the rules of an object and then of all objects in it, in the table's order. value: well-typed, or null."""
    if not isinstance(value, dict):
        return
    for rule in rules.get(struct.name, ()):
        for found in rule(value, version):
            yield Entry(found.kind, path + found.path, found.message)
    for name, inner in _objects(struct, version):
        member = value.get(name)
        if isinstance(member, list):
            for index, item in enumerate(member):
                # A null item is an object with nothing in it (Go's decoder), and rules see it so.
                yield from walk(inner, item or {}, version, rules, (*path, name, index))
        elif member:
            yield from walk(inner, member, version, rules, (*path, name))


@cache
def _objects(struct: Struct, version: SpecVersion) -> tuple[tuple[str, Struct], ...]:
    """Return the members that are objects or lists of them, in the table's order."""
    inner = (
        (name, field.type.element if isinstance(field.type, ListOf) else field.type)
        for name, field in struct.fields.items()
        if field.since <= version
    )
    return tuple((name, kind) for name, kind in inner if isinstance(kind, Struct))
