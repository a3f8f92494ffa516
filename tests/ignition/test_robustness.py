"""Whatever Python data is handed in, the documented errors are raised and no others."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import cast

import pytest

from mcs import jsondata
from mcs.ignition import (
    TARGETS,
    IgnitionError,
    UnsupportedFeatures,
    Untranslatable,
    convert,
    declared_version,
    merge,
    parse,
    unknown_members,
    validate,
)
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


MANY = 20_000  # comparing each to each would take minutes


def disk(version: str, partitions: list[JSON]) -> JSONObject:
    return {"ignition": {"version": version}, "storage": {"disks": [{"device": "/dev/a", "partitions": partitions}]}}


@pytest.mark.parametrize(
    ("config", "errors"),
    [
        pytest.param(
            disk("2.2.0", [{"start": 2048, "size": 5} for _ in range(MANY)]), 0, id="partitions that are alike"
        ),
        pytest.param(
            disk(
                "2.4.0",
                [{"number": number + 1, "start": -2048 * number, "size": -9} for number in range(MANY)],
            ),
            0,
            id="partitions of negative sizes in spec 2",
        ),
        pytest.param(
            disk("3.6.0", [{"number": n + 1, "startMiB": 1 + 9 * n, "sizeMiB": 5 if n else -3} for n in range(MANY)]),
            0,
            id="a partition of negative size among others",
        ),
        pytest.param(
            {
                "ignition": {"version": "3.6.0"},
                "storage": {
                    "links": [{"path": "/l", "target": "a"} for _ in range(MANY)],
                    "files": [{"path": f"/l/{number}"} for number in range(MANY)],
                },
            },
            2 * MANY - 1,
            id="files below links of one path",
        ),
        pytest.param(
            {
                "ignition": {"version": "3.6.0"},
                "storage": {
                    "directories": [{"path": "/d"} for _ in range(MANY)],
                    "links": [{"path": f"/{number}", "target": "/d", "hard": True} for number in range(MANY)],
                },
            },
            2 * MANY - 1,
            id="hard links to directories of one path",
        ),
    ],
)
def test_very_many_items_are_not_compared_each_to_each(config: JSONObject, errors: int) -> None:
    assert len(validate(config).errors) == errors


def test_a_unit_name_of_very_many_at_signs_is_looked_at_once() -> None:
    units: list[JSON] = [{"name": "@" * 20 * MANY + ".timer", "enabled": True}]

    assert validate({"ignition": {"version": "3.6.0"}, "systemd": {"units": units}}).is_valid


def test_very_many_members_in_repeated_objects_at_every_depth_are_put_together_once() -> None:
    depth, names = 400, [f"m{number}" for number in range(5 * MANY)]
    text = f"{{{','.join(f'{chr(34)}{name}{chr(34)}:1' for name in names)}}}"
    for level in range(depth):
        text = f'{{"a":{nested_text(level)},"a":{text}}}'

    parsed = parse(f'{{"ignition":{{"version":"3.6.0"}},"unknown":{text}}}')

    assert parsed.repeated == tuple(("unknown", *["a"] * (level + 1)) for level in range(depth))


def nested_text(depth: int) -> str:
    return '{"a":' * depth + "{}" + "}" * depth


@pytest.mark.parametrize(
    ("version", "to"),
    [pytest.param("3.6.0", V2_4, id="from 3 to 2"), pytest.param("2.4.0", NEWEST, id="from 2 to 3")],
)
def test_very_many_refusals_find_their_places_beside_very_many_unknown_members(version: str, to: SpecVersion) -> None:
    filesystems: list[JSON] = [{"name": "a", "device": "/dev/a"} for _ in range(MANY)]
    unknown: JSONObject = {f"unknown-{number}": number for number in range(3 * MANY)}

    with pytest.raises((UnsupportedFeatures, Untranslatable)) as refused:
        convert({"ignition": {"version": version}, "storage": unknown | {"filesystems": filesystems}}, to)

    found = refused.value
    assert isinstance(found, (UnsupportedFeatures, Untranslatable))
    reasons = found.features if isinstance(found, UnsupportedFeatures) else found.problems
    assert [reason.path for reason in reasons] == [f"$.storage.filesystems.{number}" for number in range(MANY)]
