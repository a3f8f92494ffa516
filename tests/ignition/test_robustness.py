"""Whatever Python data is handed in, the documented errors are raised and no others."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import cast

import pytest

from mcs import jsondata
from mcs.ignition import TARGETS, IgnitionError, convert, declared_version, merge, unknown_members, validate
from mcs.ignition.versions import NEWEST, V2_0, V2_4, V3_0, SpecVersion
from mcs.jsondata import JSON, JSONObject

# What no JSON text says, but a caller from Python may hand in nonetheless.
FOREIGN: list[tuple[str, object]] = [
    ("bytes", b"a"),
    ("set", {1}),
    ("tuple", (1, 2)),
    ("object", object()),
    ("names that are no text", {1: 2, None: 3, (1,): 4, b"a": 5, "path": 6}),
    ("not a number", math.nan),
    ("infinity", -math.inf),
]
EXTREME: list[tuple[str, JSON]] = [
    ("null", None),
    ("more than 64 bits", 2**64),
    ("very many digits", 10**6000),
    ("half a surrogate pair", "\ud800"),
    ("nothing in it", {}),
    ("mixed", [None, {}, [], "", 0, True, 1.5]),
]


def nested(depth: int, wrapped: Callable[[JSON], JSON]) -> JSON:
    value: JSON = None
    for _ in range(depth):
        value = wrapped(value)
    return value


DEEP: list[tuple[str, JSON]] = [
    ("deep lists", nested(5000, lambda value: [value])),
    ("deep objects", nested(5000, lambda value: {"config": value})),
]
SECTIONS = {
    "ignition": ("config", "security"),
    "passwd": ("users",),
    "storage": ("files", "disks", "luks", "filesystems", "links"),
    "systemd": ("units",),
    "networkd": ("units",),
}
MEMBERS = ("path", "name", "mode", "contents", "user", "partitions", "mount", "clevis", "unknown")


def configs_with(value: object, version: SpecVersion) -> Iterator[dict[object, object]]:
    """Configs that have the value for the whole of a section, a list, an item or a member, known or unknown."""
    declared: dict[object, object] = {"ignition": {"version": str(version)}}
    yield {"ignition": value}
    yield {"ignition": {"version": value}}
    yield declared | {"unknown": value}
    yield declared | {value if isinstance(value, (str, bytes)) else 1: value}
    for section, lists in SECTIONS.items():
        if section != "ignition":
            yield declared | {section: value}
        for name in lists:
            own = {"version": str(version)} if section == "ignition" else {}
            yield declared | {section: own | {name: value}}
            yield declared | {section: own | {name: [value, value]}}
            yield from (declared | {section: own | {name: [{member: value}]}} for member in MEMBERS)


def everything(config: JSONObject) -> Iterator[Callable[[], object]]:
    """All that can be done with a config."""
    yield lambda: validate(config)
    yield lambda: validate(config, V2_4)
    yield lambda: validate(config, NEWEST)
    yield lambda: unknown_members(config)
    yield lambda: declared_version(config)
    yield lambda: merge(config, config)
    for to in TARGETS:
        yield partial(convert, config, to)


@pytest.mark.parametrize("version", [V2_0, V2_4, V3_0, NEWEST], ids=str)
@pytest.mark.parametrize("value", [pytest.param(value, id=name) for name, value in [*FOREIGN, *EXTREME, *DEEP]])
def test_nothing_but_the_documented_errors_is_raised(value: object, version: SpecVersion) -> None:
    for config in configs_with(value, version):
        for call in everything(cast(JSONObject, config)):
            with suppress(IgnitionError):
                call()


@pytest.mark.parametrize("to", TARGETS, ids=str)
def test_half_a_surrogate_pair_can_be_converted_and_written(to: SpecVersion) -> None:
    config: JSONObject = {"ignition": {"version": "3.0.0"}, "passwd": {"users": [{"name": "\ud800"}]}}
    converted = convert(config, to)
    assert json.loads(jsondata.encode(converted)) == converted
