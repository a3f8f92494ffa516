import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.jsondata import JSON, compact, encode, integer_at, list_at, lookup, object_at, text_at, texts_at

json_values: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_what_is_written_reads_back_the_same(document: JSON) -> None:
    assert json.loads(compact(document)) == document
    assert json.loads(encode(document)) == document
    assert json.loads(encode(document, indent=4)) == document


def test_members_keep_their_order_and_non_ascii_stays_readable() -> None:
    assert encode({"b": "é", "a": 1}) == '{"b":"é","a":1}'.encode()


def test_a_lone_surrogate_is_escaped_rather_than_refused() -> None:
    assert encode("\ud800") == b'"\\ud800"'


@pytest.mark.parametrize(
    ("document", "keys"),
    [
        pytest.param({"a": {"b": 1}}, ("a", "c"), id="absent"),
        pytest.param({"a": None}, ("a", "b"), id="null on the way"),
        pytest.param({"a": [1]}, ("a", "0"), id="a list on the way"),
        pytest.param("text", ("a",), id="no object at all"),
    ],
)
def test_a_lookup_of_what_is_not_there(document: JSON, keys: tuple[str, ...]) -> None:
    assert lookup(document, *keys) is None
    assert text_at(document, *keys) is None
    assert integer_at(document, *keys) is None
    assert object_at(document, *keys) == {}
    assert list_at(document, *keys) == []
    assert texts_at(document, *keys) == {}


def test_values_of_another_type_are_none() -> None:
    document: JSON = {"text": "", "flag": True, "number": 1, "labels": {"a": "x", "b": 2}}
    assert text_at(document, "text") is None
    assert text_at(document, "number") is None
    assert integer_at(document, "flag") is None
    assert integer_at(document, "number") == 1
    assert texts_at(document, "labels") == {"a": "x"}
