"""Label selectors, as Kubernetes reads them. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence

from mcs.jsondata import JSON, list_at, lookup, object_at

__all__ = ["InvalidSelector", "matches"]


class InvalidSelector(ValueError):
    """The selector selects nothing that could be told: its text says which requirement is wrong, and why."""


_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")

_Test = Callable[[str | None, Sequence[str]], bool]
_OPERATORS: Mapping[str, tuple[bool, _Test]] = {  # whether it takes values, and when a label passes
    "In": (True, lambda label, values: label in values),
    "NotIn": (True, lambda label, values: label not in values),
    "Exists": (False, lambda label, _: label is not None),
    "DoesNotExist": (False, lambda label, _: label is None),
}


def matches(selector: JSON, labels: Mapping[str, str]) -> bool:
    """Tell whether a LabelSelector selects an object with these labels: an empty one all, none at all nothing.

    >>> matches({"matchExpressions": [{"key": "role", "operator": "In", "values": ["a", "b"]}]}, {"role": "b"})
    True

    Raises InvalidSelector where the API server's own reading would fail, whatever the labels are.
    """
    if selector is None:
        return False
    if not isinstance(selector, dict):
        raise InvalidSelector("a selector is an object with matchLabels or matchExpressions")
    equal = [_passes(labels, key, "In", [value]) for key, value in object_at(selector, "matchLabels").items()]
    listed = [
        _passes(labels, lookup(each, "key"), lookup(each, "operator"), list_at(each, "values"))
        for each in list_at(selector, "matchExpressions")
    ]
    return all(equal) and all(listed)


def _passes(labels: Mapping[str, str], key: JSON, operator: JSON, values: list[JSON]) -> bool:
    if not isinstance(key, str) or not _is_label_name(key):
        raise InvalidSelector(f"{key!r} is no label name")
    takes_values, test = _OPERATORS.get(operator if isinstance(operator, str) else "", (None, None))
    if test is None:
        raise InvalidSelector(f"{key}: {operator!r} is no operator; there are {', '.join(_OPERATORS)}")
    if bool(values) != takes_values:
        raise InvalidSelector(f"{key}: {operator} takes {'at least one value' if takes_values else 'no values'}")
    texts = [value for value in values if isinstance(value, str) and (not value or _NAME.fullmatch(value))]
    if len(texts) != len(values):
        raise InvalidSelector(f"{key}: a value is no label value")
    return test(labels.get(key), texts)


def _is_label_name(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or _PREFIX.fullmatch(prefix) is None):
        return False
    return _NAME.fullmatch(name) is not None
