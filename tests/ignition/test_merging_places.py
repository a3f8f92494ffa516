"""Merging at every place of the table: what holds of each kind of list and of scalars, wherever the spec has one."""

import itertools

import pytest

from mcs.ignition.fields import CONCATENATED, ITSELF, ListOf, Scalar, Struct
from mcs.ignition.merging import merge
from mcs.ignition.schema import Row, rows
from mcs.ignition.versions import NEWEST
from mcs.jsondata import JSON, JSONObject

ROWS = {row.path: row for row in rows()}


def placed(path: str, value: JSON) -> JSONObject:
    """Return a config with nothing but a value at this place; lists around it have one item, always the same one."""
    names = path.removesuffix("[]").split(".")
    for depth in range(len(names) - 1, -1, -1):
        name = names[depth].removesuffix("[]")
        value = {name: [value] if names[depth].endswith("[]") else value}
        place = ".".join(names[:depth])
        if place.endswith("[]"):
            value = {**key_of(place, "same"), **value}
    assert isinstance(value, dict)
    ignition = value.get("ignition", {})
    assert isinstance(ignition, dict)
    return value | {"ignition": {**ignition, "version": str(NEWEST)}}


def key_of(place: str, text: str) -> JSONObject:
    """What makes an item of this list the item that `text` names."""
    kind = ROWS[place].field.type
    assert isinstance(kind, ListOf)
    assert kind.key
    name = kind.key[0]
    assert isinstance(kind.element, Struct)
    return {name: text if kind.element.fields[name].type is Scalar.TEXT else sum(text.encode())}


def found(merged: JSON, path: str) -> JSON:
    """Return the value at this place of what came of merging, in which each list around it must have one item."""
    for name in path.removesuffix("[]").split("."):
        assert isinstance(merged, dict)
        merged = merged.get(name.removesuffix("[]"))
        if name.endswith("[]"):
            assert isinstance(merged, list)
            assert len(merged) == 1, f"the items around {path} are the same one and must become one"
            merged = merged[0]
    return merged


def within_concatenated(path: str) -> bool:
    """Whether a list around the place has no keys, so that two items around it never are the same."""
    around = [path[: index + 2] for index in range(len(path) - 2) if path[index : index + 2] == "[]"]
    kinds = [ROWS[place].field.type for place in around]
    return any(isinstance(kind, ListOf) and kind.key is CONCATENATED for kind in kinds)


MERGEABLE = [row for row in rows() if not within_concatenated(row.path)]


def itemised(kind: ListOf, names: str) -> list[JSON]:
    return [{"source": name} if isinstance(kind.element, Struct) else name for name in names]


def lists_with(key: str) -> list[object]:
    def kind(row: Row) -> str:
        assert isinstance(row.field.type, ListOf)
        return {ITSELF: "itself", CONCATENATED: "none"}.get(row.field.type.key, "members")

    chosen = [row for row in MERGEABLE if isinstance(row.field.type, ListOf) and kind(row) == key]
    return [pytest.param(row.path, id=row.path) for row in chosen]


@pytest.mark.parametrize("path", lists_with("members"))
def test_items_of_one_key_become_one_at_the_parents_place_and_new_ones_follow(path: str) -> None:
    extra = {"value": "v"} if path.endswith("httpHeaders[]") else {}
    parent: list[JSON] = [{**key_of(path, name), **extra} for name in ("a", "b", "c")]
    child: list[JSON] = [{**key_of(path, name), **extra} for name in ("e", "c", "d", "a")]

    merged = merge(placed(path, parent), placed(path, child))

    assert found(merged, path) == [{**key_of(path, name), **extra} for name in ("a", "b", "c", "e", "d")]


@pytest.mark.parametrize("path", lists_with("itself"))
def test_texts_become_a_set_in_order(path: str) -> None:
    merged = merge(placed(path, ["a", "b", "c"]), placed(path, ["e", "c", "d", "a"]))

    assert found(merged, path) == ["a", "b", "c", "e", "d"]


@pytest.mark.parametrize("path", lists_with("none"))
def test_lists_without_keys_are_concatenated(path: str) -> None:
    kind = ROWS[path].field.type
    assert isinstance(kind, ListOf)
    a, b, c = itemised(kind, "abc")

    assert found(merge(placed(path, [a, b]), placed(path, [b, c])), path) == [a, b, b, c]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(one.path, other.path, id=f"{other.path} takes {one.path} away")
        for one, other in itertools.permutations([row for row in rows() if isinstance(row.field.type, ListOf)], 2)
        if isinstance(one.field.type, ListOf)
        and isinstance(other.field.type, ListOf)
        and one.field.type.group
        and one.field.type.group == other.field.type.group
    ],
)
def test_lists_of_a_group_share_their_keys(one: str, other: str) -> None:
    def items(*names: str) -> list[JSON]:
        kind = ROWS[one].field.type
        assert isinstance(kind, ListOf)
        return [key_of(one, name) if isinstance(kind.element, Struct) else name for name in names]

    merged = merge(placed(one, items("a", "b", "c")), placed(other, items("b")))

    assert found(merged, one) == items("a", "c")
    assert found(merged, other) == items("b")


KEYS = {
    f"{row.path}.{name}" for row in rows() if isinstance(row.field.type, ListOf) for name in row.field.type.key or ()
}
SCALARS = [row for row in MERGEABLE if isinstance(row.field.type, Scalar) and row.path not in KEYS]
TELLING: dict[Scalar, tuple[JSON, JSON]] = {
    Scalar.TEXT: ("theirs", "ours"),
    Scalar.INTEGER: (7, 8),
    Scalar.BOOLEAN: (True, False),
}


def without_nulls(value: JSON) -> JSON:
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {name: without_nulls(member) for name, member in value.items() if member is not None}
    return value


@pytest.mark.parametrize("row", [pytest.param(row, id=row.path) for row in SCALARS if row.path != "ignition.version"])
def test_a_scalar_is_the_childs_where_it_sets_one_even_to_zero_and_else_the_parents(row: Row) -> None:
    assert isinstance(row.field.type, Scalar)
    theirs, ours = TELLING[row.field.type]
    parent, null = placed(row.path, theirs), placed(row.path, None)
    absent = without_nulls(null)
    assert isinstance(absent, dict)

    assert found(merge(parent, placed(row.path, ours)), row.path) == ours
    assert found(merge(parent, placed(row.path, row.field.type.zero)), row.path) == row.field.type.zero
    if not row.path.endswith("httpHeaders[].value"):  # one without a value is a rule of its own
        assert found(merge(parent, null), row.path) == theirs
        assert found(merge(parent, absent), row.path) == theirs


def test_the_table_has_no_plain_scalar_that_an_object_with_nothing_in_it_could_clobber() -> None:
    """The reference skips an object that is zero altogether. Only a plain scalar could tell; the version is always set.

    Before 3.3 a custom pin has some, but there it is optional itself, and not skipped.
    """
    assert [
        f"{row.path}.{name}"
        for row in rows()
        if isinstance(row.field.type, Struct)
        for name, field in row.field.type.fields.items()
        if isinstance(field.type, Scalar)
        and (field.optional_since is None or field.optional_since > row.since)
        and (row.field.optional_before is None or row.field.optional_before != field.optional_since)
    ] == ["ignition.version"]
