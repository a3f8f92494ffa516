"""The rules of spec 3 for disks, partitions, RAID arrays and file systems. Pure."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType

from mcs.ignition.extents import Crowd, Extent, extent
from mcs.ignition.members import is_set, items, plain, texts
from mcs.ignition.rules import Found, Rules, error, problem, warning
from mcs.ignition.values import (
    LABEL_LENGTHS,
    MOST_SPARELESS_LEVELS,
    RAID_LEVELS,
    guid_problem,
    label_problem,
    partition_label_is_too_long,
    path_problem,
)
from mcs.ignition.versions import V3_0, V3_3, SpecVersion
from mcs.jsondata import JSONObject, integer_at, list_at

__all__ = ["RULES"]

_FORMATS_SINCE = {**dict.fromkeys(LABEL_LENGTHS, V3_0), "none": V3_3}
_NEEDS_FORMAT = "format cannot be empty when path, label, uuid, wipeFilesystem, options, or mountOptions is specified"

# Disks


def _disk(disk: JSONObject, _: SpecVersion) -> Iterator[Found]:
    device = plain(disk, "device")
    if not device:
        yield error("disk device is required", "device")
        return
    yield from problem(path_problem(device), "device")
    partitions = items(disk, "partitions")
    for index, message in (
        (_colliding_number(partitions), "partition numbers collide"),
        (_overlapped(partitions), "partitions overlap"),
        (_repeated_label(partitions), "cannot use the same partition label twice"),
    ):
        if index is not None:
            yield error(message, "partitions", index)


def _colliding_number(partitions: list[JSONObject]) -> int | None:
    """Return the second partition of a number; 0 is the next free one."""
    numbers = [integer_at(partition, "number") or None for partition in partitions]
    return _first_repeated(numbers)


def _repeated_label(partitions: list[JSONObject]) -> int | None:
    return _first_repeated([partition.get("label") for partition in partitions])


def _first_repeated(values: Sequence[object]) -> int | None:
    seen = set()
    for index, value in enumerate(values):
        if value is not None:
            if value in seen:
                return index
            seen.add(value)
    return None


def _overlapped(partitions: list[JSONObject]) -> int | None:
    """Return the first partition that the first one which overlaps any overlaps."""
    extents = list(_extents(partitions))
    crowd = Crowd(extents)
    one = next((each for each in extents if crowd.covers_an_end_of(each) or crowd.is_within(each)), None)
    if one is None:
        return None
    return next(other.place for other in extents if other is not one and _overlaps(one, other))


def _overlaps(one: Extent, other: Extent) -> bool:
    return other.covers(one.start) or other.covers(one.end) or (one.start < other.start and other.end < one.end)


def _extents(partitions: list[JSONObject]) -> Iterator[Extent]:
    """List the partitions whose place is known: a start of 0 is wherever there is room."""
    for index, partition in enumerate(partitions):
        start, size = integer_at(partition, "startMiB"), integer_at(partition, "sizeMiB")
        if start and size is not None:
            yield extent(index, start, size)


def _partition(partition: JSONObject, _: SpecVersion) -> Iterator[Found]:
    has_label = is_set(partition, "label")
    if partition.get("shouldExist") is False and (
        has_label
        or plain(partition, "typeGuid")
        or plain(partition, "guid")
        or is_set(partition, "startMiB")
        or is_set(partition, "sizeMiB")
    ):
        yield error("shouldExist specified false with other options also specified")
    if not integer_at(partition, "number") and not has_label:
        yield error("a partition number >= 1 or a label must be specified")
    yield from problem(_partition_label_problem(plain(partition, "label")), "label")
    for name in ("guid", "typeGuid"):
        yield from problem(guid_problem(plain(partition, name)), name)


def _partition_label_problem(label: str) -> str | None:
    if partition_label_is_too_long(label):
        return "partition labels may not exceed 36 characters"
    return "partition label will be truncated to text before the colon" if ":" in label else None


# RAID arrays


def _raid(raid: JSONObject, version: SpecVersion) -> Iterator[Found]:
    level = plain(raid, "level")
    yield from problem(_level_problem(level, integer_at(raid, "spares") or 0, version), "level")
    devices = texts(raid, "devices")
    if not devices:
        yield error("raid devices required", "devices")
    for index, device in enumerate(devices):
        yield from problem(path_problem(device), "devices", index)


def _level_problem(level: str, spares: int, version: SpecVersion) -> str | None:
    if not level and version >= V3_3:
        return "raid level is required"
    if level not in RAID_LEVELS:
        return "unrecognized raid level"
    return "spares unsupported for linear and raid0 arrays" if spares and level in MOST_SPARELESS_LEVELS else None


# File systems


def _filesystem(filesystem: JSONObject, version: SpecVersion) -> Iterator[Found]:
    path, name, label = plain(filesystem, "path"), plain(filesystem, "format"), plain(filesystem, "label")
    yield from problem(path_problem(path) if path else None, "path")
    yield from problem(path_problem(plain(filesystem, "device")), "device")
    if name:
        since = _FORMATS_SINCE.get(name)
        if since is None or version < since:
            yield error("invalid filesystem format", "format")
        yield from problem(label_problem(label, name), "label")
        return
    if _needs_format(filesystem, version):
        yield error(_NEEDS_FORMAT, "format")
    if label:
        yield error("filesystem must specify format if label is specified", "label")


def _needs_format(filesystem: JSONObject, version: SpecVersion) -> bool:
    return (
        any(plain(filesystem, name) for name in ("path", "label", "uuid"))
        or filesystem.get("wipeFilesystem") is True
        or bool(list_at(filesystem, "options"))
        or (version > V3_0 and bool(list_at(filesystem, "mountOptions")))
    )


def _filesystems_on_disks(storage: JSONObject, _: SpecVersion) -> Iterator[Found]:
    disks = {plain(disk, "device"): disk for disk in items(storage, "disks")}
    for index, filesystem in enumerate(items(storage, "filesystems")):
        disk = disks.get(plain(filesystem, "device"))
        if disk is None:
            continue
        if items(disk, "partitions"):
            yield warning("filesystem overwrites partitioned device", "filesystems", index, "device")
        elif disk.get("wipeTable") is True and filesystem.get("wipeFilesystem") is not True:
            message = "device matches disk with wipeTable enabled; filesystem will be wiped"
            yield warning(message, "filesystems", index, "device")


RULES: Rules = MappingProxyType(
    {
        "storage": (_filesystems_on_disks,),
        "disk": (_disk,),
        "partition": (_partition,),
        "raid": (_raid,),
        "filesystem": (_filesystem,),
    }
)
