"""Configs of spec 2 in spec 3 and in another spec 2: what the other spec says in its own way."""

from collections.abc import Mapping

import pytest

from mcs.ignition import NEWEST, SPEC_3, SpecVersion, convert, unknown_members
from mcs.ignition.errors import (
    IgnitionError,
    InvalidConfig,
    Unsupported,
    UnsupportedFeatures,
)
from mcs.ignition.versions import V2_0, V2_2, V2_4, V3_1
from mcs.jsondata import JSON, JSONObject
from tests.ignition.configs import RESOURCE, config_2, files_2, node_2
from tests.ignition.normal_form import normal_form


def filesystem(name: str, **mount: JSON) -> JSONObject:
    return config_2(storage={"filesystems": [{"name": name, "mount": {"device": "/dev/a", "format": "ext4", **mount}}]})


@pytest.mark.parametrize(
    ("config", "mounts", "converted"),
    [
        pytest.param(
            config_2(ignition={"config": {"append": [{"source": "data:,b"}, {"source": "data:,a"}], "replace": {}}}),
            {},
            {
                "ignition": {
                    "config": {"merge": [{"source": "data:,b"}, {"source": "data:,a"}], "replace": {"source": ""}}
                }
            },
            id="each-config-keeps-its-own-source",
        ),
        pytest.param(
            config_2(
                ignition={
                    "security": {"tls": {"certificateAuthorities": [{"source": "data:,b"}, {"source": "data:,a"}]}}
                }
            ),
            {},
            {
                "ignition": {
                    "security": {"tls": {"certificateAuthorities": [{"source": "data:,b"}, {"source": "data:,a"}]}}
                }
            },
            id="each-certificate-authority-keeps-its-own-source",
        ),
        pytest.param(
            files_2(
                node_2("/a", mode=0o600, contents={"source": "data:,a", "compression": ""}),
                node_2("/b", append=True, contents={"source": "data:,b"}),
                node_2("/c", overwrite=False),
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
            config_2("2.0", storage={"files": [node_2("/a")]}),
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
                        node_2("/f", target="x/../y", hard=True),
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
            files_2(node_2("/a")),
            {"root": "/elsewhere"},
            {"storage": {"files": [{"path": "/a", "overwrite": True, "contents": {"source": ""}}]}},
            id="root-is-always-the-root",
        ),
        pytest.param(
            config_2(storage={"links": [node_2("/srv/a", target="b")], "directories": [node_2("/srv/ab", mode=0)]}),
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


def test_headers_and_proxies_go_where_spec_3_has_them() -> None:
    config = config_2(ignition={"proxy": {"httpProxy": "http://a"}, "config": {"append": [RESOURCE]}})

    assert convert(config, V3_1) == {
        "ignition": {"version": "3.1.0", "proxy": {"httpProxy": "http://a"}, "config": {"merge": [RESOURCE]}}
    }


def test_the_map_of_the_caller_stays_as_it_is() -> None:
    mounts = {"a": "/b"}

    convert(files_2(node_2("/a")), NEWEST, mounts)

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
        convert(config_2(ignition={"proxy": {"httpProxy": "http://a"}}), V2_2)

    assert error.value.features == (Unsupported("$.ignition.proxy", "a proxy", V2_4),)


def test_unknown_members_of_spec_2_are_named() -> None:
    config = config_2("2.0", storage={"links": [], "luks": []}, kernelArguments={})

    assert unknown_members(config) == ("$.storage.links", "$.storage.luks", "$.kernelArguments")


@pytest.mark.parametrize("to", [V2_0, SpecVersion(2, 3), SpecVersion(3, 7), SpecVersion(1, 0)], ids=str)
def test_other_targets_are_unknown(to: SpecVersion) -> None:
    with pytest.raises(IgnitionError, match="no config is written in spec"):
        convert(config_2(), to)


def test_types_are_looked_at_with_the_paths_of_the_input() -> None:
    with pytest.raises(InvalidConfig) as error:
        convert(files_2(node_2("/a", mode="0644")), NEWEST)

    assert str(error.value) == "$.storage.files.0.mode: an integer is expected, not a string"
