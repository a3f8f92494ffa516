"""A config of one spec said in another one, up or down, derived from the table of fields. Pure.

Nothing is lost silently: what the other spec cannot say is an error that names all of it. What the config's own spec
does not know means nothing to any client that reads it at that spec, and might mean something at another; so a
conversion leaves it out, and unknown_members() names it for whoever reports to people.
"""

from functools import cache

from mcs.ignition.errors import InvalidConfig, UnknownVersion, Unsupported, UnsupportedFeatures
from mcs.ignition.fields import Field, ListOf, Scalar, Struct, Type
from mcs.ignition.report import Path, path_text
from mcs.ignition.schema import CONFIG
from mcs.ignition.versions import SPEC_3, SpecVersion, declared_version
from mcs.jsondata import JSON, JSONObject

__all__ = ["convert", "unknown_members"]

_INTEGERS = range(-(2**63), 2**63)  # what a Go client can hold


def convert(config: JSONObject, to: SpecVersion) -> JSONObject:
    """Return the config in spec `to`; the input stays as it is, and shares no list or object with the result.

    Nothing is validated but types. A config already in that spec is returned as it is, unknown members included.
    Otherwise a member that the config's own spec does not know is left out (see unknown_members), a member whose name
    differs from a known one in case only gets the known name (clients read it so), and a value that says no more than
    its absence goes where `to` lacks its field. Upwards, valid configs always convert.

    >>> convert({"ignition": {"version": "3.5.0"}, "storage": {"luks": []}}, SpecVersion(3, 1))
    {'ignition': {'version': '3.1.0'}, 'storage': {}}
    >>> convert({"ignition": {"version": "3.3.0"}, "kernelArguments": {"shouldExist": ["quiet"]}}, SpecVersion(3, 1))
    Traceback (most recent call last):
    mcs.ignition.errors.UnsupportedFeatures: spec 3.1.0 lacks $.kernelArguments (kernel arguments, since 3.3.0)

    Raises UnsupportedFeatures with every feature that `to` lacks; InvalidConfig at the first value of a wrong type;
    InvalidVersion and UnknownVersion for the config's own version, UnknownVersion for `to`.
    """
    source = declared_version(config)
    for version in (source, to):
        if version not in SPEC_3:
            raise UnknownVersion(str(version))
    if source == to:
        return _with_own_containers(config)
    conversion = _Conversion(source)
    converted = conversion.object(CONFIG, config, (), to)
    if conversion.unsupported:
        raise UnsupportedFeatures(to, tuple(conversion.unsupported))
    ignition = converted["ignition"]
    assert isinstance(ignition, dict)  # declared_version found the version in it
    ignition["version"] = str(to)
    return converted


def unknown_members(config: JSONObject) -> tuple[str, ...]:
    """Return the paths of all members that the config's own spec does not know: clients ignore them, with a warning.

    >>> unknown_members({"ignition": {"version": "3.2.0"}, "storage": {"file": []}, "kernelArguments": {}})
    ('$.storage.file', '$.kernelArguments')

    Raises InvalidConfig, InvalidVersion, UnknownVersion as convert() does.
    """
    source = declared_version(config)
    if source not in SPEC_3:
        raise UnknownVersion(str(source))
    conversion = _Conversion(source)
    conversion.object(CONFIG, config, (), source)
    return tuple(conversion.unknown)


class _Conversion:
    """One walk over a config, along the table, that makes the new document and collects what is to be reported.

    The target is handed down rather than kept: below a field that the target lacks, the walk goes on with the spec
    that has it, so that what needs a still later spec is reported as well.
    """

    def __init__(self, source: SpecVersion) -> None:
        self.source = source
        self.unsupported: list[Unsupported] = []
        self.unknown: list[str] = []

    def object(self, struct: Struct, value: JSON, path: Path, target: SpecVersion) -> JSONObject:
        if not isinstance(value, dict):
            raise InvalidConfig.at(path, f"an object is expected, not {_words(value)}")
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
                raise InvalidConfig.at(path, f"a list is expected, not {_words(value)}")
            return [self.element(kind.element, item, (*path, index), target) for index, item in enumerate(value)]
        # The exact type: true is no integer, though Python's bool is one.
        if type(value) is not kind.python:
            raise InvalidConfig.at(path, f"{kind.words} is expected, not {_words(value)}")
        if kind is Scalar.INTEGER and value not in _INTEGERS:
            raise InvalidConfig.at(path, "the number does not fit 64 bits")
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


def _with_own_containers(config: JSONObject) -> JSONObject:
    """Copy every object and list. No recursion: unknown members may be nested to any depth."""
    copied = dict(config)
    pending: list[JSONObject | list[JSON]] = [copied]
    while pending:
        container = pending.pop()
        if isinstance(container, dict):
            for key, value in container.items():
                if isinstance(value, (dict, list)):
                    container[key] = copy = value.copy()
                    pending.append(copy)
        else:
            for index, value in enumerate(container):
                if isinstance(value, (dict, list)):
                    container[index] = copy = value.copy()
                    pending.append(copy)
    return copied


_WORDS = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "an integer",
    float: "a fraction",
}


def _words(value: JSON) -> str:
    return _WORDS.get(type(value), "null")
