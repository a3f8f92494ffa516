"""What validation says of a part of a config, as people read it: the vocabulary of the rules' tests."""

from mcs.ignition.validation import validate
from mcs.ignition.versions import SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["about", "before_and_since", "since", "storage"]


def about(part: JSONObject, version: SpecVersion) -> list[str]:
    """Return everything said of the config, one line each."""
    return list(map(str, validate(part, version).entries))


def since(first: SpecVersion, part: JSONObject, *lines: str) -> None:
    """Assert that a spec says these lines of the config, and that the one before it says nothing."""
    before_and_since(first, part, [], list(lines))


def before_and_since(first: SpecVersion, part: JSONObject, before: list[str], after: list[str]) -> None:
    """Assert what the spec before `first` says of the config, and what `first` does."""
    assert about(part, SpecVersion(first.major, first.minor - 1)) == before
    assert about(part, first) == after


def storage(**members: JSON) -> JSONObject:
    """Make a config of nothing but storage."""
    return {"storage": dict(members)}
