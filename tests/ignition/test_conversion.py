import copy
from typing import Any

import pytest

from mcs.ignition import NEWEST, SpecVersion, convert, unknown_members
from mcs.ignition.errors import (
    IgnitionError,
    InvalidConfig,
    InvalidVersion,
    UnknownVersion,
    Unsupported,
    UnsupportedFeatures,
)
from mcs.ignition.versions import V3_0
from mcs.jsondata import JSON, JSONObject
from tests.ignition.configs import config_of


def spec(text: str) -> SpecVersion:
    major, minor = text.split(".")
    return SpecVersion(int(major), int(minor))


def luks(**members: JSON) -> JSON:
    return {"luks": [{"name": "a", **members}]}


def files(**members: JSON) -> JSON:
    return {"files": [{"path": "/a", **members}]}


EVERY_3_1_REFERENCE: JSONObject = {
    "source": "https://a.example",
    "compression": "gzip",
    "httpHeaders": [{"name": "a", "value": "b"}],
    "verification": {"hash": "sha256-00"},
}


def ignition(version: str, **members: JSON) -> JSONObject:
    return config_of(version, ignition=members)


@pytest.mark.parametrize(
    ("config", "to", "refused"),
    [
        pytest.param(
            ignition("3.1", config={"replace": EVERY_3_1_REFERENCE}),
            "3.0",
            [
                ("$.ignition.config.replace.compression", "compression", "3.1"),
                ("$.ignition.config.replace.httpHeaders", "HTTP headers", "3.1"),
                ("$.ignition.config.replace.verification.hash", "a sha256 hash", "3.1"),
            ],
            id="everything-new-of-a-reference",
        ),
        pytest.param(
            ignition("3.1", config={"merge": [{"source": "data:,"}, {"compression": "gzip"}]}),
            "3.0",
            [("$.ignition.config.merge.1.compression", "compression", "3.1")],
            id="compression-of-a-config",
        ),
        pytest.param(
            ignition("3.1", security={"tls": {"certificateAuthorities": [EVERY_3_1_REFERENCE]}}),
            "3.0",
            [
                ("$.ignition.security.tls.certificateAuthorities.0.compression", "compression", "3.1"),
                ("$.ignition.security.tls.certificateAuthorities.0.httpHeaders", "HTTP headers", "3.1"),
                ("$.ignition.security.tls.certificateAuthorities.0.verification.hash", "a sha256 hash", "3.1"),
            ],
            id="everything-new-of-a-certificate-authority",
        ),
        pytest.param(
            ignition("3.1", proxy={"httpProxy": "http://a", "noProxy": ["b"]}),
            "3.0",
            [("$.ignition.proxy", "a proxy", "3.1")],
            id="proxy",
        ),
        pytest.param(
            config_of("3.1", storage={"filesystems": [{"device": "/dev/a", "mountOptions": ["ro"]}]}),
            "3.0",
            [("$.storage.filesystems.0.mountOptions", "mount options", "3.1")],
            id="mount-options",
        ),
        pytest.param(
            config_of(
                "3.2", passwd={"users": [{"name": "a", "shouldExist": False}], "groups": [{"shouldExist": False}]}
            ),
            "3.1",
            [
                ("$.passwd.users.0.shouldExist", "removal of a user", "3.2"),
                ("$.passwd.groups.0.shouldExist", "removal of a group", "3.2"),
            ],
            id="users-and-groups-to-remove",
        ),
        pytest.param(
            config_of("3.6", storage={"disks": [{"device": "/dev/a", "partitions": [{"label": "x", "resize": True}]}]}),
            "3.1",
            [("$.storage.disks.0.partitions.0.resize", "resizing a partition", "3.2")],
            id="resize",
        ),
        pytest.param(
            config_of("3.2", storage=files(contents={"source": "gs://a/b"})),
            "3.1",
            [("$.storage.files.0.contents.source", "the URL scheme gs", "3.2")],
            id="gs",
        ),
        pytest.param(
            config_of("3.4", storage=files(append=[{"source": "data:,"}, {"source": "Arn:aws:s3:::a/b"}])),
            "3.3",
            [("$.storage.files.0.append.1.source", "the URL scheme arn", "3.4")],
            id="arn-in-any-case",
        ),
        pytest.param(
            config_of("3.3", storage={"filesystems": [{"device": "/dev/a", "format": "none"}]}),
            "3.2",
            [("$.storage.filesystems.0.format", "the filesystem format none", "3.3")],
            id="format-none",
        ),
        pytest.param(
            config_of("3.3", kernelArguments={"shouldNotExist": ["quiet"]}),
            "3.2",
            [("$.kernelArguments", "kernel arguments", "3.3")],
            id="kernel-arguments",
        ),
        pytest.param(
            config_of("3.5", storage=luks(cex={"enabled": True})),
            "3.4",
            [("$.storage.luks.0.cex", "a CEX key", "3.5")],
            id="cex",
        ),
        pytest.param(
            config_of("3.6", storage=luks(clevis={"custom": {"pin": "fido2", "config": "{}"}})),
            "3.5",
            [("$.storage.luks.0.clevis.custom.pin", "a clevis pin of any name", "3.6")],
            id="custom-pin",
        ),
        pytest.param(
            config_of("3.6", storage=files(mode=0o4755)),
            "3.5",
            [("$.storage.files.0.mode", "setuid, setgid or sticky bits that are honoured", "3.6")],
            id="special-bits-that-work",
        ),
        pytest.param(
            config_of("3.6", storage={"directories": [{"path": "/a", "mode": 0o1777}]}),
            "3.0",
            [("$.storage.directories.0.mode", "setuid, setgid or sticky bits that are honoured", "3.6")],
            id="special-bits-far-down",
        ),
        pytest.param(
            config_of("3.5", storage=files(mode=0o4755)),
            "3.3",
            [("$.storage.files.0.mode", "setuid, setgid or sticky bits, which 3.4 declares and 3.6 honours", "3.4")],
            id="special-bits-that-3.5-declares",
        ),
        pytest.param(
            config_of(
                "3.6",
                storage=luks(
                    clevis={
                        "tang": [{"url": "http://a", "advertisement": "{}"}],
                        "custom": {"pin": "b", "config": "c"},
                    },
                    keyFile={"source": "gs://a/b"},
                    openOptions=["a"],
                    discard=True,
                    cex={"enabled": True},
                ),
            ),
            "3.1",
            [
                ("$.storage.luks", "LUKS volumes", "3.2"),
                ("$.storage.luks.0.clevis.tang.0.advertisement", "offline provisioning with tang", "3.4"),
                ("$.storage.luks.0.clevis.custom.pin", "a clevis pin of any name", "3.6"),
                ("$.storage.luks.0.openOptions", "open options of a LUKS volume", "3.4"),
                ("$.storage.luks.0.discard", "discard on a LUKS volume", "3.4"),
                ("$.storage.luks.0.cex", "a CEX key", "3.5"),
            ],
            id="what-a-lacking-object-holds-is-reported-where-it-is-newer-still",
        ),
        pytest.param(
            {"ignition": {"version": "3.3.0"}, "KernelArguments": {"SHOULDEXIST": ["a"]}},
            "3.2",
            [("$.KernelArguments", "kernel arguments", "3.3")],
            id="a-name-in-another-case-is-no-way-around",
        ),
    ],
)
def test_everything_that_the_other_spec_lacks_is_named(
    config: JSONObject, to: str, refused: list[tuple[str, str, str]]
) -> None:
    with pytest.raises(UnsupportedFeatures) as error:
        convert(config, spec(to))

    assert error.value.to == spec(to)
    assert list(error.value.features) == [Unsupported(path, words, spec(since)) for path, words, since in refused]
    assert all(path in str(error.value) and words in str(error.value) for path, words, _ in refused)


@pytest.mark.parametrize(
    ("config", "to", "result"),
    [
        pytest.param(config_of("3.2", storage={"luks": []}), "3.1", {"storage": {}}, id="no-luks"),
        pytest.param(
            config_of("3.5", kernelArguments={"shouldExist": [], "shouldNotExist": None}), "3.2", {}, id="no-arguments"
        ),
        pytest.param(
            config_of("3.5", storage=luks(discard=False, openOptions=[], cex={"enabled": False})),
            "3.3",
            {"storage": luks()},
            id="luks-defaults",
        ),
        pytest.param(
            config_of("3.4", storage=luks(clevis={"tang": [{"url": "http://a", "advertisement": ""}]})),
            "3.3",
            {"storage": luks(clevis={"tang": [{"url": "http://a"}]})},
            id="empty-advertisement",
        ),
        pytest.param(
            config_of("3.2", passwd={"users": [{"name": "a", "shouldExist": True}]}),
            "3.1",
            {"passwd": {"users": [{"name": "a"}]}},
            id="a-user-that-should-exist",
        ),
        pytest.param(
            config_of("3.2", storage={"disks": [{"device": "/dev/a", "partitions": [{"number": 1, "resize": False}]}]}),
            "3.1",
            {"storage": {"disks": [{"device": "/dev/a", "partitions": [{"number": 1}]}]}},
            id="no-resize",
        ),
        pytest.param(
            config_of("3.1", storage={"filesystems": [{"device": "/dev/a", "mountOptions": []}]}),
            "3.0",
            {"storage": {"filesystems": [{"device": "/dev/a"}]}},
            id="no-mount-options",
        ),
        pytest.param(
            config_of("3.3", storage=luks(clevis={"custom": {}, "tpm2": True})),
            "3.2",
            {"storage": luks(clevis={"tpm2": True})},
            id="a-custom-pin-that-is-none",
        ),
        pytest.param(
            config_of("3.3", storage=luks(clevis={"custom": {"pin": "", "config": ""}, "threshold": 1})),
            "3.2",
            {"storage": luks(clevis={"threshold": 1})},
            id="an-empty-custom-pin-beside-others",
        ),
        pytest.param(
            config_of("3.3", storage=luks(clevis={"custom": {"pin": "", "config": ""}, "tang": [{"url": "http://a"}]})),
            "3.2",
            {"storage": luks(clevis={"tang": [{"url": "http://a"}]})},
            id="an-empty-custom-pin-beside-tang",
        ),
        pytest.param(
            config_of("3.3", storage=luks(clevis={"custom": {"needsNetwork": False}})),
            "3.2",
            {"storage": luks()},
            id="a-custom-pin-that-needs-no-network-and-is-none",
        ),
        pytest.param(config_of("3.3", storage=luks(clevis={})), "3.2", {"storage": luks()}, id="empty-clevis"),
    ],
)
def test_what_says_no_more_than_its_absence_goes(config: JSONObject, to: str, result: JSONObject) -> None:
    assert convert(config, spec(to)) == config_of(to, **result)


@pytest.mark.parametrize(
    ("config", "to", "result"),
    [
        pytest.param(
            config_of("3.2", storage={"links": [{"path": "/a"}], "raid": [{"name": "b", "level": None}]}),
            "3.3",
            {"storage": {"links": [{"path": "/a", "target": ""}], "raid": [{"name": "b", "level": ""}]}},
            id="what-was-always-there-is-spelt-out",
        ),
        pytest.param(
            config_of("3.2", storage=luks(clevis={"custom": {}})),
            "3.6",
            {"storage": luks(clevis={"custom": {"pin": "", "config": ""}})},
            id="an-empty-custom-pin",
        ),
        pytest.param(
            config_of("3.5", storage=files(mode=0o7755)),
            "3.6",
            {"storage": files(mode=0o755)},
            id="special-bits-had-no-effect-before-3.6",
        ),
        pytest.param(
            config_of("3.3", storage=files(mode=0o7755)),
            "3.4",
            {"storage": files(mode=0o7755)},
            id="special-bits-below-3.6",
        ),
        pytest.param(
            config_of("3.4", storage=luks(clevis={"tang": [{"url": "http://a", "advertisement": "{}"}]})),
            "3.6",
            {"storage": luks(clevis={"tang": [{"url": "http://a", "advertisement": "{}"}]})},
            id="the-advertisement-stays",
        ),
    ],
)
def test_up(config: JSONObject, to: str, result: JSONObject) -> None:
    assert convert(config, spec(to)) == config_of(to, **result)


@pytest.mark.parametrize(
    "custom",
    [
        pytest.param({"needsNetwork": True}, id="that-needs-the-network"),
        pytest.param({"pin": "", "config": ""}, id="that-says-so-and-stands-alone"),
    ],
)
def test_an_empty_custom_pin_stays(custom: JSON) -> None:
    storage = luks(clevis={"custom": custom})

    assert convert(config_of("3.3", storage=storage), spec("3.2")) == config_of("3.2", storage=storage)


def test_null_in_a_list_is_an_item_with_nothing_in_it() -> None:
    config = config_of("3.2", storage={"links": [None]}, passwd={"users": [{"name": "a", "groups": [None]}]})

    assert convert(config, spec("3.3")) == config_of(
        "3.3", storage={"links": [{"target": ""}]}, passwd={"users": [{"name": "a", "groups": [""]}]}
    )


@pytest.mark.parametrize(
    ("source", "to"), [("3.5", "3.4"), ("3.3", "3.0"), ("3.2", "3.1")], ids=["3.5>3.4", "3.3>3.0", "3.2>3.1"]
)
def test_special_bits_stay_where_neither_spec_gives_them_meaning(source: str, to: str) -> None:
    assert convert(config_of(source, storage=files(mode=0o4755)), spec(to)) == config_of(to, storage=files(mode=0o4755))


def test_a_config_in_the_wanted_spec_is_returned_as_it_is_in_containers_of_its_own() -> None:
    config = config_of("3.2", Storage={"files": [{"path": "/a", "extra": [{"b": [1]}]}], "links": "wrong"})
    before = copy.deepcopy(config)

    result = convert(config, spec("3.2"))
    result["Storage"]["files"][0]["extra"][0]["b"].append(2)  # type: ignore[call-overload,index,union-attr]  # by eye

    assert config == before
    assert convert(config, spec("3.2")) == before


def test_depth_does_not_matter() -> None:
    deep: JSON = []
    for _ in range(5000):
        deep = [deep]
    config = config_of("3.2", unknown=deep)

    same = convert(config, spec("3.2"))["unknown"]
    depth = 0
    while isinstance(same, list) and same:
        same, depth = same[0], depth + 1

    assert depth == 5000
    assert convert(config, spec("3.6")) == config_of("3.6")


def test_what_its_own_spec_does_not_know_is_left_out_and_named() -> None:
    config: JSONObject = {
        "ignition": {"version": "3.2.0", "proxi": {}},
        "kernelArguments": {"shouldExist": ["a"]},
        "storage": {"luks": [{"name": "a", "discard": True}], "files": [{"path": "/a", "permissions": 420}]},
    }

    assert convert(config, spec("3.6")) == config_of(
        "3.6", storage={"luks": [{"name": "a"}], "files": [{"path": "/a"}]}
    )
    assert unknown_members(config) == (
        "$.ignition.proxi",
        "$.kernelArguments",
        "$.storage.luks.0.discard",
        "$.storage.files.0.permissions",
    )


def test_a_name_in_another_case_is_what_clients_take_it_for() -> None:
    config: JSONObject = {"Ignition": {"Version": "3.1.0"}, "SYSTEMD": {"Units": [{"name": "a.service", "Mask": True}]}}

    assert convert(config, NEWEST) == config_of("3.6", systemd={"units": [{"name": "a.service", "mask": True}]})


@pytest.mark.parametrize(
    ("config", "path", "message"),
    [
        pytest.param(config_of("3.1", storage=[]), "$.storage", "an object is expected, not a list", id="list"),
        pytest.param(
            config_of("3.1", storage=True), "$.storage", "an object is expected, not true or false", id="flag"
        ),
        pytest.param(
            config_of("3.1", storage={"files": {}}),
            "$.storage.files",
            "a list is expected, not an object",
            id="object-for-list",
        ),
        pytest.param(
            config_of("3.1", storage={"files": ["/a"]}),
            "$.storage.files.0",
            "an object is expected, not a string",
            id="string-for-object",
        ),
        pytest.param(
            config_of("3.1", storage=files(path=3)),
            "$.storage.files.0.path",
            "a string is expected, not an integer",
            id="number-for-string",
        ),
        pytest.param(
            config_of("3.1", storage=files(mode="0644")),
            "$.storage.files.0.mode",
            "an integer is expected, not a string",
            id="string-for-number",
        ),
        pytest.param(
            config_of("3.1", storage=files(mode=420.0)),
            "$.storage.files.0.mode",
            "an integer is expected, not a fraction",
            id="float",
        ),
        pytest.param(
            config_of("3.1", storage=files(mode=True)),
            "$.storage.files.0.mode",
            "an integer is expected, not true or false",
            id="flag-for-number",
        ),
        pytest.param(
            config_of("3.1", storage=files(mode=2**63)),
            "$.storage.files.0.mode",
            "the number does not fit 64 bits",
            id="too-large",
        ),
        pytest.param(
            config_of("3.1", storage=files(overwrite=0)),
            "$.storage.files.0.overwrite",
            "true or false is expected, not an integer",
            id="number-for-flag",
        ),
        pytest.param(
            config_of("3.1", passwd={"users": [{"name": "a", "groups": ["b", 1]}]}),
            "$.passwd.users.0.groups.1",
            "a string is expected, not an integer",
            id="item",
        ),
        pytest.param(
            config_of("3.2", storage={"luks": "a"}), "$.storage.luks", "a list is expected, not a string", id="lacking"
        ),
        pytest.param(
            config_of("3.1", storage={"files": [], "Files": []}),
            "$.storage.Files",
            "stands beside another files: names are told apart by case only",
            id="same-name-in-two-cases",
        ),
    ],
)
@pytest.mark.parametrize("to", [V3_0, NEWEST], ids=str)
def test_a_value_of_the_wrong_type_is_an_error_with_its_path(
    config: JSONObject, path: str, message: str, to: SpecVersion
) -> None:
    with pytest.raises(InvalidConfig) as error:
        convert(config, to)

    assert (error.value.path, error.value.message) == (path, message)
    assert str(error.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("config", "to", "error"),
    [
        pytest.param(config_of("3.7"), NEWEST, UnknownVersion, id="config-too-new"),
        pytest.param(config_of("1.0"), NEWEST, UnknownVersion, id="config-too-old"),
        pytest.param({"ignition": {"version": "new"}}, NEWEST, InvalidVersion, id="config-of-no-version"),
        pytest.param(config_of("3.1"), SpecVersion(3, 7), UnknownVersion, id="to-a-spec-that-is-not-there"),
        pytest.param(config_of("3.1"), SpecVersion(2, 3), UnknownVersion, id="to-a-spec-that-nobody-asks-for"),
        pytest.param([], NEWEST, InvalidConfig, id="no-object"),
    ],
)
def test_versions_that_cannot_be_converted(config: Any, to: SpecVersion, error: type[IgnitionError]) -> None:
    with pytest.raises(error):
        convert(config, to)
