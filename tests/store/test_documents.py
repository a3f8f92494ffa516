"""Documents: merge patches as RFC 7396 has them, and the laws of generation and sameness."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import Kind
from mcs.store.documents import Content, DocumentRefused, decode, encode, merge_patch, patched, replaced, same

NAMES = st.sampled_from(["a", "b", "status", "spec"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        # The examples of RFC 7396, appendix A, in its order.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patch(target: JSON, patch: JSON, result: JSON) -> None:
    before = copy.deepcopy(target)
    assert merge_patch(target, patch) == result
    assert target == before


@given(VALUES, VALUES)
def test_a_merge_patch_twice_is_once(target: JSON, patch: JSON) -> None:
    once = merge_patch(target, patch)
    assert same(merge_patch(once, patch), once)


@given(OBJECTS)
def test_what_is_encoded_is_decoded(document: JSONObject) -> None:
    assert repr(decode(encode(document))) == repr(document)


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "null", '"a"', "[" * 100_000])
def test_what_is_no_object_is_not_decoded(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(text)


def test_a_document_nested_too_deeply_is_refused() -> None:
    deep: JSON = {}
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(DocumentRefused, match="nested too deeply"):
        encode(deep)
    with pytest.raises(DocumentRefused, match="nested too deeply"):
        same(deep, {})
    while isinstance(deep, list):  # taken apart by hand: deep structures are freed recursively otherwise
        (deep,) = deep


@given(OBJECTS, OBJECTS)
def test_generation_grows_exactly_with_what_is_outside_metadata_and_status(old: JSONObject, new: JSONObject) -> None:
    stored = Content({}, old, 5)
    after = replaced(Kind.NODE, "n", stored, {"metadata": {"name": "n", "labels": {"a": "1"}}, **new})
    changed = json.dumps({**old, "status": 0}, sort_keys=True) != json.dumps({**new, "status": 0}, sort_keys=True)
    assert after.generation == 5 + changed


@given(OBJECTS, OBJECTS)
def test_a_patch_is_a_merge_patch_of_the_document(old: JSONObject, patch: JSONObject) -> None:
    after = patched(Kind.NODE, "n", Content({}, old, 1), patch)
    assert same(after.body, merge_patch(old, patch))


@given(OBJECTS)
def test_applying_what_is_stored_changes_nothing(document: JSONObject) -> None:
    stored = replaced(Kind.NODE, "n", None, {"metadata": {"name": "n"}, **document})
    again = replaced(Kind.NODE, "n", stored, {"metadata": {"name": "n", "uid": "x"}, **document})
    assert again.body is stored.body
    assert again == stored


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        pytest.param(
            {"labels": {}, "annotations": {}, "finalizers": [], "ownerReferences": []}, {}, id="empty is none"
        ),
        pytest.param({"labels": None, "namespace": None}, {}, id="null is none"),
        pytest.param({"labels": {"a": None, "b": "1"}}, {"labels": {"b": "1"}}, id="a null label is none"),
        pytest.param({"annotations": {"a": None}}, {}, id="nothing but a null annotation"),
        pytest.param({"namespace": "x", "uid": "y"}, {"namespace": "x"}, id="what is not the store's is kept"),
    ],
)
def test_there_is_one_way_to_say_none(metadata: JSONObject, expected: JSONObject) -> None:
    assert replaced(Kind.NODE, "n", None, {"metadata": {"name": "n", **metadata}}).metadata == expected
    assert patched(Kind.NODE, "n", Content({}, {}, 1), {"metadata": metadata}).metadata == expected


@pytest.mark.parametrize("metadata", ["x", 1, [], True])
def test_metadata_can_only_be_patched_by_an_object(metadata: JSON) -> None:
    with pytest.raises(DocumentRefused, match="metadata must be an object"):
        patched(Kind.NODE, "n", Content({}, {}, 1), {"metadata": metadata})


def test_metadata_patched_away_leaves_what_the_store_owns() -> None:
    stored = Content({"labels": {"a": "1"}}, {"spec": {}}, 3)
    assert patched(Kind.NODE, "n", stored, {"metadata": None}) == Content({}, {"spec": {}}, 3)
