"""The rules of specs 2.1 to 2.4 for disks, RAID arrays, filesystems and the nodes in them. Pure."""

from collections.abc import Iterator
from types import MappingProxyType

from mcs.ignition.members import is_set, items, plain
from mcs.ignition.report import Kind
from mcs.ignition.rules import Found, Rules, error, problem, warning
from mcs.ignition.rules_2_shared import absolute, filesystem_place, partitions_of, raid_devices, raid_level
from mcs.ignition.unitfile import quoted
from mcs.ignition.values import guid_problem, label_problem, mode_problem, partition_label_is_too_long
from mcs.ignition.versions import V2_2, V2_3, SpecVersion
from mcs.jsondata import JSONObject, integer_at, list_at, object_at, text_at

__all__ = ["MEMBERS", "OWN"]

_FORMATS = ("ext4", "btrfs", "xfs", "swap", "vfat")
_MIXED_UNITS = "cannot mix MBs and sectors within a disk"


# Disks


def _disk(disk: JSONObject, version: SpecVersion) -> Iterator[Found]:
    if plain(disk, "device"):
        yield from absolute(disk, "device")
    else:
        yield error("disk device is required", "device")
    yield from partitions_of(disk, are_optional=version >= V2_3)
    if version >= V2_3:
        partitions = items(disk, "partitions")
        if any(not integer_at(partition, "number") for partition in partitions) and any(map(_is_to_go, partitions)):
            message = "shouldExist is false for a partition and other partition(s) has start or size 0"
            yield error(message, "partitions")
        if any(map(_in_sectors, partitions)) and any(map(_in_mebibytes, partitions)):
            yield error(_MIXED_UNITS, "partitions")


def _is_to_go(partition: JSONObject) -> bool:
    return partition.get("shouldExist") is False


def _in_sectors(partition: JSONObject) -> bool:
    return is_set(partition, "start") or is_set(partition, "size")


def _in_mebibytes(partition: JSONObject) -> bool:
    return is_set(partition, "startMiB") or is_set(partition, "sizeMiB")


def _partition(partition: JSONObject, version: SpecVersion) -> Iterator[Found]:
    if version < V2_3:
        return
    if _in_sectors(partition) and _in_mebibytes(partition):
        yield error(_MIXED_UNITS)
    described = is_set(partition, "label") or plain(partition, "typeGuid") or plain(partition, "guid")
    if _is_to_go(partition) and (described or _in_sectors(partition)):
        yield error("shouldExist specified false with other options also specified", "shouldExist")


def _partition_members(partition: JSONObject, version: SpecVersion) -> Iterator[Found]:
    label = plain(partition, "label")
    if partition_label_is_too_long(label):
        yield error("partition labels may not exceed 36 characters", "label")
    if ":" in label:
        yield warning("partition label will be truncated to text before the colon", "label")
    for name in ("typeGuid", "guid"):
        yield from problem(guid_problem(plain(partition, name)), name)
    if version >= V2_3:
        for name in ("size", "start"):
            if is_set(partition, name):
                yield Found(Kind.DEPRECATED, (name,), f"{name} is deprecated; use {name}MB instead")


# Filesystems


def _creation(filesystem: JSONObject, _: SpecVersion) -> Iterator[Found]:
    mount = object_at(filesystem, "mount")
    if not is_set(mount, "create"):
        return
    if mount.get("wipeFilesystem") is True:
        yield error("cannot use both create object and wipeFilesystem field", "mount", "wipeFilesystem")
    if list_at(mount, "options"):
        yield error("cannot use both create object and mount-level options field", "mount", "options")
    yield warning("the create object has been deprecated in favor of mount-level options", "mount", "create")


def _filesystem_path(filesystem: JSONObject, version: SpecVersion) -> Iterator[Found]:
    if not is_set(filesystem, "path"):
        return
    for found in absolute(filesystem, "path"):
        before = "" if version < V2_3 else f"filesystem {quoted(plain(filesystem, 'name'))}: "
        yield error(before + found.message, "path")


def _format(mount: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if plain(mount, "format") not in _FORMATS:
        yield error("invalid filesystem format", "format")


def _mount_members(mount: JSONObject, _: SpecVersion) -> Iterator[Found]:
    yield from absolute(mount, "device")
    yield from problem(label_problem(plain(mount, "label"), plain(mount, "format")), "label")


# Nodes


def _node(node: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if not plain(node, "filesystem"):
        yield error("no filesystem specified", "filesystem")
    yield from absolute(node, "path")


def _owner(owner: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if is_set(owner, "id") and text_at(owner, "name"):
        yield error("cannot set both id and name")


def _mode(node: JSONObject, version: SpecVersion) -> Iterator[Found]:
    mode = integer_at(node, "mode")
    if mode is not None:
        yield from problem(mode_problem(mode), "mode")
    elif version >= V2_2:
        yield warning("permissions unset, defaulting to 0000", "mode")


def _append(file: JSONObject, version: SpecVersion) -> Iterator[Found]:
    if version >= V2_2 and file.get("append") is True and file.get("overwrite") is True:
        yield error("cannot set both append and overwrite to true")


OWN: Rules = MappingProxyType(
    {
        "partition": (_partition,),
        "filesystem": (filesystem_place, _creation),
        "mount": (_format,),
        "owner": (_owner,),
        "file": (_append,),
    }
)
MEMBERS: Rules = MappingProxyType(
    {
        "disk": (_disk,),
        "partition": (_partition_members,),
        "raid": (raid_level, raid_devices),
        "filesystem": (_filesystem_path,),
        "mount": (_mount_members,),
        "file": (_node, _mode),
        "directory": (_node, _mode),
        "link": (_node,),
    }
)
