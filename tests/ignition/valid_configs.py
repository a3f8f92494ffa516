"""Valid configs of spec 3, made from the table of fields: single values that their rules allow, and then, object by
object, what the rules about several members ask for."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from hypothesis import strategies as st

from mcs.ignition.fields import CONCATENATED, Field, ListOf, Scalar, Struct
from mcs.ignition.schema import CONFIG
from mcs.ignition.values import MOST_SPARELESS_LEVELS, RAID_LEVELS
from mcs.ignition.versions import V3_1, V3_2, V3_3, V3_4, V3_6, SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["valid_configs", "with_unique_keys"]

Values: TypeAlias = st.SearchStrategy[JSON]
Tidy: TypeAlias = Callable[[JSONObject, SpecVersion], JSONObject]


@cache
def valid_configs(version: SpecVersion) -> st.SearchStrategy[JSONObject]:
    """Configs that a client of that spec accepts: a bit of everything, or one place of which nothing is left empty."""
    everything, one_place = _objects(CONFIG, version), st.one_of(_places(version))
    drawn = st.booleans().flatmap(lambda everywhere: everything if everywhere else one_place)
    return drawn.map(lambda config: with_unique_keys(_declaring(config, version)))


def _places(version: SpecVersion) -> list[st.SearchStrategy[JSONObject]]:
    return [
        st.fixed_dictionaries(
            {name: st.fixed_dictionaries({inner: _members(struct, inner, field, version, full=True)})}
        )
        for name, struct in (
            (name, section.type) for name, section in CONFIG.fields.items() if section.since <= version
        )
        if isinstance(struct, Struct)
        for inner, field in struct.fields.items()
        if field.since <= version and not isinstance(field.type, Scalar)
    ]


def _declaring(config: JSONObject, version: SpecVersion) -> JSONObject:
    ignition = config.get("ignition")
    return config | {"ignition": {**(ignition if isinstance(ignition, dict) else {}), "version": str(version)}}


def _objects(struct: Struct, version: SpecVersion, full: bool = False) -> st.SearchStrategy[JSONObject]:
    known = {name: field for name, field in struct.fields.items() if field.since <= version}
    needed = {
        name
        for name, field in known.items()
        if (struct.name, name) in _NEEDED or _is_plain(field, version) or (full and not isinstance(field.type, Scalar))
    }
    members = {name: _members(struct, name, field, version, full) for name, field in known.items()}
    drawn = st.fixed_dictionaries(
        {name: member for name, member in members.items() if name in needed},
        optional={name: member for name, member in members.items() if name not in needed},
    )
    tidy = _TIDY.get(struct.name)
    return drawn if tidy is None else drawn.map(lambda value: tidy(value, version))


def _is_plain(field: Field, version: SpecVersion) -> bool:
    return isinstance(field.type, Scalar) and (field.optional_since is None or version < field.optional_since)


def _members(struct: Struct, name: str, field: Field, version: SpecVersion, full: bool) -> Values:
    special = _VALUES.get((struct.name, name))
    kind = field.type.element if isinstance(field.type, ListOf) else field.type
    if isinstance(kind, Struct):
        values: Values = _objects(kind, version, full)
    else:
        values = _scalars(kind) if special is None else special(version)
    if isinstance(field.type, ListOf):
        return st.lists(values, min_size=1 if full or (struct.name, name) in _NEEDED else 0, max_size=3)
    return values


def _scalars(kind: Scalar) -> Values:
    if kind is Scalar.TEXT:
        return st.text(max_size=8) | st.sampled_from("abc")
    return st.integers(-5, 5000) if kind is Scalar.INTEGER else st.booleans()


# Single values

_NEEDED = {
    ("certificate authority", "source"),
    ("raid", "level"),
    ("raid", "devices"),
    ("LUKS volume", "device"),
    ("tang server", "thumbprint"),
}


def _one_of(*values: JSON) -> Callable[[SpecVersion], Values]:
    return lambda _: st.sampled_from(values)


def _sources(version: SpecVersion) -> Values:
    newer = [(V3_2, "gs://a/b"), (V3_4, "arn:aws:s3:::a/b")]
    urls = [url for since, url in newer if since <= version]
    return st.sampled_from(
        ["", "https://a.example/b", "HTTP://a.example/c", "data:,a", "s3://a/b", "tftp://a/b", *urls]
    )


def _required_sources(version: SpecVersion) -> Values:
    return _sources(version).filter(bool)


def _reference_sources(version: SpecVersion) -> Values:
    return _sources(version) if version < V3_1 else _required_sources(version)


def _hashes(version: SpecVersion) -> Values:
    sums = [f"sha512-{'0a' * 64}", *([f"sha256-{'0a' * 32}"] if version >= V3_1 else [])]
    return st.sampled_from(sums)


def _pins(version: SpecVersion) -> Values:
    return st.sampled_from(["", "tpm2", "tang", "sss", *(["fido2"] if version >= V3_6 else [])])


def _formats(version: SpecVersion) -> Values:
    return st.sampled_from(["ext4", "btrfs", "xfs", "swap", "vfat", "", *(["none"] if version >= V3_3 else [])])


def _targets(version: SpecVersion) -> Values:
    return st.sampled_from(["/target/a", "../b", *([""] if version < V3_3 else [])])


def _modes(_: SpecVersion) -> Values:
    return st.integers(0, 0o777) | st.integers(0, 0o7777)


_PATHS = _one_of("/dev/a", "/dev/b", "/dev/disk/by-id/c", "/")
_TEXTS_THAT_SAY_SOMETHING = _one_of("a", "b", "ä b")
_GUIDS = _one_of("", "01234567-89AB-CDEF-EDCB-A98765432101")
_UNIT_TEXTS = _one_of("", "[Unit]\nDescription=a\n", "[Service]\nType=oneshot\n[Install]\nWantedBy=a.target\n")
_PROXIES = _one_of("http://a.example:3128", "https://a.example")

_VALUES: dict[tuple[str, str], Callable[[SpecVersion], Values]] = {
    ("verification", "hash"): _hashes,
    ("HTTP header", "name"): _TEXTS_THAT_SAY_SOMETHING,
    ("HTTP header", "value"): _one_of("a", None),
    ("contents", "source"): _sources,
    ("contents", "compression"): _one_of("", "gzip"),
    ("config reference", "source"): _reference_sources,
    ("config reference", "compression"): _one_of("", "gzip"),
    ("certificate authority", "source"): _required_sources,
    ("certificate authority", "compression"): _one_of("", "gzip"),
    ("proxy", "httpProxy"): _PROXIES,
    ("proxy", "httpsProxy"): _PROXIES,
    ("disk", "device"): _PATHS,
    ("partition", "label"): _TEXTS_THAT_SAY_SOMETHING,
    ("partition", "number"): _one_of(0, 0, 1, 2, 3),
    ("partition", "guid"): _GUIDS,
    ("partition", "typeGuid"): _GUIDS,
    ("raid", "level"): _one_of(*sorted(RAID_LEVELS)),
    ("raid", "devices"): _PATHS,
    ("filesystem", "device"): _PATHS,
    ("filesystem", "path"): _one_of("", "/", "/var/a"),
    ("filesystem", "format"): _formats,
    ("filesystem", "label"): _one_of("", "a", "elevenbytes"),
    ("LUKS volume", "name"): _one_of("a", "b", ""),
    ("LUKS volume", "device"): _PATHS,
    ("LUKS volume", "label"): _one_of("", "a", "b" * 47),
    ("custom clevis pin", "pin"): _pins,
    ("custom clevis pin", "config"): _one_of("", "{}"),
    ("tang server", "url"): _one_of("http://a.example", "https://b.example"),
    ("tang server", "thumbprint"): _TEXTS_THAT_SAY_SOMETHING,
    ("tang server", "advertisement"): _one_of("", "{}", "[1]"),
    ("file", "path"): _one_of("/file/a", "/file/b", "/both/a"),
    ("file", "mode"): _modes,
    ("directory", "path"): _one_of("/directory/a", "/directory/b", "/both/a", "/"),
    ("directory", "mode"): _modes,
    ("link", "path"): _one_of("/link/a", "/link/b", "/both/a"),
    ("link", "target"): _targets,
    ("unit", "name"): _one_of("a.service", "b@.service", "b@c.service", "d.mount", "e.timer"),
    ("unit", "contents"): _UNIT_TEXTS,
    ("drop-in", "name"): _one_of("a.conf", "b.conf"),
    ("drop-in", "contents"): _UNIT_TEXTS,
}


# Members that do not go together


def _without(value: JSONObject, *names: str) -> JSONObject:
    return {name: member for name, member in value.items() if name not in names}


def _resource(value: JSONObject, version: SpecVersion) -> JSONObject:
    source = str(value.get("source") or "")
    if not source.lower().startswith("http"):
        value = _without(value, "httpHeaders")
    if value.get("source") is None:
        value = _without(value, "verification")
    return value


def _reference(value: JSONObject, version: SpecVersion) -> JSONObject:
    """What 3.0 does not look at (no source, or an empty one, and even so a hash) is an error later."""
    return value if version < V3_1 else _resource(value, version)


def _references(value: JSONObject, version: SpecVersion) -> JSONObject:
    entries = value.get("merge")
    if version < V3_1 or not isinstance(entries, list):
        return value
    return value | {"merge": [entry for entry in entries if isinstance(entry, dict) and entry.get("source")]}


def _owner(value: JSONObject, version: SpecVersion) -> JSONObject:
    return _without(value, "name") if "id" in value else value


def _file(value: JSONObject, version: SpecVersion) -> JSONObject:
    contents = value.get("contents")
    has_source = isinstance(contents, dict) and contents.get("source") is not None
    return value if has_source else _without(value, "overwrite")


def _link(value: JSONObject, version: SpecVersion) -> JSONObject:
    return value if version < V3_3 else {"target": "/target/a", **value}


def _partition(value: JSONObject, version: SpecVersion) -> JSONObject:
    if value.get("shouldExist") is False:
        value = _without(value, "label", "guid", "typeGuid", "startMiB", "sizeMiB") | {"number": value["number"] or 4}
    if value["number"] == 0 and value.get("label") is None:
        value = value | {"label": "c"}
    return value


def _disk(value: JSONObject, version: SpecVersion) -> JSONObject:
    """Put partitions one after another, and give none a label that another has."""
    partitions = value.get("partitions", [])
    assert isinstance(partitions, list)
    kept: list[JSON] = []
    labels: set[JSON] = set()
    for index, partition in enumerate(partitions):
        assert isinstance(partition, dict)
        label = partition.get("label")
        if label is not None and label in labels:
            continue
        labels.add(label)
        places = {"startMiB": 1 + index * 1000, "sizeMiB": index * 500}
        kept.append(partition | {name: place for name, place in places.items() if name in partition})
    return value | {"partitions": kept}


def _raid(value: JSONObject, version: SpecVersion) -> JSONObject:
    return _without(value, "spares") if value["level"] in MOST_SPARELESS_LEVELS else value


def _filesystem(value: JSONObject, version: SpecVersion) -> JSONObject:
    needing = ("path", "label", "uuid", "wipeFilesystem", "options", "mountOptions")
    return value if value.get("format") else _without(value, *needing)


def _custom_pin(value: JSONObject, version: SpecVersion) -> JSONObject:
    """Nothing at all, or pin and config; 3.2 takes needsNetwork alone for nothing."""
    pin, config = value.get("pin"), value.get("config")
    if pin and config:
        return value
    names = ("pin", "config", *([] if version < V3_3 else ["needsNetwork"]))
    return _without(value, *names) | ({"pin": "", "config": ""} if version < V3_3 else {})


def _clevis(value: JSONObject, version: SpecVersion) -> JSONObject:
    custom = value.get("custom")
    if isinstance(custom, dict) and (version < V3_3 or custom.get("pin")):
        return _without(value, "tang", "tpm2", "threshold")
    return value


def _luks(value: JSONObject, version: SpecVersion) -> JSONObject:
    cex = value.get("cex")
    return _without(value, "clevis", "keyFile") if isinstance(cex, dict) and cex.get("enabled") else value


_TIDY: dict[str, Tidy] = {
    "contents": _resource,
    "config reference": _reference,
    "config references": _references,
    "certificate authority": _resource,
    "owner": _owner,
    "file": _file,
    "link": _link,
    "partition": _partition,
    "disk": _disk,
    "raid": _raid,
    "filesystem": _filesystem,
    "custom clevis pin": _custom_pin,
    "clevis": _clevis,
    "LUKS volume": _luks,
}


# Keys


def with_unique_keys(config: JSONObject) -> JSONObject:
    """Leave out each item that has the key of one before it, in its own list or in another of the group."""
    return _unique(CONFIG, config)


def _unique(struct: Struct, value: JSONObject) -> JSONObject:
    result: JSONObject = {}
    seen: dict[str, set[str]] = {}
    for name, member in value.items():
        kind = struct.fields[name].type
        if isinstance(kind, Struct) and isinstance(member, dict):
            result[name] = _unique(kind, member)
        elif isinstance(kind, ListOf) and isinstance(member, list):
            result[name] = _unique_items(kind, member, seen.setdefault(kind.group or name, set()))
        else:
            result[name] = member
    return result


def _unique_items(kind: ListOf, items: list[JSON], seen: set[str]) -> list[JSON]:
    kept: list[JSON] = []
    for item in items:
        key = _key(kind, item)
        if kind.key is not CONCATENATED and key in seen:
            continue
        seen.add(key)
        kept.append(
            _unique(kind.element, item) if isinstance(kind.element, Struct) and isinstance(item, dict) else item
        )
    return kept


def _key(kind: ListOf, item: JSON) -> str:
    if not isinstance(item, dict) or not kind.key:
        return str(item)
    if kind.key != ("number", "label"):
        return str(item.get(kind.key[0]) or "")
    if item.get("number"):
        return f"number {item['number']}"
    return "" if item.get("label") is None else f"label {item['label']}"
