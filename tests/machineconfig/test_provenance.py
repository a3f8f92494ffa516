"""Which of several documents something in their merged one comes from."""

import pytest

from mcs.ignition.report import Path
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.provenance import last_to_say, place_in
from tests.machineconfig.machine_configs import file, files, unit

MERGED: JSONObject = {
    "config": {**files(file("/a"), file("/b")), "systemd": {"units": [{"name": "a.service"}]}},
    "kernelArguments": ["x", "y"],
    "fips": True,
}
DOCUMENTS: list[tuple[str, JSONObject]] = [
    ("first", {"config": files(file("/a")), "kernelArguments": ["x"], "fips": True}),
    ("second", {"config": files(file("/c"), file("/b"))}),
    ("third", {"config": unit("a.service"), "kernelArguments": ["y"], "fips": None}),
]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        pytest.param(("config", "storage", "files", 0), "first", id="item-by-its-path"),
        pytest.param(("config", "storage", "files", 1), "second", id="item-at-another-index"),
        pytest.param(("config", "storage", "files", 1, "contents", "source"), "second", id="within-an-item"),
        pytest.param(("config", "systemd", "units", 0), "third", id="item-by-its-name"),
        pytest.param(("kernelArguments", 0), "first", id="text"),
        pytest.param(("kernelArguments", 1), "third", id="another-text"),
        pytest.param(("fips",), "first", id="null-says-nothing"),
        pytest.param(("config", "ignition", "version"), "third", id="the-last-of-several"),
        pytest.param(("config", "passwd"), None, id="nobody"),
        pytest.param(("config", "storage", "files", 9), None, id="beyond-the-end"),
    ],
)
def test_who_said_it_last(path: Path, name: str | None) -> None:
    assert last_to_say(path, MERGED, DOCUMENTS) == name


@pytest.mark.parametrize("identity", ["path", "name", "device", "source", "url"])
def test_an_item_is_told_by_what_identifies_it(identity: str) -> None:
    one: JSON = {identity: "a", "mode": 1}
    other: JSON = {identity: "b", "mode": 1}
    documents: list[tuple[str, JSONObject]] = [("first", {"items": [one]}), ("second", {"items": [other]})]

    assert last_to_say(("items", 0), {"items": [one, other]}, documents) == "first"
    assert last_to_say(("items", 1), {"items": [one, other]}, documents) == "second"


TWICE: JSONObject = {"units": [{"name": "a", "contents": "new", "dropins": [{"name": "d", "contents": "x"}]}]}
WHO: list[tuple[str, JSONObject]] = [
    ("contents", {"units": [{"name": "b"}, {"name": "a", "contents": "old", "dropins": []}]}),
    ("new", {"units": [{"name": "a", "contents": "new"}]}),
    ("dropin", {"units": [{"name": "a", "dropins": [{"name": "e"}, {"name": "d", "contents": "x"}]}]}),
    ("name-alone", {"units": [{"name": "a", "dropins": [{"name": "d"}]}]}),
]


@pytest.mark.parametrize(
    ("path", "name", "place"),
    [
        pytest.param(("units", 0, "contents"), "new", ("units", 0, "contents"), id="who-says-the-member"),
        pytest.param(
            ("units", 0, "dropins", 0, "contents"), "dropin", ("units", 0, "dropins", 1, "contents"), id="a-nested-list"
        ),
        pytest.param(("units", 0, "dropins", 0), "name-alone", ("units", 0, "dropins", 0), id="the-item-itself"),
        pytest.param(("units", 0, "enabled"), "name-alone", None, id="a-member-that-nobody-says"),
    ],
)
def test_who_has_a_list_entry_is_not_who_says_what_is_in_it(path: Path, name: str, place: Path | None) -> None:
    assert last_to_say(path, TWICE, WHO) == name
    assert place_in(dict(WHO)[name], path, TWICE) == place


@pytest.mark.parametrize(
    ("document", "place"),
    [
        pytest.param({"items": [{"path": "/b"}, {"path": "/a", "mode": 1}]}, ("items", 1, "mode"), id="another-index"),
        pytest.param({"items": [{"path": "/a", "mode": 1}] * 2}, ("items", 1, "mode"), id="the-last-of-several"),
        pytest.param({"Items": [{"Path": "/a", "MODE": 1}]}, ("Items", 0, "MODE"), id="in-another-case"),
        pytest.param({"items": [{"path": "/a", "mode": 2}]}, None, id="another-value"),
        pytest.param({"items": [{"path": "/b", "mode": 1}]}, None, id="another-item"),
        pytest.param({"items": {}}, None, id="another-shape"),
        pytest.param({}, None, id="nothing"),
    ],
)
def test_where_a_document_says_it(document: JSONObject, place: Path | None) -> None:
    assert place_in(document, ("items", 0, "mode"), {"items": [{"path": "/a", "mode": 1}]}) == place
