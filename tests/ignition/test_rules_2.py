"""Every rule of specs 2.0 to 2.4: what is said, how grave it is, where, and from which spec on."""

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcs.ignition.report import Entry, Kind, path_text
from mcs.ignition.rules_2 import entries
from mcs.ignition.versions import SPEC_2, V2_0, V2_1, V2_2, V2_3, V2_4, SpecVersion
from mcs.jsondata import JSON, JSONObject
from tests.ignition.strategies import configs
from tests.ignition.valid_configs_2 import valid_configs

# A config is a large thing to make: hypothesis finds that slow, rightly.
thorough = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)

HASH = f"sha512-{'0a' * 64}"
GUID = "01234567-89AB-CDEF-EDCB-A98765432101"
NO_GUID = 'doesn\'t match the form "01234567-89AB-CDEF-EDCB-A98765432101"'
CREATION = "the create object has been deprecated in favor of user-level options"
FILESYSTEM_CREATION = "the create object has been deprecated in favor of mount-level options"
NO_EFFECT = 'unit "a.service" is enabled, but has no install section so enable does nothing'
OVERLAP = "error .1 partitions overlap"
LABEL_TOO_LONG = "error .label partition labels may not exceed 36 characters"
COLON = "warning .label partition label will be truncated to text before the colon"
SIZE = "deprecated .size size is deprecated; use sizeMB instead"
START = "deprecated .start start is deprecated; use startMB instead"
UNIT = "[Unit]\nDescription=a\n"


def said(version: SpecVersion, **sections: JSON) -> list[str]:
    """All that is said of a config with these sections, as `kind path message`."""
    config: JSONObject = {"ignition": {"version": str(version)}, **sections}
    before = copy.deepcopy(config)
    found = [told(entry) for entry in entries(config, version)]
    assert config == before
    return found


def told(entry: Entry) -> str:
    return f"{entry.kind} {path_text(entry.path)} {entry.message}"


def ignition(version: SpecVersion, **members: JSON) -> list[str]:
    return said(version, ignition={"version": str(version), **members})


def storage(version: SpecVersion, **members: JSON) -> list[str]:
    return said(version, storage=members)


def contents(version: SpecVersion, **members: JSON) -> list[str]:
    file: JSON = {"filesystem": "root", "path": "/a", "mode": 420, "contents": members}
    return storage(version, files=[file])


def partitions(version: SpecVersion, *members: JSON) -> list[str]:
    return storage(version, disks=[{"device": "/dev/a", "partitions": list(members)}])


def mount(version: SpecVersion, **members: JSON) -> list[str]:
    return storage(version, filesystems=[{"name": "a", "mount": {"device": "/dev/a", "format": "ext4", **members}}])


def at(place: str, *messages: str) -> list[str]:
    """The expected entries, whose paths are given from a place on: `error .source message`."""
    return [message.replace(" .", f" $.{place}.", 1).replace(" @", f" $.{place}", 1) for message in messages]


# The version


@pytest.mark.parametrize(
    ("version", "declared", "message"),
    [
        pytest.param(V2_0, None, "incorrect config version (too old)", id="2.0 takes none for 0.0.0"),
        pytest.param(V2_0, "2.x", "invalid config version (couldn't parse)", id="2.0, not a version"),
        pytest.param(V2_0, "1.0.0", "incorrect config version (too old)", id="2.0, too old"),
        pytest.param(V2_0, "2.1.0", "incorrect config version (too new)", id="2.0, too new"),
        pytest.param(V2_4, None, "invalid config version (couldn't parse)", id="none"),
        pytest.param(V2_4, "2.4", "invalid config version (couldn't parse)", id="two numbers"),
        pytest.param(V2_4, "1.9.0", "incorrect config version (too old)", id="too old"),
        pytest.param(V2_4, "2.4.1", "incorrect config version (too new)", id="a later patch level"),
        pytest.param(V2_4, "3.0.0", "incorrect config version (too new)", id="3.0"),
        pytest.param(V2_1, "2.2.0", "incorrect config version (too new)", id="2.1, too new"),
    ],
)
def test_a_version_that_the_spec_cannot_read(version: SpecVersion, declared: str | None, message: str) -> None:
    found = list(entries({"ignition": {"version": declared}}, version))
    assert [told(entry) for entry in found] == [f"error $.ignition.version {message}"]


@pytest.mark.parametrize("declared", ["2.0.0", "2.4.0", "2.4.0-experimental", "2.4.0+a", "02.3.9"])
def test_a_version_that_2_4_reads(declared: str) -> None:
    assert list(entries({"ignition": {"version": declared}}, V2_4)) == []


@pytest.mark.parametrize("version", [V2_1, V2_4], ids=str)
def test_a_config_without_anything_lacks_a_version(version: SpecVersion) -> None:
    assert [told(entry) for entry in entries({}, version)] == [
        "error $.ignition.version invalid config version (couldn't parse)"
    ]


# Numbers


@pytest.mark.parametrize(
    ("sections", "place"),
    [
        pytest.param({"passwd": {"groups": [{"gid": -1}]}}, "passwd.groups.0.gid", id="group"),
        pytest.param({"passwd": {"users": [{"create": {"uid": -1}}]}}, "passwd.users.0.create.uid", id="user"),
        *(
            pytest.param(
                {"storage": {"disks": [{"device": "/dev/a", "partitions": [{name: -2048}]}]}},
                f"storage.disks.0.partitions.0.{name}",
                id=name,
            )
            for name in ("size", "start")
        ),
    ],
)
def test_numbers_that_have_no_sign_in_2_0(sections: JSONObject, place: str) -> None:
    assert said(V2_0, **sections) == [f"error $.{place} the number is negative"]
    assert not [text for text in said(V2_1, **sections) if "negative" in text]


# Sources


@pytest.mark.parametrize(
    ("version", "source", "message"),
    [
        pytest.param(V2_0, "", None, id="2.0 empty"),
        pytest.param(V2_0, "oem:///a", None, id="2.0 oem"),
        pytest.param(V2_0, "s3://a/b", "invalid url scheme", id="2.0 s3"),
        pytest.param(V2_0, "tftp://a/b", "invalid url scheme", id="2.0 tftp"),
        pytest.param(V2_1, "s3://a/b", None, id="2.1 s3"),
        pytest.param(V2_1, "tftp://a/b", None, id="2.1 tftp"),
        pytest.param(V2_1, "s3://a/b?versionId=", "invalid S3 object VersionId", id="2.1 s3 without version"),
        pytest.param(V2_2, "gs://a/b", "invalid url scheme", id="2.2 gs"),
        pytest.param(V2_4, "/a", "invalid url scheme", id="2.4 no scheme"),
        pytest.param(V2_4, "http://a b", "unable to parse url", id="2.4 unparsable"),
        pytest.param(V2_4, "", None, id="2.4 empty"),
    ],
)
def test_what_a_source_may_be(version: SpecVersion, source: str, message: str | None) -> None:
    reference: JSON = {"source": source}
    expected = [] if message is None else [f"error {{}} {message}"]
    of_configs = ignition(version, config={"append": [{}, reference], "replace": reference})
    places = ("$.ignition.config.append.1.source", "$.ignition.config.replace.source")
    assert of_configs == [text.format(place) for place in places for text in expected]
    prefix = f'error $.storage.files.0.contents.source invalid url "{source}": '
    in_file = f"error $.storage.files.0.contents.source {message}" if version < V2_3 else f"{prefix}{message}"
    assert contents(version, source=source) == ([] if message is None else [in_file])


def test_the_url_of_a_file_is_quoted_from_2_3_on() -> None:
    assert contents(V2_2, source='a"\n') == ["error $.storage.files.0.contents.source unable to parse url"]
    assert contents(V2_3, source='a"\n') == [
        r'error $.storage.files.0.contents.source invalid url "a\"\n": unable to parse url'
    ]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        pytest.param(V2_1, [], id="2.1 does not know it"),
        pytest.param(
            V2_2, at("ignition.security.tls.certificateAuthorities.0", "error .source invalid url scheme"), id="2.2"
        ),
    ],
)
def test_sources_of_certificate_authorities(version: SpecVersion, expected: list[str]) -> None:
    assert ignition(version, security={"tls": {"certificateAuthorities": [{"source": "x:y"}]}}) == expected


@pytest.mark.parametrize(
    ("version", "text", "message"),
    [
        *(pytest.param(version, HASH, None, id=f"{version} right") for version in SPEC_2),
        pytest.param(V2_4, None, None, id="none"),
        pytest.param(V2_0, "sha512", "malformed hash specifier", id="2.0 malformed"),
        pytest.param(V2_4, "", "malformed hash specifier", id="2.4 empty"),
        pytest.param(V2_0, f"sha256-{'0a' * 32}", "unrecognized hash function", id="2.0 sha256"),
        pytest.param(V2_4, f"sha256-{'0a' * 32}", "unrecognized hash function", id="2.4 sha256"),
        pytest.param(V2_0, "sha512-00", "incorrect size for hash sum", id="2.0 short"),
        pytest.param(V2_4, "sha512-00", "incorrect size for hash sum", id="2.4 short"),
    ],
)
def test_what_a_hash_may_be(version: SpecVersion, text: str | None, message: str | None) -> None:
    expected = [] if message is None else [f"error $.storage.files.0.contents.verification.hash {message}"]
    assert contents(version, verification={"hash": text}) == expected


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_how_content_may_be_compressed(version: SpecVersion) -> None:
    assert [contents(version, compression=text) for text in ("", "gzip")] == [[], []]
    assert contents(version, compression="xz") == [
        "error $.storage.files.0.contents.compression invalid compression method"
    ]


@pytest.mark.parametrize(
    ("source", "headers", "expected"),
    [
        pytest.param("https://a", [{"name": "a"}, {"name": "b", "value": ""}], [], id="no value is fine"),
        pytest.param("data:,a", [], [], id="none"),
        pytest.param("https://a", [None], ["error .0.name HTTP header name can't be empty"], id="nothing"),
        pytest.param(
            "https://a",
            [{"name": "a"}, {"name": ""}, {"name": "a"}, {"name": "a"}, {"name": "A"}],
            [
                "error .1.name HTTP header name can't be empty",
                'error .2.name Found duplicate HTTP header: "a"',
                'error .3.name Found duplicate HTTP header: "a"',
            ],
            id="every one",
        ),
        pytest.param(
            "data:,a", [{"name": "a"}], ["error @ cannot use HTTP headers with this source scheme"], id="scheme"
        ),
        pytest.param("", [{"name": "a"}], ["error @ cannot use HTTP headers with this source scheme"], id="no source"),
    ],
)
def test_http_headers_since_2_4(source: str, headers: list[JSON], expected: list[str]) -> None:
    reference: JSON = {"source": source, "httpHeaders": headers}
    assert contents(V2_4, source=source, httpHeaders=headers) == at("storage.files.0.contents.httpHeaders", *expected)
    assert contents(V2_3, source=source, httpHeaders=headers) == []
    assert ignition(V2_4, config={"replace": reference}) == at("ignition.config.replace.httpHeaders", *expected)
    authorities: JSON = {"tls": {"certificateAuthorities": [reference]}}
    place = "ignition.security.tls.certificateAuthorities.0.httpHeaders"
    assert ignition(V2_4, security=authorities) == at(place, *expected)


def test_http_headers_of_what_is_no_url() -> None:
    assert ignition(V2_4, config={"append": [{"source": "http://a b", "httpHeaders": [{"name": "a"}]}]}) == [
        "error $.ignition.config.append.0.source unable to parse url",
        "error $.ignition.config.append.0.httpHeaders unable to parse url",
    ]


# Users


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gecos", "a"),
        ("groups", ["a"]),
        ("homeDir", "/a"),
        ("noCreateHome", True),
        ("noLogInit", True),
        ("noUserGroup", True),
        ("primaryGroup", "a"),
        ("shell", "/a"),
        ("system", True),
        ("uid", 0),
    ],
)
def test_creation_of_a_user_excludes_user_level_fields(name: str, value: JSON) -> None:
    for version in SPEC_2:
        expected = at(
            "passwd.users.0",
            f"warning .create {CREATION}",
            f"error .{name} cannot use both the create object and the user-level {name} field",
        )
        user: JSON = {"name": "a", "create": {}, name: value}
        assert said(version, passwd={"users": [user]}) == ([] if version == V2_0 else expected)
        assert said(version, passwd={"users": [{"name": "a", name: value}]}) == []


def test_creation_of_a_user_alone_is_deprecated_in_2_1() -> None:
    user: JSON = {"name": "a", "create": {"uid": 1}, "gecos": "", "groups": [], "system": False, "uid": None}
    assert said(V2_0, passwd={"users": [user]}) == []
    assert said(V2_1, passwd={"users": [user]}) == [f"warning $.passwd.users.0.create {CREATION}"]


# Disks


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_a_disk_needs_a_device(version: SpecVersion) -> None:
    assert storage(version, disks=[{}]) == ["error $.storage.disks.0.device disk device is required"]
    assert storage(version, disks=[{"device": "dev/a"}]) == ["error $.storage.disks.0.device path not absolute"]


@pytest.mark.parametrize(
    ("version", "members", "expected"),
    [
        pytest.param(V2_0, [{"number": 1}, {"number": 2}, {}, {}], [], id="2.0 different numbers"),
        pytest.param(
            V2_0,
            [{"number": 1}, {"number": 2}, {"number": 1}],
            ["error .2 partition numbers collide"],
            id="2.0 same number",
        ),
        pytest.param(
            V2_4, [{"number": 1}, {"number": 1}, {"number": 1}], ["error .1 partition numbers collide"], id="said once"
        ),
        pytest.param(V2_1, [{"start": 2048}, {"start": 2048, "size": 1, "number": 1}], [OVERLAP], id="same start"),
        pytest.param(V2_1, [{"start": 2048}, {"start": 4096, "size": 1}], [], id="size 0 has only a start"),
        pytest.param(V2_1, [{"start": 2048, "size": 2048}, {"start": 4096, "size": 1}], [], id="next to each other"),
        pytest.param(V2_1, [{"start": 2048, "size": 2049}, {"start": 4096, "size": 1}], [OVERLAP], id="by one sector"),
        pytest.param(V2_1, [{"start": 4096, "size": 1}, {"start": 2048, "size": 9999}], [OVERLAP], id="around another"),
        pytest.param(V2_1, [{"size": 9999}, {"start": 2048, "size": 1}], [], id="start 0 is unknown"),
        pytest.param(
            V2_2, [{"start": 2048, "size": 2}, {"start": 2048, "size": 2}], [], id="2.2 takes alike ones for one"
        ),
        pytest.param(V2_2, [{"start": 2048}, {"start": 2048, "label": "a"}], [OVERLAP], id="2.2 unlike ones"),
        pytest.param(V2_0, [{"start": 2048}, {"start": 2048, "number": 1}], [OVERLAP], id="2.0 without sizes"),
        pytest.param(
            V2_1, [{"start": 4096, "size": -5}, {"start": 2048, "size": 2048}], [OVERLAP], id="one ends in the other"
        ),
        pytest.param(
            V2_1,
            [{"start": 2048, "size": 2048}, {"start": 4096, "size": -5}],
            [OVERLAP],
            id="the other ends in the one",
        ),
        pytest.param(
            V2_1,
            [{"start": 4096, "size": -3000}, {"start": 2048, "size": 4096}],
            [OVERLAP],
            id="one starts in the other",
        ),
        pytest.param(
            V2_1,
            [{"start": 2048, "size": 4096}, {"start": 4096, "size": -3000}],
            [OVERLAP],
            id="the other starts in one",
        ),
        pytest.param(V2_0, [{"start": 2048}, {"start": 2049}], ["error .1 partitions misaligned"], id="misaligned"),
    ],
)
def test_partitions_against_each_other(version: SpecVersion, members: list[JSON], expected: list[str]) -> None:
    assert partitions(version, *members) == at("storage.disks.0.partitions", *expected)


def errors(found: list[str]) -> list[str]:
    return [text for text in found if text.startswith("error")]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        pytest.param([{"start": 2048, "size": 2}, {"start": 2048, "size": 2}], [OVERLAP], id="alike"),
        pytest.param([{"start": 2048, "size": 0}, {"start": 2048}], [], id="one without a size"),
        pytest.param(
            [{"startMiB": 1, "sizeMiB": 2}, {"startMiB": 1, "sizeMiB": 2}], [], id="overlap in MiB is not seen"
        ),
        pytest.param([{"start": 1, "number": 1}], ["error .0 partitions misaligned"], id="misaligned"),
        pytest.param(
            [{"shouldExist": False, "number": 1}, {"number": 0}],
            ["error @ shouldExist is false for a partition and other partition(s) has start or size 0"],
            id="one to go beside one without a number",
        ),
        pytest.param([{"shouldExist": False, "number": 1}, {"shouldExist": True, "number": 2}], [], id="one to go"),
        pytest.param(
            [{"size": 0, "number": 1}, {"startMiB": 1, "number": 2}],
            ["error @ cannot mix MBs and sectors within a disk"],
            id="MiB in one, sectors in the other",
        ),
    ],
)
def test_partitions_against_each_other_since_2_3(members: list[JSON], expected: list[str]) -> None:
    for version in (V2_3, V2_4):
        assert errors(partitions(version, *members)) == at("storage.disks.0.partitions", *expected)


@pytest.mark.parametrize(
    ("member", "by_2_2", "by_2_4"),
    [
        pytest.param({"label": "a" * 36}, [], [], id="36 bytes"),
        pytest.param({"label": "ä" * 18 + "a"}, [LABEL_TOO_LONG], None, id="37 bytes"),
        pytest.param({"label": "a:b"}, [COLON], None, id="colon"),
        pytest.param({"typeGuid": GUID, "guid": GUID.lower()}, [], [], id="GUIDs"),
        pytest.param(
            {"typeGuid": "x", "guid": "y"},
            [f"error .typeGuid {NO_GUID}", f"error .guid {NO_GUID}"],
            None,
            id="no GUIDs",
        ),
        pytest.param({"start": 0}, [], [START], id="start"),
        pytest.param(
            {"size": 8, "start": 2048},
            [],
            [SIZE, START],
            id="size and start",
        ),
        pytest.param({"size": None, "start": None, "sizeMiB": 1, "startMiB": 1}, [], [], id="MiB"),
        pytest.param({"number": 1, "shouldExist": False, "sizeMiB": 1, "startMiB": 0}, [], [], id="to go, in MiB"),
        *(
            pytest.param(
                {"number": 1, "shouldExist": False, name: value},
                [],
                ["error .shouldExist shouldExist specified false with other options also specified"],
                id=f"to go, with {name}",
            )
            for name, value in {"label": "", "typeGuid": GUID, "guid": GUID, "start": 0, "size": 0}.items()
        ),
    ],
)
def test_a_partition(member: JSONObject, by_2_2: list[str], by_2_4: list[str] | None) -> None:
    place = "storage.disks.0.partitions.0"
    for version in (V2_1, V2_2):
        assert partitions(version, member) == at(place, *by_2_2)
    for version in (V2_3, V2_4):
        assert partitions(version, member) == at(place, *(by_2_2 if by_2_4 is None else by_2_4))


def test_both_units_in_one_partition() -> None:
    message = "cannot mix MBs and sectors within a disk"
    assert partitions(V2_3, {"number": 1, "size": 0, "sizeMiB": 1, "label": "a:b"}) == at(
        "storage.disks.0.partitions", f"error @ {message}", f"error .0 {message}"
    )


def test_a_partition_in_2_0_has_no_guid_and_one_complaint_about_its_label() -> None:
    assert partitions(V2_0, {"label": ":", "typeGuid": "x"}) == at(
        "storage.disks.0.partitions.0", COLON, f"error .typeGuid {NO_GUID}"
    )
    assert partitions(V2_0, {"label": ":" * 37, "guid": "y"}) == [
        "error $.storage.disks.0.partitions.0.label partition labels may not exceed 36 characters"
    ]
    assert partitions(V2_1, {"label": ":" * 37}) == at(
        "storage.disks.0.partitions.0",
        LABEL_TOO_LONG,
        COLON,
    )


@pytest.mark.parametrize(
    ("raid", "expected"),
    [
        pytest.param({"level": "raid10", "devices": ["/dev/a"], "spares": 1}, [], id="spares of raid10"),
        pytest.param({"level": "linear", "spares": 0}, [], id="no spares, no devices"),
        pytest.param({}, ["error .level unrecognized raid level"], id="no level"),
        pytest.param({"level": "RAID1"}, ["error .level unrecognized raid level"], id="upper case"),
        pytest.param(
            {"level": "stripe", "spares": 1},
            ["error .spares spares unsupported for arrays with a level greater than 0"],
            id="spares of a stripe",
        ),
        pytest.param(
            {"level": "1", "devices": ["/dev/a", "dev/b", ""]},
            ["error .devices.1 path not absolute", "error .devices.2 path not absolute"],
            id="devices",
        ),
    ],
)
@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_a_raid(version: SpecVersion, raid: JSON, expected: list[str]) -> None:
    assert storage(version, raid=[raid]) == at("storage.raid.0", *expected)


# Filesystems


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_a_filesystem_is_mounted_or_stands_somewhere(version: SpecVersion) -> None:
    mounted: JSON = {"device": "/dev/a", "format": "ext4"}
    assert storage(version, filesystems=[{"name": "a", "mount": mounted}, {"name": "b", "path": "/sysroot"}]) == []
    assert storage(version, filesystems=[{"name": "a"}]) == [
        "error $.storage.filesystems.0 filesystem is missing mount or path"
    ]
    assert storage(version, filesystems=[{"name": "a", "mount": mounted, "path": ""}]) == [
        "error $.storage.filesystems.0 filesystem has both mount and path defined"
    ]


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (V2_0, "path not absolute"),
        (V2_2, "path not absolute"),
        (V2_3, r'filesystem "a\"": path not absolute'),
        (V2_4, r'filesystem "a\"": path not absolute'),
    ],
)
def test_where_a_filesystem_stands(version: SpecVersion, message: str) -> None:
    for path in ("", "sysroot"):
        filesystem: JSON = {"name": 'a"', "path": path}
        assert storage(version, filesystems=[filesystem]) == [f"error $.storage.filesystems.0.path {message}"]


@pytest.mark.parametrize(
    ("version", "formats"),
    [
        (V2_0, {"ext4", "btrfs", "xfs"}),
        *((version, {"ext4", "btrfs", "xfs", "swap", "vfat"}) for version in SPEC_2[1:]),
    ],
)
def test_formats(version: SpecVersion, formats: set[str]) -> None:
    tried = ("ext4", "btrfs", "xfs", "swap", "vfat", "none", "")
    assert {name for name in tried if not mount(version, format=name)} == formats
    assert mount(version, format="zfs") == ["error $.storage.filesystems.0.mount.format invalid filesystem format"]


def test_an_empty_mount_is_one() -> None:
    for version in SPEC_2[1:]:
        assert storage(version, filesystems=[{"name": "a", "mount": {}}]) == [
            "error $.storage.filesystems.0.mount.format invalid filesystem format"
        ]
    assert storage(V2_0, filesystems=[{"name": "a", "mount": {}}]) == at(
        "storage.filesystems.0.mount", "error .device path not absolute", "error .format invalid filesystem format"
    )


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        pytest.param({"device": "dev/a"}, ["error .device path not absolute"], id="device"),
        pytest.param({"label": "a" * 16}, [], id="16 bytes for ext4"),
        pytest.param(
            {"label": "ä" * 8 + "a"},
            ["error .label filesystem labels cannot be longer than 16 characters when using ext4"],
            id="17 bytes for ext4",
        ),
        pytest.param(
            {"label": "a" * 12, "format": "vfat"},
            ["error .label filesystem labels cannot be longer than 11 characters when using vfat"],
            id="12 bytes for vfat",
        ),
        pytest.param({"create": {}}, [f"warning .create {FILESYSTEM_CREATION}"], id="creation"),
        pytest.param(
            {"create": {}, "wipeFilesystem": True, "options": ["a"], "device": "unseen"},
            [
                "error .wipeFilesystem cannot use both create object and wipeFilesystem field",
                "error .options cannot use both create object and mount-level options field",
                f"warning .create {FILESYSTEM_CREATION}",
            ],
            id="creation beside mount-level options",
        ),
        pytest.param(
            {"create": {}, "wipeFilesystem": False, "options": []},
            [f"warning .create {FILESYSTEM_CREATION}"],
            id="creation beside empty options",
        ),
    ],
)
def test_a_mount_since_2_1(members: JSONObject, expected: list[str]) -> None:
    for version in SPEC_2[1:]:
        assert mount(version, **members) == at("storage.filesystems.0.mount", *expected)


def test_a_mount_in_2_0_knows_creation_and_no_label() -> None:
    assert mount(V2_0, create={"force": True}, label="a" * 99) == []


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_names_of_filesystems_are_looked_at(version: SpecVersion) -> None:
    named: list[JSON] = [{"name": name, "path": "/a"} for name in ("a", "root", "a", 'q"')]
    nodes: list[JSON] = [{"filesystem": name, "path": '/"'} for name in ("root", "a", "b")]
    files: list[JSON] = [{"filesystem": name, "path": "/a", "mode": 0} for name in ("root", 'q"', "q")]
    found = storage(version, filesystems=named, files=files, links=nodes)
    referenced = "(This is ok if it is defined in a referenced config)"
    expected = at(
        "storage",
        f'warning .files.2.filesystem File "/a" references nonexistent filesystem "q". {referenced}',
        rf'warning .links.2.filesystem Link "/\"" references nonexistent filesystem "b". {referenced}',
        'warning .filesystems.1.name Filesystem "root" shadows exising filesystem definition',
        'warning .filesystems.2.name Filesystem "a" shadows exising filesystem definition',
    )
    assert found == [line for line in expected if version > V2_0 or ".links." not in line]  # 2.0 has no links


def test_files_links_and_directories_in_this_order() -> None:
    node: JSON = {"filesystem": "x", "path": "/a", "mode": 0}
    found = storage(V2_4, directories=[node], links=[node], files=[node])
    assert [text.split()[2] for text in found] == ["File", "Link", "Directory"]


# Nodes


@pytest.mark.parametrize("kind", ["files", "directories", "links"])
@pytest.mark.parametrize("version", SPEC_2[1:], ids=str)
def test_a_node_needs_a_filesystem_and_an_absolute_path(version: SpecVersion, kind: str) -> None:
    nodes: list[JSON] = [{"mode": 0}, {"filesystem": "root", "path": "a", "mode": 0}]
    found = storage(version, **{kind: nodes})
    assert found == at(
        f"storage.{kind}",
        "error .0.filesystem no filesystem specified",
        "error .0.path path not absolute",
        "error .1.path path not absolute",
    )


def test_a_file_of_2_0_without_a_filesystem_is_looked_at_no_further() -> None:
    assert storage(V2_0, files=[{"path": "a", "mode": -1}]) == [
        "error $.storage.files.0.filesystem no filesystem specified"
    ]
    assert storage(V2_0, files=[{"filesystem": "root", "path": "a"}]) == [
        "error $.storage.files.0.path path not absolute"
    ]


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        pytest.param(0, None, id="0"),
        pytest.param(0o7777, None, id="7777"),
        pytest.param(0o10000, "error .mode illegal file mode", id="10000"),
        pytest.param(-1, "error .mode illegal file mode", id="negative"),
        pytest.param(None, "warning .mode permissions unset, defaulting to 0000", id="none"),
    ],
)
@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_modes(version: SpecVersion, mode: int | None, message: str | None) -> None:
    is_said = message is not None and (mode is not None or version >= V2_2)
    node: JSON = {"filesystem": "root", "path": "/a", "mode": mode}
    expected = [message] if is_said and message else []
    assert storage(version, files=[node]) == at("storage.files.0", *expected)
    of_directory = [] if version == V2_0 else expected  # which 2.0 does not have
    assert storage(version, directories=[node]) == at("storage.directories.0", *of_directory)


@pytest.mark.parametrize("owner", ["user", "group"])
@pytest.mark.parametrize("version", SPEC_2[1:], ids=str)
def test_an_owner_has_a_number_or_a_name(version: SpecVersion, owner: str) -> None:
    def link(value: JSON) -> list[str]:
        return storage(version, links=[{"filesystem": "root", "path": "/a", owner: value}])

    owners: list[JSON] = [{}, {"id": 0}, {"name": "a"}, {"id": 0, "name": ""}, None]
    assert [link(value) for value in owners] == [[]] * 5
    assert link({"id": 0, "name": "a"}) == [f"error $.storage.links.0.{owner} cannot set both id and name"]


def test_append_excludes_overwrite_since_2_2_and_ends_the_search() -> None:
    file: JSONObject = {"filesystem": "", "path": "a", "mode": 0, "append": True, "overwrite": True}
    for version in (V2_2, V2_3, V2_4):
        assert storage(version, files=[file]) == [
            "error $.storage.files.0 cannot set both append and overwrite to true"
        ]
    assert "cannot set both" not in " ".join(storage(V2_1, files=[file]))
    assert storage(V2_4, files=[{**file, "overwrite": None, "filesystem": "root", "path": "/a"}]) == []


# Units


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        pytest.param({"name": "a.service", "contents": "[Install]\nAlias=b\n", "enable": True}, [], id="with effect"),
        pytest.param({"name": "a.service", "contents": UNIT}, [], id="not enabled"),
        pytest.param({"name": "a.service", "enable": True}, [], id="without contents"),
        pytest.param({"name": "a.service", "contents": "[Install]\n", "enable": True}, [], id="without an option"),
        pytest.param(
            {"name": "a.service", "contents": UNIT, "enable": True}, [f"warning .contents {NO_EFFECT}"], id="enable"
        ),
        pytest.param(
            {"name": "a", "contents": "[x", "enable": True},
            ["error .contents invalid unit content: unable to find end of section"],
            id="unreadable",
        ),
    ],
)
@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_a_unit(version: SpecVersion, unit: JSONObject, expected: list[str]) -> None:
    name = [] if "." in str(unit["name"]) or version == V2_0 else ["error .name invalid systemd unit extension"]
    assert said(version, systemd={"units": [unit]}) == at("systemd.units.0", *expected, *name)


def test_enabled_counts_as_enable_does_since_2_1() -> None:
    unit: JSON = {"name": "a.service", "contents": UNIT, "enabled": True}
    assert said(V2_0, systemd={"units": [unit]}) == []
    assert said(V2_1, systemd={"units": [unit]}) == [f"warning $.systemd.units.0.contents {NO_EFFECT}"]


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_names_of_units_and_dropins(version: SpecVersion) -> None:
    units: JSON = [{"name": "a.network"}, {"name": "b@c.timer", "dropins": [{"name": "a.conf"}, {"name": "conf"}]}]
    assert said(version, systemd={"units": units}) == at(
        "systemd.units",
        "error .0.name invalid systemd unit extension",
        "error .1.dropins.1.name invalid systemd drop-in extension",
    )


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_contents_of_dropins(version: SpecVersion) -> None:
    unreadable = "error .0.contents invalid unit content: unable to find end of section"
    name = [] if version == V2_0 else ["error .0.name invalid systemd drop-in extension"]
    units: JSON = [{"name": "a.service", "dropins": [{"name": "a", "contents": "[x"}]}]
    assert said(version, systemd={"units": units}) == at("systemd.units.0.dropins", unreadable, *name)


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_networkd_units(version: SpecVersion) -> None:
    names: JSON = [{"name": name} for name in ("a.link", "b.netdev", "c.network", "d.service", "a.link/b")]
    assert said(version, networkd={"units": names}) == at(
        "networkd.units",
        "error .3.name invalid networkd unit extension",
        "error .4.name invalid networkd unit extension",
    )
    unreadable = "error .contents invalid unit content: unable to find end of section"
    name = [] if version == V2_0 else ["error .name invalid networkd unit extension"]
    unit: JSON = {"name": "a", "contents": "[x", "dropins": [{"name": "unseen"}]}
    assert said(version, networkd={"units": [unit]}) == at("networkd.units.0", unreadable, *name)


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_networkd_dropins_since_2_2(version: SpecVersion) -> None:
    unit: JSON = {"name": "a.network", "dropins": [{"name": "a.conf"}, {"name": "b", "contents": "[x"}]}
    expected = at(
        "networkd.units.0.dropins.1",
        "error .contents invalid unit content: unable to find end of section",
        "error .name invalid networkd drop-in extension",
    )
    assert said(version, networkd={"units": [unit]}) == (expected if version >= V2_2 else [])


# Laws


@thorough
@given(st.sampled_from(SPEC_2).flatmap(lambda version: st.tuples(configs(version), st.just(version))))
def test_every_well_typed_config_is_judged(pair: tuple[JSONObject, SpecVersion]) -> None:
    config, version = pair
    before = copy.deepcopy(config)
    found = list(entries(config, version))
    assert config == before
    assert all(entry.message and points_into_a_config(entry, config) for entry in found)


def points_into_a_config(entry: Entry, config: JSONObject) -> bool:
    """Whether every list index of the path is one of the config; the last members of a path may be absent."""
    value: JSON = config
    for key in entry.path:
        if isinstance(key, int):
            if not isinstance(value, list) or key >= len(value):
                return False
            value = value[key]
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return True


@thorough
@given(st.sampled_from(SPEC_2).flatmap(lambda version: st.tuples(valid_configs(version), st.just(version))))
def test_no_rule_refuses_a_valid_config(pair: tuple[JSONObject, SpecVersion]) -> None:
    config, version = pair
    assert [told(entry) for entry in entries(config, version) if entry.kind is Kind.ERROR] == []
