"""Which of several documents something in their merged one comes from."""

import pytest

from mcs.ignition.report import Path
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.provenance import last_to_say
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
