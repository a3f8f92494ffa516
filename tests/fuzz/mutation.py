"""Changes a JSON document as one: members and items come, go, repeat, move and change type. Deterministic by its seed.

What is put in comes from the tables of fields: names of members that exist, and values that mean something somewhere.
"""

import copy
import json
import random
from collections.abc import Callable
from typing import TypeAlias

from mcs.ignition.fields import ListOf, Scalar, Struct
from mcs.ignition.tables import table
from mcs.ignition.versions import SUPPORTED, V2_4, V3_6
from mcs.jsondata import JSON, JSONObject

__all__ = ["mutated"]

_Container: TypeAlias = "JSONObject | list[JSON]"

_TEXTS = (
    *map(str, SUPPORTED),
    *(
        "3.7.0-experimental",
        "",
        "/",
        "/a",
        "/a/b",
        "/a//b/../c",
        "a",
        "root",
        "-",
        "\u00e4",
        "\ud800",
        "\x00",
        "a" * 40,
    ),
    *("data:,a", "data:;base64,YQ==", "data:;base64,Y", "https://a.example/b?c#d", "HTTP:x", "oem:///a", "tftp://a/b"),
    *("s3://a/b?versionId=", "gs://a/b", "arn:aws:s3:::a/b", "arn:aws:s3:a:b:accesspoint/c/object/d", "http://[::1"),
    *("gzip", "sha512-" + "0" * 128, "sha256-" + "f" * 64, "sha512-", "ext4", "xfs", "none", "swap", "raid0", "raid1"),
    *("tpm2", "tang", "other", "{}", "4f8c1e3a-0000-4000-8000-0123456789ab", "a.service", "a@b.service", "a@.service"),
    *(
        "a.conf",
        "[Install]\nWantedBy=a",
        "[Unit]\nA=b\\\nc",
        "[Unit",
        "A=b",
        "a.network",
        "/etc/systemd/system/a.service",
    ),
)
_NUMBERS = (0, 1, -1, 2, 420, 0o7777, 0o10000, 2048, 2**31, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**30)
_ODD: tuple[JSON, ...] = (None, True, False, 0.5, 1e400, float("nan"), 420.0, {}, [], [[]], [None], {"": None})


def mutated(data: bytes, largest: int, seed: int, prefix: int = 0) -> bytes | None:
    """Return a changed document, or None where there is none in the data or what comes out is larger than allowed.

    prefix: bytes before the document that are no part of it.
    """
    drawn = random.Random(seed)
    try:
        document: JSON = json.loads(data[prefix:].decode("utf-8", "surrogatepass"))
        holder: list[JSON] = [document]
        for _ in range(drawn.choice((1, 1, 1, 2, 3, 8))):
            _change(holder, drawn)
        text = json.dumps(holder[0])
    except (ValueError, RecursionError):
        return None
    head = bytearray(data[:prefix])
    if head and not drawn.randrange(4):
        head[0] = drawn.randrange(256)
    changed = bytes(head) + text.encode()
    return changed if len(changed) <= largest else None


def _change(holder: list[JSON], drawn: random.Random) -> None:
    containers = _containers(holder)[1:]  # what replaces a whole document is dull
    if containers:
        drawn.choice(_CHANGES)(drawn.choice(containers), drawn, containers)
    else:
        holder[0] = _value(drawn)


def _containers(holder: list[JSON]) -> list[_Container]:
    found: list[_Container] = [holder]
    for container in found:
        items = container.values() if isinstance(container, dict) else container
        found += [item for item in items if isinstance(item, (dict, list))]
    return found


_Change: TypeAlias = Callable[[_Container, random.Random, list[_Container]], None]


def _remove(container: _Container, drawn: random.Random, _: list[_Container]) -> None:
    if isinstance(container, dict):
        container.pop(_key(container, drawn), None)
    elif container:
        container.pop(drawn.randrange(len(container)))


def _replace(container: _Container, drawn: random.Random, _: list[_Container]) -> None:
    _put(container, _value(drawn), drawn)


def _nudge(container: _Container, drawn: random.Random, _: list[_Container]) -> None:
    """Replace a value by another of its type."""
    slots: list[str | int] = [*container] if isinstance(container, dict) else [*range(len(container))]
    if not slots:
        return
    slot = drawn.choice(slots)
    old: JSON = container[slot]  # type: ignore[index]  # a slot of this very container
    new: JSON = drawn.choice(_TEXTS) if isinstance(old, str) else drawn.choice(_NUMBERS)
    if isinstance(old, bool):
        new = not old
    elif isinstance(old, str) and drawn.randrange(2):
        new = _edited(old, drawn)
    if isinstance(old, (str, int)):
        container[slot] = new  # type: ignore[index]  # as above


def _edited(text: str, drawn: random.Random) -> str:
    place = drawn.randrange(len(text) + 1)
    put = drawn.choice(("", "/", ":", "%", "\n", "=", "-", "\\", "]", "@", ".", "\u00e4", "\x7f", " ", "9"))
    return text[:place] + put + text[place + drawn.randrange(3) :]


def _add(container: _Container, drawn: random.Random, _: list[_Container]) -> None:
    if isinstance(container, dict):
        name = drawn.choice(_NAMES)
        container[name] = drawn.choice(_EXAMPLES[name]) if drawn.randrange(4) else _value(drawn)
        container[name] = copy.deepcopy(container[name])
    else:
        container.insert(drawn.randrange(len(container) + 1), _value(drawn))


def _repeat(container: _Container, drawn: random.Random, _: list[_Container]) -> None:
    if isinstance(container, list) and container:
        container.insert(drawn.randrange(len(container) + 1), copy.deepcopy(drawn.choice(container)))


def _transplant(container: _Container, drawn: random.Random, containers: list[_Container]) -> None:
    """Put a copy of any other part of the document here."""
    donor = drawn.choice(containers)
    values = [*donor.values()] if isinstance(donor, dict) else donor
    if values:
        _put(container, copy.deepcopy(drawn.choice(values)), drawn)


def _respell(container: _Container, drawn: random.Random, _: list[_Container]) -> None:
    if isinstance(container, dict) and container:
        name = _key(container, drawn)
        container[drawn.choice((name.upper(), name.title(), name + "s", drawn.choice(_NAMES)))] = container.pop(name)


def _put(container: _Container, value: JSON, drawn: random.Random) -> None:
    if isinstance(container, dict):
        container[_key(container, drawn)] = value
    elif container:
        container[drawn.randrange(len(container))] = value
    else:
        container.append(value)


def _key(container: JSONObject, drawn: random.Random) -> str:
    return drawn.choice([*container]) if container else drawn.choice(_NAMES)


def _value(drawn: random.Random) -> JSON:
    values: tuple[JSON, ...] = drawn.choice((_TEXTS, _TEXTS, _NUMBERS, _ODD))
    return copy.deepcopy(drawn.choice(values))


_CHANGES: tuple[_Change, ...] = (_remove, _replace, _nudge, _nudge, _add, _add, _repeat, _transplant, _respell)


def _examples() -> dict[str, list[JSON]]:
    """Return, by the name of a member, values of the type that the tables give it: objects with all their members."""
    found: dict[str, list[JSON]] = {}
    for version in (V2_4, V3_6):
        _example(table(version), found)
    return found


def _example(kind: Scalar | Struct | ListOf, found: dict[str, list[JSON]]) -> JSON:
    if isinstance(kind, ListOf):
        return [_example(kind.element, found)]
    if isinstance(kind, Scalar):
        return "a" if kind is Scalar.TEXT else 1 if kind is Scalar.INTEGER else True
    members = {name: _example(field.type, found) for name, field in kind.fields.items()}
    for name, value in members.items():
        found.setdefault(name, []).append(value)
    return {**members}


_EXAMPLES = _examples()
_NAMES = sorted(_EXAMPLES)
