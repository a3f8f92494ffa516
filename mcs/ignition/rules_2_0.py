"""The rules of spec 2.0: fewer than its successors have, and more of them end the search in their object. Pure."""

from collections.abc import Iterator
from types import MappingProxyType

from mcs.ignition.errors import InvalidVersion
from mcs.ignition.members import is_set, plain
from mcs.ignition.rules import Found, Rule, Rules, error, problem, warning
from mcs.ignition.rules_2_shared import (
    absolute,
    compatible,
    compression,
    contents,
    dropin_name,
    filesystem_place,
    hash_of_content,
    names_of_filesystems,
    networkd_name,
    partitions_of,
    raid_devices,
    raid_level,
    references_to_filesystems,
    source,
    unit_contents,
    unit_name,
)
from mcs.ignition.values import guid_problem, mode_problem, partition_label_is_too_long
from mcs.ignition.versions import SemanticVersion, SpecVersion, parse_semantic
from mcs.jsondata import JSONObject, integer_at

__all__ = ["MEMBERS", "OWN"]

_FORMATS = ("ext4", "btrfs", "xfs")
_ABSENT = SemanticVersion(0, 0, 0, "", "")


def _version(ignition: JSONObject, version: SpecVersion) -> Iterator[Found]:
    text = plain(ignition, "version")
    try:
        declared = parse_semantic(text) if text else _ABSENT
    except InvalidVersion:
        yield error("invalid config version (couldn't parse)", "version")
    else:
        yield from compatible(declared, version)


def _disk(disk: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if not plain(disk, "device"):
        yield error("disk device is required", "device")
    yield from partitions_of(disk, are_optional=False)


def _device(value: JSONObject, _: SpecVersion) -> Iterator[Found]:
    return absolute(value, "device")


def _partition(partition: JSONObject, _: SpecVersion) -> Iterator[Found]:
    label = plain(partition, "label")
    if partition_label_is_too_long(label):
        yield error("partition labels may not exceed 36 characters", "label")
    elif ":" in label:
        yield warning("partition label will be truncated to text before the colon", "label")
    yield from problem(guid_problem(plain(partition, "typeGuid")), "typeGuid")


def _unsigned(name: str) -> Rule:
    """Return the rule that a number is not negative; only clients of 2.0 keep it where a sign has no place."""

    def rule(value: JSONObject, _: SpecVersion) -> Iterator[Found]:
        if (integer_at(value, name) or 0) < 0:
            yield error("the number is negative", name)

    return rule


def _filesystem_path(filesystem: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if is_set(filesystem, "path"):
        yield from absolute(filesystem, "path")


def _format(mount: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if plain(mount, "format") not in _FORMATS:
        yield error("invalid filesystem format", "format")


def _file(file: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if not plain(file, "filesystem"):
        yield error("no filesystem specified", "filesystem")


def _file_members(file: JSONObject, _: SpecVersion) -> Iterator[Found]:
    yield from absolute(file, "path")
    yield from problem(mode_problem(integer_at(file, "mode") or 0), "mode")


def _unit(unit: JSONObject, _: SpecVersion) -> Iterator[Found]:
    return unit_contents(unit, unit.get("enable") is True)


OWN: Rules = MappingProxyType(
    {
        "config": (references_to_filesystems, names_of_filesystems),
        "disk": (_disk,),
        "raid": (raid_level,),
        "filesystem": (filesystem_place,),
        "file": (_file,),
        "unit": (_unit,),
        "drop-in": (contents,),
        "networkd unit": (contents,),
    }
)
MEMBERS: Rules = MappingProxyType(
    {
        "ignition": (_version,),
        "config reference": (source,),
        "contents": (compression, source),
        "verification": (hash_of_content,),
        "disk": (_device,),
        "user creation": (_unsigned("uid"),),
        "group": (_unsigned("gid"),),
        "partition": (_partition, _unsigned("size"), _unsigned("start")),
        "raid": (raid_devices,),
        "filesystem": (_filesystem_path,),
        "mount": (_device, _format),
        "file": (_file_members,),
        "unit": (unit_name,),
        "drop-in": (dropin_name,),
        "networkd unit": (networkd_name,),
    }
)
