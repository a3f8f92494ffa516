"""What the spec of a MachineConfig is about: files, units, users, arguments, each by what identifies it. Pure."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mcs.jsondata import JSON, JSONObject, list_at, lookup, text_at

__all__ = ["ARGUMENTS", "Subject", "leaves", "place_of", "subjects"]


class Subject(NamedTuple):
    """One thing that a spec says something of. kind: in words; name: unique among those of its kind."""

    kind: str
    name: str


_Place = tuple[str, ...]

# Lists of objects: where they stand, what one of them is called, and the member that tells one from another.
_OBJECTS: tuple[tuple[_Place, str, str], ...] = (
    (("config", "storage", "files"), "file", "path"),
    (("config", "storage", "directories"), "directory", "path"),
    (("config", "storage", "links"), "link", "path"),
    (("config", "storage", "disks"), "disk", "device"),
    (("config", "storage", "raid"), "RAID array", "name"),
    (("config", "storage", "luks"), "LUKS device", "name"),
    (("config", "storage", "filesystems"), "filesystem", "device"),
    (("config", "systemd", "units"), "unit", "name"),
    (("config", "passwd", "users"), "user", "name"),
    (("config", "passwd", "groups"), "group", "name"),
    (("config", "ignition", "config", "merge"), "merged config", "source"),
    (("config", "ignition", "security", "tls", "certificateAuthorities"), "certificate authority", "source"),
)
_UNIT, _DROPIN = "unit", "drop-in"

# Lists of texts.
ARGUMENTS: Mapping[_Place, str] = {
    ("kernelArguments",): "kernel argument",
    ("extensions",): "extension",
    ("config", "kernelArguments", "shouldExist"): "kernel argument of the first boot",
    ("config", "kernelArguments", "shouldNotExist"): "kernel argument to be removed at the first boot",
}
_MEMBER = "member"
_PLACES: Mapping[str, _Place] = {
    **{kind: place for place, kind, _ in _OBJECTS},
    **{kind: place for place, kind in ARGUMENTS.items()},
    _DROPIN: ("config", "systemd", "units"),
}


def place_of(subject: Subject) -> tuple[str, ...]:
    """Return where in a spec a subject stands: the path of its list, or of the member that it is.

    >>> place_of(Subject("file", "/a")), place_of(Subject("member", "config.ignition.version"))
    (('config', 'storage', 'files'), ('config', 'ignition', 'version'))
    """
    return _PLACES.get(subject.kind) or tuple(subject.name.split("."))


def subjects(spec: JSONObject) -> dict[Subject, JSON]:
    """Return all that a spec is about, with what it says of each, in a fixed order.

    A drop-in is named UNIT/DROP-IN, and is no part of its unit. What stands for itself, such as osImageURL, is a
    `member`, named by its path. Of an argument that is given several times, how often is told.

    >>> subjects({"kernelArguments": ["a", "a"], "osImageURL": "b"})
    {Subject(kind='kernel argument', name='a'): 2, Subject(kind='member', name='osImageURL'): 'b'}
    """
    found: dict[Subject, JSON] = {}
    taken: set[_Place] = set(ARGUMENTS)
    for place, kind, key in _OBJECTS:
        taken.add(place)
        for item in list_at(spec, *place):
            if isinstance(item, dict):
                name = text_at(item, key) or ""
                found[Subject(kind, name)] = _without(item, key, "dropins" if kind == _UNIT else key)
                if kind == _UNIT:
                    found.update(_dropins(name, item))
    for place, kind in ARGUMENTS.items():
        for item in list_at(spec, *place):
            subject = Subject(kind, str(item))
            count = found.get(subject, 0)
            assert isinstance(count, int)
            found[subject] = count + 1
    found.update((Subject(_MEMBER, ".".join(path)), value) for path, value in _members(spec, (), taken))
    return found


def _dropins(unit: str, item: JSONObject) -> Iterator[tuple[Subject, JSON]]:
    for dropin in list_at(item, "dropins"):
        if isinstance(dropin, dict):
            yield Subject(_DROPIN, f"{unit}/{text_at(dropin, 'name') or ''}"), _without(dropin, "name")


def _without(item: JSONObject, *names: str) -> JSONObject:
    return {name: value for name, value in item.items() if name not in names}


def _members(value: JSON, path: _Place, taken: set[_Place]) -> Iterator[tuple[_Place, JSON]]:
    if path in taken:
        return
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _members(member, (*path, name), taken)
    elif value is not None:
        yield path, value


# ---- within a subject

_CONTENTS = {"source", "compression", "verification", "httpHeaders"}  # what together is one resource
_HEADER = {"name", "value"}
_CONCATENATED = "append"  # the one list of objects of which no two are the same, whoever says them
_IDENTITIES = ("name", "number", "label", "source", "url")
_TELLING = ("number", "label")  # one list has items of either


def leaves(said: JSON, *, apart: bool = False) -> dict[str, JSON]:
    """Return what is said of a subject by the paths of its members; what describes one content is one leaf.

    apart: each member of such a content is a leaf of its own, while a list of contents that are appended is one.

    >>> said = {"mode": 420, "user": {"name": "core"}, "contents": {"source": "data:,a"}}
    >>> leaves(said)
    {'mode': 420, 'user.name': 'core', 'contents': {'source': 'data:,a'}}
    >>> leaves(said, apart=True)
    {'mode': 420, 'user.name': 'core', 'contents.source': 'data:,a'}
    """
    return dict(_leaves(said, "", apart))


def _leaves(said: JSON, path: str, apart: bool) -> Iterator[tuple[str, JSON]]:
    if isinstance(said, dict) and (apart or not (path and said.keys() <= _CONTENTS)):
        for name, member in said.items():
            yield from _leaves(member, f"{path}.{name}" if path else name, apart)
    elif isinstance(said, list) and any(isinstance(item, dict) for item in said):
        if apart and path == _CONCATENATED:
            yield path, said
            return
        for name, item in _told_apart(said):
            if isinstance(item, dict) and "name" in item and item.keys() <= _HEADER:
                yield f"{path}[{name}]", item
            else:
                yield from _leaves(item, f"{path}[{name}]", apart)
    elif said not in (None, {}):
        yield path, said


def _told_apart(items: list[JSON]) -> Iterator[tuple[str, JSON]]:
    """Yield items, each with a name of its own: what identifies it, else its index."""
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for index, item in enumerate(items):
        name = identity = _identity(item, index)
        while name in taken:  # such as two that come from one source
            counts[identity] = counts.get(identity, 1) + 1
            name = f"{identity} #{counts[identity]}"
        taken.add(name)
        yield name, item


def _identity(item: JSON, index: int) -> str:
    for member in _IDENTITIES:
        value = lookup(item, member)
        if value not in (None, 0, "") and not str(value).startswith("data:"):
            return f"{member} {value}" if member in _TELLING else str(value)
    return str(index)
