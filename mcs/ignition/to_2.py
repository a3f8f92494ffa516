"""A config of spec 3 said in spec 2.2 or 2.4, or all that cannot be said there. Pure.

Spec 2 names filesystems and places nodes in them, has one content for each entry of a file, and appends configs where
spec 3 merges them. Everything else is a matter of single members.
"""

from collections.abc import Iterator
from dataclasses import replace

from mcs.ignition import schema, schema_2
from mcs.ignition.errors import UnsupportedFeatures
from mcs.ignition.lacking_2 import lacking
from mcs.ignition.places import order_at, spelled
from mcs.ignition.plain import without_plain_zeros
from mcs.ignition.versions import V3_1, SpecVersion
from mcs.ignition.within_3 import Walk
from mcs.jsondata import JSON, JSONObject, list_at, lookup, object_at, text_at

__all__ = ["to_2"]

# What spec 3 means where the mode is absent, and spec 2 does not: there it is 0000.
_FILE_MODE = 0o644
_DIRECTORY_MODE = 0o755


def to_2(config: JSONObject, source: SpecVersion, to: SpecVersion) -> JSONObject:
    """Return a config of spec `source`, one of 3.x, in spec `to`, 2.2 or 2.4. Nothing is validated but types.

    Setuid, setgid and sticky bits are kept where `source` is older than 3.4: no client of such a spec, or of spec 2,
    honours them. From 3.4 on they are refused.

    Raises UnsupportedFeatures with all that `to` cannot say, and InvalidConfig for types.
    """
    walk = Walk(source)
    said = walk.object(schema.CONFIG, config, (), V3_1)
    unsupported = [*walk.unsupported, *lacking(said, to)]
    if unsupported:
        # An object before what is in it, and everything as the config itself spells it.
        located = [replace(feature, path=spelled(config, feature.path)) for feature in unsupported]
        raise UnsupportedFeatures(to, tuple(sorted(located, key=lambda feature: order_at(config, feature.path))))
    converted = without_plain_zeros(schema_2.CONFIG, _sections(said), to)
    ignition = converted["ignition"]
    assert isinstance(ignition, dict)  # declared_version found the version in it
    ignition["version"] = str(to)
    return converted


def _sections(config: JSONObject) -> JSONObject:
    converted = config | {"ignition": _ignition(object_at(config, "ignition"))}
    if lookup(config, "storage") is not None:
        converted["storage"] = _storage(object_at(config, "storage"))
    return converted


def _ignition(ignition: JSONObject) -> JSONObject:
    if lookup(ignition, "config") is None:
        return ignition
    references: JSONObject = {"append": lookup(ignition, "config", "merge")}
    if lookup(ignition, "config", "replace", "source") is not None:  # without a source it replaces nothing
        references["replace"] = lookup(ignition, "config", "replace")
    return ignition | {"config": references}


# storage


def _storage(storage: JSONObject) -> JSONObject:
    mounted = {path for item in list_at(storage, "filesystems") if (path := text_at(item, "path"))}
    files: list[JSON] = [entry for file in list_at(storage, "files") for entry in _files(file, mounted)]
    directories: list[JSON] = [_directory(item, mounted) for item in list_at(storage, "directories")]
    links: list[JSON] = [_node(item, mounted) for item in list_at(storage, "links")]
    filesystems = _filesystems(list_at(storage, "filesystems"))
    nodes: JSONObject = {"filesystems": filesystems, "files": files, "directories": directories, "links": links}
    return storage | {name: items for name, items in nodes.items() if storage.get(name) is not None}


def _filesystems(filesystems: list[JSON]) -> list[JSON]:
    """Name each filesystem by its path, or by a number where it has none. A number is no path: names differ."""
    converted: list[JSON] = []
    numbered = 0
    for filesystem in filesystems:
        mount = dict(object_at(filesystem))
        name = mount.pop("path", None)
        if name is None:
            numbered += 1
            name = str(numbered)
        converted.append({"name": name, "mount": mount})
    return converted


def _files(file: JSON, mounted: set[str]) -> Iterator[JSONObject]:
    """Yield an entry for the content of a file and one for each content that is appended to it.

    A file that has neither only has to be there: so it is appended nothing.  Without a mode, what is appended to keeps
    its own; the first entry sets it for those that follow.
    """
    node = _node(file, mounted)
    appended = list_at(node, "append")
    contents = object_at(node, "contents")
    if contents.get("source") is not None:
        mode = node.get("mode")
        yield node | {
            "overwrite": node.get("overwrite") or False,  # absent, it is true in spec 2
            "mode": _FILE_MODE if mode is None else mode,
            "append": False,
        }
    elif not appended:
        yield node | {"overwrite": False, "append": True, "contents": None}
    for content in appended:
        yield node | {"overwrite": False, "append": True, "contents": content}


def _directory(directory: JSON, mounted: set[str]) -> JSONObject:
    node = _node(directory, mounted)
    mode = node.get("mode")
    return node | {"mode": _DIRECTORY_MODE if mode is None else mode}


def _node(node: JSON, mounted: set[str]) -> JSONObject:
    filesystem, path = _place(text_at(node, "path") or "", mounted)
    return object_at(node) | {"filesystem": filesystem, "path": path}


def _place(path: str, mounted: set[str]) -> tuple[str, str]:
    """Return the filesystem that holds a path, and the path in it.

    >>> _place("/var/lib/a", {"/var", "/v"}), _place("/variable", {"/var"}), _place("/var", {"/var"})
    (('/var', '/lib/a'), ('root', '/variable'), ('/var', '/'))
    """
    above = path
    while above:
        if above in mounted and above != "/":
            return above, path[len(above) :] or "/"
        above = above.rpartition("/")[0]
    return ("/" if "/" in mounted else "root"), path
