"""From a text to a config and a report: versions, types, names, nulls, and in which order they are looked at."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.errors import EmptyConfig, IgnitionError, InvalidConfig, InvalidVersion, NotJSON, UnknownVersion
from mcs.ignition.parsing import parse
from mcs.ignition.report import Report
from mcs.ignition.versions import SPEC_3, SUPPORTED, V2_2, V2_3, V2_4, V3_0, V3_2, V3_3, V3_4, SpecVersion
from mcs.jsondata import JSON, JSONObject
from tests.ignition.strategies import anything, broken_configs, configs, thorough
from tests.ignition.valid_configs import valid_configs


def config(version: str = "3.2.0", **members: JSON) -> JSONObject:
    return {"ignition": {"version": version}, **members}


def lines(report: Report) -> list[str]:
    return [str(replace(entry, position=None)) for entry in report.entries]


def report_of(document: JSON, version: SpecVersion | None = None) -> list[str]:
    return lines(parse(json.dumps(document), version).report)


def errors_of(document: JSON, version: SpecVersion | None = None) -> list[str]:
    with pytest.raises(InvalidConfig) as caught:
        parse(json.dumps(document), version)
    return lines(caught.value.report)


# Versions


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_every_supported_spec_is_read_by_its_own_declaration_and_on_demand(version: SpecVersion) -> None:
    text = json.dumps(config(str(version)))
    assert parse(text) == parse(text, version) == parse(text.encode(), version)
    assert parse(text).version == version
    assert parse(text).config == config(str(version))


def test_the_version_stays_as_it_is_written() -> None:
    assert parse(json.dumps(config("3.02.0")), V3_2).config == config("3.02.0")


@pytest.mark.parametrize(
    ("document", "error"),
    [
        pytest.param({}, InvalidVersion, id="absent"),
        pytest.param(None, InvalidVersion, id="a null document"),
        pytest.param({"ignition": None}, InvalidVersion, id="null instead of the object"),
        pytest.param(config(""), InvalidVersion, id="empty"),
        pytest.param(config("3.2"), InvalidVersion, id="two numbers"),
        pytest.param(config("3.99.0"), UnknownVersion, id="not yet known"),
        pytest.param(config("1.0.0"), UnknownVersion, id="no longer known"),
        pytest.param(config("3.2.0-experimental"), UnknownVersion, id="experimental"),
        pytest.param(config("3.99.0", storage=1), UnknownVersion, id="unknown, with types that nobody can judge"),
        pytest.param([], InvalidConfig, id="a list"),
        pytest.param({"ignition": []}, InvalidConfig, id="a list instead of the object"),
        pytest.param({"ignition": {"version": 3}}, InvalidConfig, id="a number"),
    ],
)
def test_a_text_is_to_declare_its_version(document: JSON, error: type[IgnitionError]) -> None:
    with pytest.raises(error) as caught:
        parse(json.dumps(document))
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("document", "error"),
    [
        pytest.param({}, UnknownVersion, id="absent"),
        pytest.param(None, UnknownVersion, id="a null document"),
        pytest.param(config("3.2"), UnknownVersion, id="no version"),
        pytest.param(config("3.3.0"), UnknownVersion, id="a later one"),
        pytest.param(config("2.2.0"), UnknownVersion, id="an earlier one"),
        pytest.param(config("3.3.0", storage=1), InvalidConfig, id="types are looked at first"),
        pytest.param(17, InvalidConfig, id="a number"),
    ],
)
def test_only_the_version_asked_for_is_accepted(document: JSON, error: type[IgnitionError]) -> None:
    with pytest.raises(error) as caught:
        parse(json.dumps(document), V3_2)
    assert type(caught.value) is error


def test_a_version_that_nobody_knows_cannot_be_asked_for() -> None:
    with pytest.raises(UnknownVersion):
        parse(json.dumps(config("3.99.0")), SpecVersion(3, 99))


def test_a_wrong_type_on_the_way_to_the_version_is_named() -> None:
    assert errors_of({"ignition": {"version": 3}}) == [
        "error at $.ignition.version: a string is expected, not an integer"
    ]


# Text


@pytest.mark.parametrize("version", [None, V3_2], ids=str)
def test_empty_and_no_json_are_told_apart(version: SpecVersion | None) -> None:
    with pytest.raises(EmptyConfig):
        parse("", version)
    with pytest.raises(NotJSON):
        parse(" ", version)


# Types


def file(**members: JSON) -> JSONObject:
    return config(storage={"files": [{"path": "/a", **members}]})


@pytest.mark.parametrize(
    ("document", "errors"),
    [
        pytest.param(
            file(mode="0644"),
            ["error at $.storage.files.0.mode: an integer is expected, not a string"],
            id="a string for an integer",
        ),
        pytest.param(
            file(mode=420.0),
            ["error at $.storage.files.0.mode: an integer is expected, not a fraction"],
            id="a fraction",
        ),
        pytest.param(
            file(mode=True),
            ["error at $.storage.files.0.mode: an integer is expected, not true or false"],
            id="true for an integer",
        ),
        pytest.param(
            file(user={"id": 2**63}),
            ["error at $.storage.files.0.user.id: the number does not fit 64 bits"],
            id="an integer out of range",
        ),
        pytest.param(
            file(overwrite=0),
            ["error at $.storage.files.0.overwrite: true or false is expected, not an integer"],
            id="an integer for a flag",
        ),
        pytest.param(
            file(contents="data:,a"),
            ["error at $.storage.files.0.contents: an object is expected, not a string"],
            id="a string for an object",
        ),
        pytest.param(
            config(storage=[]),
            ["error at $.storage: an object is expected, not a list"],
            id="a list for an object",
        ),
        pytest.param(
            config(storage={"files": {}}),
            ["error at $.storage.files: a list is expected, not an object"],
            id="an object for a list",
        ),
        pytest.param(
            config(passwd={"users": [{"name": 1, "groups": ["a", 7]}, "b"]}),
            [
                "error at $.passwd.users.0.name: a string is expected, not an integer",
                "error at $.passwd.users.0.groups.1: a string is expected, not an integer",
                "error at $.passwd.users.1: an object is expected, not a string",
            ],
            id="all of them",
        ),
        pytest.param(
            config(passwd={"users": 1, "user": 1}),
            [
                "error at $.passwd.users: a list is expected, not an integer",
                "warning at $.passwd.user: unused key user",
            ],
            id="with the warnings",
        ),
    ],
)
def test_wrong_types_are_errors(document: JSON, errors: list[str]) -> None:
    assert errors_of(document) == errors_of(document, V3_2) == errors


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_integers_of_64_bits_are_kept(number: int) -> None:
    assert parse(json.dumps(file(user={"id": number}))).config == file(user={"id": number})


# Names


def test_what_the_spec_does_not_know_is_a_warning_and_left_out() -> None:
    document = config("3.2.0", kernelArguments={}, passwd={"users": [{"name": "a", "x-note": [{}], "": 1}]})
    parsed = parse(json.dumps(document))
    assert lines(parsed.report) == [
        "warning at $.kernelArguments: unused key kernelArguments",
        "warning at $.passwd.users.0.x-note: unused key x-note",
        "warning at $.passwd.users.0.: unused key ",
    ]
    assert parsed.config == config("3.2.0", passwd={"users": [{"name": "a"}]})


def test_a_later_spec_knows_it() -> None:
    document = config("3.3.0", kernelArguments={"shouldExist": ["quiet"]})
    assert report_of(document) == []
    assert parse(json.dumps(document)).config == document


def test_spec_2_says_it_in_its_own_words() -> None:
    assert report_of(config("2.2.0", kernelArguments={})) == [
        "warning at $.kernelArguments: Config has unrecognized key: kernelArguments"
    ]


@pytest.mark.parametrize(
    ("version", "warnings"),
    [
        pytest.param(V2_2, [], id="2.2"),
        pytest.param(V2_3, ["Config has unrecognized key: tls"], id="2.3, though it uses it"),
        pytest.param(V2_4, [], id="2.4"),
    ],
)
def test_certificate_authorities_draw_a_warning_in_one_spec(version: SpecVersion, warnings: list[str]) -> None:
    document = {"ignition": {"version": str(version), "security": {"tls": {}}}}
    parsed = parse(json.dumps(document))
    assert [entry.message for entry in parsed.report.entries] == warnings
    assert parsed.config == document


@pytest.mark.parametrize(
    ("document", "errors"),
    [
        pytest.param(
            config(Storage={"files": [{"bogus": 1}]}),
            ["error at $.Storage: unknown key Storage: did you mean storage? Case matters"],
            id="and nothing below it is looked at",
        ),
        pytest.param(
            file(PATH="/b"),
            ["error at $.storage.files.0.PATH: unknown key PATH: did you mean path? Case matters"],
            id="beside the right one",
        ),
        pytest.param(
            {"Ignition": {"version": "3.2.0"}},
            ["error at $.Ignition: unknown key Ignition: did you mean ignition? Case matters"],
            id="above the version",
        ),
        pytest.param(
            {"ignition": {"VERSION": "3.2.0"}},
            ["error at $.ignition.VERSION: unknown key VERSION: did you mean version? Case matters"],
            id="the version itself",
        ),
    ],
)
def test_another_case_is_an_error_that_names_the_right_one(document: JSON, errors: list[str]) -> None:
    assert errors_of(document) == errors_of(document, V3_2) == errors


@pytest.mark.parametrize(
    ("name", "is_variant"),
    [
        pytest.param("PASSWD", True, id="capitals"),
        pytest.param("pa\u017fswd", True, id="the long s, which folds to s"),
        pytest.param("pa\u00dfwd", False, id="the sharp s, which is one letter"),
    ],
)
def test_case_is_folded_letter_by_letter(name: str, is_variant: bool) -> None:
    document = config() | {name: {}}
    if is_variant:
        assert len(errors_of(document)) == 1
    else:
        assert len(report_of(document)) == 1


def test_a_name_in_another_case_that_only_a_later_spec_knows_is_just_unknown() -> None:
    assert report_of(config(KernelArguments={})) == ["warning at $.KernelArguments: unused key KernelArguments"]


# Nulls


CONTEXT = (
    "context tree does not match content tree at {0}."
    " Line and column reporting may be inconsistent. Unused keys may not be reported"
)


def luks(**members: JSON) -> JSONObject:
    return {"luks": [{"name": "a", "device": "/a", **members}]}


@pytest.mark.parametrize(
    ("document", "result", "warned"),
    [
        pytest.param(config(passwd={"users": None}), config(passwd={}), [], id="a list"),
        pytest.param(file(mode=None, user={"name": None}), file(user={}), [], id="scalars"),
        pytest.param(file(user=None), file(), ["$.storage.files.0.user"], id="an object"),
        pytest.param(config(storage=None, x=None), config(), ["$.storage"], id="nothing below it is unknown"),
        pytest.param(
            config(passwd={"users": [{"name": "a", "groups": [None, "b"]}]}),
            config(passwd={"users": [{"name": "a", "groups": ["", "b"]}]}),
            [],
            id="a string in a list",
        ),
        pytest.param(
            config(passwd={"users": [None, {"name": "b"}]}),
            config(passwd={"users": [{}, {"name": "b"}]}),
            ["$.passwd.users.0"],
            id="an object in a list",
        ),
        pytest.param(
            config("3.2.0", storage=luks(clevis=None)),
            config("3.2.0", storage=luks()),
            [],
            id="an object that is optional up to 3.2",
        ),
        pytest.param(
            config("3.3.0", storage=luks(clevis=None)),
            config("3.3.0", storage=luks()),
            ["$.storage.luks.0.clevis"],
            id="and from 3.3 on always there",
        ),
        pytest.param(config("2.3.0", storage=None), config("2.3.0"), [], id="in spec 2 without a word"),
    ],
)
def test_null_says_nothing(document: JSONObject, result: JSONObject, warned: list[str]) -> None:
    parsed = parse(json.dumps(document))
    contexts = [entry.message for entry in parsed.report.entries if entry.message.startswith("context tree")]
    assert parsed.config == result
    assert contexts == [CONTEXT.format(path) for path in warned]


# What validation adds


def test_repeated_members_are_told_beside_the_report() -> None:
    text = '{"ignition": {"version": "3.4.0"}, "storage": {"files": []}, "storage": {"files": [], "disks": []}}'
    parsed = parse(text)
    assert (parsed.report, parsed.repeated) == (Report(), (("storage",), ("storage", "files")))


def test_what_validation_finds_comes_before_names() -> None:
    assert errors_of(config(storage={"files": [{"bogus": 1, "path": "a"}]})) == [
        "error at $.storage.files.0.path: path not absolute",
        "warning at $.storage.files.0.bogus: unused key bogus",
    ]


# Places


@pytest.mark.parametrize(
    ("text", "report"),
    [
        pytest.param(
            '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"a"}]}}',
            "error at $.storage.files.0.path, line 1 col 61: path not absolute",
            id="a rule: the value",
        ),
        pytest.param(
            '{"ignition":{"version":"3.2.0"},\n "storage":{"files":[{}]}}',
            "error at $.storage.files.0.path, line 2 col 23: path not specified",
            id="a rule: where the value would be",
        ),
        pytest.param(
            '{"ignition":{"version":"3.2.0"},\n "storage":[]}',
            "error at $.storage, line 2 col 13: an object is expected, not a list",
            id="a type: the value",
        ),
        pytest.param(
            '{"ignition":\n{"version":3}}',
            "error at $.ignition.version, line 2 col 12: a string is expected, not an integer",
            id="the type of the version",
        ),
        pytest.param(
            '{"ignition":{"version":"3.2.0"},\n "Storage":[]}',
            "error at $.Storage, line 2 col 2: unknown key Storage: did you mean storage? Case matters",
            id="a name in another case: the name",
        ),
        pytest.param(
            '{"ignition":{"version":"3.2.0"},\n "bogus":[], "storage":1}',
            "error at $.storage, line 2 col 24: an object is expected, not an integer\n"
            "warning at $.bogus, line 2 col 2: unused key bogus",
            id="an unknown name: the name",
        ),
    ],
)
def test_every_entry_has_its_place(text: str, report: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        parse(text)
    assert str(caught.value.report) == report


# Laws


def without_null_members(value: JSON) -> JSON:
    """The value without the members that are null: they say what their absence says."""
    if isinstance(value, dict):
        return {name: without_null_members(member) for name, member in value.items() if member is not None}
    return [without_null_members(item) for item in value] if isinstance(value, list) else value


def outcome(text: str | bytes, version: SpecVersion | None = None) -> tuple[JSONObject | None, Report]:
    """The config, or None where it is refused, and the report, which is empty where the error has none."""
    try:
        parsed = parse(text, version)
    except InvalidConfig as error:
        return None, error.report
    except IgnitionError:
        return None, Report()
    return parsed.config, parsed.report


@thorough
@given(st.sampled_from(SPEC_3).flatmap(configs))
def test_a_well_typed_config_is_read_as_it_is(document: JSONObject) -> None:
    result, report = outcome(json.dumps(document))
    # Its values are made by chance, and rules may refuse them; but types and names are right.
    assert result == without_null_members(document) or report.errors
    of_types_and_names = re.compile("is expected|64 bits|unused key|unknown key|context tree")
    assert not any(of_types_and_names.search(entry.message) for entry in report.entries)


@thorough
@given(st.sampled_from(SPEC_3).flatmap(valid_configs))
def test_a_valid_config_is_read_as_it_is_less_what_is_null(document: JSONObject) -> None:
    assert parse(json.dumps(document)).config == without_null_members(document)


@thorough
@given(broken_configs() | anything, st.sampled_from([None, V2_3, V2_4, V3_0, V3_4]))
def test_whatever_the_document_only_the_documented_errors_are_raised(
    document: JSON, version: SpecVersion | None
) -> None:
    result, report = outcome(json.dumps(document), version)
    assert all(entry.position is not None for entry in report.entries)
    if result is not None:
        assert report.is_valid
        assert outcome(json.dumps(result), version)[0] == result


@given(st.text() | st.binary(), st.sampled_from([None, V3_3]))
def test_whatever_the_text_only_the_documented_errors_are_raised(
    text: str | bytes, version: SpecVersion | None
) -> None:
    with pytest.raises(IgnitionError):
        parse(text, version)


@thorough
@given(broken_configs(), st.data())
def test_a_text_cut_or_changed_anywhere_raises_only_the_documented_errors(
    document: JSONObject, data: st.DataObject
) -> None:
    whole = json.dumps(document).encode()
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:place] + data.draw(st.binary(max_size=2)) + whole[place + data.draw(st.integers(0, 2)) :]
    for text in (whole[:place], changed):
        result, report = outcome(text)
        assert result is None or report.is_valid


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        pytest.param(
            {}, "the version is missing: it names the spec, such as 3.4.0; spec 3.2.0 was asked for", id="none"
        ),
        pytest.param(
            {"version": "3.2"},
            "'3.2' is no version: three numbers are expected, such as 3.2.0; spec 3.2.0 was asked for",
            id="no version",
        ),
        pytest.param(
            {"version": "3.3.0"},
            "the config declares Ignition spec 3.3.0; spec 3.2.0 was asked for",
            id="another spec",
        ),
        pytest.param({"version": "3.9.0"}, "Ignition spec 3.9.0 is not known here", id="no spec"),
    ],
)
def test_a_config_of_another_version_than_was_asked_for_says_so(declared: JSONObject, message: str) -> None:
    with pytest.raises(UnknownVersion) as error:
        parse(json.dumps({"ignition": declared}), V3_2)

    assert str(error.value) == message
    assert error.value.text == declared.get("version", "")
