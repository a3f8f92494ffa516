"""The rules that 2.0 and its successors have in common; where they apply, each of the two says itself. Pure."""

from collections.abc import Hashable, Iterator

from mcs.ignition import urls
from mcs.ignition.extents import Crowd, Extent, extent
from mcs.ignition.members import is_set, items, plain, texts
from mcs.ignition.rules import Found, error, problem, warning
from mcs.ignition.unitfile import InvalidUnit, quoted, sections, without_effect
from mcs.ignition.values import (
    MOST_SPARELESS_LEVELS,
    RAID_LEVELS,
    absolute_path_problem,
    compression_problem,
    dropin_name_problem,
    extension,
    hash_problem,
    unit_name_problem,
)
from mcs.ignition.versions import V2_0, V2_1, SemanticVersion, SpecVersion
from mcs.jsondata import JSONObject, integer_at, object_at

__all__ = [
    "absolute",
    "compatible",
    "compression",
    "contents",
    "dropin_name",
    "filesystem_place",
    "hash_of_content",
    "names_of_filesystems",
    "networkd_dropin_name",
    "networkd_name",
    "partitions_of",
    "raid_devices",
    "raid_level",
    "references_to_filesystems",
    "source",
    "unit_contents",
    "unit_name",
]

_SECTORS_IN_A_MIB = 2048  # of 512 bytes, whatever the disk has
_NETWORKD_EXTENSIONS = (".link", ".netdev", ".network")


def absolute(value: JSONObject, name: str) -> Iterator[Found]:
    """Check a path; an absent one is as relative as an empty one."""
    return problem(absolute_path_problem(plain(value, name)), name)


# Versions and sources


def compatible(declared: SemanticVersion, version: SpecVersion) -> Iterator[Found]:
    """Check whether a client of a spec may read a config: one of an earlier spec, too; a pre-release is earlier."""
    if declared.major < version.major:
        yield error("incorrect config version (too old)", "version")
    elif (declared.major, declared.minor, declared.patch) > (*version, 0):
        yield error("incorrect config version (too new)", "version")


def source(reference: JSONObject, version: SpecVersion) -> Iterator[Found]:
    """Check the URL that content comes from; an empty one is fine."""
    return problem(urls.problem_of(plain(reference, "source"), version), "source")


def hash_of_content(verification: JSONObject, version: SpecVersion) -> Iterator[Found]:
    """Check what content is verified by."""
    text = verification.get("hash")
    return problem(hash_problem(text, version) if isinstance(text, str) else None, "hash")


def compression(content: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check how a file's content is compressed."""
    return problem(compression_problem(plain(content, "compression")), "compression")


# Filesystems by name

_NODES = (("files", "File", V2_0), ("links", "Link", V2_1), ("directories", "Directory", V2_1))


def references_to_filesystems(config: JSONObject, version: SpecVersion) -> Iterator[Found]:
    """Warn of nodes in filesystems that the config does not define."""
    storage = object_at(config, "storage")
    defined = {"root"} | {plain(filesystem, "name") for filesystem in items(storage, "filesystems")}
    for name, word, since in _NODES:
        for index, node in enumerate(items(storage, name) if since <= version else ()):
            filesystem = plain(node, "filesystem")
            if filesystem and filesystem not in defined:
                yield warning(
                    f"{word} {quoted(plain(node, 'path'))} references nonexistent filesystem {quoted(filesystem)}. "
                    "(This is ok if it is defined in a referenced config)",
                    *("storage", name, index, "filesystem"),
                )


def names_of_filesystems(config: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Warn of names that are taken already."""
    seen = {"root"}
    for index, filesystem in enumerate(items(object_at(config, "storage"), "filesystems")):
        name = plain(filesystem, "name")
        if name in seen:
            message = f"Filesystem {quoted(name)} shadows exising filesystem definition"
            yield warning(message, "storage", "filesystems", index, "name")
        seen.add(name)


# Disks


def raid_level(raid: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check the level, and that nothing is spared where nothing is redundant."""
    level = plain(raid, "level")
    if level not in RAID_LEVELS:
        yield error("unrecognized raid level", "level")
    elif level in MOST_SPARELESS_LEVELS and integer_at(raid, "spares"):
        yield error("spares unsupported for arrays with a level greater than 0", "spares")


def raid_devices(raid: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check the path of each device."""
    for index, device in enumerate(texts(raid, "devices")):
        yield from problem(absolute_path_problem(device), "devices", index)


def filesystem_place(filesystem: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check that a filesystem either is to be mounted or stands somewhere already."""
    has_mount, has_path = is_set(filesystem, "mount"), is_set(filesystem, "path")
    if has_mount and has_path:
        yield error("filesystem has both mount and path defined")
    elif not has_mount and not has_path:
        yield error("filesystem is missing mount or path")


def partitions_of(disk: JSONObject, are_optional: bool) -> Iterator[Found]:
    """Check the partitions of a disk against each other, and whether they start at a MiB.

    are_optional: whether start and size are in this spec, so that without one of them a partition overlaps none.
    """
    partitions = items(disk, "partitions")
    for message, index in (  # one entry of a kind is enough for the reference implementation
        ("partition numbers collide", _repeated_number(partitions)),
        ("partitions overlap", _overlapped(partitions, are_optional)),
        ("partitions misaligned", _misaligned(partitions)),
    ):
        if index is not None:
            yield error(message, "partitions", index)


def _repeated_number(partitions: list[JSONObject]) -> int | None:
    """Return the first partition of a number that is taken; 0 is the next free one."""
    seen: set[int] = set()
    for index, partition in enumerate(partitions):
        number = integer_at(partition, "number")
        if number in seen:
            return index
        if number:
            seen.add(number)
    return None


def _misaligned(partitions: list[JSONObject]) -> int | None:
    starts = enumerate(integer_at(partition, "start") or 0 for partition in partitions)
    return next((index for index, start in starts if start % _SECTORS_IN_A_MIB), None)


def _overlapped(partitions: list[JSONObject], are_optional: bool) -> int | None:
    """Return the first partition that the first one which overlaps any overlaps.

    Where one starts is known only if that is not 0.
    """
    placed = [
        extent(index, start, integer_at(partition, "size") or 0)
        for index, partition in enumerate(partitions)
        if (start := integer_at(partition, "start")) and (is_set(partition, "size") or not are_optional)
    ]
    if not are_optional:
        # Before 2.3 partitions of which every member is the same are one and the same to the reference implementation.
        alike: dict[Hashable, Extent] = {}
        for each in placed:
            alike.setdefault(_members(partitions[each.place]), each)
        placed = [*alike.values()]
    crowd = Crowd(placed)
    one = next((each for each in placed if crowd.covers_an_end_of(each) or crowd.has_an_end_on(each)), None)
    if one is None:
        return None
    return next(other.place for other in placed if other is not one and _meet(one, other))


def _meet(one: Extent, other: Extent) -> bool:
    """Tell whether partitions have a sector in common."""
    return one.covers(other.start) or one.covers(other.end) or other.covers(one.start) or other.covers(one.end)


def _members(partition: JSONObject) -> Hashable:
    return tuple(partition.get(name) or None for name in ("label", "number", "size", "start", "typeGuid", "guid"))


# Units


def contents(value: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check the contents of a drop-in, or of a networkd unit."""
    try:
        sections(plain(value, "contents"))
    except InvalidUnit as invalid:
        yield error(str(invalid), "contents")


def unit_contents(unit: JSONObject, is_enabled: bool) -> Iterator[Found]:
    """Check the contents of a systemd unit, and whether enabling it has an effect; no option at all draws nothing."""
    try:
        found = sections(plain(unit, "contents"))
    except InvalidUnit as invalid:
        yield error(str(invalid), "contents")
    else:
        if is_enabled and found and "Install" not in found:
            yield warning(without_effect(plain(unit, "name")), "contents")


def unit_name(unit: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check that a systemd unit's name says what kind of unit it is."""
    return problem(unit_name_problem(plain(unit, "name")), "name")


def dropin_name(dropin: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check that systemd would read a drop-in."""
    return problem(dropin_name_problem(plain(dropin, "name")), "name")


def networkd_name(unit: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check that networkd, or udev for it, would read a unit."""
    if extension(plain(unit, "name")) not in _NETWORKD_EXTENSIONS:
        yield error("invalid networkd unit extension", "name")


def networkd_dropin_name(dropin: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check that networkd would read a drop-in."""
    if extension(plain(dropin, "name")) != ".conf":
        yield error("invalid networkd drop-in extension", "name")
