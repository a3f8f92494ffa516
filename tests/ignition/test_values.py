from collections.abc import Callable

import pytest

from mcs.ignition.values import (
    LABEL_LENGTHS,
    absolute_path_problem,
    byte_length,
    compression_problem,
    guid_problem,
    hash_problem,
    label_problem,
    mode_problem,
    partition_label_is_too_long,
    path_problem,
    unit_name_problem,
)
from mcs.ignition.versions import SPEC_2, SPEC_3, V2_4, V3_0, V3_1, SpecVersion

GUID = "01234567-89AB-CDEF-EDCB-A98765432101"
NO_GUID = f'doesn\'t match the form "{GUID}"'
NOT_SIMPLIFIED = "path is not fully simplified"


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        pytest.param(path_problem, "/", None, id="root"),
        pytest.param(path_problem, "/etc/a", None, id="path"),
        pytest.param(path_problem, "/etc/..a/b./...", None, id="dots-in-names"),
        pytest.param(path_problem, "/a b\n", None, id="white-space"),
        pytest.param(path_problem, "", "path not specified", id="no-path"),
        pytest.param(path_problem, "etc/a", "path not absolute", id="relative-path"),
        pytest.param(path_problem, "/etc/", NOT_SIMPLIFIED, id="slash-at-the-end"),
        pytest.param(path_problem, "//", NOT_SIMPLIFIED, id="two-slashes-alone"),
        pytest.param(path_problem, "/etc//a", NOT_SIMPLIFIED, id="two-slashes"),
        pytest.param(path_problem, "/./a", NOT_SIMPLIFIED, id="dot"),
        pytest.param(path_problem, "/a/.", NOT_SIMPLIFIED, id="dot-at-the-end"),
        pytest.param(path_problem, "/a/../b", NOT_SIMPLIFIED, id="dots"),
        pytest.param(path_problem, "/..", NOT_SIMPLIFIED, id="dots-at-the-end"),
        pytest.param(absolute_path_problem, "/a//b/", None, id="absolute-path"),
        pytest.param(absolute_path_problem, "", "path not absolute", id="no-absolute-path"),
        pytest.param(guid_problem, "", None, id="no-guid"),
        pytest.param(guid_problem, GUID, None, id="guid"),
        pytest.param(guid_problem, GUID.lower(), None, id="guid-in-lower-case"),
        pytest.param(guid_problem, f"{GUID}\n", NO_GUID, id="guid-and-newline"),
        pytest.param(guid_problem, GUID.replace("-", ""), NO_GUID, id="guid-without-hyphens"),
        pytest.param(guid_problem, GUID.replace("0", "g"), NO_GUID, id="guid-of-other-letters"),
        pytest.param(guid_problem, GUID.replace("0", "٣"), NO_GUID, id="guid-of-other-digits"),
        pytest.param(compression_problem, "", None, id="no-compression"),
        pytest.param(compression_problem, "gzip", None, id="gzip"),
        pytest.param(compression_problem, "xz", "invalid compression method", id="xz"),
        pytest.param(unit_name_problem, "a.service", None, id="service"),
        pytest.param(unit_name_problem, "b/a.timer", None, id="unit-with-slash"),
        pytest.param(unit_name_problem, ".slice", None, id="unit-without-name"),
        pytest.param(unit_name_problem, "a.service/b", "invalid systemd unit extension", id="slash-after-extension"),
        pytest.param(unit_name_problem, "a", "invalid systemd unit extension", id="no-extension"),
        pytest.param(unit_name_problem, "service", "invalid systemd unit extension", id="no-dot"),
        pytest.param(unit_name_problem, "a.Service", "invalid systemd unit extension", id="upper-case-extension"),
        pytest.param(unit_name_problem, "a.network", "invalid systemd unit extension", id="network"),
    ],
)
def test_a_text_is_fine_or_has_a_problem(check: Callable[[str], str | None], value: str, message: str | None) -> None:
    assert check(value) == message


@pytest.mark.parametrize(("mode", "is_fine"), [(0, True), (0o7777, True), (0o10000, False), (-1, False)])
def test_a_mode_has_twelve_bits(mode: int, is_fine: bool) -> None:
    assert mode_problem(mode) == (None if is_fine else "illegal file mode")


@pytest.mark.parametrize(
    ("text", "version", "message"),
    [
        pytest.param("sha512-" + "0" * 128, V2_4, None, id="sha512-in-spec-2"),
        pytest.param("sha256-" + "0" * 64, V2_4, "unrecognized hash function", id="sha256-in-spec-2"),
        pytest.param("sha256-" + "0" * 64, V3_0, "unrecognized hash function", id="sha256-in-3.0"),
        pytest.param("sha256-" + "x" * 64, V3_1, None, id="sha256-of-any-letters-in-3.1"),
        pytest.param("sha256-" + "0" * 63, V3_1, "incorrect size for hash sum", id="sha256-too-short"),
        pytest.param("sha512-" + "0" * 64, V3_1, "incorrect size for hash sum", id="sha512-too-short"),
        pytest.param("sha256-" + "ä" * 32, V3_1, None, id="bytes-count"),
        pytest.param("md5-00", V3_1, "unrecognized hash function", id="md5"),
        pytest.param("SHA512-" + "0" * 128, V3_1, "unrecognized hash function", id="upper-case"),
        pytest.param("", V3_1, "malformed hash specifier", id="empty"),
        pytest.param("sha512", V3_1, "malformed hash specifier", id="no-hyphen"),
    ],
)
def test_hashes(text: str, version: SpecVersion, message: str | None) -> None:
    assert hash_problem(text, version) == message


def test_sha512_is_known_to_every_spec() -> None:
    assert [hash_problem("sha512-" + "0" * 128, version) for version in SPEC_2 + SPEC_3] == [None] * 12


@pytest.mark.parametrize(
    ("name", "length"), [("ext4", 16), ("btrfs", 256), ("xfs", 12), ("swap", 15), ("vfat", 11), ("none", 9999)]
)
def test_labels_are_measured_in_bytes(name: str, length: int) -> None:
    message = f"filesystem labels cannot be longer than {length} characters when using {name}"

    assert label_problem("a" * length, name) is None
    assert label_problem("a" * (length - 2) + "é", name) is None
    assert label_problem("a" * (length - 1) + "é", name) == (message if name in LABEL_LENGTHS else None)


def test_the_label_of_a_partition_has_36_bytes() -> None:
    assert not partition_label_is_too_long("ä" * 18)
    assert partition_label_is_too_long("ä" * 18 + "a")


def test_half_a_surrogate_pair_is_as_long_as_the_replacement_character() -> None:
    assert byte_length("\ud800") == byte_length("\ufffd") == 3
