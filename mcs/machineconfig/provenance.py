"""Which of several documents something in their merged one comes from, and where it stands there. Pure."""

from collections.abc import Iterator, Sequence

from mcs.ignition.report import Path
from mcs.jsondata import JSON, JSONObject

__all__ = ["last_to_say", "place_in"]

_IDENTITIES = ("path", "name", "device", "source", "url")  # of items of a list, in this order


def last_to_say(path: Path, merged: JSONObject, documents: Sequence[tuple[str, JSONObject]]) -> str | None:
    """Return the name of the last document that has what stands at a path of the merged one, None if none does.

    An item of a list is told by what identifies it, not by its index. A document with the very value goes before one
    that says another there; of what nobody says, such as a member that is missing, the item that it is in decides.
    """
    for shorter in _up_to_the_item(path):
        for exactly in (True, False):
            for name, document in reversed(documents):
                if next(_places(shorter, merged, document, exactly), None) is not None:
                    return name
    return None


def place_in(document: JSONObject, path: Path, merged: JSONObject) -> Path | None:
    """Return the path in a document of the very value that stands at a path of the merged one, None if it has it not.

    Of several items that are the same one the last is taken. The case of members' names does not matter.

    >>> place_in({"a": [{"name": "y"}, {"name": "x", "b": 1}]}, ("a", 0, "b"), {"a": [{"name": "x", "b": 1}]})
    ('a', 1, 'b')
    """
    return next(_places(path, merged, document, exactly=True), None)


def _up_to_the_item(path: Path) -> Iterator[Path]:
    """Yield the path, and those above it as far as they are in an item of a list."""
    yield path
    first = next((at for at, step in enumerate(path) if isinstance(step, int)), len(path))
    for length in range(len(path) - 1, first, -1):
        yield path[:length]


def _places(path: Path, merged: JSON, document: JSON, exactly: bool) -> Iterator[Path]:
    """Yield where a document says what stands at a path of the merged one, the last item of a list first."""
    if not path:
        if document is not None and (document == merged or not exactly or isinstance(merged, dict | list)):
            yield ()
        return
    step, rest = path[0], path[1:]
    if isinstance(merged, list) and isinstance(document, list):
        if not isinstance(step, int) or step >= len(merged):
            return
        identity = _identity(merged[step])
        for at in range(len(document) - 1, -1, -1):
            if _identity(document[at]) == identity:
                yield from ((at, *below) for below in _places(rest, merged[step], document[at], exactly))
    elif isinstance(merged, dict) and isinstance(document, dict):
        name = _member_name(document, str(step))
        if name is not None:
            yield from ((name, *below) for below in _places(rest, merged.get(str(step)), document[name], exactly))


def _member_name(document: JSONObject, name: str) -> str | None:
    if name in document:
        return name
    return next((key for key in document if key.casefold() == name.casefold()), None)


def _identity(item: JSON) -> JSON:
    if not isinstance(item, dict):
        return item
    members = (_member_name(item, name) for name in _IDENTITIES)
    return next((item[name] for name in members if name is not None and item[name] is not None), item)
