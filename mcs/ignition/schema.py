"""The fields of the Ignition specs 3.0 to 3.6: one table, from which conversion both ways is derived.

Read it from the bottom, CONFIG, upwards. A line without `since` has been there from 3.0 on. No field was ever removed.
What changed without a new field is a Feature (some values need a later spec) or a Crossing (values change in between).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mcs.ignition.fields import CONCATENATED, ITSELF, Crossing, Feature, Field, ListOf, Scalar, Struct
from mcs.ignition.versions import V3_0, V3_1, V3_2, V3_3, V3_4, V3_5, V3_6, SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["CONFIG", "SPECIAL_MODE_BITS", "Row", "rows"]

TEXT, INTEGER, BOOLEAN = Scalar.TEXT, Scalar.INTEGER, Scalar.BOOLEAN

SPECIAL_MODE_BITS = 0o7000
_EVERY_SPECS_PINS = {"tpm2", "tang", "sss", ""}


# Values that need a later spec than their field.


def _scheme(name: str) -> re.Pattern[str]:
    return re.compile(rf"{name}:", re.ASCII | re.IGNORECASE)


_GS, _ARN = _scheme("gs"), _scheme("arn")


def _is_gs(value: JSON) -> bool:
    return isinstance(value, str) and _GS.match(value) is not None


def _is_arn(value: JSON) -> bool:
    return isinstance(value, str) and _ARN.match(value) is not None


def _is_sha256(value: JSON) -> bool:
    return isinstance(value, str) and value.startswith("sha256-")


def _is_none_format(value: JSON) -> bool:
    return value == "none"


def _is_other_pin(value: JSON) -> bool:
    return isinstance(value, str) and value not in _EVERY_SPECS_PINS


def _has_special_bits(value: JSON) -> bool:
    return isinstance(value, int) and bool(value & SPECIAL_MODE_BITS)


# Values that change on the way.


def _without_special_bits(value: JSON) -> JSON:
    return value & ~SPECIAL_MODE_BITS if isinstance(value, int) else value


def _clevis_before_3_3(value: JSON) -> JSON:
    """Leave out what says nothing in 3.3, but something in 3.2: there an object that exists at all counts.

    A custom pin without pin and config is none; beside the other kinds 3.2 even refuses it. Pin and config that are
    explicitly empty are what 3.3 makes of 3.2's empty object, so that they stay where they stand alone.
    """
    assert isinstance(value, dict)  # the walk that calls this has looked
    kept: JSONObject = {name: member for name, member in value.items() if member not in (None, [], {})}
    custom = kept.get("custom")
    if isinstance(custom, dict) and not (custom.get("pin") or custom.get("config") or custom.get("needsNetwork")):
        unset = custom.get("pin") is None and custom.get("config") is None
        if unset or kept.get("tang") or kept.get("tpm2") or kept.get("threshold"):
            del kept["custom"]
    return kept or None


_PLAIN = Field(TEXT, optional_since=None)
_OPTIONAL = Field(TEXT)
_NUMBER = Field(INTEGER)
_FLAG = Field(BOOLEAN)

# Where content comes from.

_SOURCE_FEATURES = (Feature(V3_4, "the URL scheme arn", _is_arn), Feature(V3_2, "the URL scheme gs", _is_gs))
_VERIFICATION = Struct("verification", {"hash": Field(TEXT, features=(Feature(V3_1, "a sha256 hash", _is_sha256),))})
_HTTP_HEADER = Struct("HTTP header", {"name": _PLAIN, "value": _OPTIONAL})


def _resource(name: str, compression_since: SpecVersion = V3_0, source_optional_since: SpecVersion = V3_0) -> Struct:
    """From 3.1 on every place that names content has the same members; in 3.0 they differ."""
    return Struct(
        name,
        {
            "source": Field(TEXT, optional_since=source_optional_since, features=_SOURCE_FEATURES),
            "compression": Field(TEXT, since=compression_since, words="compression", default=""),
            "httpHeaders": Field(ListOf(_HTTP_HEADER, key=("name",), needed="value"), since=V3_1, words="HTTP headers"),
            "verification": Field(_VERIFICATION),
        },
    )


_CONTENTS = _resource("contents")
_CONFIG_REFERENCE = _resource("config reference", compression_since=V3_1)
_AUTHORITY = _resource("certificate authority", compression_since=V3_1, source_optional_since=V3_1)

# ignition

_IGNITION = Struct(
    "ignition",
    {
        "version": _PLAIN,
        "config": Field(
            Struct(
                "config references",
                {
                    "merge": Field(ListOf(_CONFIG_REFERENCE, key=("source",))),
                    "replace": Field(_CONFIG_REFERENCE),
                },
            )
        ),
        "proxy": Field(
            Struct(
                "proxy",
                {
                    "httpProxy": Field(TEXT, since=V3_1, words="a proxy"),
                    "httpsProxy": Field(TEXT, since=V3_1, words="a proxy"),
                    "noProxy": Field(ListOf(TEXT, key=ITSELF), since=V3_1, words="a proxy"),
                },
            ),
            since=V3_1,
            words="a proxy",
        ),
        "security": Field(
            Struct(
                "security",
                {
                    "tls": Field(Struct("tls", {"certificateAuthorities": Field(ListOf(_AUTHORITY, key=("source",)))})),
                },
            )
        ),
        "timeouts": Field(Struct("timeouts", {"httpResponseHeaders": _NUMBER, "httpTotal": _NUMBER})),
    },
)

# passwd

_USER = Struct(
    "user",
    {
        "name": _PLAIN,
        "passwordHash": _OPTIONAL,
        "sshAuthorizedKeys": Field(ListOf(TEXT, key=ITSELF)),
        "uid": _NUMBER,
        "gecos": _OPTIONAL,
        "homeDir": _OPTIONAL,
        "noCreateHome": _FLAG,
        "primaryGroup": _OPTIONAL,
        "groups": Field(ListOf(TEXT, key=ITSELF)),
        "noUserGroup": _FLAG,
        "noLogInit": _FLAG,
        "shell": _OPTIONAL,
        "shouldExist": Field(BOOLEAN, since=V3_2, words="removal of a user", default=True),
        "system": _FLAG,
    },
)
_GROUP = Struct(
    "group",
    {
        "name": _PLAIN,
        "gid": _NUMBER,
        "passwordHash": _OPTIONAL,
        "shouldExist": Field(BOOLEAN, since=V3_2, words="removal of a group", default=True),
        "system": _FLAG,
    },
)
_PASSWD = Struct(
    "passwd",
    {"users": Field(ListOf(_USER, key=("name",))), "groups": Field(ListOf(_GROUP, key=("name",)))},
)

# storage: disks

_PARTITION = Struct(
    "partition",
    {
        "label": _OPTIONAL,
        "number": Field(INTEGER, optional_since=None),
        "sizeMiB": _NUMBER,
        "startMiB": _NUMBER,
        "typeGuid": _OPTIONAL,
        "guid": _OPTIONAL,
        "wipePartitionEntry": _FLAG,
        "shouldExist": _FLAG,
        "resize": Field(BOOLEAN, since=V3_2, words="resizing a partition", default=False),
    },
)
_DISK = Struct(
    "disk",
    {
        "device": _PLAIN,
        "wipeTable": _FLAG,
        "partitions": Field(ListOf(_PARTITION, key=("number", "label"))),
    },
)
_RAID = Struct(
    "raid",
    {
        "name": _PLAIN,
        "level": Field(TEXT, optional_since=V3_3),
        "devices": Field(ListOf(TEXT, key=ITSELF)),
        "spares": _NUMBER,
        "options": Field(ListOf(TEXT, key=CONCATENATED)),
    },
)
_FILESYSTEM = Struct(
    "filesystem",
    {
        "path": _OPTIONAL,
        "device": _PLAIN,
        "format": Field(TEXT, features=(Feature(V3_3, "the filesystem format none", _is_none_format),)),
        "wipeFilesystem": _FLAG,
        "label": _OPTIONAL,
        "uuid": _OPTIONAL,
        "options": Field(ListOf(TEXT, key=CONCATENATED)),
        "mountOptions": Field(ListOf(TEXT, key=CONCATENATED), since=V3_1, words="mount options"),
    },
)
_TANG = Struct(
    "tang server",
    {
        "url": _PLAIN,
        "thumbprint": _OPTIONAL,
        "advertisement": Field(TEXT, since=V3_4, words="offline provisioning with tang", default=""),
    },
)
_CUSTOM_PIN = Struct(
    "custom clevis pin",
    {
        "pin": Field(TEXT, optional_since=V3_3, features=(Feature(V3_6, "a clevis pin of any name", _is_other_pin),)),
        "config": Field(TEXT, optional_since=V3_3),
        "needsNetwork": Field(BOOLEAN, default=False),
    },
)
_CLEVIS = Struct(
    "clevis",
    {
        "custom": Field(_CUSTOM_PIN, optional_before=V3_3),
        "tang": Field(ListOf(_TANG, key=("url",))),
        "tpm2": Field(BOOLEAN, default=False),
        "threshold": Field(INTEGER, default=0),
    },
)
_LUKS = Struct(
    "LUKS volume",
    {
        "name": _PLAIN,
        "device": _OPTIONAL,
        "keyFile": Field(_CONTENTS),
        "label": _OPTIONAL,
        "uuid": _OPTIONAL,
        "options": Field(ListOf(TEXT, key=CONCATENATED)),
        "wipeVolume": _FLAG,
        "clevis": Field(_CLEVIS, optional_before=V3_3, crossings=(Crossing(V3_3, down=_clevis_before_3_3),)),
        "discard": Field(BOOLEAN, since=V3_4, words="discard on a LUKS volume", default=False),
        "openOptions": Field(ListOf(TEXT, key=ITSELF), since=V3_4, words="open options of a LUKS volume"),
        "cex": Field(
            Struct("cex", {"enabled": Field(BOOLEAN, since=V3_5, words="a CEX key", default=False)}),
            since=V3_5,
            words="a CEX key",
        ),
    },
)

# storage: nodes of the file system

# Declared for 3.4 and 3.5, but honoured from 3.6 on only: until then clients ignore the bits.  So a config loses them
# on its way into 3.6 (nothing changes on the machine), and cannot leave 3.6, or what 3.4 declares, with them.
_MODE = Field(
    INTEGER,
    features=(
        Feature(V3_6, "setuid, setgid or sticky bits that are honoured", _has_special_bits),
        Feature(V3_4, "setuid, setgid or sticky bits, which 3.4 declares and 3.6 honours", _has_special_bits),
    ),
    crossings=(Crossing(V3_6, up=_without_special_bits),),
)
_OWNER = Field(Struct("owner", {"id": _NUMBER, "name": _OPTIONAL}))
_NODE = {"path": _PLAIN, "overwrite": _FLAG, "user": _OWNER, "group": _OWNER}
_FILE = Struct(
    "file",
    {
        **_NODE,
        "contents": Field(_CONTENTS),
        "append": Field(ListOf(_CONTENTS, key=CONCATENATED)),
        "mode": _MODE,
    },
)
_DIRECTORY = Struct("directory", {**_NODE, "mode": _MODE})
_LINK = Struct("link", {**_NODE, "target": Field(TEXT, optional_since=V3_3), "hard": _FLAG})

_STORAGE = Struct(
    "storage",
    {
        "disks": Field(ListOf(_DISK, key=("device",))),
        "raid": Field(ListOf(_RAID, key=("name",))),
        "luks": Field(ListOf(_LUKS, key=("name",)), since=V3_2, words="LUKS volumes"),
        "filesystems": Field(ListOf(_FILESYSTEM, key=("device",))),
        "files": Field(ListOf(_FILE, key=("path",), group="node")),
        "directories": Field(ListOf(_DIRECTORY, key=("path",), group="node")),
        "links": Field(ListOf(_LINK, key=("path",), group="node")),
    },
)

# systemd, kernelArguments

_DROPIN = Struct("drop-in", {"name": _PLAIN, "contents": _OPTIONAL})
_UNIT = Struct(
    "unit",
    {
        "name": _PLAIN,
        "enabled": _FLAG,
        "mask": _FLAG,
        "contents": _OPTIONAL,
        "dropins": Field(ListOf(_DROPIN, key=("name",))),
    },
)
_ARGUMENTS = ListOf(TEXT, key=ITSELF, group="kernel argument")
_KERNEL_ARGUMENTS = Struct(
    "kernel arguments",
    {
        "shouldExist": Field(_ARGUMENTS, since=V3_3, words="kernel arguments"),
        "shouldNotExist": Field(_ARGUMENTS, since=V3_3, words="kernel arguments"),
    },
)

CONFIG = Struct(
    "config",
    {
        "ignition": Field(_IGNITION),
        "kernelArguments": Field(_KERNEL_ARGUMENTS, since=V3_3, words="kernel arguments"),
        "passwd": Field(_PASSWD),
        "storage": Field(_STORAGE),
        "systemd": Field(Struct("systemd", {"units": Field(ListOf(_UNIT, key=("name",)))})),
    },
)


class Row(NamedTuple):
    """One field at one place. path: `storage.files[].mode`; since: the first spec that knows this very place."""

    path: str
    since: SpecVersion
    field: Field


def rows(struct: Struct = CONFIG, prefix: str = "", since: SpecVersion = V3_0) -> Iterator[Row]:
    """List the table flat, every place of a config once, an object or list before what is in it.

    >>> [row.path for row in rows() if row.since == V3_5]
    ['storage.luks[].cex', 'storage.luks[].cex.enabled']
    """
    for name, field in struct.fields.items():
        first = max(since, field.since)
        inner = field.type.element if isinstance(field.type, ListOf) else field.type
        path = f"{prefix}{name}[]" if isinstance(field.type, ListOf) else f"{prefix}{name}"
        yield Row(path, first, field)
        if isinstance(inner, Struct):
            yield from rows(inner, f"{path}.", first)
