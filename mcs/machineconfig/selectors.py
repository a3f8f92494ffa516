"""Label selectors, as Kubernetes reads them. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence

from mcs.jsondata import JSON, list_at, lookup, object_at

__all__ = ["InvalidSelector", "Selects", "is_empty", "matches", "selecting"]


class InvalidSelector(ValueError):
    """The selector selects nothing that could be told: its text says which requirement is wrong, and why."""


_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")

Selects = Callable[[Mapping[str, str]], bool]

_Test = Callable[[str | None, Sequence[str]], bool]
_OPERATORS: Mapping[str, tuple[bool, _Test]] = {  # whether it takes values, and when a label passes
    "In": (True, lambda label, values: label in values),
    "NotIn": (True, lambda label, values: label not in values),
    "Exists": (False, lambda label, _: label is not None),
    "DoesNotExist": (False, lambda label, _: label is None),
}


def is_empty(selector: JSON) -> bool:
    """Tell whether a LabelSelector requires nothing, or is none at all."""
    return not (object_at(selector, "matchLabels") or list_at(selector, "matchExpressions"))


def selecting(selector: JSON) -> Selects:
    """Read a LabelSelector; return what tells whether it selects an object with given labels.

    An empty one selects all, none at all nothing.

    >>> selects = selecting({"matchExpressions": [{"key": "role", "operator": "In", "values": ["a", "b"]}]})
    >>> selects({"role": "b"}), selects({})
    (True, False)

    Raises InvalidSelector where the API server's own reading would fail, even if there is nothing to select from.
    """
    if selector is None:
        return lambda _: False
    if not isinstance(selector, dict):
        raise InvalidSelector("a selector is an object with matchLabels or matchExpressions")
    requirements = [_requirement(key, "In", [value]) for key, value in object_at(selector, "matchLabels").items()]
    requirements += [
        _requirement(lookup(each, "key"), lookup(each, "operator"), list_at(each, "values"))
        for each in list_at(selector, "matchExpressions")
    ]
    return lambda labels: all(passes(labels) for passes in requirements)


def matches(selector: JSON, labels: Mapping[str, str]) -> bool:
    """Tell whether a LabelSelector selects an object with these labels; see `selecting`, which is for many of them."""
    return selecting(selector)(labels)


def _requirement(key: JSON, operator: JSON, values: list[JSON]) -> Selects:
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
    return lambda labels: test(labels.get(key), texts)


def _is_label_name(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or _PREFIX.fullmatch(prefix) is None):
        return False
    return _NAME.fullmatch(name) is not None
