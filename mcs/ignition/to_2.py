"""A config of spec 3 said in spec 2.2 or 2.4, or all that cannot be said there. Pure.

Spec 2 names filesystems and places nodes in them, has one content for each entry of a file, and appends configs where
spec 3 merges them. Everything else is a matter of single members.
"""

from collections.abc import Iterator
from dataclasses import replace

from mcs.ignition import schema, schema_2
from mcs.ignition.above import Paths
from mcs.ignition.errors import Unsupported, UnsupportedFeatures
from mcs.ignition.lacking_2 import lacking
from mcs.ignition.members import plain
from mcs.ignition.places import Places, full_path
from mcs.ignition.plain import without_plain_zeros
from mcs.ignition.versions import V3_0, V3_1, SpecVersion, declaring
from mcs.ignition.walk import Walk
from mcs.jsondata import JSON, JSONObject, list_at, lookup, object_at, text_at

__all__ = ["to_2"]

# What spec 3 means where the mode is absent, and spec 2 does not: there it is 0000.
_FILE_MODE = 0o644
_DIRECTORY_MODE = 0o755
_ROOTS = ("root", "/")  # the filesystem at / by the names it may get


def to_2(config: JSONObject, source: SpecVersion, to: SpecVersion) -> JSONObject:
    """Return a config of spec `source`, one of 3.x, in spec `to`, 2.2 or 2.4. Nothing is validated but types.

    Setuid, setgid and sticky bits are kept where `source` is older than 3.4: no client of such a spec, or of spec 2,
    honours them. From 3.4 on they are refused.

    Raises UnsupportedFeatures with all that `to` cannot say, and InvalidConfig for types.
    """
    walk = Walk(source)
    said = walk.object(schema.CONFIG, config, (), V3_1)
    unsupported = [*walk.unsupported, *lacking(said, to), *_links_across(said)]
    if unsupported:
        # An object before what is in it, and everything as the config itself spells it.
        places = Places(config)
        located = [replace(feature, path=places.spelled(feature.path)) for feature in unsupported]
        raise UnsupportedFeatures(to, tuple(sorted(located, key=lambda feature: places.order(feature.path))))
    return declaring(without_plain_zeros(schema_2.CONFIG, _sections(said), to), to)


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


# Storage


def _storage(storage: JSONObject) -> JSONObject:
    mounted = _mounted(storage)
    files: list[JSON] = [entry for file in list_at(storage, "files") for entry in _files(file, mounted)]
    directories: list[JSON] = [_directory(item, mounted) for item in list_at(storage, "directories")]
    links: list[JSON] = [_link(item, mounted) for item in list_at(storage, "links")]
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


def _files(file: JSON, mounted: Paths) -> Iterator[JSONObject]:
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


def _directory(directory: JSON, mounted: Paths) -> JSONObject:
    node = _node(directory, mounted)
    mode = node.get("mode")
    return node | {"mode": _DIRECTORY_MODE if mode is None else mode}


def _link(link: JSON, mounted: Paths) -> JSONObject:
    """A client finds a hard link's target from a root: in spec 2 its filesystem's, in spec 3 the system's."""
    node = _node(link, mounted)
    target = text_at(node, "target")
    if node["filesystem"] in _ROOTS or not node.get("hard") or target is None:
        return node
    return node | {"target": _place(full_path("/", target), mounted)[1]}


def _links_across(config: JSONObject) -> Iterator[Unsupported]:
    """Yield every hard link whose target is on another filesystem than itself."""
    mounted = _mounted(object_at(config, "storage"))
    for index, link in enumerate(list_at(config, "storage", "links")):
        target = text_at(link, "target")
        if lookup(link, "hard") and target is not None:
            filesystem, _ = _place(plain(link, "path"), mounted)
            if _place(full_path("/", target), mounted)[0] != filesystem:
                path = f"$.storage.links.{index}.target"
                yield Unsupported(path, "a hard link to another filesystem", V3_0)


def _node(node: JSON, mounted: Paths) -> JSONObject:
    filesystem, path = _place(plain(node, "path"), mounted)
    return object_at(node) | {"filesystem": filesystem, "path": path}


def _mounted(storage: JSONObject) -> Paths:
    return Paths({path for item in list_at(storage, "filesystems") if (path := text_at(item, "path"))})


def _place(path: str, mounted: Paths) -> tuple[str, str]:
    """Return the filesystem that holds a path, and the path in it.

    >>> mounted = Paths({"/var", "/v"})
    >>> _place("/var/lib/a", mounted), _place("/variable", mounted), _place("/var", mounted)
    (('/var', '/lib/a'), ('root', '/variable'), ('/var', '/'))
    """
    nearest = path if path in mounted else next(mounted.above(path), "/")
    if nearest != "/":
        return nearest, path[len(nearest) :] or "/"
    return ("/" if "/" in mounted else "root"), path
