import pytest

from mcs.ignition.versions import NEWEST, SPEC_3, V3_1, V3_2, V3_3, V3_4, V3_5, V3_6, SpecVersion
from mcs.jsondata import JSON, JSONObject
from tests.ignition.said import about, before_and_since, since, storage

WITH_OTHERS = ".clevis: cannot use custom clevis config with tpm2, tang, or threshold"
NO_PIN = ".clevis.custom.pin: missing required custom clevis pin"
NO_CONFIG = ".clevis.custom.config: missing required custom clevis config"
UNKNOWN_PIN = ".clevis.custom.pin: unsupported clevis pin"
TANG: JSONObject = {"url": "http://a", "thumbprint": "b"}


def volume(**members: JSON) -> JSONObject:
    """Make a config of one LUKS volume."""
    return storage(luks=[{"name": "a", "device": "/dev/a", **members}])


def clevis(**members: JSON) -> JSONObject:
    """Make a config of one LUKS volume that clevis opens."""
    return volume(clevis=members)


def lines(*texts: str) -> list[str]:
    """Complete errors of the one volume."""
    return [f"error at $.storage.luks.0{text}" for text in texts]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(volume(), [], id="fine"),
        pytest.param(volume(name=""), [], id="no-name"),
        pytest.param(volume(name="a/b"), [".name: device names cannot contain slashes"], id="slash"),
        pytest.param(volume(label="a" * 47), [], id="long-label"),
        pytest.param(
            volume(label="é" * 24),
            [".label: luks device labels cannot be longer than 47 characters"],
            id="longer-label",
        ),
        pytest.param(volume(device=None), [".device: disk device is required"], id="no-device"),
        pytest.param(volume(device=""), [".device: disk device is required"], id="empty-device"),
        pytest.param(volume(device="a"), [".device: path not absolute"], id="relative-device"),
        pytest.param(volume(keyFile={"source": "data:,a"}), [], id="key"),
        pytest.param(
            volume(keyFile={"source": "ftp://a"}),
            [".keys: invalid key-file source", ".keyFile.source: invalid url scheme"],
            id="key-is-reported-where-it-is-not-as-well",
        ),
        pytest.param(clevis(tpm2=True, tang=[TANG], threshold=2), [], id="known-pins"),
        pytest.param(clevis(custom={"pin": "sss", "config": "{}"}), [], id="custom"),
        pytest.param(clevis(custom={"pin": "sss", "config": "{}"}, tpm2=False, threshold=0, tang=[]), [], id="zeros"),
        *(
            pytest.param(
                clevis(custom={"pin": "tpm2", "config": "{}"}, **other), [WITH_OTHERS], id=f"custom-and-{name}"
            )
            for name, other in (("tpm2", {"tpm2": True}), ("tang", {"tang": [TANG]}), ("threshold", {"threshold": 1}))
        ),
        pytest.param(clevis(custom={"pin": "tpm2"}), [NO_CONFIG], id="pin-alone"),
    ],
)
def test_volumes_from_3_2_on(config: JSONObject, expected: list[str]) -> None:
    assert about(config, V3_1) == []
    for version in SPEC_3[2:]:
        assert about(config, version) == lines(*expected)


@pytest.mark.parametrize(
    ("version", "config", "before", "after"),
    [
        pytest.param(V3_3, clevis(custom={}, tpm2=True), [WITH_OTHERS], [], id="empty-custom-beside-others"),
        pytest.param(V3_3, clevis(custom={"config": "a"}), [UNKNOWN_PIN], [NO_PIN], id="config-alone"),
        pytest.param(V3_3, clevis(custom={"needsNetwork": True}), [], [NO_PIN, NO_CONFIG], id="network-alone"),
        pytest.param(V3_3, clevis(custom={"needsNetwork": False}), [], [], id="no-network-alone"),
        pytest.param(V3_6, clevis(custom={"pin": "fido2", "config": "a"}), [UNKNOWN_PIN], [], id="any-pin"),
        pytest.param(V3_6, clevis(custom={"pin": "fido2"}), [UNKNOWN_PIN, NO_CONFIG], [NO_CONFIG], id="any-pin-alone"),
    ],
)
def test_custom_pins_by_spec(version: SpecVersion, config: JSONObject, before: list[str], after: list[str]) -> None:
    before_and_since(version, config, lines(*before), lines(*after))


def test_a_null_custom_pin_is_none() -> None:
    assert about(clevis(custom=None, tpm2=True), V3_2) == []


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        pytest.param({}, [], id="cex-alone"),
        pytest.param({"clevis": {"custom": {"config": ""}}, "keyFile": {"source": ""}}, [], id="empty-others"),
        pytest.param({"clevis": {"tpm2": True}}, [".cex: cannot use cex with clevis"], id="clevis"),
        pytest.param(
            {"clevis": {"custom": {"pin": "sss", "config": "a"}}}, [".cex: cannot use cex with clevis"], id="custom-pin"
        ),
        pytest.param({"keyFile": {"source": "data:,a"}}, [".cex: cannot use key file with cex"], id="key"),
    ],
)
def test_cex_stands_alone(others: JSONObject, expected: list[str]) -> None:
    since(V3_5, volume(cex={"enabled": True}, **others), *lines(*expected))
    assert about(volume(cex={"enabled": False}, **others), V3_5) == []


@pytest.mark.parametrize(
    ("tang", "expected"),
    [
        pytest.param({"url": "HTTPS://a"}, [], id="https"),
        pytest.param({"url": "ftp://a"}, [".url: invalid url scheme"], id="ftp"),
        pytest.param({"url": ""}, [".url: invalid url scheme"], id="no-url"),
        pytest.param({"url": "http://a b"}, [".url: unable to parse url"], id="unparsable-url"),
        pytest.param({"thumbprint": None}, [".thumbprint: thumbprint is required"], id="no-thumbprint"),
        pytest.param({"thumbprint": ""}, [".thumbprint: thumbprint is required"], id="empty-thumbprint"),
    ],
)
def test_tang(tang: JSONObject, expected: list[str]) -> None:
    for version in SPEC_3[2:]:
        assert about(clevis(tang=[TANG | tang]), version) == lines(*(f".clevis.tang.0{line}" for line in expected))


@pytest.mark.parametrize(
    ("text", "is_json"),
    [
        ("", True),
        ("{}", True),
        (" [1, 2.5e3, null] ", True),
        ('"a"', True),
        ("9" * 300, True),
        ("{", False),
        ("{} {}", False),
        ("a", False),
        ("NaN", False),
        ("-Infinity", False),
        ("1e999", False),
        ("9" * 5000, False),
        ('"\n"', False),
        ("\ufeff{}", False),
        ("[" * 100_000, False),
    ],
)
def test_an_advertisement_is_json_from_3_4_on(text: str, is_json: bool) -> None:
    expected = [] if is_json else [".clevis.tang.0.advertisement: advertisement is not valid JSON"]

    since(V3_4, clevis(tang=[{**TANG, "advertisement": text}]), *lines(*expected))
    assert about(clevis(tang=[{**TANG, "advertisement": None}]), NEWEST) == []
