"""A text read as an Ignition config: decoded, held against the table of its spec, validated. Pure.

It decides on versions, types and names of members. What values mean is validation's business.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from mcs.ignition.decoding import Decoded, decode
from mcs.ignition.errors import InvalidConfig, InvalidVersion, UnknownVersion
from mcs.ignition.fields import Field, ListOf, Scalar, Struct, Type
from mcs.ignition.positions import locate
from mcs.ignition.report import Entry, Kind, Path, Report, path_text
from mcs.ignition.tables import table
from mcs.ignition.typed import mismatch, scalar_problem
from mcs.ignition.validation import entries
from mcs.ignition.versions import SUPPORTED, V2_3, SpecVersion, declared_version
from mcs.jsondata import JSON, JSONObject, lookup

__all__ = ["Parsed", "parse", "parse_decoded"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A valid config. config: what its spec knows of the text; version: that spec; report: warnings and the like.

    repeated: the paths of members that the text has twice in one object; clients take that without a word, and so the
    report has none. Of two values the later one counts; objects become one, member by member.
    """

    config: JSONObject
    version: SpecVersion
    report: Report
    repeated: tuple[Path, ...] = ()


def parse(source: str | bytes, version: SpecVersion | None = None) -> Parsed:
    """Read a config, of exactly `version`, or of whichever supported spec it declares.

    The result holds what the spec knows, in the text's own order: members it does not know draw a warning and are left
    out, as are members that are null; a null in a list is an empty item there. Unlike Ignition, which takes a member
    whose name differs from a known one in case only for that one, this refuses it: no two clients need agree on it.

    >>> parsed = parse('{"ignition": {"version": "3.2.0"}, "storage": {"files": [{"path": "/etc/a", "mod": 420}]}}')
    >>> parsed.config
    {'ignition': {'version': '3.2.0'}, 'storage': {'files': [{'path': '/etc/a'}]}}
    >>> print(parsed.report)
    warning at $.storage.files.0.mod, line 1 col 77: unused key mod

    Raises, in this order: EmptyConfig; NotJSON; InvalidVersion or UnknownVersion where the text is to declare its
    version and declares none, or none that is supported; InvalidConfig with every value of a wrong type and every
    misspelt name; UnknownVersion where another version than `version` is declared, or none; InvalidConfig with all
    that validate() and this find, at least one of it an error.
    """
    return parse_decoded(decode(source), version)


def parse_decoded(decoded: Decoded, version: SpecVersion | None = None) -> Parsed:
    """Do what parse() does with a text that was decoded already; whoever needs the text itself decodes it once."""
    document: JSON = {} if decoded.value is None else decoded.value  # Go: null is an object with nothing in it
    spec = _declared(document, decoded.text) if version is None else _supported(version)
    reading = _Reading(spec)
    config = reading.object(table(spec), document, ())
    if reading.errors:
        raise InvalidConfig(_placed([*reading.errors, *reading.warnings], reading.strangers, decoded.text))
    if version is not None:
        _require(version, config)
    found = [*entries(config, spec), *reading.warnings, *_embedded_key(config, spec)]
    report = _placed(found, reading.strangers, decoded.text)
    if not report.is_valid:
        raise InvalidConfig(report)
    return Parsed(config, spec, report, decoded.repeated)


# Versions


def _declared(document: JSON, text: str) -> SpecVersion:
    try:
        return declared_version(document)
    except InvalidConfig as error:
        raise InvalidConfig(_placed(error.report.entries, (), text)) from None


def _supported(version: SpecVersion) -> SpecVersion:
    if version not in SUPPORTED:
        raise UnknownVersion(str(version))
    return version


def _require(version: SpecVersion, config: JSONObject) -> None:
    try:
        declared = declared_version(config)
    except InvalidVersion as error:
        raise UnknownVersion(error.text, f"{error}; spec {version} was asked for") from None
    if declared != version:
        text = str(declared)
        raise UnknownVersion(text, f"the config declares Ignition spec {text}; spec {version} was asked for")


# Types and names


class _Reading:
    """One walk over a document, along the table of a spec, that makes the config and collects what is to be said.

    strangers: the paths of entries about a member's name rather than its value.
    """

    def __init__(self, version: SpecVersion) -> None:
        self.version = version
        self.errors: list[Entry] = []
        self.warnings: list[Entry] = []
        self.strangers: set[Path] = set()

    def object(self, struct: Struct, value: JSON, path: Path) -> JSONObject:
        result: JSONObject = {}
        if not isinstance(value, dict):
            self._error(path, mismatch(struct, value))
            return result
        fields = _fields(struct, self.version)
        for name, member in value.items():
            field = fields.get(name)
            if field is None:
                self._stranger(struct, name, (*path, name))
            elif member is None:
                if isinstance(field.type, Struct) and not self._may_be_null(field):
                    self._null_object((*path, name))
            else:
                result[name] = self._value(field.type, member, path, name)
        return result

    def _value(self, kind: Type, value: JSON, path: Path, step: str | int) -> JSON:
        # The path is put together where it is needed only: most values are scalars, and right.
        if isinstance(kind, Scalar):
            if (problem := scalar_problem(kind, value)) is not None:
                self._error((*path, step), problem)
            return value
        path = (*path, step)
        if isinstance(kind, Struct):
            return self.object(kind, value, path)
        if not isinstance(value, list):
            self._error(path, mismatch(kind, value))
            return []
        return [self._item(kind, item, path, index) for index, item in enumerate(value)]

    def _item(self, kind: ListOf, item: JSON, path: Path, index: int) -> JSON:
        if item is not None:
            return self._value(kind.element, item, path, index)
        if isinstance(kind.element, Scalar):
            return kind.element.zero
        self._null_object((*path, index))
        return {}

    def _may_be_null(self, field: Field) -> bool:
        return field.optional_before is not None and self.version < field.optional_before

    def _null_object(self, path: Path) -> None:
        if self.version.major > 2:
            self.warnings.append(Entry(Kind.WARNING, path, _NULL_OBJECT.format(path_text(path))))

    def _stranger(self, struct: Struct, name: str, path: Path) -> None:
        self.strangers.add(path)
        known = _folded(struct, self.version).get(name.casefold())
        # Of equal length: Go folds letter by letter, so that ß is not ss.
        if known is not None and len(known) == len(name):
            self._error(path, f"unknown key {name}: did you mean {known}? Case matters")
        else:
            self.warnings.append(Entry(Kind.WARNING, path, _unknown_key(name, self.version)))

    def _error(self, path: Path, message: str) -> None:
        self.errors.append(Entry(Kind.ERROR, path, message))


_NULL_OBJECT = (
    "context tree does not match content tree at {}."
    " Line and column reporting may be inconsistent. Unused keys may not be reported"
)


def _unknown_key(name: str, version: SpecVersion) -> str:
    return f"Config has unrecognized key: {name}" if version.major == 2 else f"unused key {name}"


@cache
def _fields(struct: Struct, version: SpecVersion) -> Mapping[str, Field]:
    """Return the fields that the spec knows."""
    return {name: field for name, field in struct.fields.items() if field.since <= version}


@cache
def _folded(struct: Struct, version: SpecVersion) -> Mapping[str, str]:
    """Return the names that the spec knows, by what remains of them where case does not count."""
    return {name.casefold(): name for name in _fields(struct, version)}


def _embedded_key(config: JSONObject, version: SpecVersion) -> tuple[Entry, ...]:
    """Warn as clients of spec 2.3 do of a member that they know and use, but do not recognize when they look for it."""
    path = ("ignition", "security", "tls")
    if version != V2_3 or lookup(config, *path) is None:
        return ()
    return (Entry(Kind.WARNING, path, _unknown_key(path[-1], version)),)


# Places


def _placed(found: Iterable[Entry], strangers: Iterable[Path], text: str) -> Report:
    """Return the report with the place of every entry; where there is nothing to say, the text is not looked at."""
    found = tuple(found)
    if not found:
        return Report()
    strangers = set(strangers)
    places = locate(text, {entry.path for entry in found} - strangers, strangers)
    return Report(tuple(replace(entry, position=places[entry.path]) for entry in found))
