"""What spec 2 cannot say of a config of spec 3: the features, each with its place and the spec that has it."""

from typing import Any

import pytest

from mcs.ignition import SpecVersion, convert
from mcs.ignition.errors import InvalidConfig, Unsupported, UnsupportedFeatures
from mcs.ignition.versions import V2_2, V2_4
from mcs.jsondata import JSONObject
from tests.ignition.configs import config_3, files_3, mounted, partitions_3

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
            config_3(ignition={"config": {"merge": [{"source": "data:,"}, RESOURCE]}}),
            V2_4,
            [
                ("$.ignition.config.merge.1.compression", COMPRESSION, "3.1"),
                ("$.ignition.config.merge.1.httpHeaders.1", NO_VALUE, "3.1"),
                ("$.ignition.config.merge.1.verification.hash", "a sha256 hash", "3.1"),
            ],
            id="config",
        ),
        pytest.param(
            config_3(
                ignition={"config": {"replace": RESOURCE}, "security": {"tls": {"certificateAuthorities": [RESOURCE]}}}
            ),
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
            config_3(ignition={"proxy": {"httpProxy": "http://a", "noProxy": []}}),
            V2_2,
            [("$.ignition.proxy.httpProxy", "a proxy", "2.4"), ("$.ignition.proxy.noProxy", "a proxy", "2.4")],
            id="proxy",
        ),
        pytest.param(
            partitions_3(sizeMiB=0, startMiB=1, wipePartitionEntry=True, shouldExist=False),
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
        convert(files_3({"path": "/a", "mode": "0644"}), V2_4)

    assert str(error.value) == "$.storage.files.0.mode: an integer is expected, not a string"
