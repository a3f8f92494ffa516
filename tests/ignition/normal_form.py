"""The form in which two configs are compared: what no Ignition client can tell apart is written in one way."""

from mcs.ignition.fields import Field, ListOf, Scalar, Struct, Type
from mcs.ignition.tables import table
from mcs.ignition.versions import V2_4, V3_0, SpecVersion, declared_version
from mcs.jsondata import JSON, JSONObject

# The plain texts that the reference writes in spec 2.4 though they are empty; an object that has one is never empty.
_WRITTEN_IN_2_4 = {
    "HTTP header": {"name", "value"},
    "certificate authority": {"source"},
    "config reference": {"source"},
    "directory": {"filesystem", "path"},
    "disk": {"device"},
    "drop-in": {"name"},
    "file": {"filesystem", "path"},
    "filesystem": {"name"},
    "group": {"name"},
    "link": {"filesystem", "path", "target"},
    "mount": {"device", "format"},
    "networkd drop-in": {"name"},
    "networkd unit": {"name"},
    "raid": {"name", "level"},
    "unit": {"name"},
    "user": {"name"},
}


def normal_form(config: JSONObject) -> JSON:
    """Leave out null, {} and [] as members, from the inside out; write a plain value that says nothing in one way.

    That is: from spec 3 on and where 2.4 writes it, a plain text as an empty one; anything else plain not at all.
    """
    version = declared_version(config)
    return _normal(table(version), config, version)


def _normal(kind: Type, value: JSON, version: SpecVersion) -> JSON:
    if isinstance(kind, ListOf) and isinstance(value, list):
        return [_normal(kind.element, item, version) for item in value]
    if not (isinstance(kind, Struct) and isinstance(value, dict)):
        return value
    result: JSONObject = {}
    for name, field in kind.fields.items():
        member = value.get(name)
        if isinstance(field.type, Scalar) and _is_plain(field, version) and member in (None, field.type.zero):
            member = field.type.zero if _is_written(kind, name, field, version) else None
        member = _normal(field.type, member, version)
        if member not in (None, {}, []):
            result[name] = member
    return result | {name: member for name, member in value.items() if name not in kind.fields}


def _is_plain(field: Field, version: SpecVersion) -> bool:
    return field.since <= version and (field.optional_since is None or version < field.optional_since)


def _is_written(struct: Struct, name: str, field: Field, version: SpecVersion) -> bool:
    if version < V3_0:
        return version == V2_4 and name in _WRITTEN_IN_2_4.get(struct.name, ())
    return field.type is Scalar.TEXT
