"""What holds of every conversion from spec 2, over valid configs and broken ones."""

import contextlib
import copy
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from mcs.ignition import SPEC_2, SPEC_3, TARGETS, SpecVersion, convert, unknown_members
from mcs.ignition.errors import (
    IgnitionError,
    UnsupportedFeatures,
    Untranslatable,
)
from mcs.jsondata import JSONObject
from tests.ignition.configs import containers
from tests.ignition.strategies import anything, broken_configs, thorough
from tests.ignition.valid_configs import valid_configs as valid_configs_3
from tests.ignition.valid_configs_2 import valid_configs as valid_configs_2

VALID_2 = st.sampled_from(SPEC_2).flatmap(valid_configs_2)
VALID = VALID_2 | st.sampled_from(SPEC_3).flatmap(valid_configs_3)
MOUNTS = st.dictionaries(st.sampled_from(["a", "b", "root", ""]), st.sampled_from(["", "/", "/mnt/a", "b/"]))


@thorough
@given(VALID, st.sampled_from(TARGETS), MOUNTS)
def test_the_input_stays_as_it_is_and_is_not_part_of_the_result(
    config: JSONObject, to: SpecVersion, mounts: dict[str, str]
) -> None:
    before, mounts_before = copy.deepcopy(config), dict(mounts)

    with contextlib.suppress(UnsupportedFeatures, Untranslatable):
        result = convert(config, to, mounts)
        found = list(containers(result))
        assert set(found).isdisjoint(containers(config))
        assert len(found) == len(set(found))

    assert (config, mounts) == (before, mounts_before)


@thorough
@given(VALID_2, st.sampled_from(SPEC_3), MOUNTS)
def test_what_is_converted_is_of_known_members_and_each_problem_has_a_place(
    config: JSONObject, to: SpecVersion, mounts: dict[str, str]
) -> None:
    try:
        converted = convert(config, to, mounts)
    except Untranslatable as error:
        event("refused")
        problems = error.problems
    else:
        event("converted")
        problems = ()
        assert unknown_members(converted) == ()

    for problem in problems:
        place: Any = config
        for step in problem.path.split(".")[1:]:
            place = place[int(step)] if isinstance(place, list) else place[step]
        assert place is not None


@st.composite
def broken(draw: st.DrawFn, config: JSONObject) -> JSONObject:
    """Put anything in the place of one value of a config."""
    container: Any = config
    key: Any = draw(st.sampled_from(sorted(config)))
    while isinstance(container[key], (dict, list)) and container[key] and draw(st.booleans()):
        container = container[key]
        key = draw(st.sampled_from(sorted(container) if isinstance(container, dict) else range(len(container))))
    container[key] = draw(anything)
    return config


@thorough
@given(broken_configs() | VALID_2.flatmap(broken), st.sampled_from(TARGETS), MOUNTS)
def test_nothing_but_documented_errors_is_raised(config: JSONObject, to: SpecVersion, mounts: dict[str, str]) -> None:
    with contextlib.suppress(IgnitionError):
        convert(config, to, mounts)
        event("converted")
