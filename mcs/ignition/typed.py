"""Whether a value has the type that a table gives it, and what is said where it has not: one wording for all. Pure."""

from mcs.ignition.fields import ListOf, Scalar, Type
from mcs.ignition.words import expected
from mcs.jsondata import JSON

__all__ = ["mismatch", "scalar_problem"]

_INTEGERS = range(-(2**63), 2**63)  # what a Go client can hold


def scalar_problem(kind: Scalar, value: JSON) -> str | None:
    """Return what is wrong with the type or the size of a value, or None.

    >>> scalar_problem(Scalar.INTEGER, True), scalar_problem(Scalar.INTEGER, 2**63)
    ('an integer is expected, not true or false', 'the number does not fit 64 bits')
    """
    if type(value) is not kind.python:  # the exact type: true is no integer, though Python's bool is one
        return mismatch(kind, value)
    if kind is Scalar.INTEGER and value not in _INTEGERS:
        return "the number does not fit 64 bits"
    return None


def mismatch(kind: Type, value: JSON) -> str:
    """Say that a value is not of the kind that is expected.

    >>> mismatch(ListOf(Scalar.TEXT, None), "a")
    'a list is expected, not a string'
    """
    if isinstance(kind, Scalar):
        return expected(kind.python, value)
    return expected(list if isinstance(kind, ListOf) else dict, value)
