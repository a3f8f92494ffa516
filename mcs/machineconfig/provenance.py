"""Which of several documents something in their merged one comes from. Pure."""

from collections.abc import Sequence

from mcs.ignition.report import Path
from mcs.jsondata import JSON, JSONObject

__all__ = ["last_to_say"]

_IDENTITIES = ("path", "name", "device", "source", "url")  # of items of a list, in this order


def last_to_say(path: Path, merged: JSONObject, documents: Sequence[tuple[str, JSONObject]]) -> str | None:
    """Return the name of the last document that has what stands at a path of the merged one, None if none does.

    An item of a list is told by what identifies it, not by its index; what is below it is not looked at.
    """
    for name, document in reversed(documents):
        if _says(path, merged, document):
            return name
    return None


def _says(path: Path, merged: JSON, document: JSON) -> bool:
    for step in path:
        if isinstance(merged, list) and isinstance(document, list) and isinstance(step, int) and step < len(merged):
            identity = _identity(merged[step])
            return any(_identity(item) == identity for item in document)
        if not (isinstance(merged, dict) and isinstance(document, dict)):
            return False
        merged, document = merged.get(str(step)), document.get(str(step))
    return document is not None


def _identity(item: JSON) -> JSON:
    if not isinstance(item, dict):
        return item
    return next((item[name] for name in _IDENTITIES if item.get(name) is not None), item)
