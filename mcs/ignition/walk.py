"""The walk along a table of fields that says a config of one spec in another spec of the same major version. Pure.

What the other spec cannot say is collected, all of it; what the config's own spec does not know is left out and named.
"""

from functools import cache

from mcs.ignition.errors import InvalidConfig, Unsupported
from mcs.ignition.fields import Field, ListOf, Scalar, Struct, Type
from mcs.ignition.report import Path, path_text
from mcs.ignition.typed import mismatch, scalar_problem
from mcs.ignition.versions import SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["Walk"]


class Walk:
    """One walk over a config of spec `source`, along its table, that makes the new document and collects what is to be
    reported: unsupported, in the config's own order, and unknown, the paths of members that `source` does not know.

    The target is handed down rather than kept: below a field that the target lacks, the walk goes on with the spec
    that has it, so that what needs a still later spec is reported as well.
    """

    def __init__(self, source: SpecVersion) -> None:
        self.source = source
        self.unsupported: list[Unsupported] = []
        self.unknown: list[str] = []

    def object(self, struct: Struct, value: JSON, path: Path, target: SpecVersion) -> JSONObject:
        """Return the object in spec `target`; it shares no container with the input. Raises InvalidConfig for types."""
        if not isinstance(value, dict):
            raise InvalidConfig.at(path, mismatch(struct, value))
        result: JSONObject = {}
        for key, member in value.items():
            name = key if key in struct.fields else _known_name(struct, key)
            field = struct.fields.get(name)
            if field is None or field.since > self.source:
                self.unknown.append(path_text((*path, key)))
                continue
            if name != key and (name in value or name in result):
                raise InvalidConfig.at((*path, key), f"stands beside another {name}: names are told apart by case only")
            converted = None if member is None else self.member(field, member, (*path, key), target)
            if field.since <= target and (member is None or converted is not None):
                result[name] = converted
        for name, zero in _zeros_to_spell_out(struct, self.source, target):
            if result.get(name) is None:
                result[name] = zero
        return result

    def member(self, field: Field, value: JSON, path: Path, target: SpecVersion) -> JSON:
        """Return the value for the target, or None where it says nothing there."""
        place = len(self.unsupported)  # an object is reported before what is in it
        lacking = field.since > target
        target = max(field.since, target)
        converted = self.value(field.type, value, path, target)
        if lacking and not _says_nothing(field, converted):
            self.unsupported.insert(place, Unsupported(path_text(path), field.words, field.since))
        for feature in field.features:
            if target < feature.since <= self.source and feature.used_by(converted):
                self.unsupported.append(Unsupported(path_text(path), feature.words, feature.since))
                break
        for crossing in field.crossings:
            if self.source < crossing.spec <= target:
                converted = crossing.up(converted)
            elif target < crossing.spec <= self.source:
                converted = crossing.down(converted)
        return converted

    def value(self, kind: Type, value: JSON, path: Path, target: SpecVersion) -> JSON:
        if isinstance(kind, Struct):
            return self.object(kind, value, path, target)
        if isinstance(kind, ListOf):
            if not isinstance(value, list):
                raise InvalidConfig.at(path, mismatch(kind, value))
            return [self.element(kind.element, item, (*path, index), target) for index, item in enumerate(value)]
        if (problem := scalar_problem(kind, value)) is not None:
            raise InvalidConfig.at(path, problem)
        return value

    def element(self, kind: Scalar | Struct, item: JSON, path: Path, target: SpecVersion) -> JSON:
        if item is None:  # to a client, an item with nothing in it
            item = {} if isinstance(kind, Struct) else kind.zero
        return self.value(kind, item, path, target)


def _says_nothing(field: Field, value: JSON) -> bool:
    """Tell whether a converted value says no more than its absence."""
    if value is None or value == []:
        return True
    if isinstance(field.type, Struct) and isinstance(value, dict):
        return all(_says_nothing(field.type.fields[name], member) for name, member in value.items())
    return field.default is not None and value == field.default


def _known_name(struct: Struct, key: str) -> str:
    """Return the name in the table that a key differs from in case only, or the key."""
    folded = str(key).casefold()
    return next((name for name in struct.fields if name.casefold() == folded), key)


@cache
def _zeros_to_spell_out(
    struct: Struct, source: SpecVersion, target: SpecVersion
) -> tuple[tuple[str, str | int | bool], ...]:
    """Return the members whose absence means zero in the source spec, but nothing at all in the target."""
    return tuple(
        (name, field.type.zero)
        for name, field in struct.fields.items()
        if isinstance(field.type, Scalar)
        and field.since <= source
        and field.optional_since is not None
        and source < field.optional_since <= target
    )
