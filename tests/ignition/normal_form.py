"""The form in which two configs are compared: what no Ignition client can tell apart is written in one way."""

from mcs.ignition.fields import ListOf, Scalar, Struct, Type
from mcs.ignition.schema import CONFIG
from mcs.ignition.versions import SpecVersion, declared_version
from mcs.jsondata import JSON, JSONObject


def normal_form(config: JSONObject) -> JSON:
    """Leave out null, {} and [] as members, from the inside out; write each plain text; leave out a plain number 0."""
    return _normal(CONFIG, config, declared_version(config))


def _normal(kind: Type, value: JSON, version: SpecVersion) -> JSON:
    if isinstance(kind, ListOf) and isinstance(value, list):
        return [_normal(kind.element, item, version) for item in value]
    if not (isinstance(kind, Struct) and isinstance(value, dict)):
        return value
    result: JSONObject = {}
    for name, field in kind.fields.items():
        plain = field.optional_since is None or version < field.optional_since
        member = value.get(name)
        if member is None and plain and field.type is Scalar.TEXT and field.since <= version:
            member = ""
        member = _normal(field.type, member, version)
        if member in (None, {}, []) or (plain and field.type is Scalar.INTEGER and member == 0):
            continue
        result[name] = member
    return result | {name: member for name, member in value.items() if name not in kind.fields}
