import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.errors import IgnitionError, InvalidConfig, InvalidVersion, UnknownVersion
from mcs.ignition.validation import validate
from mcs.ignition.versions import NEWEST, SPEC_3, SUPPORTED, V2_2, V3_0, V3_3, SpecVersion
from mcs.jsondata import JSON, JSONObject
from tests.ignition.strategies import anything, broken_configs, configs


def test_the_declared_spec_decides_unless_another_is_given() -> None:
    config: JSONObject = {"ignition": {"version": "3.2.0"}, "storage": {"links": [{"path": "/a"}]}}

    assert validate(config).is_valid
    assert not validate(config, V3_3).is_valid


def test_the_order_is_rules_then_duplicates_outer_before_inner() -> None:
    config: JSONObject = {
        "systemd": {"units": [{"name": "a"}]},
        "storage": {
            "files": [{"path": "b", "mode": -1}, {"path": "/c/d"}, {"path": "b"}],
            "links": [{"path": "/c", "target": "/t"}],
            "disks": [{}],
        },
    }

    assert list(map(str, validate(config, NEWEST).entries)) == [
        "error at $.storage.files.1: file path includes link in config",
        "error at $.storage.disks.0.device: disk device is required",
        "error at $.storage.files.0.path: path not absolute",
        "error at $.storage.files.0.mode: illegal file mode",
        "error at $.storage.files.2.path: path not absolute",
        "error at $.systemd.units.0.name: invalid systemd unit extension",
        "error at $.storage.files.2: duplicate entry defined",
    ]


def test_spec_2_has_its_own_rules_and_no_duplicates() -> None:
    node: JSONObject = {"filesystem": "root", "path": "/a//b", "mode": 0o644}
    config: JSONObject = {"ignition": {"version": "2.2.0"}, "storage": {"files": [node, dict(node)]}}

    assert validate(config).is_valid
    node["path"] = "a"
    assert [entry.message for entry in validate(config, V2_2).errors] == ["path not absolute"]


@pytest.mark.parametrize(
    ("config", "path", "message"),
    [
        pytest.param([], "$", "an object is expected, not a list", id="list"),
        pytest.param({"storage": []}, "$.storage", "an object is expected, not a list", id="list-for-object"),
        pytest.param({"storage": {"files": {}}}, "$.storage.files", "a list is expected, not an object", id="object"),
        pytest.param(
            {"storage": {"files": [1]}}, "$.storage.files.0", "an object is expected, not an integer", id="item"
        ),
        pytest.param(
            {"storage": {"files": [{"path": 1}]}},
            "$.storage.files.0.path",
            "a string is expected, not an integer",
            id="text",
        ),
        pytest.param(
            {"storage": {"files": [{"mode": True}]}},
            "$.storage.files.0.mode",
            "an integer is expected, not true or false",
            id="boolean-for-integer",
        ),
        pytest.param(
            {"storage": {"files": [{"mode": 420.0}]}},
            "$.storage.files.0.mode",
            "an integer is expected, not a fraction",
            id="fraction-for-integer",
        ),
        pytest.param(
            {"storage": {"files": [{"mode": 2**63}]}},
            "$.storage.files.0.mode",
            "the number does not fit 64 bits",
            id="large-number",
        ),
        pytest.param(
            {"storage": {"raid": [{"devices": [1]}]}},
            "$.storage.raid.0.devices.0",
            "a string is expected, not an integer",
            id="text-in-list",
        ),
    ],
)
def test_types_come_before_rules(config: JSONObject, path: str, message: str) -> None:
    with pytest.raises(InvalidConfig) as error:
        validate(config, V3_0)

    assert (error.value.path, error.value.message) == (path, message)


def test_the_version_has_to_be_known() -> None:
    with pytest.raises(UnknownVersion):
        validate({}, SpecVersion(3, 99))
    with pytest.raises(UnknownVersion):
        validate({"ignition": {"version": "3.99.0"}})
    with pytest.raises(InvalidVersion):
        validate({})


@pytest.mark.parametrize("version", SPEC_3, ids=str)
def test_members_that_a_spec_does_not_know_mean_nothing_to_it(version: SpecVersion) -> None:
    config: JSONObject = {"unknown": {"files": 1}, "storage": {"luks": 1} if version < SpecVersion(3, 2) else {}}

    assert not validate(config, version)


@given(st.sampled_from(SPEC_3).flatmap(configs), st.sampled_from(SPEC_3))
def test_any_well_typed_config_has_a_report_in_any_spec(config: JSONObject, version: SpecVersion) -> None:
    before = copy.deepcopy(config)

    report = validate(config, version)

    assert validate(config, version) == report
    assert config == before


@given(st.sampled_from(SPEC_3).flatmap(configs))
def test_the_order_of_members_does_not_matter(config: JSONObject) -> None:
    assert validate(_reversed(config)) == validate(config)


def _reversed(value: JSONObject) -> JSONObject:
    return {name: _reversed_in(member) for name, member in reversed(value.items())}


def _reversed_in(value: JSON) -> JSON:
    if isinstance(value, dict):
        return _reversed(value)
    return [_reversed_in(item) for item in value] if isinstance(value, list) else value


@given(broken_configs() | st.dictionaries(st.text(), anything), st.sampled_from([None, *SUPPORTED]))
def test_nothing_but_the_documented_errors_is_raised(config: JSONObject, version: SpecVersion | None) -> None:
    try:
        validate(config, version)
    except IgnitionError:
        return
