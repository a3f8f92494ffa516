"""What keeps running machines from going from one rendered config to another."""

import pytest

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.reconciling import obstacles
from tests.machineconfig.machine_configs import file, files, ignition

BARE = ignition()


def said(before: JSONObject, after: JSONObject) -> list[str]:
    return [each.message for each in obstacles(before, after)]


def storage(**lists: JSON) -> JSONObject:
    return ignition(storage={**lists})


def user(name: str = "core", **members: JSON) -> JSONObject:
    return ignition(passwd={"users": [{"name": name, **members}]})


@pytest.mark.parametrize(
    ("config", "what"),
    [
        pytest.param(ignition(passwd={"groups": [{"name": "a"}]}), "groups", id="groups"),
        pytest.param(
            ignition(kernelArguments={"shouldExist": ["a"]}), "Ignition's own kernel arguments", id="arguments"
        ),
        pytest.param(
            ignition(kernelArguments={"shouldNotExist": ["a"]}), "Ignition's own kernel arguments", id="no-arguments"
        ),
        pytest.param(storage(disks=[{"device": "/dev/a"}]), "disks", id="disks"),
        pytest.param(storage(filesystems=[{"device": "/dev/a"}]), "filesystems", id="filesystems"),
        pytest.param(storage(raid=[{"name": "a"}]), "RAID arrays", id="raid"),
        pytest.param(storage(directories=[{"path": "/a"}]), "directories", id="directories"),
    ],
)
def test_what_may_neither_come_nor_go(config: JSONObject, what: str) -> None:
    expected = [f"{what} cannot be changed once machines run"]

    assert said({"config": BARE}, {"config": config}) == expected
    assert said({"config": config}, {"config": BARE}) == expected
    assert said({"config": config}, {"config": config}) == []


def test_links_may_go_but_neither_come_nor_change() -> None:
    one, other = storage(links=[{"path": "/a", "target": "b"}]), storage(links=[{"path": "/a", "target": "c"}])
    expected = ["links cannot be changed once machines run"]

    assert said({"config": one}, {"config": BARE}) == []
    assert said({"config": BARE}, {"config": one}) == expected
    assert said({"config": one}, {"config": other}) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(user(), user(sshAuthorizedKeys=["a"]), [], id="keys"),
        pytest.param(user(), user(passwordHash="a"), [], id="password"),
        pytest.param(user(sshAuthorizedKeys=["a"]), BARE, [], id="nobody-is-left"),
        pytest.param(user("root"), user("root"), [], id="another-user-that-stays"),
        pytest.param(BARE, user("root"), ["user root: only core can be changed once machines run"], id="another-user"),
        pytest.param(
            user(),
            user(uid=1, shell="/bin/sh"),
            ["user core: shell, uid cannot be set once machines run, only keys and the password hash"],
            id="other-members",
        ),
    ],
)
def test_users(before: JSONObject, after: JSONObject, expected: list[str]) -> None:
    assert said({"config": before}, {"config": after}) == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(files(file("/a", mode=0o600)), [], id="a-file"),
        pytest.param(
            files({"path": "/a", "append": [{"source": "data:,a"}]}),
            ["file /a: only an installation appends to files"],
            id="append",
        ),
        pytest.param(
            files(file("/run/machine-config-daemon-force")),
            ["file /run/machine-config-daemon-force is the daemon's own"],
            id="force-file",
        ),
    ],
)
def test_files(config: JSONObject, expected: list[str]) -> None:
    assert said({"config": BARE}, {"config": config}) == expected
    assert said({"config": config}, {"config": config}) == expected  # whoever brought them there


@pytest.mark.parametrize(
    ("before", "after", "blocks"),
    [
        pytest.param({"fips": False}, {"fips": True}, True, id="on"),
        pytest.param({"fips": True}, {"fips": False}, True, id="off"),
        pytest.param({}, {"fips": False}, False, id="absent-is-off"),
    ],
)
def test_fips(before: JSONObject, after: JSONObject, blocks: bool) -> None:
    expected = ["fips cannot be changed once machines run"] if blocks else []

    assert said(before | {"config": BARE}, after | {"config": BARE}) == expected


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(storage(luks=[{"name": "a", "device": "/dev/a"}]), id="luks"),
        pytest.param(ignition() | {"ignition": {"version": "3.5.0", "timeouts": {"httpTotal": 1}}}, id="timeouts"),
        pytest.param(ignition(systemd={"units": [{"name": "a.service"}]}), id="units"),
    ],
)
def test_what_is_not_compared(config: JSONObject) -> None:
    assert said({"config": BARE}, {"config": config}) == []
    assert said({"config": config}, {"config": BARE}) == []


def test_an_obstacle_says_where_it_is_and_nowhere_if_something_is_missing() -> None:
    one = storage(directories=[{"path": "/a"}])
    two = storage(directories=[{"path": "/a"}, {"path": "/b"}])

    assert [each.path for each in obstacles({"config": one}, {"config": two})] == [
        ("config", "storage", "directories", 1)
    ]
    assert [each.path for each in obstacles({"config": two}, {"config": one})] == [None]


def test_all_obstacles_are_told() -> None:
    after: JSONObject = {"fips": True, "config": storage(disks=[{"device": "/dev/a"}], directories=[{"path": "/a"}])}

    assert len(said({"config": BARE}, after)) == 3
