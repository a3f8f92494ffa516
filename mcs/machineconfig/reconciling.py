"""What a running machine cannot be brought to from its current rendered config without being installed anew. Pure.

The rules are those of the Machine Config Operator, whose daemon carries the change out.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mcs.ignition.report import Path
from mcs.jsondata import JSON, JSONObject, list_at, text_at

__all__ = ["Obstacle", "obstacles"]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One reason. path: what in the new spec is in the way, None where something is missing from it."""

    path: Path | None
    message: str


_Place = tuple[str, ...]

_FIXED_LISTS: tuple[tuple[_Place, str], ...] = (
    (("passwd", "groups"), "groups"),
    (("kernelArguments", "shouldExist"), "Ignition's own kernel arguments"),
    (("kernelArguments", "shouldNotExist"), "Ignition's own kernel arguments"),
    (("storage", "disks"), "disks"),
    (("storage", "filesystems"), "filesystems"),
    (("storage", "raid"), "RAID arrays"),
    (("storage", "directories"), "directories"),
)
_LINKS: _Place = ("storage", "links")
_USERS: _Place = ("passwd", "users")
_FILES: _Place = ("storage", "files")
_USER = "core"
_USER_MEMBERS = {"name", "sshAuthorizedKeys", "passwordHash"}
_FORCE_FILE = "/run/machine-config-daemon-force"


def obstacles(current: JSONObject, new: JSONObject) -> Iterator[Obstacle]:
    """Yield all reasons for which machines cannot go from one rendered spec to another. Both at one Ignition spec.

    What only an installation does (LUKS, where configs come from, proxies, time-outs) is not compared.
    """
    before, after = current.get("config"), new.get("config")
    for place, words in _FIXED_LISTS:
        if list_at(before, *place) != list_at(after, *place):
            yield Obstacle(_first_new(before, after, place), f"{words} cannot be changed once machines run")
    if list_at(after, *_LINKS) not in ([], list_at(before, *_LINKS)):
        yield Obstacle(_first_new(before, after, _LINKS), "links cannot be changed once machines run")
    if list_at(after, *_USERS) != list_at(before, *_USERS):
        yield from _user_obstacles(after)
    for index, file in enumerate(list_at(after, *_FILES)):
        path = text_at(file, "path") or ""
        if list_at(file, "append"):
            yield Obstacle(("config", *_FILES, index), f"file {path}: only an installation appends to files")
        if path == _FORCE_FILE:
            yield Obstacle(("config", *_FILES, index), f"file {path} is the daemon's own")
    if (current.get("fips") is True) != (new.get("fips") is True):
        yield Obstacle(("fips",) if new.get("fips") else None, "fips cannot be changed once machines run")


def _first_new(before: JSON, after: JSON, place: _Place) -> Path | None:
    old = list_at(before, *place)
    for index, item in enumerate(list_at(after, *place)):
        if item not in old:
            return ("config", *place, index)
    return None


def _user_obstacles(after: JSON) -> Iterator[Obstacle]:
    for index, user in enumerate(list_at(after, *_USERS)):
        name = text_at(user, "name") or ""
        if name != _USER:
            yield Obstacle(("config", *_USERS, index), f"user {name}: only {_USER} can be changed once machines run")
            continue
        other = sorted(name for name in user if name not in _USER_MEMBERS) if isinstance(user, dict) else []
        if other:
            yield Obstacle(
                ("config", *_USERS, index),
                f"user {name}: {', '.join(other)} cannot be set once machines run, only keys and the password hash",
            )
