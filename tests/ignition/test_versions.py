import contextlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.errors import IgnitionError, InvalidConfig, InvalidVersion, UnknownVersion
from mcs.ignition.versions import (
    NEWEST,
    SPEC_2,
    SPEC_3,
    SUPPORTED,
    TARGETS,
    SpecVersion,
    declared_version,
    parse_semantic,
    parse_version,
)
from mcs.jsondata import JSON


def test_the_specs_are_2_0_to_2_4_and_3_0_to_3_6_in_order() -> None:
    assert [str(version) for version in SPEC_2] == [f"2.{minor}.0" for minor in range(5)]
    assert [str(version) for version in SPEC_3] == [f"3.{minor}.0" for minor in range(7)]
    assert SUPPORTED == SPEC_2 + SPEC_3
    assert all(earlier < later for earlier, later in itertools.pairwise(SUPPORTED))
    assert [str(version) for version in TARGETS if version not in SPEC_3] == ["2.2.0", "2.4.0"]
    assert str(NEWEST) == "3.6.0"


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_the_text_of_a_version_is_read_back(version: SpecVersion) -> None:
    assert parse_version(str(version)) == version


def test_leading_zeros_do_not_matter() -> None:
    assert parse_version("3.00.0") == SpecVersion(3, 0)
    assert parse_version("3." + "0" * 100 + "1.0") == SpecVersion(3, 1)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("3", id="one-number"),
        pytest.param("3.0", id="two-numbers"),
        pytest.param("3.0.0.0", id="four-numbers"),
        pytest.param("v3.0.0", id="leading-v"),
        pytest.param(".3.0.0", id="leading-dot"),
        pytest.param("3,1,0", id="commas"),
        pytest.param("3.x.0", id="letter"),
        pytest.param("3.1.0 ", id="trailing-space"),
        pytest.param("3.1.0\n", id="trailing-newline"),
        pytest.param("\N{ARABIC-INDIC DIGIT THREE}.1.0", id="digit-of-another-script"),
        pytest.param("+3.0.0", id="all-metadata"),
        pytest.param("-3.0.0", id="negative"),
        pytest.param("3..0", id="empty-number"),
        pytest.param("3.9223372036854775808.0", id="beyond-64-bits"),
        pytest.param("3." + "9" * 5000 + ".0", id="five-thousand-digits"),
        pytest.param("3.0.0-\N{SNOWMAN}", id="odd-pre-release"),
    ],
)
def test_what_is_no_semantic_version_is_invalid(text: str) -> None:
    with pytest.raises(InvalidVersion) as error:
        parse_version(text)

    assert error.value.text == text


@pytest.mark.parametrize(
    "text",
    ["0.0.0", "1.0.0", "2.5.0", "2.4.1", "3.1.1", "3.7.0", "3.7.0-experimental", "3.2.0-rc.1", "3.0.0+x", "4.0.0"],
)
def test_a_version_that_is_not_in_the_list_is_unknown(text: str) -> None:
    with pytest.raises(UnknownVersion) as error:
        parse_version(text)

    assert error.value.text == text


def test_the_errors_say_what_is_wrong_with_which_text() -> None:
    assert str(InvalidVersion("3")) == "'3' is no version: three numbers are expected, such as 3.2.0"
    assert str(InvalidVersion("")) == "the version is missing: it names the spec, such as 3.4.0"
    assert str(UnknownVersion("4.0.0")) == "Ignition spec 4.0.0 is not known here"


def test_a_semantic_version_is_taken_apart() -> None:
    assert parse_semantic("3.7.1-rc.1+build-5") == (3, 7, 1, "rc.1", "build-5")


@given(st.text() | st.from_regex(r"[0-9]{0,3}(\.[0-9]{0,25}){0,4}[-+a-z0-9.]{0,5}", fullmatch=True))
def test_no_text_is_anything_but_valid_invalid_or_unknown(text: str) -> None:
    with contextlib.suppress(InvalidVersion, UnknownVersion):
        assert parse_version(text) in SUPPORTED


@pytest.mark.parametrize(
    ("config", "error"),
    [
        pytest.param({}, InvalidVersion, id="no-ignition"),
        pytest.param({"ignition": None}, InvalidVersion, id="ignition-null"),
        pytest.param({"ignition": {}}, InvalidVersion, id="no-version"),
        pytest.param({"ignition": {"version": None}}, InvalidVersion, id="version-null"),
        pytest.param({"ignition": {"version": "2.5.0"}}, UnknownVersion, id="spec-2.5"),
        pytest.param({"ignition": {"version": 3}}, InvalidConfig, id="version-a-number"),
        pytest.param({"ignition": "3.1.0"}, InvalidConfig, id="ignition-a-string"),
        pytest.param([], InvalidConfig, id="a-list"),
        pytest.param("3.3.0", InvalidConfig, id="a-string"),
        pytest.param(None, InvalidConfig, id="null"),
    ],
)
def test_a_config_without_a_good_version_is_refused(config: JSON, error: type[IgnitionError]) -> None:
    with pytest.raises(error):
        declared_version(config)


def test_the_declared_version_is_found_whatever_the_case_of_its_name() -> None:
    assert declared_version({"ignition": {"version": "3.4.0"}}) == SpecVersion(3, 4)
    assert declared_version({"Ignition": {"VERSION": "3.4.0"}}) == SpecVersion(3, 4)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        pytest.param([], "$: an object is expected, not a list", id="no object"),
        pytest.param(None, "$: an object is expected, not null", id="null"),
        pytest.param({"ignition": "3.1.0"}, "$.ignition: an object is expected, not a string", id="the version alone"),
        pytest.param(
            {"ignition": {"version": 3.4}}, "$.ignition.version: a string is expected, not a fraction", id="3.4"
        ),
    ],
)
def test_a_wrong_type_above_the_version_is_named_with_what_was_found(config: JSON, message: str) -> None:
    with pytest.raises(InvalidConfig) as error:
        declared_version(config)

    assert str(error.value) == message
