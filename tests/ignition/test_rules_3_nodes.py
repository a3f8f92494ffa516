import pytest

from mcs.ignition.versions import NEWEST, SPEC_3, V3_0, V3_3, V3_6
from mcs.jsondata import JSON, JSONObject
from tests.ignition.said import about, before_and_since, since, storage

SPECIAL_BITS = "setuid/setgid/sticky bits are not supported or functional in spec versions older than 3.6.0"


def of(kind: str, node: JSON) -> JSONObject:
    """Make a config of nothing but a node."""
    return {"storage": {kind: [node]}}


@pytest.mark.parametrize("kind", ["directories", "files", "links"])
@pytest.mark.parametrize(
    ("node", "lines"),
    [
        pytest.param({"path": "/a"}, [], id="fine"),
        pytest.param({}, [".path: path not specified"], id="no-path"),
        pytest.param(None, [".path: path not specified"], id="null"),
        pytest.param({"path": "a"}, [".path: path not absolute"], id="relative"),
        pytest.param({"path": "/a/"}, [".path: path is not fully simplified"], id="slash"),
        pytest.param({"path": "/a", "user": {"id": 1}, "group": {"name": "b"}}, [], id="id-or-name"),
        pytest.param({"path": "/a", "user": {"id": 1, "name": ""}}, [], id="id-and-empty-name"),
        pytest.param({"path": "/a", "user": {"id": 0, "name": "b"}}, [".user: cannot set both id and name"], id="user"),
        pytest.param(
            {"path": "/a", "group": {"id": 1, "name": "b"}}, [".group: cannot set both id and name"], id="group"
        ),
    ],
)
def test_nodes(kind: str, node: JSONObject | None, lines: list[str]) -> None:
    target = {"target": "/t"} if kind == "links" else {}
    if node is not None:
        node = {**node, **target}
    expected = [f"error at $.storage.{kind}.0{line}" for line in lines]

    said = about(of(kind, node), NEWEST)

    assert [line for line in said if "target" not in line] == expected


@pytest.mark.parametrize("kind", ["directories", "files"])
@pytest.mark.parametrize(
    ("mode", "is_legal", "is_special"),
    [
        pytest.param(None, True, False, id="null"),
        pytest.param(0, True, False, id="zero"),
        pytest.param(0o777, True, False, id="all-of-nine"),
        pytest.param(0o1000, True, True, id="sticky"),
        pytest.param(0o4755, True, True, id="setuid"),
        pytest.param(0o10000, False, False, id="too-many-bits"),
        pytest.param(0o12000, False, True, id="too-many-bits-and-setgid"),
        pytest.param(-1, False, True, id="negative"),
    ],
)
def test_modes(kind: str, mode: int | None, is_legal: bool, is_special: bool) -> None:
    path = f"at $.storage.{kind}.0.mode"
    errors = [] if is_legal else [f"error {path}: illegal file mode"]
    warnings = [f"warning {path}: {SPECIAL_BITS}"] if is_special else []

    before_and_since(V3_6, of(kind, {"path": "/a", "mode": mode}), errors + warnings, errors)


@pytest.mark.parametrize(
    ("file", "is_fine"),
    [
        pytest.param({"overwrite": True, "contents": {"source": ""}}, True, id="empty-source"),
        pytest.param({"overwrite": False}, True, id="no-overwriting"),
        pytest.param({"overwrite": None}, True, id="null"),
        pytest.param({"overwrite": True}, False, id="no-contents"),
        pytest.param({"overwrite": True, "contents": {"source": None}}, False, id="null-source"),
    ],
)
def test_a_file_is_overwritten_with_something(file: JSONObject, is_fine: bool) -> None:
    message = "error at $.storage.files.0.overwrite: overwrite must be false if source is unspecified"

    assert about(storage(files=[{"path": "/a", **file}]), NEWEST) == ([] if is_fine else [message])


LINK: JSON = {"path": "/l", "target": "/t"}


@pytest.mark.parametrize(
    ("members", "lines"),
    [
        pytest.param({"files": [{"path": "/la"}], "links": [LINK]}, [], id="beside"),
        pytest.param({"files": [{"path": "/l/a/b"}], "links": [LINK]}, ["file path", "files.0"], id="file"),
        pytest.param(
            {"directories": [{"path": "/l/a"}], "links": [LINK]}, ["directory path", "directories.0"], id="dir"
        ),
        pytest.param({"links": [LINK, {"path": "/l/a", "target": "/t"}]}, ["link path", "links.1"], id="link"),
        pytest.param(
            {"files": [{"path": "/h/a"}], "links": [{"path": "/h", "target": "/t", "hard": True}]},
            ["file path", "files.0"],
            id="hard-link",
        ),
    ],
)
def test_no_node_is_below_a_link(members: JSONObject, lines: list[str]) -> None:
    expected = [f"error at $.storage.{lines[1]}: {lines[0]} includes link in config"] if lines else []

    for version in SPEC_3:
        assert about(storage(**members), version) == expected


def test_each_link_above_is_reported() -> None:
    links: JSON = [{"path": "/a", "target": "/t"}, {"path": "/a/b", "target": "/t"}]

    assert about(storage(files=[{"path": "/a/b/c"}], links=links), NEWEST) == [
        "error at $.storage.files.0: file path includes link in config",
        "error at $.storage.files.0: file path includes link in config",
        "error at $.storage.links.1: link path includes link in config",
    ]


@pytest.mark.parametrize("target", [{}, {"target": None}, {"target": ""}])
def test_a_link_needs_a_target_from_3_3_on(target: JSONObject) -> None:
    since(V3_3, storage(links=[{"path": "/l", **target}]), "error at $.storage.links.0.target: link target is required")


@pytest.mark.parametrize(
    ("target", "is_directory"),
    [
        pytest.param("/d", True, id="absolute"),
        pytest.param("/x/..//d/", True, id="not-simplified"),
        pytest.param("../d", True, id="relative-to-the-link-itself"),
        pytest.param("//d", True, id="two-slashes"),
        pytest.param("d", False, id="below-the-link"),
        pytest.param("/d/a", False, id="below-the-directory"),
    ],
)
def test_a_hard_link_leads_to_no_directory(target: str, is_directory: bool) -> None:
    for hard in (True, False):
        config = storage(directories=[{"path": "/d"}], links=[{"path": "/l", "target": target, "hard": hard}])
        message = "error at $.storage.links.0: hard link target is a directory"
        for version in (V3_0, NEWEST):
            assert about(config, version) == ([message] if is_directory and hard else [])


def test_a_hard_link_without_target_leads_to_itself_before_3_3() -> None:
    config = storage(directories=[{"path": "/l/d/.."}], links=[{"path": "/l", "hard": True}])

    assert about(config, V3_0) == [
        "error at $.storage.directories.0: directory path includes link in config",
        "error at $.storage.directories.0.path: path is not fully simplified",
    ]


def test_a_hard_link_has_no_owner_of_its_own() -> None:
    owners: JSONObject = {"user": {"id": 0}, "group": {"name": ""}}
    hard: JSON = {"path": "/l", "target": "/t", "hard": True, **owners}
    soft: JSON = {"path": "/m", "target": "/t", **owners}

    assert about(storage(links=[hard, soft]), NEWEST) == [
        "warning at $.storage.links.0.user.id: user/group ignored for hard link",
        "warning at $.storage.links.0.group.name: user/group ignored for hard link",
    ]


UNIT = "/etc/systemd/system/a.service"
DROPIN = f"{UNIT}.d/b.conf"


@pytest.mark.parametrize("kind", ["directories", "files", "links"])
@pytest.mark.parametrize(
    ("unit", "path", "conflicts"),
    [
        pytest.param({"contents": "[A]"}, UNIT, True, id="unit"),
        pytest.param({"contents": ""}, UNIT, False, id="unit-without-contents"),
        pytest.param({"contents": "[A]"}, DROPIN, False, id="no-such-dropin"),
        pytest.param({"dropins": [{"name": "b.conf", "contents": "[A]"}]}, DROPIN, True, id="dropin"),
        pytest.param({"dropins": [{"name": "b.conf", "contents": "[A]"}]}, UNIT, False, id="unit-of-dropin"),
        pytest.param({"dropins": [{"name": "b.conf"}]}, DROPIN, False, id="dropin-without-contents"),
    ],
)
def test_no_node_is_a_unit_as_well(kind: str, unit: JSONObject, path: str, conflicts: bool) -> None:
    node: JSONObject = {"path": path, "target": "/t"} if kind == "links" else {"path": path}
    config: JSONObject = {**of(kind, node), "systemd": {"units": [{"name": "a.service", **unit}]}}
    message = f"error at $.storage.{kind}.0.path: path conflicts with systemd unit or dropin"

    assert about(config, NEWEST) == ([message] if conflicts else [])


def test_links_of_one_path_are_duplicates_and_count_as_one_above_a_node() -> None:
    links: JSON = [{"path": "/a", "target": "/t"}, {"path": "/a", "target": "/u"}]

    assert about(storage(files=[{"path": "/a/b"}], links=links), NEWEST) == [
        "error at $.storage.files.0: file path includes link in config",
        "error at $.storage.links.1: duplicate entry defined",
    ]


def test_directories_of_one_path_are_duplicates_and_count_as_one_target() -> None:
    config = storage(directories=[{"path": "/d"}, {"path": "/d"}], links=[{"path": "/l", "target": "/d", "hard": True}])

    assert about(config, NEWEST) == [
        "error at $.storage.links.0: hard link target is a directory",
        "error at $.storage.directories.1: duplicate entry defined",
    ]
