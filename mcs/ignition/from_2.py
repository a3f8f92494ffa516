"""A config of spec 2 said in spec 3, or all that keeps it from being said there. Pure.

The checks and the mapping are those of the reference implementation's converter; where it loses something without a
word, this does not.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mcs.ignition import schema, schema_2
from mcs.ignition.above import Paths
from mcs.ignition.errors import (
    DuplicateDropin,
    DuplicateInode,
    DuplicateMount,
    DuplicateUnit,
    NetworkdUsed,
    NoFilesystem,
    Problem,
    SectorsUsed,
    Unsayable,
    Unsupported,
    Untranslatable,
    UsesOwnLink,
)
from mcs.ignition.members import plain
from mcs.ignition.places import Places, full_path
from mcs.ignition.plain import without_plain_zeros
from mcs.ignition.report import path_text
from mcs.ignition.versions import V2_4, V3_1, SpecVersion, declaring
from mcs.ignition.walk import Walk
from mcs.ignition.within_2 import upgrade
from mcs.jsondata import JSON, JSONObject, list_at, lookup, object_at

__all__ = ["from_2"]


def from_2(config: JSONObject, to: SpecVersion, filesystems: Mapping[str, str]) -> JSONObject:
    """Return a config of any spec 2 in spec `to`, one of 3.x. Nothing is validated but types.

    filesystems: the mount point of each named filesystem but `root`, which is always at `/`; empty: it is not mounted.
    Raises Untranslatable with every problem, and InvalidConfig for types.
    """
    newest = upgrade(config, V2_4)
    mounted = {**filesystems, "root": "/"}
    places = Places(config)
    problems = [replace(problem, path=places.spelled(problem.path)) for problem in _problems(newest, to, mounted)]
    if problems:
        raise Untranslatable(to, tuple(problems))
    said = _sections(without_plain_zeros(schema_2.CONFIG, newest, V2_4), mounted)
    # What 3.0 lacks is among the problems, with its place in spec 2; only values that are invalid there may be left.
    converted = Walk(V3_1).object(schema.CONFIG, said, (), to)
    return declaring(converted, to)


# What cannot be said


def _problems(config: JSONObject, to: SpecVersion, mounted: Mapping[str, str]) -> Iterator[Problem]:
    yield from _sectors(config)
    if list_at(config, "networkd", "units"):
        yield NetworkdUsed("$.networkd.units")
    for index, filesystem in enumerate(list_at(config, "storage", "filesystems")):
        if (name := plain(filesystem, "name")) not in mounted:
            yield NoFilesystem(f"$.storage.filesystems.{index}", name)
    yield from _mounts_in_the_way(config, mounted)
    yield from _nodes_in_the_way(config, mounted)
    yield from _repeated_units(config)
    yield from _said_by_no_3(config)
    if to < V3_1:
        yield from _said_from_3_1_on(config)


def _sectors(config: JSONObject) -> Iterator[Problem]:
    for number, disk in enumerate(list_at(config, "storage", "disks")):
        for index, partition in enumerate(list_at(disk, "partitions")):
            if lookup(partition, "size") is not None or lookup(partition, "start") is not None:
                yield SectorsUsed(f"$.storage.disks.{number}.partitions.{index}")


def _nodes(config: JSONObject) -> Iterator[tuple[str, str, JSON]]:
    """Yield every file, directory and link, after its path in the config and the word for it."""
    for section, word in (("files", "File"), ("directories", "Directory"), ("links", "Link")):
        for index, node in enumerate(list_at(config, "storage", section)):
            yield f"$.storage.{section}.{index}", word, node


def _mounts_in_the_way(config: JSONObject, mounted: Mapping[str, str]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for index, filesystem in enumerate(list_at(config, "storage", "filesystems")):
        name = plain(filesystem, "name")
        if _is_kept(filesystem) and mounted.get(name):
            path = full_path(mounted[name], "")
            if path in seen:
                yield DuplicateMount(f"$.storage.filesystems.{index}", path, seen[path], name)
            seen.setdefault(path, name)


def _nodes_in_the_way(config: JSONObject, mounted: Mapping[str, str]) -> Iterator[Problem]:
    links = Paths(
        {
            full_path(mounted[filesystem], plain(link, "path"))
            for link in list_at(config, "storage", "links")
            if (filesystem := plain(link, "filesystem")) in mounted
        }
    )
    seen: dict[str, str] = {}
    for place, word, node in _nodes(config):
        filesystem = plain(node, "filesystem")
        if filesystem not in mounted:
            yield NoFilesystem(place, filesystem)
            continue
        path = full_path(mounted[filesystem], plain(node, "path"))
        name = f"{word}: {path}"
        if path in seen:
            yield DuplicateInode(place, seen[path], name)
        seen.setdefault(path, name)
        link = next(links.above(path), "/" if "/" in links and path != "/" else None)
        if link is not None:
            yield UsesOwnLink(place, name, link)


def _repeated_units(config: JSONObject) -> Iterator[Problem]:
    units: set[str] = set()
    for index, unit in enumerate(list_at(config, "systemd", "units")):
        place, name = f"$.systemd.units.{index}", plain(unit, "name")
        if name in units:
            yield DuplicateUnit(place, name)
        units.add(name)
        dropins: set[str] = set()
        for number, item in enumerate(list_at(unit, "dropins")):
            dropin = plain(item, "name")
            if dropin in dropins:
                yield DuplicateDropin(f"{place}.dropins.{number}", name, dropin)
            dropins.add(dropin)


def _said_by_no_3(config: JSONObject) -> Iterator[Problem]:
    for index, filesystem in enumerate(list_at(config, "storage", "filesystems")):
        place = f"$.storage.filesystems.{index}"
        if lookup(filesystem, "path") is not None and plain(filesystem, "name") != "root":
            yield Unsayable(f"{place}.path", "filesystem that is mounted already")
        creation = lookup(filesystem, "mount", "create")
        if creation is not None and not lookup(creation, "force"):
            yield Unsayable(f"{place}.mount.create", "creation of a filesystem that fails where there is one already")


def _said_from_3_1_on(config: JSONObject) -> Iterator[Problem]:
    ignition = object_at(config, "ignition")
    for name, value in object_at(ignition, "proxy").items():
        if value:
            yield Unsupported(path_text(("ignition", "proxy", name)), "a proxy", V3_1)
    resources: list[tuple[str, JSON]] = [("$.ignition.config.replace", lookup(ignition, "config", "replace"))]
    for keys in (("config", "append"), ("security", "tls", "certificateAuthorities")):
        place = path_text(("ignition", *keys))
        resources += [(f"{place}.{index}", item) for index, item in enumerate(list_at(ignition, *keys))]
    for index, file in enumerate(list_at(config, "storage", "files")):
        resources.append((f"$.storage.files.{index}.contents", lookup(file, "contents")))
    for place, resource in resources:
        if list_at(resource, "httpHeaders"):
            yield Unsupported(f"{place}.httpHeaders", "HTTP headers", V3_1)


# How the rest is said.  The config has no plain zeros any more: in spec 3 their members are optional.


def _sections(config: JSONObject, mounted: Mapping[str, str]) -> JSONObject:
    converted = config | {"ignition": _ignition(object_at(config, "ignition"))}
    converted.pop("networkd", None)
    if "passwd" in config:
        users: list[JSON] = [_user(user) for user in list_at(config, "passwd", "users")]
        converted["passwd"] = object_at(config, "passwd") | {"users": users}
    if "storage" in config:
        converted["storage"] = _storage(object_at(config, "storage"), mounted)
    if "systemd" in config:
        units: list[JSON] = [_unit(unit) for unit in list_at(config, "systemd", "units")]
        converted["systemd"] = {"units": units}
    return converted


def _ignition(ignition: JSONObject) -> JSONObject:
    converted = dict(ignition)
    if "config" in ignition:
        references: JSONObject = {"merge": _with_sources(list_at(ignition, "config", "append"))}
        if (replacement := lookup(ignition, "config", "replace")) is not None:
            references["replace"] = _with_source(replacement)
        converted["config"] = references
    if "security" in ignition:
        authorities = list_at(ignition, "security", "tls", "certificateAuthorities")
        converted["security"] = {"tls": {"certificateAuthorities": _with_sources(authorities)}}
    return converted


def _with_sources(resources: list[JSON]) -> list[JSON]:
    return [_with_source(resource) for resource in resources]


def _with_source(resource: JSON) -> JSONObject:
    """Write the empty source, too: without one, spec 3 would leave things as they are."""
    return {"source": ""} | object_at(resource)


def _user(user: JSON) -> JSONObject:
    """Lift what is said of a user to be created to where later specs say it: to the user itself."""
    converted = dict(object_at(user))
    creation = converted.pop("create", None)
    return object_at(creation) | converted


def _unit(unit: JSON) -> JSONObject:
    converted = dict(object_at(unit))
    if converted.pop("enable", False):
        converted.setdefault("enabled", True)
    return converted


def _storage(storage: JSONObject, mounted: Mapping[str, str]) -> JSONObject:
    filesystems: list[JSON] = [
        _filesystem(filesystem, mounted) for filesystem in list_at(storage, "filesystems") if _is_kept(filesystem)
    ]
    files: list[JSON] = [_file(_node(file, mounted)) for file in list_at(storage, "files")]
    converted: JSONObject = {**storage, "filesystems": filesystems, "files": files}
    converted["directories"] = [_node(directory, mounted) for directory in list_at(storage, "directories")]
    converted["links"] = [_link(link, mounted) for link in list_at(storage, "links")]
    return {name: value for name, value in converted.items() if name in storage}


def _is_kept(filesystem: JSON) -> bool:
    """Tell whether the filesystem is one to be mounted: not one that is mounted already, nor the bare root."""
    is_bare_root = plain(filesystem, "name") == "root" and lookup(filesystem, "mount") is None
    return lookup(filesystem, "path") is None and not is_bare_root


def _filesystem(filesystem: JSON, mounted: Mapping[str, str]) -> JSONObject:
    mount = dict(object_at(filesystem, "mount"))
    creation = mount.pop("create", None)
    if creation is not None:  # by force, otherwise it is a problem
        mount["wipeFilesystem"] = True
        if options := list_at(creation, "options"):
            mount["options"] = options
    return mount | {"path": mounted[plain(filesystem, "name")] or None}


def _file(node: JSONObject) -> JSONObject:
    """Say whether a file's content is all of it or is appended; absent, `overwrite` is true in spec 2, false in 3."""
    converted = dict(node)
    contents = _with_source(converted.pop("contents", None))
    if converted.pop("append", False):
        return converted | {"overwrite": False, "append": [contents]}
    return {"overwrite": True} | converted | {"contents": contents}


def _link(link: JSON, mounted: Mapping[str, str]) -> JSONObject:
    """A client finds a hard link's target from a root: in spec 2 its filesystem's, in spec 3 the system's."""
    node = _node(link, mounted)
    filesystem, target = plain(link, "filesystem"), plain(link, "target")
    if filesystem == "root" or not node.get("hard") or not target:
        return node
    return node | {"target": full_path(mounted[filesystem], full_path("/", target))}


def _node(node: JSON, mounted: Mapping[str, str]) -> JSONObject:
    converted = dict(object_at(node))
    converted.pop("filesystem", None)
    return converted | {"path": full_path(mounted[plain(node, "filesystem")], plain(node, "path"))}
