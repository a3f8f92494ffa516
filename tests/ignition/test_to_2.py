from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from mcs.ignition import SPEC_3, SpecVersion, convert, unknown_members
from mcs.ignition.errors import InvalidConfig, Unsupported, UnsupportedFeatures
from mcs.ignition.validation import validate
from mcs.ignition.versions import V2_2, V2_4, V3_1
from mcs.jsondata import JSON, JSONObject, list_at, object_at
from tests.ignition.normal_form import normal_form
from tests.ignition.valid_configs import valid_configs

TARGETS_2 = (V2_2, V2_4)
VALID = st.sampled_from(SPEC_3).flatmap(valid_configs)
thorough = settings(suppress_health_check=list(HealthCheck), deadline=None)


def config_3(spec: str = "3.1", **sections: JSON) -> JSONObject:
    return {"ignition": {"version": f"{spec}.0"}, **sections}


def ignition_3(**members: JSON) -> JSONObject:
    return {"ignition": {"version": "3.1.0", **members}}


def files(*entries: JSON) -> JSONObject:
    return config_3(storage={"files": list(entries)})


def partitions(**members: JSON) -> JSONObject:
    return config_3(storage={"disks": [{"device": "/dev/a", "partitions": [{"number": 1, **members}]}]})


def mounted(*paths: str, **nodes: JSON) -> JSONObject:
    filesystems: list[JSON] = [
        {"device": f"/dev/{index}", "format": "xfs", "path": path} for index, path in enumerate(paths)
    ]
    return config_3(storage={"filesystems": filesystems, **nodes})


IN_ROOT = {"filesystem": "root", "path": "/a"}


@pytest.mark.parametrize(
    ("config", "converted"),
    [
        pytest.param(
            ignition_3(config={"merge": [{"source": "data:,b"}, {"source": "data:,a"}]}),
            {"ignition": {"config": {"append": [{"source": "data:,b"}, {"source": "data:,a"}]}}},
            id="configs-to-merge-are-appended-in-order",
        ),
        pytest.param(
            ignition_3(config={"replace": {"source": "data:,"}}),
            {"ignition": {"config": {"replace": {"source": "data:,"}}}},
            id="a-config-to-replace-this-one",
        ),
        pytest.param(ignition_3(config={"replace": {}}), {}, id="nothing-to-replace-this-config-by"),
        pytest.param(
            files({"path": "/a", "mode": 0o600, "contents": {"source": "data:,"}}),
            {"storage": {"files": [{**IN_ROOT, "mode": 0o600, "overwrite": False, "contents": {"source": "data:,"}}]}},
            id="a-file-is-not-overwritten-unless-it-says-so",
        ),
        pytest.param(
            files({"path": "/a", "contents": {"source": ""}, "overwrite": True}),
            {"storage": {"files": [{**IN_ROOT, "mode": 0o644, "overwrite": True}]}},
            id="an-empty-file-of-the-mode-that-spec-3-means",
        ),
        pytest.param(
            files({"path": "/a", "mode": 0o600, "user": {"id": 4}}),
            {"storage": {"files": [{**IN_ROOT, "mode": 0o600, "user": {"id": 4}, "overwrite": False, "append": True}]}},
            id="a-file-that-only-has-to-be-there-is-appended-nothing",
        ),
        pytest.param(
            files({"path": "/a", "mode": 0, "contents": {"source": "data:,1"}, "append": [{"source": "data:,2"}, {}]}),
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
            files({"path": "/a", "append": [{"source": "data:,1"}]}),
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
            files({"path": "/a", "Mode": 0, "contents": {"source": "", "unknown": 1}}),
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
            partitions(label="", sizeMiB=0, startMiB=1, wipePartitionEntry=True, guid="", resize=False),
            {"number": 1, "label": "", "sizeMiB": 0, "startMiB": 1, "wipePartitionEntry": True},
            id="everything",
        ),
        pytest.param(partitions(), {"number": 1}, id="nothing-of-wiping"),
        pytest.param(partitions(shouldExist=False), {"number": 1, "shouldExist": False}, id="removal"),
    ],
)
def test_partitions_in_2_4(config: JSONObject, converted: JSONObject) -> None:
    disks = list_at(convert(config, V2_4), "storage", "disks")

    assert disks == [{"device": "/dev/a", "partitions": [converted]}]


RESOURCE: JSONObject = {
    "source": "https://a.example",
    "compression": "gzip",
    "httpHeaders": [{"name": "a", "value": "b"}, {"name": "c"}],
    "verification": {"hash": "sha256-00"},
}
COMPRESSION = "compression of a config or certificate"
HEADERS = "HTTP headers"
NO_VALUE = "an HTTP header without a value"


@pytest.mark.parametrize(
    ("config", "to", "refused"),
    [
        pytest.param(
            ignition_3(config={"merge": [{"source": "data:,"}, RESOURCE]}),
            V2_4,
            [
                ("$.ignition.config.merge.1.compression", COMPRESSION, "3.1"),
                ("$.ignition.config.merge.1.httpHeaders.1", NO_VALUE, "3.1"),
                ("$.ignition.config.merge.1.verification.hash", "a sha256 hash", "3.1"),
            ],
            id="config",
        ),
        pytest.param(
            ignition_3(config={"replace": RESOURCE}, security={"tls": {"certificateAuthorities": [RESOURCE]}}),
            V2_2,
            [
                (f"{place}.{rest}", words, since)
                for place in ("$.ignition.config.replace", "$.ignition.security.tls.certificateAuthorities.0")
                for rest, words, since in (
                    ("compression", COMPRESSION, "3.1"),
                    ("httpHeaders", HEADERS, "2.4"),
                    ("httpHeaders.1", NO_VALUE, "3.1"),
                    ("verification.hash", "a sha256 hash", "3.1"),
                )
            ],
            id="everything-new-of-a-config-and-a-certificate",
        ),
        pytest.param(
            {"ignition": {"version": "3.0.0", "config": {"merge": [{"source": None}, {"source": ""}]}}},
            V2_4,
            [("$.ignition.config.merge.0", "a config reference without a source", "3.0")],
            id="config-from-nowhere",
        ),
        pytest.param(
            ignition_3(proxy={"httpProxy": "http://a", "noProxy": []}),
            V2_2,
            [("$.ignition.proxy.httpProxy", "a proxy", "2.4"), ("$.ignition.proxy.noProxy", "a proxy", "2.4")],
            id="proxy",
        ),
        pytest.param(
            partitions(sizeMiB=0, startMiB=1, wipePartitionEntry=True, shouldExist=False),
            V2_2,
            [
                ("$.storage.disks.0.partitions.0.sizeMiB", "partition sizes in MiB", "2.3"),
                ("$.storage.disks.0.partitions.0.startMiB", "partition sizes in MiB", "2.3"),
                ("$.storage.disks.0.partitions.0.wipePartitionEntry", "wiping a partition entry", "2.3"),
                ("$.storage.disks.0.partitions.0.shouldExist", "removal of a partition", "2.3"),
            ],
            id="partitions-in-2.2",
        ),
        pytest.param(
            config_3(
                storage={
                    "filesystems": [
                        {"device": "/dev/a"},
                        {"device": "/dev/b", "format": "xfs", "mountOptions": ["ro"]},
                        {"device": "/dev/c", "format": "xfs", "mountOptions": []},
                    ]
                }
            ),
            V2_4,
            [
                ("$.storage.filesystems.0", "a filesystem without a format", "3.0"),
                ("$.storage.filesystems.1.mountOptions", "mount options", "3.1"),
            ],
            id="filesystems",
        ),
        pytest.param(
            config_3(storage={"filesystems": [{"device": "/dev/c", "format": "xfs", "mountOptions": []}]}),
            V2_2,
            [("$.storage.filesystems.0.mountOptions", "mount options", "3.1")],
            id="empty-mount-options-in-2.2-as-the-reference-refuses-them",
        ),
        pytest.param(
            mounted(
                "/m",
                "/m/n",
                links=[
                    {"path": "/m/a", "target": "/x", "hard": True},
                    {"path": "/m/b", "target": "/m/n/x", "hard": True},
                    {"path": "/m/c", "target": "x", "hard": True},
                    {"path": "/m/d", "target": "../mx", "hard": True},
                    {"path": "/e", "target": "/m/x", "hard": True},
                    {"path": "/f", "target": "/m/x"},
                    {"path": "/g", "target": "/mx", "hard": True},
                ],
            ),
            V2_4,
            [(f"$.storage.links.{index}.target", "a hard link to another filesystem", "3.0") for index in range(5)],
            id="hard-links-from-one-filesystem-to-another",
        ),
        pytest.param(
            config_3(
                "3.6",
                systemd={"units": []},
                storage={
                    "files": [
                        {"path": "/a", "mode": 0o4755, "contents": RESOURCE},
                        {"path": "/b", "append": [{"source": "gs://a/b"}, {"source": "arn:aws:s3:::a/b"}]},
                    ],
                    "luks": [{"name": "a", "discard": True}],
                    "filesystems": [{"device": "/dev/a", "format": "none"}],
                },
                passwd={"users": [{"name": "a", "shouldExist": False}]},
            ),
            V2_4,
            [
                ("$.storage.files.0.mode", "setuid, setgid or sticky bits that are honoured", "3.6"),
                ("$.storage.files.0.contents.httpHeaders.1", NO_VALUE, "3.1"),
                ("$.storage.files.0.contents.verification.hash", "a sha256 hash", "3.1"),
                ("$.storage.files.1.append.0.source", "the URL scheme gs", "3.2"),
                ("$.storage.files.1.append.1.source", "the URL scheme arn", "3.4"),
                ("$.storage.luks", "LUKS volumes", "3.2"),
                ("$.storage.luks.0.discard", "discard on a LUKS volume", "3.4"),
                ("$.storage.filesystems.0.format", "the filesystem format none", "3.3"),
                ("$.passwd.users.0.shouldExist", "removal of a user", "3.2"),
            ],
            id="all-of-it-in-the-order-of-the-config",
        ),
        pytest.param(
            {"Ignition": {"version": "3.1.0", "config": {"Merge": [{"source": "data:,", "COMPRESSION": ""}]}}},
            V2_2,
            [("$.Ignition.config.Merge.0.COMPRESSION", COMPRESSION, "3.1")],
            id="in-the-spelling-of-the-config",
        ),
    ],
)
def test_what_spec_2_cannot_say_is_refused(config: JSONObject, to: SpecVersion, refused: list[Any]) -> None:
    with pytest.raises(UnsupportedFeatures) as error:
        convert(config, to)

    assert error.value.to == to
    assert error.value.features == tuple(
        Unsupported(path, words, SpecVersion(*map(int, since.split(".")))) for path, words, since in refused
    )


def test_types_are_looked_at_with_the_paths_of_the_input() -> None:
    with pytest.raises(InvalidConfig) as error:
        convert(files({"path": "/a", "mode": "0644"}), V2_4)

    assert str(error.value) == "$.storage.files.0.mode: an integer is expected, not a string"


# The reference still has this rule, spec 3 has it no longer.
ONLY_IN_SPEC_2 = "shouldExist is false for a partition and other partition(s) has start or size 0"


@thorough
@given(VALID, st.sampled_from(TARGETS_2))
def test_what_is_said_in_spec_2_is_valid_there(config: JSONObject, to: SpecVersion) -> None:
    try:
        converted = convert(config, to)
    except UnsupportedFeatures:
        event("refused")
        return
    event("converted")

    assert unknown_members(converted) == ()
    assert {entry.message for entry in validate(converted).errors} <= {ONLY_IN_SPEC_2}


@thorough
@given(valid_configs(V3_1))
def test_there_and_back_again_nothing_that_was_said_is_lost(config: JSONObject) -> None:
    """Up to what spec 3 takes for granted (see _explicit), for files of one content and filesystems of different names.

    Those that have no path get a number in spec 2 instead; on the way back the caller says that these are not mounted.
    """
    assume(all(_contents(file) <= 1 for file in list_at(config, "storage", "files")))
    try:
        there = convert(config, V2_4)
    except UnsupportedFeatures:
        assume(False)
    names = {str(object_at(item).get("name") or "") for item in list_at(there, "storage", "filesystems")}
    mounts = {name: name if name.startswith("/") else "" for name in names}

    assert normal_form(_explicit(convert(there, V3_1, mounts))) == normal_form(_explicit(config))


def _contents(file: JSON) -> int:
    has_contents = object_at(file, "contents").get("source") is not None
    return has_contents + len(list_at(file, "append"))


def _explicit(config: JSONObject) -> JSONObject:
    """Write down the modes and the `overwrite` that spec 3 means; leave out whatever is empty, false or 0 by itself."""
    storage = dict(object_at(config, "storage"))
    storage["files"] = [_explicit_file(object_at(file)) for file in list_at(storage, "files")]
    storage["directories"] = [{"mode": 0o755, **object_at(item)} for item in list_at(storage, "directories")]
    return _without_empty(config | {"storage": storage})


def _explicit_file(file: JSONObject) -> JSONObject:
    if object_at(file, "contents").get("source") is not None:
        return {"mode": 0o644, "overwrite": False, **file}
    appended: list[JSON] = [{"source": "", **object_at(content)} for content in list_at(file, "append")]
    return file | {"overwrite": False, "contents": None, "append": appended or [{"source": ""}]}


_ZERO_SAYS_SOMETHING = {
    *("source", "mode", "overwrite", "id", "uid", "gid", "enabled", "shouldExist", "number"),
    *("sizeMiB", "startMiB", "httpTotal", "httpResponseHeaders", "label", "uuid"),
}


def _without_empty(value: JSONObject) -> JSONObject:
    kept: JSONObject = {}
    for name, member in value.items():
        if isinstance(member, dict):
            kept[name] = _without_empty(member)
        elif isinstance(member, list):
            kept[name] = [_without_empty(item) if isinstance(item, dict) else item for item in member]
        elif member or (member is not None and name in _ZERO_SAYS_SOMETHING):
            kept[name] = member
    return kept
