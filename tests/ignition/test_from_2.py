import contextlib
import copy
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from mcs.ignition import NEWEST, SPEC_2, SPEC_3, TARGETS, SpecVersion, convert, unknown_members
from mcs.ignition.errors import (
    DuplicateDropin,
    DuplicateInode,
    DuplicateMount,
    DuplicateUnit,
    IgnitionError,
    InvalidConfig,
    NetworkdUsed,
    NoFilesystem,
    Problem,
    SectorsUsed,
    Unsayable,
    Unsupported,
    UnsupportedFeatures,
    Untranslatable,
    UsesOwnLink,
)
from mcs.ignition.versions import V2_0, V2_2, V2_4, V3_0, V3_1
from mcs.jsondata import JSON, JSONObject, list_at, lookup
from tests.ignition.normal_form import normal_form
from tests.ignition.strategies import anything, broken_configs
from tests.ignition.test_conversion_laws import containers
from tests.ignition.valid_configs import valid_configs as valid_configs_3
from tests.ignition.valid_configs_2 import valid_configs as valid_configs_2

VALID_2 = st.sampled_from(SPEC_2).flatmap(valid_configs_2)
VALID = VALID_2 | st.sampled_from(SPEC_3).flatmap(valid_configs_3)
MOUNTS = st.dictionaries(st.sampled_from(["a", "b", "root", ""]), st.sampled_from(["", "/", "/mnt/a", "b/"]))
thorough = settings(suppress_health_check=list(HealthCheck), deadline=None)


def config_2(spec: str = "2.4", **sections: JSON) -> JSONObject:
    return {"ignition": {"version": f"{spec}.0"}, **sections}


def ignition_2(**members: JSON) -> JSONObject:
    return {"ignition": {"version": "2.4.0", **members}}


def node(path: str, **members: JSON) -> JSONObject:
    return {"filesystem": "root", "path": path, **members}


def files(*entries: JSON) -> JSONObject:
    return config_2(storage={"files": list(entries)})


def filesystem(name: str, **mount: JSON) -> JSONObject:
    return config_2(storage={"filesystems": [{"name": name, "mount": {"device": "/dev/a", "format": "ext4", **mount}}]})


@pytest.mark.parametrize(
    ("config", "mounts", "converted"),
    [
        pytest.param(
            ignition_2(config={"append": [{"source": "data:,b"}, {"source": "data:,a"}], "replace": {}}),
            {},
            {
                "ignition": {
                    "config": {"merge": [{"source": "data:,b"}, {"source": "data:,a"}], "replace": {"source": ""}}
                }
            },
            id="each-config-keeps-its-own-source",
        ),
        pytest.param(
            ignition_2(security={"tls": {"certificateAuthorities": [{"source": "data:,b"}, {"source": "data:,a"}]}}),
            {},
            {
                "ignition": {
                    "security": {"tls": {"certificateAuthorities": [{"source": "data:,b"}, {"source": "data:,a"}]}}
                }
            },
            id="each-certificate-authority-keeps-its-own-source",
        ),
        pytest.param(
            files(
                node("/a", mode=0o600, contents={"source": "data:,a", "compression": ""}),
                node("/b", append=True, contents={"source": "data:,b"}),
                node("/c", overwrite=False),
            ),
            {},
            {
                "storage": {
                    "files": [
                        {"path": "/a", "mode": 0o600, "overwrite": True, "contents": {"source": "data:,a"}},
                        {"path": "/b", "overwrite": False, "append": [{"source": "data:,b"}]},
                        {"path": "/c", "overwrite": False, "contents": {"source": ""}},
                    ]
                }
            },
            id="files",
        ),
        pytest.param(
            config_2("2.0", storage={"files": [node("/a")]}),
            {},
            {
                "storage": {
                    "files": [
                        {
                            "path": "/a",
                            "mode": 0,
                            "user": {"id": 0},
                            "group": {"id": 0},
                            "overwrite": True,
                            "contents": {"source": ""},
                        }
                    ]
                }
            },
            id="what-2.0-takes-for-granted",
        ),
        pytest.param(
            config_2(storage={"links": [{"filesystem": "a", "path": "/b//c/", "target": "d", "hard": False}]}),
            {"a": "/mnt/a/", "unused": "/b"},
            {"storage": {"links": [{"path": "/mnt/a/b/c", "target": "d"}]}},
            id="a-node-is-placed-by-the-mount-point",
        ),
        pytest.param(
            config_2(
                storage={
                    "links": [
                        {"filesystem": "a", "path": "/b", "target": "/x", "hard": True},
                        {"filesystem": "a", "path": "/c", "target": "../y/", "hard": True},
                        {"filesystem": "a", "path": "/d", "target": "/x"},
                        {"filesystem": "a", "path": "/e", "target": "x", "hard": False},
                        node("/f", target="x/../y", hard=True),
                    ]
                }
            ),
            {"a": "/m"},
            {
                "storage": {
                    "links": [
                        {"path": "/m/b", "target": "/m/x", "hard": True},
                        {"path": "/m/c", "target": "/m/y", "hard": True},
                        {"path": "/m/d", "target": "/x"},
                        {"path": "/m/e", "target": "x"},
                        {"path": "/f", "target": "x/../y", "hard": True},
                    ]
                }
            },
            id="a-hard-link-has-its-target-in-its-own-filesystem",
        ),
        pytest.param(
            files(node("/a")),
            {"root": "/elsewhere"},
            {"storage": {"files": [{"path": "/a", "overwrite": True, "contents": {"source": ""}}]}},
            id="root-is-always-the-root",
        ),
        pytest.param(
            config_2(storage={"links": [node("/srv/a", target="b")], "directories": [node("/srv/ab", mode=0)]}),
            {},
            {
                "storage": {
                    "links": [{"path": "/srv/a", "target": "b"}],
                    "directories": [{"path": "/srv/ab", "mode": 0}],
                }
            },
            id="beside-a-link-of-a-similar-name",
        ),
        pytest.param(
            config_2(storage={"filesystems": [{"name": "root", "path": "/sysroot"}]}),
            {},
            {"storage": {}},
            id="root-where-it-is-anyway",
        ),
        pytest.param(
            filesystem("root", wipeFilesystem=True),
            {},
            {"storage": {"filesystems": [{"device": "/dev/a", "format": "ext4", "wipeFilesystem": True, "path": "/"}]}},
            id="root-to-be-made",
        ),
        pytest.param(
            filesystem("a", label="", options=["-b"], wipeFilesystem=False),
            {"a": ""},
            {"storage": {"filesystems": [{"device": "/dev/a", "format": "ext4", "label": "", "options": ["-b"]}]}},
            id="a-filesystem-that-is-not-mounted",
        ),
        pytest.param(
            filesystem("a", create={"force": True, "options": ["-b"]}),
            {"a": "/b"},
            {
                "storage": {
                    "filesystems": [
                        {
                            "device": "/dev/a",
                            "format": "ext4",
                            "path": "/b",
                            "wipeFilesystem": True,
                            "options": ["-b"],
                        }
                    ]
                }
            },
            id="a-filesystem-made-by-force-is-wiped-first",
        ),
        pytest.param(
            config_2(
                "2.0",
                passwd={"users": [{"name": "a", "create": {"uid": 0, "gecos": "", "groups": ["b"], "system": True}}]},
            ),
            {},
            {"passwd": {"users": [{"name": "a", "uid": 0, "groups": ["b"], "system": True}]}},
            id="a-user-to-be-created",
        ),
        pytest.param(
            config_2(
                systemd={
                    "units": [
                        {"name": "a.service", "enable": True},
                        {"name": "b.service", "enable": False, "mask": True},
                        {"name": "c.service", "enable": True, "enabled": False},
                        {"name": "d.service", "enabled": True, "contents": ""},
                    ]
                },
                networkd={"units": []},
            ),
            {},
            {
                "systemd": {
                    "units": [
                        {"name": "a.service", "enabled": True},
                        {"name": "b.service", "mask": True},
                        {"name": "c.service", "enabled": False},
                        {"name": "d.service", "enabled": True},
                    ]
                }
            },
            id="units",
        ),
        pytest.param(
            config_2(
                storage={"disks": [{"device": "/dev/a", "partitions": [{"number": 0, "label": "", "sizeMiB": 0}]}]}
            ),
            {},
            {"storage": {"disks": [{"device": "/dev/a", "partitions": [{"label": "", "sizeMiB": 0}]}]}},
            id="partitions",
        ),
        pytest.param(
            config_2("2.2", PASSWD={"users": [{"name": "a", "unknown": 1}]}, kernelArguments={}),
            {},
            {"passwd": {"users": [{"name": "a"}]}},
            id="names-in-another-case-and-unknown-ones",
        ),
    ],
)
@pytest.mark.parametrize("to", SPEC_3, ids=str)
def test_what_spec_3_says_in_its_own_way(
    config: JSONObject, mounts: Mapping[str, str], converted: JSONObject, to: SpecVersion
) -> None:
    ignition = converted.get("ignition", {})
    assert isinstance(ignition, dict)
    expected = converted | {"ignition": {**ignition, "version": str(to)}}

    assert normal_form(convert(config, to, mounts)) == normal_form(expected)


RESOURCE: JSONObject = {"source": "https://a.example", "httpHeaders": [{"name": "a", "value": "b"}]}


@pytest.mark.parametrize(
    ("config", "to", "problems"),
    [
        pytest.param(
            config_2(networkd={"units": [{"name": "a.network"}]}),
            V3_0,
            [NetworkdUsed("$.networkd.units")],
            id="networkd",
        ),
        pytest.param(
            config_2(
                storage={
                    "disks": [
                        {"device": "/dev/a", "partitions": [{"sizeMiB": 1}, {"size": 0}]},
                        {"device": "/dev/b", "partitions": [{"start": 2048}]},
                    ]
                }
            ),
            V3_1,
            [SectorsUsed("$.storage.disks.0.partitions.1"), SectorsUsed("$.storage.disks.1.partitions.0")],
            id="sectors",
        ),
        pytest.param(
            config_2("2.2", storage={"disks": [{"device": "/dev/a", "partitions": [{"label": "a"}]}]}),
            V3_1,
            [SectorsUsed("$.storage.disks.0.partitions.0")],
            id="sectors-as-always-up-to-2.2",
        ),
        pytest.param(
            config_2(
                storage={
                    "filesystems": [{"name": "a", "mount": {"device": "/dev/a", "format": "ext4"}}],
                    "links": [{"filesystem": "b", "path": "/c"}],
                }
            ),
            V3_1,
            [NoFilesystem("$.storage.filesystems.0", "a"), NoFilesystem("$.storage.links.0", "b")],
            id="filesystems-that-are-not-in-the-map",
        ),
        pytest.param(
            config_2(
                storage={
                    "files": [node("/a"), node("/b/../a", append=True)],
                    "directories": [node("/c")],
                    "links": [node("/a"), node("/d"), node("/d")],
                }
            ),
            V3_1,
            [
                DuplicateInode("$.storage.files.1", "File: /a", "File: /a"),
                DuplicateInode("$.storage.links.0", "File: /a", "Link: /a"),
                DuplicateInode("$.storage.links.2", "Link: /d", "Link: /d"),
            ],
            id="one-path-twice",
        ),
        pytest.param(
            config_2(
                storage={
                    "files": [node("/l/a"), node("/la"), node("/l/m/a/b")],
                    "links": [node("/l"), node("/l/m"), node("/l/m")],
                }
            ),
            V3_1,
            [
                UsesOwnLink("$.storage.files.0", "File: /l/a", "/l"),
                UsesOwnLink("$.storage.files.2", "File: /l/m/a/b", "/l/m"),
                UsesOwnLink("$.storage.links.1", "Link: /l/m", "/l"),
                DuplicateInode("$.storage.links.2", "Link: /l/m", "Link: /l/m"),
                UsesOwnLink("$.storage.links.2", "Link: /l/m", "/l"),
            ],
            id="below-a-link",
        ),
        pytest.param(
            config_2(
                systemd={
                    "units": [
                        {"name": "a.service", "dropins": [{"name": "b.conf"}, {"name": "c.conf"}, {"name": "b.conf"}]},
                        {"name": "a.service", "dropins": [{"name": "b.conf"}]},
                    ]
                }
            ),
            V3_1,
            [
                DuplicateDropin("$.systemd.units.0.dropins.2", "a.service", "b.conf"),
                DuplicateUnit("$.systemd.units.1", "a.service"),
            ],
            id="one-unit-twice",
        ),
        pytest.param(
            config_2(
                storage={
                    "filesystems": [
                        {"name": "root", "path": "/a"},
                        {"name": "a", "path": "/b"},
                        {"name": "a", "mount": {"device": "/dev/a", "format": "xfs", "create": {"options": ["-c"]}}},
                    ]
                }
            ),
            V3_1,
            [
                NoFilesystem("$.storage.filesystems.1", "a"),
                NoFilesystem("$.storage.filesystems.2", "a"),
                Unsayable("$.storage.filesystems.1.path", "filesystem that is mounted already"),
                Unsayable(
                    "$.storage.filesystems.2.mount.create",
                    "creation of a filesystem that fails where there is one already",
                ),
            ],
            id="what-no-spec-3-says",
        ),
        pytest.param(
            ignition_2(
                proxy={"httpProxy": "http://a", "httpsProxy": "", "noProxy": []},
                config={"append": [{"source": "data:,"}, RESOURCE], "replace": RESOURCE},
                security={"tls": {"certificateAuthorities": [RESOURCE]}},
            )
            | {"storage": {"files": [node("/a", contents=RESOURCE)]}},
            V3_0,
            [
                Unsupported("$.ignition.proxy.httpProxy", "a proxy", V3_1),
                Unsupported("$.ignition.config.replace.httpHeaders", "HTTP headers", V3_1),
                Unsupported("$.ignition.config.append.1.httpHeaders", "HTTP headers", V3_1),
                Unsupported("$.ignition.security.tls.certificateAuthorities.0.httpHeaders", "HTTP headers", V3_1),
                Unsupported("$.storage.files.0.contents.httpHeaders", "HTTP headers", V3_1),
            ],
            id="what-3.0-does-not-say-yet",
        ),
        pytest.param(
            config_2("2.3", Networkd={"UNITS": [{}]}),
            V3_1,
            [NetworkdUsed("$.Networkd.UNITS")],
            id="in-its-own-spelling",
        ),
    ],
)
def test_what_spec_3_cannot_say_is_refused(config: JSONObject, to: SpecVersion, problems: list[Problem]) -> None:
    with pytest.raises(Untranslatable) as error:
        convert(config, to)

    assert error.value.to == to
    assert error.value.problems == tuple(problems)
    assert all(problem.path in str(error.value) for problem in problems)


def filesystems(*names: str) -> JSONObject:
    made: list[JSON] = [
        {"name": name, "mount": {"device": f"/dev/{n}", "format": "xfs"}} for n, name in enumerate(names)
    ]
    return config_2(storage={"filesystems": made})


@pytest.mark.parametrize(
    ("config", "mounts", "problems"),
    [
        pytest.param(
            filesystems("a", "a", "a"),
            {"a": "/m"},
            [DuplicateMount(f"$.storage.filesystems.{index}", "/m", "a", "a") for index in (1, 2)],
            id="one-name-twice",
        ),
        pytest.param(
            filesystems("a", "b"),
            {"a": "/m", "b": "//m/"},
            [DuplicateMount("$.storage.filesystems.1", "/m", "a", "b")],
            id="two-names-at-one-place",
        ),
        pytest.param(
            filesystems("root", "a"),
            {"a": "/"},
            [DuplicateMount("$.storage.filesystems.1", "/", "root", "a")],
            id="beside-the-root",
        ),
    ],
)
def test_two_filesystems_at_one_place_are_refused(
    config: JSONObject, mounts: Mapping[str, str], problems: list[Problem]
) -> None:
    with pytest.raises(Untranslatable) as error:
        convert(config, NEWEST, mounts)

    assert error.value.problems == tuple(problems)


def test_filesystems_that_are_not_mounted_are_never_in_the_way() -> None:
    storage = convert(filesystems("a", "a", "b"), NEWEST, {"a": "", "b": "/m"})["storage"]

    assert [lookup(each, "path") for each in list_at(storage, "filesystems")] == [None, None, "/m"]


def test_headers_and_proxies_go_where_spec_3_has_them() -> None:
    config = ignition_2(proxy={"httpProxy": "http://a"}, config={"append": [RESOURCE]})

    assert convert(config, V3_1) == {
        "ignition": {"version": "3.1.0", "proxy": {"httpProxy": "http://a"}, "config": {"merge": [RESOURCE]}}
    }


def test_the_map_of_the_caller_stays_as_it_is() -> None:
    mounts = {"a": "/b"}

    convert(files(node("/a")), NEWEST, mounts)

    assert mounts == {"a": "/b"}


@pytest.mark.parametrize(
    ("config", "to", "converted"),
    [
        pytest.param(
            config_2("2.0", storage={"files": [{"path": "/a"}]}),
            V2_4,
            config_2("2.4", storage={"files": [{"path": "/a", "user": {"id": 0}, "group": {"id": 0}, "mode": 0}]}),
            id="later",
        ),
        pytest.param(config_2("2.4", unknown=[]), V2_4, config_2("2.4", unknown=[]), id="the-same"),
        pytest.param(
            config_2("2.4", storage={"disks": [{"partitions": [{"label": "a"}]}]}),
            V2_2,
            config_2("2.2", storage={"disks": [{"partitions": [{"label": "a"}]}]}),
            id="earlier",
        ),
    ],
)
def test_within_spec_2(config: JSONObject, to: SpecVersion, converted: JSONObject) -> None:
    assert convert(config, to) == converted


def test_an_earlier_spec_2_lacks_what_it_lacks() -> None:
    with pytest.raises(UnsupportedFeatures) as error:
        convert(ignition_2(proxy={"httpProxy": "http://a"}), V2_2)

    assert error.value.features == (Unsupported("$.ignition.proxy", "a proxy", V2_4),)


def test_unknown_members_of_spec_2_are_named() -> None:
    config = config_2("2.0", storage={"links": [], "luks": []}, kernelArguments={})

    assert unknown_members(config) == ("$.storage.links", "$.storage.luks", "$.kernelArguments")


@pytest.mark.parametrize("to", [V2_0, SpecVersion(2, 3), SpecVersion(3, 7), SpecVersion(1, 0)], ids=str)
def test_other_targets_are_unknown(to: SpecVersion) -> None:
    with pytest.raises(IgnitionError, match="is not known here"):
        convert(config_2(), to)


def test_types_are_looked_at_with_the_paths_of_the_input() -> None:
    with pytest.raises(InvalidConfig) as error:
        convert(files(node("/a", mode="0644")), NEWEST)

    assert str(error.value) == "$.storage.files.0.mode: an integer is expected, not a string"


@thorough
@given(VALID, st.sampled_from(TARGETS), MOUNTS)
def test_the_input_stays_as_it_is_and_is_not_part_of_the_result(
    config: JSONObject, to: SpecVersion, mounts: dict[str, str]
) -> None:
    before, mounts_before = copy.deepcopy(config), dict(mounts)

    with contextlib.suppress(UnsupportedFeatures, Untranslatable):
        result = convert(config, to, mounts)
        found = list(containers(result))
        assert set(found).isdisjoint(containers(config))
        assert len(found) == len(set(found))

    assert (config, mounts) == (before, mounts_before)


@thorough
@given(VALID_2, st.sampled_from(SPEC_3), MOUNTS)
def test_what_is_converted_is_of_known_members_and_each_problem_has_a_place(
    config: JSONObject, to: SpecVersion, mounts: dict[str, str]
) -> None:
    try:
        converted = convert(config, to, mounts)
    except Untranslatable as error:
        event("refused")
        problems = error.problems
    else:
        event("converted")
        problems = ()
        assert unknown_members(converted) == ()

    for problem in problems:
        place: Any = config
        for step in problem.path.split(".")[1:]:
            place = place[int(step)] if isinstance(place, list) else place[step]
        assert place is not None


@st.composite
def broken(draw: st.DrawFn, config: JSONObject) -> JSONObject:
    """Put anything in the place of one value of a config."""
    container: Any = config
    key: Any = draw(st.sampled_from(sorted(config)))
    while isinstance(container[key], (dict, list)) and container[key] and draw(st.booleans()):
        container = container[key]
        key = draw(st.sampled_from(sorted(container) if isinstance(container, dict) else range(len(container))))
    container[key] = draw(anything)
    return config


@thorough
@given(broken_configs() | VALID_2.flatmap(broken), st.sampled_from(TARGETS), MOUNTS)
def test_nothing_but_documented_errors_is_raised(config: JSONObject, to: SpecVersion, mounts: dict[str, str]) -> None:
    with contextlib.suppress(IgnitionError):
        convert(config, to, mounts)
        event("converted")
