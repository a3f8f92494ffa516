"""What holds of every merge, over configs made from the table of fields."""

import copy

from hypothesis import event, given
from hypothesis import strategies as st

from mcs.ignition import SPEC_3, SpecVersion, convert, unknown_members
from mcs.ignition.errors import IgnitionError, InvalidConfig
from mcs.ignition.merging import merge
from mcs.jsondata import JSON, JSONObject
from tests.ignition.configs import containers
from tests.ignition.normal_form import normal_form
from tests.ignition.strategies import anything, broken_configs, configs, thorough
from tests.ignition.valid_configs import with_unique_keys

VERSIONS = st.sampled_from(SPEC_3)


def of_one_spec(count: int) -> st.SearchStrategy[tuple[JSONObject, ...]]:
    return VERSIONS.flatmap(lambda version: st.tuples(*[configs(version)] * count))


def empty(version: SpecVersion) -> JSONObject:
    return {"ignition": {"version": str(version)}}


def in_disjoint_groups(value: JSON, place: str = "") -> JSON:
    """Change the items of lists that share their keys, so that none is in two of them; give each header a value.

    Who takes away whom depends on the order, so merging them is not associative.
    """
    if isinstance(value, list):
        items = [in_disjoint_groups(item, place) for item in value]
        if place in ("shouldExist", "shouldNotExist"):
            return [f"{place}={item}" for item in items]
        if place in ("files", "directories", "links"):
            return [{**item, "path": f"/{place}/{item.get('path')}"} for item in items if isinstance(item, dict)]
        if place == "httpHeaders":
            return [{"value": "a", **item} for item in items if isinstance(item, dict)]
        return items
    if isinstance(value, dict):
        return {name: in_disjoint_groups(member, name) for name, member in value.items()}
    return value


def tidy(config: JSONObject) -> JSONObject:
    disjoint = in_disjoint_groups(config)
    assert isinstance(disjoint, dict)
    return with_unique_keys(disjoint)


@thorough
@given(VERSIONS.flatmap(lambda version: st.tuples(st.just(version), configs(version))))
def test_an_empty_config_changes_nothing_on_either_side(case: tuple[SpecVersion, JSONObject]) -> None:
    version, config = case

    assert normal_form(merge(config, empty(version))) == normal_form(config)
    assert normal_form(merge(empty(version), config)) == normal_form(config)
    assert normal_form(merge(config)) == normal_form(config)


@thorough
@given(of_one_spec(3))
def test_merging_is_associative_where_keys_are_unique(three: tuple[JSONObject, ...]) -> None:
    first, second, third = map(tidy, three)

    assert merge(merge(first, second), third) == merge(first, merge(second, third))


@thorough
@given(of_one_spec(4))
def test_many_at_once_are_many_one_after_another(several: tuple[JSONObject, ...]) -> None:
    first, second, third, fourth = several

    assert merge(*several) == merge(merge(merge(first, second), third), fourth)


@thorough
@given(VERSIONS.flatmap(configs), VERSIONS.flatmap(configs))
def test_configs_of_two_specs_meet_in_the_newer_one(parent: JSONObject, child: JSONObject) -> None:
    newer = max(SpecVersion(3, int(str(config["ignition"]).split("'3.")[1][0])) for config in (parent, child))

    merged = merge(parent, child)

    assert merged == merge(convert(parent, newer), convert(child, newer))
    assert convert(merged, newer) == merged
    assert unknown_members(merged) == ()


@thorough
@given(of_one_spec(2))
def test_merging_changes_nothing_and_shares_nothing(two: tuple[JSONObject, ...]) -> None:
    before = copy.deepcopy(two)

    for configs_ in (two, (two[0], two[0]), two[:1]):
        made = list(containers(merge(*configs_)))
        assert len(made) == len(set(made)), "no part of the result stands in two places"
        assert set(made).isdisjoint(identity for config in two for identity in containers(config))

    assert two == before


@thorough
@given(of_one_spec(2))
def test_a_config_laid_over_again_changes_nothing_but_lists_without_keys(two: tuple[JSONObject, ...]) -> None:
    parent, child = map(tidy, two)
    once = merge(parent, child)

    assert normal_form(without_concatenated(merge(once, child))) == normal_form(without_concatenated(once))


def without_concatenated(value: JSONObject) -> JSONObject:
    return {
        name: [without_concatenated(item) if isinstance(item, dict) else item for item in member]
        if isinstance(member, list)
        else without_concatenated(member)
        if isinstance(member, dict)
        else member
        for name, member in value.items()
        if name not in ("append", "options", "mountOptions")
    }


@thorough
@given(broken_configs(), broken_configs())
def test_no_document_raises_anything_but_the_documented_errors(parent: JSONObject, child: JSONObject) -> None:
    before = repr((parent, child))  # a NaN differs from itself
    try:
        merge(parent, child)
    except InvalidConfig as error:
        event("invalid")
        assert error.path.startswith("$")  # noqa: PT017
    except IgnitionError as error:
        event(type(error).__name__)
        assert str(error)  # noqa: PT017
    else:
        event("merged")
    assert repr((parent, child)) == before


@given(anything, VERSIONS)
def test_what_looks_like_no_config_raises_no_other_errors_either(document: JSON, version: SpecVersion) -> None:
    config: JSONObject = {**empty(version), "storage": document, "passwd": {"users": document}}
    try:
        merge(config, empty(version))
    except InvalidConfig as error:
        event("invalid")
        assert error.path.startswith(("$.storage", "$.passwd"))  # noqa: PT017
    else:
        event("merged")
