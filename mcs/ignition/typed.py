"""Whether a value has the type that a table gives it, and what is said where it has not: one wording for all. Pure."""

from mcs.ignition.fields import ListOf, Scalar, Struct, Type
from mcs.jsondata import JSON

__all__ = ["mismatch", "scalar_problem"]

_INTEGERS = range(-(2**63), 2**63)  # what a Go client can hold
_WORDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "an integer",
    float: "a fraction",
    type(None): "null",
}


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
    """Say that a value is not of the kind that is expected. What is no JSON at all goes by its Python name.

    >>> mismatch(ListOf(Scalar.TEXT, None), "a")
    'a list is expected, not a string'
    """
    return f"{_expected(kind)} is expected, not {_WORDS.get(type(value), type(value).__name__)}"


def _expected(kind: Type) -> str:
    if isinstance(kind, Struct):
        return _WORDS[dict]
    return _WORDS[list] if isinstance(kind, ListOf) else kind.words
