"""What a plain member is: a scalar whose absence and whose zero say the same in a spec. Pure.

Configs that cross between spec 2 and spec 3 meet here: what is plain in one is optional in the other.
"""

from mcs.ignition.fields import Field, ListOf, Scalar, Struct, Type
from mcs.ignition.versions import SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["is_plain", "without_plain_zeros"]


def without_plain_zeros(struct: Struct, value: JSON, version: SpecVersion) -> JSONObject:
    """Return an object with the members that `version` knows, less those that are null or a plain zero.

    value: well-typed. The result shares no list or object with it.
    """
    result: JSONObject = {}
    for name, member in value.items() if isinstance(value, dict) else ():
        field = struct.fields.get(name)
        if field is None or field.since > version or member is None:
            continue
        if is_plain(field, version) and isinstance(field.type, Scalar) and member == field.type.zero:
            continue
        result[name] = _without_plain_zeros(field.type, member, version)
    return result


def _without_plain_zeros(kind: Type, value: JSON, version: SpecVersion) -> JSON:
    if isinstance(kind, Struct):
        return without_plain_zeros(kind, value, version)
    if isinstance(kind, ListOf) and isinstance(value, list):
        return [_without_plain_zeros(kind.element, item, version) for item in value]
    return value


def is_plain(field: Field, version: SpecVersion) -> bool:
    """Tell whether the field's absence means zero in this spec."""
    return field.optional_since is None or version < field.optional_since
