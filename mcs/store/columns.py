"""Values of records as SQLite keeps them, and back. Pure."""

import json
from typing import Any, TypeAlias, get_args

__all__ = ["Column", "decoded", "encoded", "text"]

Column: TypeAlias = str | int | float | None


def text(value: str) -> str:
    """Return text that SQLite can encode: a client may send anything, and the record of it must be written."""
    return value.encode("utf-8", "replace").decode()


def encoded(value: Column | tuple[str, ...]) -> Column:
    """Return what a column keeps of a record's field; several texts become JSON."""
    if isinstance(value, tuple):
        return json.dumps(value)
    return text(value) if isinstance(value, str) else value


def decoded(value: Column, hint: Any) -> Any:
    """Return a column's value as the type of a record's field; raises ValueError."""
    types = get_args(hint) or (hint,)
    if Ellipsis in types:
        texts = json.loads(value) if isinstance(value, str) else None
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError("a list of texts is none")
        return tuple(texts)
    if float in types and isinstance(value, int):
        return float(value)
    if type(value) not in types:
        raise ValueError("a value is of another type")
    return value
