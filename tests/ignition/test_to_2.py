"""Configs of spec 3 in spec 2: what spec 2 says in its own way."""

import pytest

from mcs.ignition import SpecVersion, convert
from mcs.ignition.versions import V2_2, V2_4
from mcs.jsondata import JSONObject, list_at, object_at
from tests.ignition.configs import config_3, files_3, mounted, partitions_3
from tests.ignition.normal_form import normal_form

TARGETS_2 = (V2_2, V2_4)
IN_ROOT = {"filesystem": "root", "path": "/a"}


@pytest.mark.parametrize(
    ("config", "converted"),
    [
        pytest.param(
            config_3(ignition={"config": {"merge": [{"source": "data:,b"}, {"source": "data:,a"}]}}),
            {"ignition": {"config": {"append": [{"source": "data:,b"}, {"source": "data:,a"}]}}},
            id="configs-to-merge-are-appended-in-order",
        ),
        pytest.param(
            config_3(ignition={"config": {"replace": {"source": "data:,"}}}),
            {"ignition": {"config": {"replace": {"source": "data:,"}}}},
            id="a-config-to-replace-this-one",
        ),
        pytest.param(config_3(ignition={"config": {"replace": {}}}), {}, id="nothing-to-replace-this-config-by"),
        pytest.param(
            files_3({"path": "/a", "mode": 0o600, "contents": {"source": "data:,"}}),
            {"storage": {"files": [{**IN_ROOT, "mode": 0o600, "overwrite": False, "contents": {"source": "data:,"}}]}},
            id="a-file-is-not-overwritten-unless-it-says-so",
        ),
        pytest.param(
            files_3({"path": "/a", "contents": {"source": ""}, "overwrite": True}),
            {"storage": {"files": [{**IN_ROOT, "mode": 0o644, "overwrite": True}]}},
            id="an-empty-file-of-the-mode-that-spec-3-means",
        ),
        pytest.param(
            files_3({"path": "/a", "mode": 0o600, "user": {"id": 4}}),
            {"storage": {"files": [{**IN_ROOT, "mode": 0o600, "user": {"id": 4}, "overwrite": False, "append": True}]}},
            id="a-file-that-only-has-to-be-there-is-appended-nothing",
        ),
        pytest.param(
            files_3(
                {"path": "/a", "mode": 0, "contents": {"source": "data:,1"}, "append": [{"source": "data:,2"}, {}]}
            ),
            {
                "storage": {
                    "files": [
                        {**IN_ROOT, "mode": 0, "overwrite": False, "contents": {"source": "data:,1"}},
                        {**IN_ROOT, "mode": 0, "overwrite": False, "append": True, "contents": {"source": "data:,2"}},
                        {**IN_ROOT, "mode": 0, "overwrite": False, "append": True},
                    ]
                }
            },
            id="each-content-of-a-file-is-an-entry",
        ),
        pytest.param(
            files_3({"path": "/a", "append": [{"source": "data:,1"}]}),
            {
                "storage": {
                    "files": [{**IN_ROOT, "overwrite": False, "append": True, "contents": {"source": "data:,1"}}]
                }
            },
            id="what-is-appended-to-keeps-its-mode",
        ),
        pytest.param(
            config_3(storage={"directories": [{"path": "/a"}, {"path": "/b", "mode": 0, "overwrite": True}]}),
            {
                "storage": {
                    "directories": [
                        {**IN_ROOT, "mode": 0o755},
                        {"filesystem": "root", "path": "/b", "mode": 0, "overwrite": True},
                    ]
                }
            },
            id="directories",
        ),
        pytest.param(
            config_3("3.3", storage={"links": [{"path": "/a", "target": "b", "hard": True, "overwrite": False}]}),
            {"storage": {"links": [{**IN_ROOT, "target": "b", "hard": True, "overwrite": False}]}},
            id="links",
        ),
        pytest.param(
            mounted(
                "/var",
                "/var/lib/a",
                files=[
                    {"path": path, "mode": 0, "contents": {"source": ""}}
                    for path in ("/var/b", "/var/lib/a/c/d", "/variable", "/var/lib/ab")
                ],
                directories=[{"path": "/var", "mode": 0}],
            ),
            {
                "storage": {
                    "filesystems": [
                        {"name": "/var", "mount": {"device": "/dev/0", "format": "xfs"}},
                        {"name": "/var/lib/a", "mount": {"device": "/dev/1", "format": "xfs"}},
                    ],
                    "files": [
                        {"filesystem": "/var", "path": "/b", "mode": 0, "overwrite": False},
                        {"filesystem": "/var/lib/a", "path": "/c/d", "mode": 0, "overwrite": False},
                        {"filesystem": "root", "path": "/variable", "mode": 0, "overwrite": False},
                        {"filesystem": "/var", "path": "/lib/ab", "mode": 0, "overwrite": False},
                    ],
                    "directories": [{"filesystem": "/var", "path": "/", "mode": 0}],
                }
            },
            id="nodes-are-in-the-nearest-filesystem-above-them",
        ),
        pytest.param(
            mounted("/", links=[{"path": "/a", "target": "b"}]),
            {
                "storage": {
                    "filesystems": [{"name": "/", "mount": {"device": "/dev/0", "format": "xfs"}}],
                    "links": [{"filesystem": "/", "path": "/a", "target": "b"}],
                }
            },
            id="a-filesystem-at-the-root",
        ),
        pytest.param(
            mounted(
                "/m",
                "/m/n",
                links=[
                    {"path": "/m/a", "target": "/m/x", "hard": True},
                    {"path": "/m/b", "target": "//m/./y/", "hard": True},
                    {"path": "/m/c", "target": "m/z", "hard": True},
                    {"path": "/m/n/d", "target": "/m/n/x", "hard": True},
                    {"path": "/m/e", "target": "/m/x"},
                    {"path": "/m/f", "target": "/x", "hard": False},
                    {"path": "/g", "target": "../x", "hard": True},
                ],
            ),
            {
                "storage": {
                    "filesystems": [
                        {"name": "/m", "mount": {"device": "/dev/0", "format": "xfs"}},
                        {"name": "/m/n", "mount": {"device": "/dev/1", "format": "xfs"}},
                    ],
                    "links": [
                        {"filesystem": "/m", "path": "/a", "target": "/x", "hard": True},
                        {"filesystem": "/m", "path": "/b", "target": "/y", "hard": True},
                        {"filesystem": "/m", "path": "/c", "target": "/z", "hard": True},
                        {"filesystem": "/m/n", "path": "/d", "target": "/x", "hard": True},
                        {"filesystem": "/m", "path": "/e", "target": "/m/x"},
                        {"filesystem": "/m", "path": "/f", "target": "/x"},
                        {"filesystem": "root", "path": "/g", "target": "../x", "hard": True},
                    ],
                }
            },
            id="a-hard-link-has-its-target-in-its-own-filesystem",
        ),
        pytest.param(
            mounted("/", links=[{"path": "/a", "target": "b/../c", "hard": True}]),
            {
                "storage": {
                    "filesystems": [{"name": "/", "mount": {"device": "/dev/0", "format": "xfs"}}],
                    "links": [{"filesystem": "/", "path": "/a", "target": "b/../c", "hard": True}],
                }
            },
            id="a-hard-link-in-a-filesystem-at-the-root",
        ),
        pytest.param(
            config_3(
                storage={
                    "filesystems": [
                        {"device": "/dev/a", "format": "swap", "label": "", "wipeFilesystem": True},
                        {"device": "/dev/b", "format": "ext4", "path": "/b", "options": ["-c"], "uuid": "d"},
                        {"device": "/dev/c", "format": "vfat", "wipeFilesystem": False},
                    ]
                }
            ),
            {
                "storage": {
                    "filesystems": [
                        {
                            "name": "1",
                            "mount": {"device": "/dev/a", "format": "swap", "label": "", "wipeFilesystem": True},
                        },
                        {
                            "name": "/b",
                            "mount": {"device": "/dev/b", "format": "ext4", "options": ["-c"], "uuid": "d"},
                        },
                        {"name": "2", "mount": {"device": "/dev/c", "format": "vfat"}},
                    ]
                }
            },
            id="filesystems-without-a-path-are-numbered",
        ),
        pytest.param(
            config_3(
                "3.6",
                passwd={
                    "users": [{"name": "a", "uid": 0, "gecos": "", "system": False, "shouldExist": True}],
                    "groups": [{"name": "b", "gid": 0, "passwordHash": "", "system": True}],
                },
            ),
            {
                "passwd": {
                    "users": [{"name": "a", "uid": 0}],
                    "groups": [{"name": "b", "gid": 0, "system": True}],
                }
            },
            id="users-and-groups",
        ),
        pytest.param(
            config_3(systemd={"units": [{"name": "a.service", "enabled": False, "mask": False, "contents": ""}]}),
            {"systemd": {"units": [{"name": "a.service", "enabled": False}]}},
            id="a-unit-to-disable",
        ),
        pytest.param(
            config_3("3.4", kernelArguments={"shouldExist": []}, storage={"luks": []}), {}, id="what-says-nothing"
        ),
        pytest.param(
            config_3("3.3", storage={"directories": [{"path": "/a", "mode": 0o1777}]}),
            {"storage": {"directories": [{**IN_ROOT, "mode": 0o1777}]}},
            id="mode-bits-that-no-client-of-either-spec-honours",
        ),
        pytest.param(
            files_3({"path": "/a", "Mode": 0, "contents": {"source": "", "unknown": 1}}),
            {"storage": {"files": [{**IN_ROOT, "mode": 0, "overwrite": False}]}},
            id="names-in-another-case-and-unknown-ones",
        ),
    ],
)
@pytest.mark.parametrize("to", TARGETS_2, ids=str)
def test_what_spec_2_says_in_its_own_way(config: JSONObject, to: SpecVersion, converted: JSONObject) -> None:
    version: JSONObject = {"version": str(to)}
    expected = converted | {"ignition": object_at(converted, "ignition") | version}

    assert normal_form(convert(config, to)) == normal_form(expected)


@pytest.mark.parametrize(
    ("config", "converted"),
    [
        pytest.param(
            partitions_3(label="", sizeMiB=0, startMiB=1, wipePartitionEntry=True, guid="", resize=False),
            {"number": 1, "label": "", "sizeMiB": 0, "startMiB": 1, "wipePartitionEntry": True},
            id="everything",
        ),
        pytest.param(partitions_3(), {"number": 1}, id="nothing-of-wiping"),
        pytest.param(partitions_3(shouldExist=False), {"number": 1, "shouldExist": False}, id="removal"),
    ],
)
def test_partitions_in_2_4(config: JSONObject, converted: JSONObject) -> None:
    disks = list_at(convert(config, V2_4), "storage", "disks")

    assert disks == [{"device": "/dev/a", "partitions": [converted]}]
