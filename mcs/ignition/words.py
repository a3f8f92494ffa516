"""What a value of JSON is called where another kind of value is expected: one wording for all. Pure."""

from collections.abc import Mapping
from types import MappingProxyType

from mcs.jsondata import JSON

__all__ = ["WORDS", "expected"]

WORDS: Mapping[type, str] = MappingProxyType(
    {
        dict: "an object",
        list: "a list",
        str: "a string",
        bool: "true or false",
        int: "an integer",
        float: "a fraction",
        type(None): "null",
    }
)


def expected(kind: type, value: JSON) -> str:
    """Say that a value is not of the kind that is expected. What is no JSON at all goes by its Python name.

    >>> expected(list, "a")
    'a list is expected, not a string'
    """
    return f"{WORDS[kind]} is expected, not {WORDS.get(type(value), type(value).__name__)}"
