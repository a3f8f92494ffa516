"""The rules of spec 3 for files, directories and links, each by itself and beside the others. Pure."""

import posixpath
from collections.abc import Iterator
from types import MappingProxyType

from mcs.ignition.above import Paths
from mcs.ignition.members import is_set, items, plain
from mcs.ignition.rules import Found, Rules, error, problem, warning
from mcs.ignition.schema import SPECIAL_MODE_BITS
from mcs.ignition.values import mode_problem, path_problem
from mcs.ignition.versions import V3_3, V3_6, SpecVersion
from mcs.jsondata import JSONObject, integer_at, object_at

__all__ = ["RULES"]

_SPECIAL_BITS = "setuid/setgid/sticky bits are not supported or functional in spec versions older than 3.6.0"
_BELOW_LINK = {
    "directories": "directory path includes link in config",
    "files": "file path includes link in config",
    "links": "link path includes link in config",
}
_UNITS = "/etc/systemd/system/"


def _node(node: JSONObject, _: SpecVersion) -> Iterator[Found]:
    return problem(path_problem(plain(node, "path")), "path")


def _mode(node: JSONObject, version: SpecVersion) -> Iterator[Found]:
    mode = integer_at(node, "mode")
    if mode is None:
        return
    yield from problem(mode_problem(mode), "mode")
    if mode & SPECIAL_MODE_BITS and version < V3_6:
        yield warning(_SPECIAL_BITS, "mode")


def _overwrite(file: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if file.get("overwrite") is True and not is_set(object_at(file, "contents"), "source"):
        yield error("overwrite must be false if source is unspecified", "overwrite")


def _owner(owner: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if is_set(owner, "id") and plain(owner, "name"):
        yield error("cannot set both id and name")


# Beside the others


def _below_links(storage: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Report each path of a link that lies above a node; links of one path are duplicates, and no more to say here."""
    links = Paths({plain(link, "path") for link in items(storage, "links")})
    for name, message in _BELOW_LINK.items():
        for index, node in enumerate(items(storage, name)):
            for _link in links.above(plain(node, "path")):
                yield error(message, name, index)


def _targets(storage: JSONObject, version: SpecVersion) -> Iterator[Found]:
    directories = {plain(directory, "path") for directory in items(storage, "directories")}
    for index, link in enumerate(items(storage, "links")):
        target = plain(link, "target")
        if not target and version >= V3_3:
            yield error("link target is required", "links", index, "target")
        elif link.get("hard") is True:
            if _resolved(plain(link, "path"), target) in directories:
                yield error("hard link target is a directory", "links", index)
            for kind in ("user", "group"):
                for name in ("id", "name"):
                    if is_set(object_at(link, kind), name):
                        yield warning("user/group ignored for hard link", "links", index, kind, name)


def _resolved(path: str, target: str) -> str:
    """Return the path that a target means. A relative one starts at the link itself, whatever the file system does."""
    joined = target if target.startswith("/") else "/".join(filter(None, (path, target)))
    cleaned = posixpath.normpath(joined) if joined else ""
    return cleaned[1:] if cleaned.startswith("//") else cleaned  # POSIX keeps two slashes, Go does not


def _units_as_nodes(config: JSONObject, _: SpecVersion) -> Iterator[Found]:
    written = set(_paths_of_units(config))
    if not written:
        return
    storage = object_at(config, "storage")
    for name in ("files", "directories", "links"):
        for index, node in enumerate(items(storage, name)):
            if plain(node, "path") in written:
                yield error("path conflicts with systemd unit or dropin", "storage", name, index, "path")


def _paths_of_units(config: JSONObject) -> Iterator[str]:
    for unit in items(object_at(config, "systemd"), "units"):
        path = _UNITS + plain(unit, "name")
        if plain(unit, "contents"):
            yield path
        for dropin in items(unit, "dropins"):
            if plain(dropin, "contents"):
                yield f"{path}.d/{plain(dropin, 'name')}"


RULES: Rules = MappingProxyType(
    {
        "config": (_units_as_nodes,),
        "storage": (_below_links, _targets),
        "file": (_node, _mode, _overwrite),
        "directory": (_node, _mode),
        "link": (_node,),
        "owner": (_owner,),
    }
)
