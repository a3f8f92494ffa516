import pytest

from mcs.ignition.values import LABEL_LENGTHS
from mcs.ignition.versions import NEWEST, SPEC_3, V3_0, V3_1, V3_3
from mcs.jsondata import JSON, JSONObject
from tests.ignition.said import about, before_and_since, since, storage

DUPLICATE = "duplicate entry defined"
NEEDS_FORMAT = "format cannot be empty when path, label, uuid, wipeFilesystem, options, or mountOptions is specified"


@pytest.mark.parametrize(
    ("partitions", "lines"),
    [
        pytest.param([{"number": 1}, {"number": 2}], [], id="numbers"),
        pytest.param([{"number": 0, "label": "a"}, {"number": 0, "label": "b"}], [], id="zeros-are-no-numbers"),
        pytest.param(
            [{"number": 1, "label": "a"}, {"number": 2}, {"number": 1, "label": "b"}],
            ["2: partition numbers collide", f"2: {DUPLICATE}"],
            id="number-twice",
        ),
        pytest.param(
            [{"number": 2}, {"number": 1}, {"number": 1}, {"number": 2}, {"number": 2}],
            ["2: partition numbers collide", f"2: {DUPLICATE}", f"3: {DUPLICATE}", f"4: {DUPLICATE}"],
            id="first-repeat-of-a-number",
        ),
        pytest.param(
            [{"number": 1, "label": "a"}, {"number": 2, "label": "a"}, {"number": 3, "label": "a"}],
            ["1: cannot use the same partition label twice"],
            id="label-twice",
        ),
        pytest.param(
            [{"number": 1, "label": ""}, {"number": 2, "label": ""}],
            ["1: cannot use the same partition label twice"],
            id="empty-label-twice",
        ),
        pytest.param(
            [{"number": 1, "startMiB": 1, "sizeMiB": 2}, {"number": 2, "startMiB": 3, "sizeMiB": 2}],
            [],
            id="one-after-the-other",
        ),
        pytest.param(
            [{"number": 1, "startMiB": 1, "sizeMiB": 3}, {"number": 2, "startMiB": 3, "sizeMiB": 2}],
            ["1: partitions overlap"],
            id="end-in-start",
        ),
        pytest.param(
            [{"number": 1, "startMiB": 3, "sizeMiB": 2}, {"number": 2, "startMiB": 1, "sizeMiB": 3}],
            ["1: partitions overlap"],
            id="start-in-end",
        ),
        pytest.param(
            [{"number": 1, "startMiB": 1, "sizeMiB": 9}, {"number": 2, "startMiB": 3, "sizeMiB": 2}],
            ["1: partitions overlap"],
            id="around",
        ),
        pytest.param(
            [{"number": 1, "startMiB": 3, "sizeMiB": 2}, {"number": 2, "startMiB": 1, "sizeMiB": 9}],
            ["1: partitions overlap"],
            id="inside",
        ),
        pytest.param(
            [{"number": 1, "startMiB": 9, "sizeMiB": 1}]
            + [{"number": number, "startMiB": 1, "sizeMiB": 3} for number in (2, 3)],
            ["2: partitions overlap"],
            id="the-other-one-is-named",
        ),
        pytest.param(
            [{"number": 1, "startMiB": 2, "sizeMiB": 0}, {"number": 2, "startMiB": 1, "sizeMiB": 2}],
            ["1: partitions overlap"],
            id="size-0-is-a-point",
        ),
        pytest.param(
            [{"number": 1, "startMiB": 0, "sizeMiB": 5}, {"number": 2, "startMiB": 1, "sizeMiB": 5}],
            [],
            id="start-0-is-anywhere",
        ),
        pytest.param([{"number": 1, "startMiB": 1}, {"number": 2, "startMiB": 1}], [], id="no-sizes"),
    ],
)
def test_partitions_of_a_disk(partitions: list[JSON], lines: list[str]) -> None:
    assert about(storage(disks=[{"device": "/dev/a", "partitions": partitions}]), NEWEST) == [
        f"error at $.storage.disks.0.partitions.{line}" for line in lines
    ]


@pytest.mark.parametrize("device", [{}, {"device": ""}, {"device": None}])
def test_without_a_device_nothing_more_is_said_of_a_disk(device: JSONObject) -> None:
    partitions: JSON = [{"label": "a"}, {"label": "a", "number": 2}]

    assert about(storage(disks=[{**device, "partitions": partitions}]), NEWEST) == [
        "error at $.storage.disks.0.device: disk device is required"
    ]


def test_the_device_of_a_disk_is_a_path() -> None:
    assert about(storage(disks=[{"device": "sda"}]), V3_0) == ["error at $.storage.disks.0.device: path not absolute"]


@pytest.mark.parametrize(
    ("partition", "lines"),
    [
        pytest.param({"number": 1}, [], id="number"),
        pytest.param({"number": -1}, [], id="negative-number"),
        pytest.param({"label": ""}, [], id="empty-label"),
        pytest.param({"label": "a" * 36}, [], id="long-label"),
        pytest.param({}, [": a partition number >= 1 or a label must be specified"], id="neither"),
        pytest.param({"label": "é" * 19}, [".label: partition labels may not exceed 36 characters"], id="longer-label"),
        pytest.param(
            {"label": "a:b"}, [".label: partition label will be truncated to text before the colon"], id="colon"
        ),
        pytest.param({"label": ":" * 37}, [".label: partition labels may not exceed 36 characters"], id="long-colons"),
        pytest.param({"number": 1, "shouldExist": False, "guid": "", "typeGuid": ""}, [], id="absent"),
        *(
            pytest.param(
                {"number": 1, "shouldExist": False, **member},
                [": shouldExist specified false with other options also specified"],
                id=f"absent-with-{next(iter(member))}",
            )
            for member in (
                {"label": "a"},
                {"typeGuid": "01234567-89AB-CDEF-EDCB-A98765432101"},
                {"guid": "01234567-89AB-CDEF-EDCB-A98765432101"},
                {"startMiB": 0},
                {"sizeMiB": 0},
            )
        ),
        *(
            pytest.param(
                {"number": 1, name: "0"},
                [f'.{name}: doesn\'t match the form "01234567-89AB-CDEF-EDCB-A98765432101"'],
                id=name,
            )
            for name in ("guid", "typeGuid")
        ),
    ],
)
def test_partitions(partition: JSONObject, lines: list[str]) -> None:
    assert about(storage(disks=[{"device": "/dev/a", "partitions": [partition]}]), NEWEST) == [
        f"error at $.storage.disks.0.partitions.0{line}" for line in lines
    ]


@pytest.mark.parametrize(
    ("raid", "lines"),
    [
        pytest.param({"level": "raid1", "spares": 1}, [], id="fine"),
        pytest.param({"level": "linear", "spares": 0}, [], id="no-spares"),
        *(
            pytest.param(
                {"level": level, "spares": 1},
                [".level: spares unsupported for linear and raid0 arrays"],
                id=f"spares-of-{level}",
            )
            for level in ("linear", "raid0", "0", "stripe")
        ),
        pytest.param({"level": "raid2"}, [".level: unrecognized raid level"], id="unknown-level"),
        pytest.param({"level": "1", "devices": None}, [".devices: raid devices required"], id="null-devices"),
        pytest.param({"level": "1", "devices": []}, [".devices: raid devices required"], id="no-devices"),
        pytest.param(
            {"level": "1", "devices": ["/a", "b", None]},
            [".devices.1: path not absolute", ".devices.2: path not specified"],
            id="devices-are-paths",
        ),
    ],
)
def test_raid(raid: JSONObject, lines: list[str]) -> None:
    config = storage(raid=[{"name": "", "devices": ["/dev/a"], **raid}])

    for version in SPEC_3:
        assert about(config, version) == [f"error at $.storage.raid.0{line}" for line in lines]


@pytest.mark.parametrize("level", [{}, {"level": ""}])
def test_a_raid_without_level_is_told_apart_from_3_3_on(level: JSONObject) -> None:
    path = "error at $.storage.raid.0.level"

    before_and_since(
        V3_3,
        storage(raid=[{"name": "a", "devices": ["/dev/a"], **level}]),
        [f"{path}: unrecognized raid level"],
        [f"{path}: raid level is required"],
    )


@pytest.mark.parametrize(
    ("filesystem", "lines"),
    [
        pytest.param({"format": "ext4", "path": "/a", "label": "b", "uuid": "c"}, [], id="fine"),
        pytest.param({}, [], id="device-alone"),
        pytest.param({"format": "", "path": "", "wipeFilesystem": False, "options": []}, [], id="nothing-said"),
        pytest.param({"format": "ext4", "path": "a"}, [".path: path not absolute"], id="relative-path"),
        pytest.param({"device": ""}, [".device: path not specified"], id="no-device"),
        pytest.param({"format": "zfs"}, [".format: invalid filesystem format"], id="unknown-format"),
        pytest.param({"path": "/a"}, [f".format: {NEEDS_FORMAT}"], id="path-without-format"),
        pytest.param({"uuid": "a"}, [f".format: {NEEDS_FORMAT}"], id="uuid-without-format"),
        pytest.param({"wipeFilesystem": True}, [f".format: {NEEDS_FORMAT}"], id="wipe-without-format"),
        pytest.param({"options": ["a"]}, [f".format: {NEEDS_FORMAT}"], id="options-without-format"),
        pytest.param(
            {"label": "a"},
            [f".format: {NEEDS_FORMAT}", ".label: filesystem must specify format if label is specified"],
            id="label-without-format",
        ),
        *(
            pytest.param(
                {"format": name, "label": "a" * (length + 1)},
                [f".label: filesystem labels cannot be longer than {length} characters when using {name}"],
                id=f"label-of-{name}",
            )
            for name, length in LABEL_LENGTHS.items()
        ),
        pytest.param({"format": "zfs", "label": "a" * 999}, [".format: invalid filesystem format"], id="any-label"),
    ],
)
def test_filesystems(filesystem: JSONObject, lines: list[str]) -> None:
    config = storage(filesystems=[{"device": "/dev/a", **filesystem}])

    for version in SPEC_3:
        assert about(config, version) == [f"error at $.storage.filesystems.0{line}" for line in lines]


def test_mount_options_need_a_format_where_they_are_known() -> None:
    config = storage(filesystems=[{"device": "/dev/a", "mountOptions": ["a"]}])

    since(V3_1, config, f"error at $.storage.filesystems.0.format: {NEEDS_FORMAT}")


def test_the_format_none_is_known_from_3_3_on() -> None:
    config = storage(filesystems=[{"device": "/dev/a", "format": "none"}])

    before_and_since(V3_3, config, ["error at $.storage.filesystems.0.format: invalid filesystem format"], [])


@pytest.mark.parametrize(
    ("disk", "wipe", "message"),
    [
        pytest.param({}, False, None, id="fine"),
        pytest.param(
            {"partitions": [{"number": 1}]}, True, "filesystem overwrites partitioned device", id="partitions"
        ),
        pytest.param(
            {"wipeTable": True},
            False,
            "device matches disk with wipeTable enabled; filesystem will be wiped",
            id="wiped-table",
        ),
        pytest.param({"wipeTable": True}, True, None, id="both-wiped"),
        pytest.param({"device": "/dev/b", "wipeTable": True}, False, None, id="another-device"),
    ],
)
def test_filesystems_on_whole_disks(disk: JSONObject, wipe: bool, message: str | None) -> None:
    filesystem: JSON = {"device": "/dev/a", "format": "xfs", "wipeFilesystem": wipe}
    config = storage(disks=[{"device": "/dev/a", **disk}], filesystems=[filesystem])
    lines = [] if message is None else [f"warning at $.storage.filesystems.0.device: {message}"]

    for version in SPEC_3:
        assert about(config, version) == lines
