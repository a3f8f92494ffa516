"""Valid configs of spec 2, made from the table of fields: single values that their rules allow, and then, object by
object, what the rules about several members ask for."""

from collections.abc import Callable
from functools import cache

from hypothesis import strategies as st

from mcs.ignition.fields import Field, ListOf, Scalar, Struct
from mcs.ignition.schema_2 import CONFIG
from mcs.ignition.versions import V2_0, V2_1, SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["valid_configs"]

_SCALARS: dict[Scalar, st.SearchStrategy[JSON]] = {
    Scalar.TEXT: st.text(max_size=8) | st.sampled_from("abc"),
    Scalar.INTEGER: st.integers(-5, 5000),
    Scalar.BOOLEAN: st.booleans(),
}


@cache
def valid_configs(version: SpecVersion) -> st.SearchStrategy[JSONObject]:
    """Configs of a spec 2 that its clients accept; they may warn."""
    return _objects(CONFIG, version).map(lambda config: config | {"ignition": _declaring(config, version)})


def _declaring(config: JSONObject, version: SpecVersion) -> JSONObject:
    ignition = config.get("ignition")
    return (ignition if isinstance(ignition, dict) else {}) | {"version": str(version)}


def _objects(struct: Struct, version: SpecVersion) -> st.SearchStrategy[JSONObject]:
    known = {name: field for name, field in struct.fields.items() if field.since <= version}
    members = {name: _values(struct, name, field, version) for name, field in known.items()}
    needed = {name for name in known if (struct.name, name) in _VALID}
    drawn = st.fixed_dictionaries(
        {name: member for name, member in members.items() if name in needed},
        optional={name: member for name, member in members.items() if name not in needed},
    )
    return drawn.map(lambda value: _TIDY.get(struct.name, _as_it_is)(value, version))


def _values(struct: Struct, name: str, field: Field, version: SpecVersion) -> st.SearchStrategy[JSON]:
    kind = field.type
    if isinstance(kind, Struct):
        return _objects(kind, version)
    scalar = kind.element if isinstance(kind, ListOf) else kind
    if isinstance(scalar, Struct):
        return st.lists(_objects(scalar, version), max_size=2)
    allowed = _VALID.get((struct.name, name))
    values = _SCALARS[scalar] if allowed is None else st.sampled_from(allowed(version))
    if version == V2_0 and scalar is Scalar.INTEGER:
        values = values.filter(lambda value: isinstance(value, int) and value >= 0)
    return st.lists(values, max_size=2) if isinstance(kind, ListOf) else values


def _always(*values: JSON) -> Callable[[SpecVersion], tuple[JSON, ...]]:
    return lambda _: values


def _sources(version: SpecVersion) -> tuple[JSON, ...]:
    return ("", "data:,a", "https://a.example/b", "oem:///a", *(() if version < V2_1 else ("s3://a/b", "tftp://a/b")))


def _formats(version: SpecVersion) -> tuple[JSON, ...]:
    return ("ext4", "btrfs", "xfs", *(() if version < V2_1 else ("swap", "vfat")))


_CONTENTS_OF_UNITS = _always("", "[Unit]\nDescription=a\n", "[Install]\nWantedBy=a.target\n")
_VALID: dict[tuple[str, str], Callable[[SpecVersion], tuple[JSON, ...]]] = {
    ("certificate authority", "source"): _sources,
    ("config reference", "source"): _sources,
    ("contents", "compression"): _always("", "gzip"),
    ("contents", "source"): _sources,
    ("directory", "filesystem"): _always("root", "a"),
    ("directory", "mode"): _always(0, 0o755, 0o7777),
    ("directory", "path"): _always("/", "/a", "/a/../b/"),
    ("disk", "device"): _always("/dev/a"),
    ("drop-in", "contents"): _CONTENTS_OF_UNITS,
    ("drop-in", "name"): _always("a.conf"),
    ("file", "filesystem"): _always("root", "a"),
    ("file", "mode"): _always(0, 0o644, 0o7777),
    ("file", "path"): _always("/", "/a", "//b"),
    ("link", "filesystem"): _always("root", "a"),
    ("link", "path"): _always("/", "/a"),
    ("mount", "device"): _always("/dev/a"),
    ("mount", "format"): _formats,
    ("mount", "label"): _always("", "elevenbytes"),
    ("networkd drop-in", "contents"): _CONTENTS_OF_UNITS,
    ("networkd drop-in", "name"): _always("a.conf"),
    ("networkd unit", "contents"): _CONTENTS_OF_UNITS,
    ("networkd unit", "name"): _always("a.network"),
    ("partition", "guid"): _always("", "01234567-89AB-CDEF-EDCB-A98765432101"),
    ("partition", "label"): _always("", "a", "a:b"),
    ("partition", "number"): _always(0, 1, 2, 3),
    ("partition", "size"): _always(0, 2048),
    ("partition", "start"): _always(0, 2048),
    ("partition", "typeGuid"): _always("", "01234567-89AB-CDEF-EDCB-A98765432101"),
    ("raid", "devices"): _always("/dev/a", "/dev/b"),
    ("raid", "level"): _always("raid0", "mirror", "10"),
    ("unit", "contents"): _CONTENTS_OF_UNITS,
    ("unit", "name"): _always("a.service", "b@.timer"),
    ("verification", "hash"): _always(f"sha512-{'0a' * 64}"),
}


def _as_it_is(value: JSONObject, _: SpecVersion) -> JSONObject:
    return value


def _less(value: JSONObject, *names: str) -> JSONObject:
    return {name: member for name, member in value.items() if name not in names}


def _reference(value: JSONObject, _: SpecVersion) -> JSONObject:
    if not str(value["source"]).startswith("http"):
        return _less(value, "httpHeaders")
    return value | {"httpHeaders": [{"name": "a", "value": ""}]} if "httpHeaders" in value else value


def _of_mib_or_sectors(value: JSONObject, _: SpecVersion) -> JSONObject:
    """Speak of MiB in all partitions where one does, let none of them go, and have no number twice."""
    partitions = value.get("partitions", [])
    assert isinstance(partitions, list)
    kept: dict[object, JSONObject] = {}
    for index, partition in enumerate(partitions):
        assert isinstance(partition, dict)
        kept.setdefault(partition["number"] or f"number {index}", _less(partition, "shouldExist"))
    in_mib = any("sizeMiB" in partition or "startMiB" in partition for partition in kept.values())
    unsaid = ("size", "start") if in_mib else ("sizeMiB", "startMiB")
    tidied: list[JSON] = []
    for index, partition in enumerate(kept.values()):
        place = {"start": 2048 * 2 * index} if "start" in partition and not in_mib else {}
        tidied.append(_less(partition, *unsaid) | place)
    return value | {"partitions": tidied}


def _filesystem(value: JSONObject, _: SpecVersion) -> JSONObject:
    if "mount" in value:
        return _less(value, "path")
    return value | {"path": "/sysroot"}


def _mount(value: JSONObject, _: SpecVersion) -> JSONObject:
    return _less(value, "wipeFilesystem", "options") if "create" in value else value


def _user(value: JSONObject, _: SpecVersion) -> JSONObject:
    return {name: value[name] for name in ("name", "create") if name in value} if "create" in value else value


def _owner(value: JSONObject, _: SpecVersion) -> JSONObject:
    return _less(value, "name") if "id" in value else value


def _file(value: JSONObject, _: SpecVersion) -> JSONObject:
    return _less(value, "overwrite") if value.get("append") else value


def _raid(value: JSONObject, _: SpecVersion) -> JSONObject:
    return _less(value, "spares") if value["level"] == "raid0" else value


_TIDY: dict[str, Callable[[JSONObject, SpecVersion], JSONObject]] = {
    "certificate authority": _reference,
    "config reference": _reference,
    "contents": _reference,
    "disk": _of_mib_or_sectors,
    "file": _file,
    "filesystem": _filesystem,
    "mount": _mount,
    "owner": _owner,
    "raid": _raid,
    "user": _user,
}
