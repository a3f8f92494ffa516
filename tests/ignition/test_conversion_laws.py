"""What holds of every conversion, over configs made from the table of fields."""

import contextlib
import copy
from typing import Any

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from mcs.ignition import NEWEST, SPEC_3, SpecVersion, convert, unknown_members
from mcs.ignition.errors import IgnitionError, UnsupportedFeatures
from mcs.ignition.fields import ListOf, Scalar
from mcs.ignition.schema import Row, rows
from mcs.ignition.versions import V3_0
from mcs.jsondata import JSON, JSONObject
from tests.ignition.configs import containers
from tests.ignition.normal_form import normal_form
from tests.ignition.strategies import broken_configs, configs, thorough

PAIRS = [(low, high) for low in SPEC_3 for high in SPEC_3 if low < high]
UP = st.sampled_from(PAIRS).flatmap(lambda pair: st.tuples(configs(pair[0]), st.just(pair[1])))
DOWN = st.sampled_from(PAIRS).flatmap(lambda pair: st.tuples(configs(pair[1]), st.just(pair[0])))


def at(document: JSON, path: str) -> JSON:
    for key in path.split(".")[1:]:
        if isinstance(document, list):
            document = document[int(key)]
        else:
            assert isinstance(document, dict)
            document = document[key]
    return document


def own_spec(config: JSONObject) -> SpecVersion:
    return next(version for version in SPEC_3 if str(version) == at(config, "$.ignition.version"))


def using(row: Row) -> JSONObject:
    """A config of the newest spec that holds nothing but a telling value of this field."""
    *outer, last = row.path.split(".")
    inner = row.field.type.element if isinstance(row.field.type, ListOf) else row.field.type
    telling: dict[Any, JSON] = {Scalar.TEXT: "tang", Scalar.INTEGER: 1, Scalar.BOOLEAN: not row.field.default}
    value: JSON = telling.get(inner, {})
    for name in [last, *reversed(outer)]:
        value = {name.removesuffix("[]"): [value] if name.endswith("[]") else value}
    assert isinstance(value, dict)
    ignition = value.get("ignition", {})
    assert isinstance(ignition, dict)
    return value | {"ignition": {**ignition, "version": str(NEWEST)}}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.path)
        for row in rows()
        if row.since > V3_0 and isinstance(row.field.type, (ListOf, Scalar))
    ],
)
def test_each_field_of_the_table_is_refused_below_the_spec_that_has_it(row: Row) -> None:
    config = using(row)
    place = "$." + row.path.removesuffix("[]").replace("[]", ".0")

    assert at(convert(config, row.since), place) == at(config, place)
    for lower in SPEC_3[: SPEC_3.index(row.since)]:
        with pytest.raises(UnsupportedFeatures) as error:
            convert(config, lower)

        assert all(place == feature.path or place.startswith(f"{feature.path}.") for feature in error.value.features)
        assert max(feature.since for feature in error.value.features) == row.since


@thorough
@given(UP)
def test_up_always_succeeds_and_down_again_gives_the_same(case: tuple[JSONObject, SpecVersion]) -> None:
    config, high = case
    low = own_spec(config)

    there = convert(config, high)
    back = convert(there, low)

    assert at(there, "$.ignition.version") == str(high)
    assert unknown_members(config) == unknown_members(there) == ()
    assert normal_form(back) == normal_form(config)


@thorough
@given(UP | DOWN)
def test_converting_changes_nothing_and_shares_nothing(case: tuple[JSONObject, SpecVersion]) -> None:
    config, to = case
    before = copy.deepcopy(config)

    with contextlib.suppress(UnsupportedFeatures):
        result = convert(config, to)
        assert set(containers(result)).isdisjoint(containers(config))

    assert config == before


@thorough
@given(UP)
def test_a_config_in_its_own_spec_is_copied(case: tuple[JSONObject, SpecVersion]) -> None:
    config, _ = case

    result = convert(config, own_spec(config))

    assert result == config
    assert set(containers(result)).isdisjoint(containers(config))


@thorough
@given(DOWN)
def test_errors_name_paths_that_exist_and_specs_that_help(case: tuple[JSONObject, SpecVersion]) -> None:
    config, low = case
    try:
        convert(config, low)
    except UnsupportedFeatures as error:
        event("refused")
        features = error.features
    else:
        event("converted")
        features = ()

    for feature in features:
        assert at(config, feature.path) not in (None, [], "", False) or feature.field.startswith("removal")
        assert feature.since > low
        assert feature.field
    if features:
        helps = max(feature.since for feature in features)
        assert at(convert(config, helps), "$.ignition.version") == str(helps)


@thorough
@given(DOWN)
def test_step_by_step_is_the_same_as_at_once(case: tuple[JSONObject, SpecVersion]) -> None:
    config, low = case
    high = own_spec(config)

    refused, step_by_step = False, config
    for version in reversed(SPEC_3[SPEC_3.index(low) : SPEC_3.index(high)]):
        try:
            step_by_step = convert(step_by_step, version)
        except UnsupportedFeatures:
            refused = True
            break

    if refused:
        with pytest.raises(UnsupportedFeatures):
            convert(config, low)
    else:
        assert normal_form(convert(config, low)) == normal_form(step_by_step)


@thorough
@given(broken_configs(), st.sampled_from(SPEC_3))
def test_no_document_raises_anything_but_the_documented_errors(config: JSONObject, to: SpecVersion) -> None:
    before = copy.deepcopy(config)
    try:
        convert(config, to)
    except IgnitionError as error:
        event(type(error).__name__)
        assert str(error)  # noqa: PT017
    else:
        event("converted")
    with contextlib.suppress(IgnitionError):
        unknown_members(config)
    assume(before == before)  # a NaN differs from itself
    assert config == before
