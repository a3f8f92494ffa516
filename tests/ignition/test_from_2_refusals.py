"""What spec 3 cannot say of a config of spec 2: the problems, each with its place."""

from collections.abc import Mapping

import pytest

from mcs.ignition import NEWEST, SpecVersion, convert
from mcs.ignition.errors import (
    DuplicateDropin,
    DuplicateInode,
    DuplicateMount,
    DuplicateUnit,
    NetworkdUsed,
    NoFilesystem,
    Problem,
    SectorsUsed,
    Unsayable,
    Unsupported,
    Untranslatable,
    UsesOwnLink,
)
from mcs.ignition.versions import V3_0, V3_1
from mcs.jsondata import JSON, JSONObject, list_at, lookup
from tests.ignition.configs import RESOURCE, config_2, node_2


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
                    "files": [node_2("/a"), node_2("/b/../a", append=True)],
                    "directories": [node_2("/c")],
                    "links": [node_2("/a"), node_2("/d"), node_2("/d")],
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
                    "files": [node_2("/l/a"), node_2("/la"), node_2("/l/m/a/b")],
                    "links": [node_2("/l"), node_2("/l/m"), node_2("/l/m")],
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
            config_2(
                ignition={
                    "proxy": {"httpProxy": "http://a", "httpsProxy": "", "noProxy": []},
                    "config": {"append": [{"source": "data:,"}, RESOURCE], "replace": RESOURCE},
                    "security": {"tls": {"certificateAuthorities": [RESOURCE]}},
                }
            )
            | {"storage": {"files": [node_2("/a", contents=RESOURCE)]}},
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
