"""A config of spec 2 in a later spec 2: what becomes explicit on the way, and what does not change."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.errors import InvalidConfig, InvalidVersion, UnknownVersion
from mcs.ignition.report import Kind
from mcs.ignition.rules_2 import entries
from mcs.ignition.validation import validate
from mcs.ignition.versions import SPEC_2, V2_0, V2_1, V2_2, V2_3, V2_4, SpecVersion
from mcs.ignition.within_2 import upgrade
from mcs.jsondata import JSON, JSONObject
from tests.ignition.strategies import configs, thorough
from tests.ignition.valid_configs_2 import valid_configs

PAIRS = [(low, high) for low in SPEC_2 for high in SPEC_2 if low <= high]


def declaring(version: SpecVersion, **sections: JSON) -> JSONObject:
    return {"ignition": {"version": str(version)}, **sections}


@pytest.mark.parametrize(("low", "high"), [pytest.param(low, high, id=f"{low}-{high}") for low, high in PAIRS])
def test_the_version_is_the_later_one(low: SpecVersion, high: SpecVersion) -> None:
    assert upgrade(declaring(low), high) == declaring(high)


@pytest.mark.parametrize(
    ("low", "high", "file", "expected"),
    [
        pytest.param(V2_0, V2_0, {"path": "/a"}, {"path": "/a"}, id="2.0 stays"),
        pytest.param(
            V2_0, V2_1, {"path": "/a"}, {"path": "/a", "user": {"id": 0}, "group": {"id": 0}}, id="2.1 owned by 0"
        ),
        pytest.param(
            V2_0,
            V2_1,
            {"user": {"id": 5, "name": "unknown in 2.0"}, "group": None},
            {"user": {"id": 5}, "group": {"id": 0}},
            id="2.1 owners",
        ),
        pytest.param(V2_1, V2_2, {}, {"user": {}, "group": {}, "mode": 0}, id="2.2 mode 0"),
        pytest.param(
            V2_1,
            V2_2,
            {"user": {"name": "a"}, "mode": 420},
            {"user": {"name": "a"}, "group": {}, "mode": 420},
            id="2.2 mode and owner",
        ),
        pytest.param(V2_0, V2_4, {}, {"user": {"id": 0}, "group": {"id": 0}, "mode": 0}, id="all at once"),
        pytest.param(
            V2_1, V2_4, {"append": True, "overwrite": False}, {"user": {}, "group": {}, "mode": 0}, id="unknown"
        ),
        pytest.param(V2_2, V2_4, {"append": True, "mode": None}, {"append": True, "mode": None}, id="2.2 to 2.4"),
    ],
)
def test_files(low: SpecVersion, high: SpecVersion, file: JSON, expected: JSON) -> None:
    assert upgrade(declaring(low, storage={"files": [file]}), high) == declaring(high, storage={"files": [expected]})


def test_directories_and_links_have_owners_too() -> None:
    nodes: JSONObject = {"directories": [{"path": "/a"}, None], "links": [{"path": "/b", "group": {"id": 0}}]}
    assert upgrade(declaring(V2_1, storage=nodes), V2_2) == declaring(
        V2_2,
        storage={
            "directories": [{"path": "/a", "user": {}, "group": {}, "mode": 0}, {"user": {}, "group": {}, "mode": 0}],
            "links": [{"path": "/b", "user": {}, "group": {"id": 0}}],
        },
    )


@pytest.mark.parametrize(
    ("low", "high", "partition", "expected"),
    [
        pytest.param(V2_2, V2_3, {"number": 1}, {"number": 1, "label": "", "size": 0, "start": 0}, id="2.3 zeros"),
        pytest.param(V2_0, V2_4, {"label": "a", "size": 8}, {"label": "a", "size": 8, "start": 0}, id="2.4 some"),
        pytest.param(V2_1, V2_2, {"number": 1}, {"number": 1}, id="2.2 nothing"),
        pytest.param(V2_3, V2_4, {"number": 1, "sizeMiB": 0}, {"number": 1, "sizeMiB": 0}, id="2.3 has said it"),
    ],
)
def test_partitions(low: SpecVersion, high: SpecVersion, partition: JSON, expected: JSON) -> None:
    config = declaring(low, storage={"disks": [{"device": "/dev/a", "partitions": [partition]}]})
    assert upgrade(config, high) == declaring(high, storage={"disks": [{"device": "/dev/a", "partitions": [expected]}]})


@pytest.mark.parametrize(
    ("low", "user", "expected"),
    [
        pytest.param(V2_0, {"name": "a", "passwordHash": ""}, {"name": "a"}, id="2.0 empty"),
        pytest.param(V2_0, {"name": "a"}, {"name": "a"}, id="2.0 none"),
        pytest.param(V2_0, {"passwordHash": "$1$"}, {"passwordHash": "$1$"}, id="2.0 some"),
        pytest.param(V2_0, {"create": {"gecos": "a"}, "gecos": "b"}, {"create": {"gecos": "a"}}, id="2.0 creation"),
        pytest.param(V2_1, {"passwordHash": ""}, {"passwordHash": ""}, id="2.1 empty"),
    ],
)
def test_users(low: SpecVersion, user: JSON, expected: JSON) -> None:
    for high in (V2_2, V2_4):
        assert upgrade(declaring(low, passwd={"users": [user]}), high) == declaring(high, passwd={"users": [expected]})


def test_an_empty_password_hash_stays_where_it_is_none_anyway() -> None:
    config = declaring(V2_0, passwd={"users": [{"name": "a", "passwordHash": ""}]})
    assert upgrade(config, V2_0) == config


@pytest.mark.parametrize(
    ("config", "error"),
    [
        pytest.param({}, InvalidVersion, id="no version"),
        pytest.param({"ignition": {"version": "2.5.0"}}, UnknownVersion, id="no such version"),
        pytest.param(declaring(V2_0, storage={"files": 5}), InvalidConfig, id="a list"),
        pytest.param(declaring(V2_0, storage={"files": [{"user": "a"}]}), InvalidConfig, id="an owner"),
        pytest.param(declaring(V2_0, passwd={"users": [{"passwordHash": 0}]}), InvalidConfig, id="a text"),
    ],
)
def test_what_is_no_config_of_spec_2(config: JSONObject, error: type[Exception]) -> None:
    with pytest.raises(error):
        upgrade(config, V2_4)


def test_only_partitions_that_were_one_can_be_refused_later() -> None:
    """Two partitions that are alike in everything are one to specs before 2.3 only."""
    partition: JSONObject = {"start": 2048, "size": 2048}
    config = declaring(V2_2, storage={"disks": [{"device": "/dev/a", "partitions": [partition, {**partition}]}]})
    assert [entry.message for entry in entries(config, V2_2)] == []
    later = entries(upgrade(config, V2_3), V2_3)
    assert [entry.message for entry in later if entry.kind is Kind.ERROR] == ["partitions overlap"]


# Laws

UPWARDS = st.sampled_from(PAIRS).flatmap(lambda pair: st.tuples(configs(pair[0]), st.just(pair[1])))
VALID_UPWARDS = st.sampled_from(PAIRS).flatmap(lambda pair: st.tuples(valid_configs(pair[0]), st.just(pair[1])))


@thorough
@given(UPWARDS)
def test_the_input_stays_and_the_result_is_a_well_typed_config(pair: tuple[JSONObject, SpecVersion]) -> None:
    config, to = pair
    before = copy.deepcopy(config)
    upgraded = upgrade(config, to)
    assert config == before
    assert upgraded["ignition"] == {**object_of(config, "ignition"), "version": str(to)}
    validate(upgraded, to)  # raises InvalidConfig for a wrong type


def object_of(config: JSONObject, name: str) -> JSONObject:
    value = config[name]
    assert isinstance(value, dict)
    return value


@thorough
@given(UPWARDS, st.sampled_from(SPEC_2))
def test_one_step_or_two_lead_to_the_same(pair: tuple[JSONObject, SpecVersion], between: SpecVersion) -> None:
    config, to = pair
    low = next(version for version in SPEC_2 if str(version) == object_of(config, "ignition")["version"])
    between = min(max(low, between), to)
    assert upgrade(upgrade(config, between), to) == upgrade(config, to)


@thorough
@given(VALID_UPWARDS)
def test_what_is_valid_stays_valid(pair: tuple[JSONObject, SpecVersion]) -> None:
    config, to = pair
    found = validate(upgrade(config, to), to)
    assert found.errors == ()
