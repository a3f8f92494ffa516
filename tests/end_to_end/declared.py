"""What an Ignition config declares, in terms of the root that a machine has after the files stage."""

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcs.ignition import dataurl
from mcs.jsondata import JSON, JSONObject, integer_at, list_at, lookup, text_at
from tests.clients.written import Written

__all__ = [
    "Account",
    "accounts",
    "declared_accounts",
    "declared_directories",
    "declared_enablement",
    "declared_files",
    "declared_groups",
    "declared_links",
    "declared_units",
    "differing",
    "enablement",
    "groups",
]

_UNITS = "/etc/systemd/system"
_PRESET = "/etc/systemd/system-preset/20-ignition.preset"


def differing(
    declared: Mapping[str, Written], root: Mapping[str, Written]
) -> dict[str, tuple[Written | None, Written]]:
    """Return what is not in a root as it is declared, by path: what is there, and what should be."""
    return {path: (root.get(path), wanted) for path, wanted in declared.items() if root.get(path) != wanted}


# ---- storage


def declared_files(config: JSONObject) -> dict[str, Written]:
    """Return the files, by path."""
    return {path: _node(entry, "file", 0o644, _content(entry)) for path, entry in _nodes(config, "files")}


def declared_directories(config: JSONObject) -> dict[str, Written]:
    """Return the directories that the config names itself, by path."""
    return {path: _node(entry, "directory", 0o755, b"") for path, entry in _nodes(config, "directories")}


def declared_links(config: JSONObject) -> dict[str, Written]:
    """Return the symbolic links, by path."""
    return {
        path: _node(entry, "link", 0o777, (text_at(entry, "target") or "").encode())
        for path, entry in _nodes(config, "links")
    }


def _nodes(config: JSONObject, key: str) -> Iterator[tuple[str, JSON]]:
    for entry in list_at(config, "storage", key):
        path = text_at(entry, "path")
        assert path is not None
        yield path, entry


def _node(entry: JSON, kind: str, usual_mode: int, contents: bytes) -> Written:
    mode = integer_at(entry, "mode")
    uid, gid = integer_at(entry, "user", "id"), integer_at(entry, "group", "id")
    return Written(kind, usual_mode if mode is None else mode, uid or 0, gid or 0, contents)


def _content(entry: JSON) -> bytes:
    return b"".join(map(_resource, [lookup(entry, "contents"), *list_at(entry, "append")]))


def _resource(resource: JSON) -> bytes:
    data = dataurl.decode(text_at(resource, "source") or "data:,")
    return gzip.decompress(data) if text_at(resource, "compression") == "gzip" else data


# ---- systemd


def declared_units(config: JSONObject) -> dict[str, Written]:
    """Return unit files, drop-ins and masks, by path."""
    found: dict[str, Written] = {}
    for unit in list_at(config, "systemd", "units"):
        name = text_at(unit, "name")
        if contents := text_at(unit, "contents"):
            found[f"{_UNITS}/{name}"] = Written("file", 0o644, 0, 0, contents.encode())
        if lookup(unit, "mask") is True:
            found[f"{_UNITS}/{name}"] = Written("link", 0o777, 0, 0, b"/dev/null")
        for dropin in list_at(unit, "dropins"):
            path = f"{_UNITS}/{name}.d/{text_at(dropin, 'name')}"
            found[path] = Written("file", 0o644, 0, 0, (text_at(dropin, "contents") or "").encode())
    return found


def declared_enablement(config: JSONObject) -> dict[str, set[str]]:
    """Return the names of the units to enable and of those to disable."""
    units = list_at(config, "systemd", "units")
    return {
        word: {text_at(unit, "name") or "" for unit in units if lookup(unit, "enabled") is wanted}
        for word, wanted in (("enable", True), ("disable", False))
    }


def enablement(root: Mapping[str, Written]) -> dict[str, set[str]]:
    """Return the units that the preset file in a root enables and disables."""
    found: dict[str, set[str]] = {"enable": set(), "disable": set()}
    for line in root[_PRESET].text.splitlines():
        word, unit = line.split()
        found[word].add(unit)
    return found


# ---- passwd


@dataclass(frozen=True, slots=True)
class Account:
    """One user. uid, shell: None where the config leaves them to the machine. keys: for SSH, in order."""

    uid: int | None
    shell: str | None
    member_of: frozenset[str]
    keys: tuple[str, ...]


def declared_accounts(config: JSONObject) -> dict[str, Account]:
    """Return the users, by name."""
    return {
        text_at(user, "name") or "": Account(
            integer_at(user, "uid"),
            text_at(user, "shell"),
            frozenset(str(group) for group in list_at(user, "groups")),
            tuple(str(key) for key in list_at(user, "sshAuthorizedKeys")),
        )
        for user in list_at(config, "passwd", "users")
    }


def accounts(root: Mapping[str, Written], like: Mapping[str, Account]) -> dict[str, Account]:
    """Return the users of a root except for root itself, without what `like` leaves open."""
    members = {line.split(":")[0]: line.split(":")[3].split(",") for line in root["/etc/group"].text.splitlines()}
    found: dict[str, Account] = {}
    for line in root["/etc/passwd"].text.splitlines():
        name, _, uid, _, _, home, shell = line.split(":")
        if name == "root":
            continue
        model = like.get(name)
        found[name] = Account(
            int(uid) if model is None or model.uid is not None else None,
            shell if model is None or model.shell is not None else None,
            frozenset(group for group, names in members.items() if name in names),
            _keys(root, home, int(uid)),
        )
    return found


def _keys(root: Mapping[str, Written], home: str, uid: int) -> tuple[str, ...]:
    own = [entry for path, entry in root.items() if path.startswith(f"{home}/.ssh/") and entry.kind == "file"]
    assert {(entry.mode, entry.uid) for entry in own} <= {(0o600, uid)}
    # The client of spec 2 writes them twice, into a file of its own and into the one that sshd reads.
    return tuple(dict.fromkeys(line for entry in own for line in entry.text.splitlines() if line))


def declared_groups(config: JSONObject) -> dict[str, int | None]:
    """Return the groups' ids, by name."""
    return {text_at(group, "name") or "": integer_at(group, "gid") for group in list_at(config, "passwd", "groups")}


def groups(root: Mapping[str, Written]) -> dict[str, int]:
    """Return the ids of the groups of a root, by name."""
    return {line.split(":")[0]: int(line.split(":")[2]) for line in root["/etc/group"].text.splitlines()}
