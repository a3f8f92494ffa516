"""JSON documents as plain data: their type, and lookups that never raise.

Objects of the cluster and Ignition configs stay dicts and lists, so that nothing a document holds is ever lost.
A lookup answers None both for a member that is absent and for one of another type; code that must tell the two
apart validates first.
"""

import json
from typing import TypeAlias

__all__ = [
    "JSON",
    "JSONObject",
    "compact",
    "encode",
    "integer_at",
    "list_at",
    "lookup",
    "object_at",
    "text_at",
    "texts_at",
]

JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | float | bool | None"
JSONObject: TypeAlias = dict[str, JSON]


def lookup(document: JSON, *keys: str) -> JSON:
    """Return the value below the given member names, or None.

    >>> lookup({"spec": {"config": {"name": "a"}}}, "spec", "config", "name")
    'a'
    >>> lookup({"spec": []}, "spec", "config") is None
    True
    """
    for key in keys:
        if not isinstance(document, dict):
            return None
        document = document.get(key)
    return document


def object_at(document: JSON, *keys: str) -> JSONObject:
    """Return the object below the given member names, or an empty one (not part of the document)."""
    value = lookup(document, *keys)
    return value if isinstance(value, dict) else {}


def list_at(document: JSON, *keys: str) -> list[JSON]:
    """Return the list below the given member names, or an empty one (not part of the document)."""
    value = lookup(document, *keys)
    return value if isinstance(value, list) else []


def text_at(document: JSON, *keys: str) -> str | None:
    """Return the string below the given member names, or None; an empty string counts as none."""
    value = lookup(document, *keys)
    return value if isinstance(value, str) and value else None


def texts_at(document: JSON, *keys: str) -> dict[str, str]:
    """Return the string members of the object below the given member names: labels, annotations."""
    return {key: value for key, value in object_at(document, *keys).items() if isinstance(value, str)}


def integer_at(document: JSON, *keys: str) -> int | None:
    """Return the integer below the given member names, or None; a boolean is no integer."""
    value = lookup(document, *keys)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def compact(document: JSON) -> str:
    """Write without white space, members in the document's own order, non-ASCII characters as they are."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def encode(document: JSON, indent: int | None = None) -> bytes:
    """Write as UTF-8; a lone surrogate, which UTF-8 cannot say, turns all non-ASCII characters into escapes."""
    separators = (",", ":") if indent is None else None
    try:
        return json.dumps(document, ensure_ascii=False, separators=separators, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(document, separators=separators, indent=indent).encode()
