"""What is said of values of a wrong type, in one wording for texts, data, conversions and merges."""

import pytest

from mcs.ignition.fields import CONCATENATED, ListOf, Scalar, Struct, Type
from mcs.ignition.typed import mismatch, scalar_problem
from mcs.jsondata import JSON


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        pytest.param(Scalar.TEXT, "", None, id="a text"),
        pytest.param(Scalar.TEXT, 1, "a string is expected, not an integer", id="no text"),
        pytest.param(Scalar.TEXT, None, "a string is expected, not null", id="null"),
        pytest.param(Scalar.BOOLEAN, False, None, id="false"),
        pytest.param(Scalar.BOOLEAN, 0, "true or false is expected, not an integer", id="0 is not false"),
        pytest.param(Scalar.INTEGER, True, "an integer is expected, not true or false", id="true is not 1"),
        pytest.param(Scalar.INTEGER, 1.0, "an integer is expected, not a fraction", id="1.0 is not 1"),
        pytest.param(Scalar.INTEGER, 2**63 - 1, None, id="the largest integer"),
        pytest.param(Scalar.INTEGER, 2**63, "the number does not fit 64 bits", id="too large"),
        pytest.param(Scalar.INTEGER, -(2**63), None, id="the least integer"),
        pytest.param(Scalar.INTEGER, -(2**63) - 1, "the number does not fit 64 bits", id="too small"),
    ],
)
def test_scalars(kind: Scalar, value: JSON, problem: str | None) -> None:
    assert scalar_problem(kind, value) == problem


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        pytest.param(Struct("disk", {}), [], "an object is expected, not a list", id="object"),
        pytest.param(ListOf(Scalar.TEXT, CONCATENATED), {}, "a list is expected, not an object", id="list"),
    ],
)
def test_objects_and_lists(kind: Type, value: JSON, message: str) -> None:
    assert mismatch(kind, value) == message
