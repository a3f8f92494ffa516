"""The fields of the Ignition specs 2.0 to 2.4: one table, made of what the table of spec 3 is made of.

Read it from the bottom, CONFIG, upwards. A line without `since` has been there from 2.0 on. No field was ever removed.
No list has a key: nothing is merged here, and a repeated entry is no error. Every name of a Struct is unique.
"""

from mcs.ignition.fields import CONCATENATED, Field, ListOf, Scalar, Struct
from mcs.ignition.versions import V2_0, V2_1, V2_2, V2_3, V2_4, V3_0, SpecVersion

__all__ = ["CONFIG"]

TEXT, INTEGER, BOOLEAN = Scalar.TEXT, Scalar.INTEGER, Scalar.BOOLEAN

_PLAIN = Field(TEXT, optional_since=None)
_OPTIONAL = Field(TEXT)
_FLAG = Field(BOOLEAN, optional_since=None)
_COUNT = Field(INTEGER, optional_since=None)
_NUMBER = Field(INTEGER)


def _list(element: Scalar | Struct, since: SpecVersion = V2_0, words: str = "") -> Field:
    return Field(ListOf(element, key=CONCATENATED), since=since, words=words)


def _present(struct: Struct) -> Field:
    """An object that says something by being there at all, even if it is empty."""
    return Field(struct, optional_before=V3_0)


_TEXTS = _list(TEXT)

# Where content comes from.

_VERIFICATION = Struct("verification", {"hash": _OPTIONAL})
_HTTP_HEADER = Struct("HTTP header", {"name": _PLAIN, "value": _PLAIN})
_HTTP_HEADERS = _list(_HTTP_HEADER, since=V2_4, words="HTTP headers")
_SOURCE = {"source": _PLAIN, "httpHeaders": _HTTP_HEADERS, "verification": Field(_VERIFICATION)}
_CONFIG_REFERENCE = Struct("config reference", _SOURCE)
_AUTHORITY = Struct("certificate authority", _SOURCE)
_CONTENTS = Struct("contents", {"compression": _PLAIN, **_SOURCE})

# ignition

_PROXY = Struct(
    "proxy",
    {
        "httpProxy": Field(TEXT, since=V2_4, words="a proxy", default="", optional_since=None),
        "httpsProxy": Field(TEXT, since=V2_4, words="a proxy", default="", optional_since=None),
        "noProxy": _list(TEXT, since=V2_4, words="a proxy"),
    },
)
_TLS = Struct(
    "tls", {"certificateAuthorities": _list(_AUTHORITY, since=V2_2, words="certificate authorities for Ignition")}
)
_IGNITION = Struct(
    "ignition",
    {
        "version": _PLAIN,
        "config": Field(
            Struct("config references", {"append": _list(_CONFIG_REFERENCE), "replace": _present(_CONFIG_REFERENCE)})
        ),
        "proxy": Field(_PROXY, since=V2_4, words="a proxy"),
        "security": Field(
            Struct("security", {"tls": Field(_TLS, since=V2_2, words="certificate authorities for Ignition")}),
            since=V2_2,
            words="certificate authorities for Ignition",
        ),
        "timeouts": Field(
            Struct(
                "timeouts",
                {
                    "httpResponseHeaders": Field(INTEGER, since=V2_1, words="timeouts"),
                    "httpTotal": Field(INTEGER, since=V2_1, words="timeouts"),
                },
            ),
            since=V2_1,
            words="timeouts",
        ),
    },
)

# networkd

_NETWORKD_DROPIN = Struct("networkd drop-in", {"name": _PLAIN, "contents": _PLAIN})
_NETWORKD_UNIT = Struct(
    "networkd unit",
    {
        "name": _PLAIN,
        "contents": _PLAIN,
        "dropins": _list(_NETWORKD_DROPIN, since=V2_2, words="networkd drop-ins"),
    },
)

# passwd.  2.0 knows what a user is like only where the user is to be created.

_USER_CREATION = Struct(
    "user creation",
    {
        "uid": _NUMBER,
        "gecos": _PLAIN,
        "homeDir": _PLAIN,
        "noCreateHome": _FLAG,
        "primaryGroup": _PLAIN,
        "groups": _TEXTS,
        "noUserGroup": _FLAG,
        "noLogInit": _FLAG,
        "shell": _PLAIN,
        "system": _FLAG,
    },
)


def _user_text() -> Field:
    return Field(TEXT, since=V2_1, words="user-level options", default="", optional_since=None)


def _user_flag() -> Field:
    return Field(BOOLEAN, since=V2_1, words="user-level options", default=False, optional_since=None)


_USER = Struct(
    "user",
    {
        "name": _PLAIN,
        "passwordHash": Field(TEXT, optional_since=V2_1),
        "sshAuthorizedKeys": _TEXTS,
        "create": _present(_USER_CREATION),
        "uid": Field(INTEGER, since=V2_1, words="user-level options"),
        "gecos": _user_text(),
        "homeDir": _user_text(),
        "noCreateHome": _user_flag(),
        "primaryGroup": _user_text(),
        "groups": _list(TEXT, since=V2_1, words="user-level options"),
        "noUserGroup": _user_flag(),
        "noLogInit": _user_flag(),
        "shell": _user_text(),
        "system": _user_flag(),
    },
)
_GROUP = Struct("group", {"name": _PLAIN, "gid": _NUMBER, "passwordHash": _PLAIN, "system": _FLAG})
_PASSWD = Struct("passwd", {"users": _list(_USER), "groups": _list(_GROUP)})

# storage: disks

_PARTITION = Struct(
    "partition",
    {
        "label": Field(TEXT, optional_since=V2_3),
        "number": _COUNT,
        "size": Field(INTEGER, optional_since=V2_3),
        "start": Field(INTEGER, optional_since=V2_3),
        "sizeMiB": Field(INTEGER, since=V2_3, words="partition sizes in MiB"),
        "startMiB": Field(INTEGER, since=V2_3, words="partition sizes in MiB"),
        "typeGuid": _PLAIN,
        "guid": Field(TEXT, since=V2_1, words="a partition's own GUID", default="", optional_since=None),
        "wipePartitionEntry": Field(
            BOOLEAN, since=V2_3, words="wiping a partition entry", default=False, optional_since=None
        ),
        "shouldExist": Field(BOOLEAN, since=V2_3, words="removal of a partition", default=True),
    },
)
_DISK = Struct("disk", {"device": _PLAIN, "wipeTable": _FLAG, "partitions": _list(_PARTITION)})
_RAID = Struct(
    "raid",
    {
        "name": _PLAIN,
        "level": _PLAIN,
        "devices": _TEXTS,
        "spares": _COUNT,
        "options": _list(TEXT, since=V2_2, words="RAID options"),
    },
)
_FILESYSTEM_CREATION = Struct("filesystem creation", {"force": _FLAG, "options": _TEXTS})
_MOUNT = Struct(
    "mount",
    {
        "device": _PLAIN,
        "format": _PLAIN,
        "create": _present(_FILESYSTEM_CREATION),
        "wipeFilesystem": Field(BOOLEAN, since=V2_1, words="wiping a filesystem", default=False, optional_since=None),
        "label": Field(TEXT, since=V2_1, words="a filesystem label"),
        "uuid": Field(TEXT, since=V2_1, words="a filesystem UUID"),
        "options": _list(TEXT, since=V2_1, words="mount-level options"),
    },
)
_FILESYSTEM = Struct("filesystem", {"name": _PLAIN, "mount": _present(_MOUNT), "path": _OPTIONAL})

# storage: nodes of the file system.  2.0 has only files, and owners only by number.

_OWNER = Struct(
    "owner",
    {
        "id": Field(INTEGER, optional_since=V2_1),
        "name": Field(TEXT, since=V2_1, words="an owner by name", default="", optional_since=None),
    },
)
_MODE = Field(INTEGER, optional_since=V2_2)
_NODE = {
    "filesystem": _PLAIN,
    "path": _PLAIN,
    "overwrite": Field(BOOLEAN, since=V2_2, words="overwrite"),
    "user": Field(_OWNER),
    "group": Field(_OWNER),
}
_FILE = Struct(
    "file",
    {
        **_NODE,
        "contents": Field(_CONTENTS),
        "append": Field(BOOLEAN, since=V2_2, words="appending to a file", default=False, optional_since=None),
        "mode": _MODE,
    },
)
_DIRECTORY = Struct("directory", {**_NODE, "mode": _MODE})
_LINK = Struct("link", {**_NODE, "target": _PLAIN, "hard": _FLAG})

_STORAGE = Struct(
    "storage",
    {
        "disks": _list(_DISK),
        "raid": _list(_RAID),
        "filesystems": _list(_FILESYSTEM),
        "files": _list(_FILE),
        "directories": _list(_DIRECTORY, since=V2_1, words="directories"),
        "links": _list(_LINK, since=V2_1, words="links"),
    },
)

# systemd.  `enable` cannot say that a unit is to be disabled; `enabled` replaced it.

_DROPIN = Struct("drop-in", {"name": _PLAIN, "contents": _PLAIN})
_UNIT = Struct(
    "unit",
    {
        "name": _PLAIN,
        "enable": _FLAG,
        "enabled": Field(BOOLEAN, since=V2_1, words="disabling a unit"),
        "mask": _FLAG,
        "contents": _PLAIN,
        "dropins": _list(_DROPIN),
    },
)

CONFIG = Struct(
    "config",
    {
        "ignition": Field(_IGNITION),
        "networkd": Field(Struct("networkd", {"units": _list(_NETWORKD_UNIT)})),
        "passwd": Field(_PASSWD),
        "storage": Field(_STORAGE),
        "systemd": Field(Struct("systemd", {"units": _list(_UNIT)})),
    },
)
