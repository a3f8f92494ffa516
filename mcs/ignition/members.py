"""Members of a well-typed object as a Go client holds them: what is absent or null is a zero. Pure."""

from mcs.jsondata import JSON, JSONObject

__all__ = ["is_set", "items", "plain", "texts"]


def is_set(value: JSONObject, name: str) -> bool:
    """Tell whether a member is there and not null."""
    return value.get(name) is not None


def plain(value: JSON, name: str) -> str:
    """Return a text that is empty where it is absent."""
    member = value.get(name) if isinstance(value, dict) else None
    return member if isinstance(member, str) else ""


def items(value: JSONObject, name: str) -> list[JSONObject]:
    """Return the objects of a list; a null one is an object with nothing in it."""
    member = value.get(name)
    return [item if isinstance(item, dict) else {} for item in member] if isinstance(member, list) else []


def texts(value: JSONObject, name: str) -> list[str]:
    """Return the texts of a list; a null one is empty."""
    member = value.get(name)
    return [item if isinstance(item, str) else "" for item in member] if isinstance(member, list) else []
