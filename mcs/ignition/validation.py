"""Whether a config is valid in its spec, and what else is to be said of it: rules first, then duplicates. Pure.

What is said of text alone (JSON, unknown members, places) is parsing's business.
"""

from collections.abc import Iterator

from mcs.ignition import rules_2
from mcs.ignition.duplicates import duplicates
from mcs.ignition.errors import InvalidConfig, UnknownVersion
from mcs.ignition.fields import ListOf, Scalar, Struct, Type
from mcs.ignition.report import Entry, Path, Report
from mcs.ignition.rules import walk
from mcs.ignition.rules_3 import RULES
from mcs.ignition.tables import table
from mcs.ignition.typed import mismatch, scalar_problem
from mcs.ignition.versions import SUPPORTED, SpecVersion, declared_version
from mcs.jsondata import JSON, JSONObject

__all__ = ["entries", "validate"]


def validate(config: JSONObject, version: SpecVersion | None = None) -> Report:
    """Return all that a client has to say of a config, in a stable order. The config stays as it is.

    version: the spec to judge by, whatever the config declares; without it, the declared one. Members that this spec
    does not know mean nothing to it. Kinds, paths and messages are those of the reference, coreos/ignition.

    >>> config = {"ignition": {"version": "3.2.0"}, "storage": {"files": [{"path": "etc/a", "mode": 0o10644}]}}
    >>> print(validate(config))
    error at $.storage.files.0.path: path not absolute
    error at $.storage.files.0.mode: illegal file mode
    >>> validate(config).is_valid
    False

    Raises InvalidConfig at the first value of a wrong type, before any rule is asked; UnknownVersion for a spec that is
    not supported; InvalidVersion and UnknownVersion for the declared one, where that is needed.
    """
    spec = declared_version(config) if version is None else version
    if spec not in SUPPORTED:
        raise UnknownVersion(str(spec))
    _check(table(spec), config, spec, ())
    return Report(tuple(entries(config, spec)))


def entries(config: JSONObject, version: SpecVersion) -> Iterator[Entry]:
    """Say what validate() says of a config that is known to be well-typed, of a supported spec."""
    if version.major == 2:
        yield from rules_2.entries(config, version)
    else:
        struct = table(version)
        yield from walk(struct, config, version, RULES)
        yield from duplicates(struct, config, version)


# Types


def _check(kind: Type, value: JSON, version: SpecVersion, path: Path) -> None:
    if isinstance(kind, Struct):
        _check_object(kind, value, version, path)
    elif isinstance(kind, ListOf):
        if not isinstance(value, list):
            raise InvalidConfig.at(path, mismatch(kind, value))
        for index, item in enumerate(value):
            if item is not None:
                _check(kind.element, item, version, (*path, index))
    elif (problem := scalar_problem(kind, value)) is not None:
        raise InvalidConfig.at(path, problem)


def _check_object(struct: Struct, value: JSON, version: SpecVersion, path: Path) -> None:
    if not isinstance(value, dict):
        raise InvalidConfig.at(path, mismatch(struct, value))
    for name, member in value.items():
        field = struct.fields.get(name)
        if field is None or member is None or field.since > version:
            continue
        if isinstance(field.type, Scalar) and type(member) is field.type.python is not int:
            continue  # most values are texts, and right
        _check(field.type, member, version, (*path, name))
