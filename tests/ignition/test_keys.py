"""What makes two items of a list the same one."""

import pytest

from mcs.ignition.fields import ITSELF, ListOf, Scalar, Struct
from mcs.ignition.keys import Key, key_of
from mcs.jsondata import JSON

TEXTS = ListOf(Scalar.TEXT, ITSELF)
FILES = ListOf(Struct("file", {}), ("path",))
PARTITIONS = ListOf(Struct("partition", {}), ("number", "label"))


@pytest.mark.parametrize(
    ("kind", "item", "key"),
    [
        pytest.param(TEXTS, "a", "a", id="a text is its own"),
        pytest.param(TEXTS, None, "", id="a null text is empty"),
        pytest.param(FILES, {"path": "/a", "mode": 1}, "/a", id="one member"),
        pytest.param(FILES, {"mode": 1}, "", id="without it"),
        pytest.param(FILES, {"path": None}, "", id="null is without it"),
        pytest.param(FILES, None, "", id="a null object has nothing in it"),
        pytest.param(PARTITIONS, {"number": 1, "label": "a"}, ("number", 1), id="the first of two"),
        pytest.param(PARTITIONS, {"number": 0, "label": "a"}, ("label", "a"), id="0 is no number"),
        pytest.param(PARTITIONS, {"label": ""}, ("label", ""), id="an empty label is one"),
        pytest.param(PARTITIONS, {}, "", id="neither"),
    ],
)
def test_what_identifies_an_item(kind: ListOf, item: JSON, key: Key) -> None:
    assert key_of(kind, item) == key
