"""Which single values the specs allow, and what Ignition says of the others. Shared by spec 2 and spec 3. Pure.

A function answers with the message, or None for a value that is fine. Lengths count bytes of UTF-8, as Go does.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from mcs.ignition.versions import V3_1, SpecVersion

__all__ = [
    "HEADERS_NOT_SENT",
    "LABEL_LENGTHS",
    "MOST_SPARELESS_LEVELS",
    "RAID_LEVELS",
    "absolute_path_problem",
    "byte_length",
    "compression_problem",
    "dropin_name_problem",
    "extension",
    "guid_problem",
    "hash_problem",
    "label_problem",
    "mode_problem",
    "partition_label_is_too_long",
    "path_problem",
    "unit_name_problem",
]

HEADERS_NOT_SENT = "cannot use HTTP headers with this source scheme"

# The longest label of a file system of each format that has a limit.
LABEL_LENGTHS: Mapping[str, int] = MappingProxyType({"ext4": 16, "btrfs": 256, "xfs": 12, "swap": 15, "vfat": 11})

MOST_SPARELESS_LEVELS = frozenset({"linear", "raid0", "0", "stripe"})
RAID_LEVELS = MOST_SPARELESS_LEVELS | frozenset(
    {"raid1", "1", "mirror", "raid4", "4", "raid5", "5", "raid6", "6", "raid10", "10"}
)

_HEXADECIMAL_DIGITS = {"sha512": 128, "sha256": 64}
_HASH_SINCE = {"sha256": V3_1}

_UNIT_EXTENSIONS = frozenset(
    {
        ".service",
        ".socket",
        ".device",
        ".mount",
        ".automount",
        ".swap",
        ".target",
        ".path",
        ".timer",
        ".snapshot",
        ".slice",
        ".scope",
    }
)

_PARTITION_LABEL_LENGTH = 36
_LARGEST_MODE = 0o7777
_GUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_NOT_SIMPLIFIED = re.compile(r"/(?:\.\.?)?(?:/|\Z)")  # an element that is empty, . or .., or a slash at the end


def byte_length(text: str) -> int:
    """Return the length in UTF-8; half a surrogate pair counts as the replacement character that Go makes of it."""
    return len(text.encode(errors="surrogatepass"))


def absolute_path_problem(path: str) -> str | None:
    """Check that a path is absolute: all that spec 2 asks of one."""
    return None if path.startswith("/") else "path not absolute"


def path_problem(path: str) -> str | None:
    """Check that a path is there, absolute and simplified: what spec 3 asks of every path.

    >>> path_problem("/etc/../a"), path_problem("/") is None
    ('path is not fully simplified', True)
    """
    if not path:
        return "path not specified"
    if not path.startswith("/"):
        return "path not absolute"
    if len(path) > 1 and _NOT_SIMPLIFIED.search(path) is not None:
        return "path is not fully simplified"
    return None


def guid_problem(guid: str) -> str | None:
    """Check a GUID of a partition or of its type; the empty one is fine."""
    if not guid or _GUID.fullmatch(guid) is not None:
        return None
    return 'doesn\'t match the form "01234567-89AB-CDEF-EDCB-A98765432101"'


def hash_problem(text: str, version: SpecVersion) -> str | None:
    """Check `function-sum`. Whether the sum is made of hexadecimal digits, no spec looks.

    >>> hash_problem("sha256-00", SpecVersion(3, 0))
    'unrecognized hash function'
    """
    function, hyphen, checksum = text.partition("-")
    if not hyphen:
        return "malformed hash specifier"
    if function not in _HEXADECIMAL_DIGITS or version < _HASH_SINCE.get(function, version):
        return "unrecognized hash function"
    if byte_length(checksum) != _HEXADECIMAL_DIGITS[function]:
        return "incorrect size for hash sum"
    return None


def compression_problem(text: str) -> str | None:
    """Check how content is compressed: with gzip or not at all."""
    return None if text in ("", "gzip") else "invalid compression method"


def mode_problem(mode: int) -> str | None:
    """Check the mode of a file or directory."""
    return None if 0 <= mode <= _LARGEST_MODE else "illegal file mode"


def label_problem(label: str, filesystem_format: str) -> str | None:
    """Check the length of a file system's label; a format without a limit takes any."""
    length = LABEL_LENGTHS.get(filesystem_format)
    if length is None or byte_length(label) <= length:
        return None
    return f"filesystem labels cannot be longer than {length} characters when using {filesystem_format}"


def partition_label_is_too_long(label: str) -> bool:
    """Tell whether a GPT has no room for the label."""
    return byte_length(label) > _PARTITION_LABEL_LENGTH


def unit_name_problem(name: str) -> str | None:
    """Check that a systemd unit's name has an extension that names a kind of unit.

    >>> unit_name_problem("a.network"), unit_name_problem("getty@.service") is None
    ('invalid systemd unit extension', True)
    """
    return None if extension(name) in _UNIT_EXTENSIONS else "invalid systemd unit extension"


def dropin_name_problem(name: str) -> str | None:
    """Check that systemd would read a drop-in of that name."""
    return None if extension(name) == ".conf" else "invalid systemd drop-in extension"


def extension(name: str) -> str:
    """Return the last dot of a path's last element and what follows it, or nothing."""
    _, dot, last = name.rpartition("/")[2].rpartition(".")
    return dot + last
