"""Validation of specs 2.0 to 2.4: which rules each spec has, and the walk that asks them. Pure.

2.0 and its successors are two families. Types, unknown members and repeated entries are not the business of a rule.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mcs.ignition import rules_2_0, rules_2_1, rules_2_storage, rules_2_units
from mcs.ignition.fields import Field, ListOf, Struct
from mcs.ignition.report import Entry, Kind, Path
from mcs.ignition.rules import Rules
from mcs.ignition.schema_2 import CONFIG
from mcs.ignition.versions import V2_0, V2_1, V2_2, V2_3, V2_4, SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["RULES", "RuleBook", "entries"]


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules of a spec, by the name of the Struct.

    own: of an object as a whole: after an error of one, nothing in that object is looked at any more;
    members: of single members: an error of one keeps nobody from looking at the others, and at what is in them.
    """

    own: Rules
    members: Rules


_2_0 = RuleBook(rules_2_0.OWN, rules_2_0.MEMBERS)
_SINCE_2_1 = RuleBook(
    MappingProxyType({**rules_2_1.OWN, **rules_2_storage.OWN, **rules_2_units.OWN}),
    MappingProxyType({**rules_2_1.MEMBERS, **rules_2_storage.MEMBERS, **rules_2_units.MEMBERS}),
)
RULES: Mapping[SpecVersion, RuleBook] = MappingProxyType(
    {V2_0: _2_0, **dict.fromkeys((V2_1, V2_2, V2_3, V2_4), _SINCE_2_1)}
)


def entries(config: JSONObject, version: SpecVersion) -> Iterator[Entry]:
    """Say what a spec of 2.x finds in a config, outer objects before inner ones, in the table's order.

    config: well-typed, members in the table's spelling; version: the spec to judge by, whatever the config declares.
    Messages are the reference implementation's; it gives no paths for them, these do.

    >>> [str(entry) for entry in entries({"ignition": {"version": "2.1.0"}, "storage": {"raid": [{}]}}, V2_1)]
    ['error at $.storage.raid.0.level: unrecognized raid level']
    """
    return _walk(CONFIG, config, version, ())


def _walk(struct: Struct, value: JSONObject, version: SpecVersion, path: Path) -> Iterator[Entry]:
    is_valid = True
    for rule in RULES[version].own.get(struct.name, ()):
        for found in rule(value, version):
            is_valid = is_valid and found.kind is not Kind.ERROR
            yield Entry(found.kind, path + found.path, found.message)
    if not is_valid:
        return
    for rule in RULES[version].members.get(struct.name, ()):
        for found in rule(value, version):
            yield Entry(found.kind, path + found.path, found.message)
    for name, field in struct.fields.items():
        if field.since <= version:
            yield from _member(field, value.get(name), version, (*path, name))


def _member(field: Field, member: JSON, version: SpecVersion, path: Path) -> Iterator[Entry]:
    if isinstance(field.type, Struct):
        if isinstance(member, dict):
            yield from _walk(field.type, member, version, path)
        elif field.optional_before is None:  # there even where nobody wrote it, with nothing in it
            yield from _walk(field.type, {}, version, path)
    elif isinstance(field.type, ListOf) and isinstance(field.type.element, Struct) and isinstance(member, list):
        for index, item in enumerate(member):
            # A null item is an object with nothing in it (Go's decoder), and rules see it so.
            yield from _walk(field.type.element, item if isinstance(item, dict) else {}, version, (*path, index))
