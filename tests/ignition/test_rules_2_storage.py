"""The rules of specs 2.0 to 2.4 for disks, filesystems and nodes: what is said, how gravely, where and since when."""

import pytest

from mcs.ignition.versions import SPEC_2, V2_0, V2_1, V2_2, V2_3, V2_4, SpecVersion
from mcs.jsondata import JSON, JSONObject
from tests.ignition.said_2 import at, mount, partitions, storage

GUID = "01234567-89AB-CDEF-EDCB-A98765432101"
NO_GUID = 'doesn\'t match the form "01234567-89AB-CDEF-EDCB-A98765432101"'
FILESYSTEM_CREATION = "the create object has been deprecated in favor of mount-level options"
OVERLAP = "error .1 partitions overlap"
LABEL_TOO_LONG = "error .label partition labels may not exceed 36 characters"
COLON = "warning .label partition label will be truncated to text before the colon"
SIZE = "deprecated .size size is deprecated; use sizeMB instead"
START = "deprecated .start start is deprecated; use startMB instead"


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
        pytest.param(
            V2_2,
            [{"start": 2048}, {"start": 2048, "label": "a"}, {"start": 2048}],
            [OVERLAP],
            id="2.2 alike ones count at the first of them",
        ),
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
