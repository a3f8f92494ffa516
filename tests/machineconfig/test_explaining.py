"""Where something in a rendered config is from, and what it overrode."""

import pytest

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.components import component
from mcs.machineconfig.explaining import Contribution, Explanation, explain, near
from mcs.machineconfig.subjects import Subject
from tests.machineconfig.machine_configs import (
    BUILD_ANNOTATION,
    file,
    files,
    ignition,
    machine_config,
    rendered,
    unit,
)


def explained(what: str, *configs: JSONObject) -> list[Explanation]:
    made = rendered(*configs)
    by_name = {str(config["metadata"]["name"]): config for config in configs}  # type: ignore[call-overload, index]  # made above
    return explain(what, [component(by_name[name]) for name in made.source], made.spec)


def link(path: str) -> JSONObject:
    return ignition(storage={"links": [{"path": path, "target": "b"}]})


@pytest.mark.parametrize(
    ("what", "configs", "contributions"),
    [
        pytest.param(
            "/a",
            [machine_config("00", config=files(file("/a", mode=1)))],
            [Contribution("00", "file", new=("contents", "mode"))],
            id="one",
        ),
        pytest.param(
            "/a",
            [
                machine_config("00", config=files(file("/a", mode=1))),
                machine_config("01", config=files(file("/a", "data:,b", mode=1))),
                machine_config("02", config=files(file("/b"))),
                machine_config("03", config=files(file("/a", "data:,c", mode=2))),
            ],
            [
                Contribution("00", "file", new=("contents", "mode")),
                Contribution("01", "file", repeated=("mode",), replaced=(("contents", "00"),)),
                Contribution("03", "file", replaced=(("contents", "01"), ("mode", "00"))),
            ],
            id="each-replaces-what-the-last-one-said",
        ),
        pytest.param(
            "/a",
            [
                machine_config("00", role="infra", config=files(file("/a"))),
                machine_config("99", config=files(file("/a"))),
            ],
            [
                Contribution("99", "file", new=("contents",)),
                Contribution("00", "file", repeated=("contents",)),
            ],
            id="in-the-order-of-merging",
        ),
        pytest.param(
            "/a",
            [machine_config("00", config=link("/a")), machine_config("01", config=files(file("/a")))],
            [
                Contribution("00", "link", new=("target",)),
                Contribution("01", "file", new=("contents",), instead_of=(Subject("link", "/a"), "00")),
            ],
            id="another-kind-at-the-same-path",
        ),
        pytest.param(
            "core",
            [
                machine_config("00", config=ignition(passwd={"users": [{"name": "core", "sshAuthorizedKeys": ["a"]}]})),
                machine_config("01", config=ignition(passwd={"users": [{"name": "core", "sshAuthorizedKeys": ["b"]}]})),
            ],
            [
                Contribution("00", "user", new=("sshAuthorizedKeys",)),
                Contribution("01", "user", added=("sshAuthorizedKeys",)),
            ],
            id="lists-grow",
        ),
        pytest.param(
            "a.service/1.conf",
            [
                machine_config("00", config=unit("a.service", dropins=[{"name": "1.conf", "contents": "[A]\n"}])),
                machine_config("01", config=unit("a.service", enabled=True)),
            ],
            [Contribution("00", "drop-in", new=("contents",))],
            id="drop-in",
        ),
        pytest.param(
            "x",
            [machine_config("00", kernelArguments=["x"]), machine_config("01", kernelArguments=["x", "y"])],
            [
                Contribution("00", "kernel argument", new=("",)),
                Contribution("01", "kernel argument", added=("",)),
            ],
            id="argument-once-more",
        ),
        pytest.param(
            "osImageURL",
            [
                machine_config("00", osImageURL="a"),
                machine_config("01", osImageURL="b"),
                machine_config("02", osImageURL="c", annotations={BUILD_ANNOTATION: "b1"}),
            ],
            [
                Contribution("00", "member", new=("",)),
                Contribution("01", "member", replaced=(("", "00"),)),
            ],
            id="image-of-people-only",
        ),
        pytest.param("osImageURL", [machine_config("00")], [], id="default-image"),
        pytest.param(
            "kernelType",
            [machine_config("00", kernelType="realtime"), machine_config("01", kernelType="default")],
            [Contribution("00", "member", new=("",))],
            id="the-default-kernel-says-nothing",
        ),
        pytest.param(
            "fips",
            [machine_config("00", fips=True), machine_config("01", fips=False)],
            [Contribution("00", "member", new=("",))],
            id="fips",
        ),
    ],
)
def test_contributions(what: str, configs: list[JSONObject], contributions: list[Contribution]) -> None:
    [explanation] = explained(what, *configs)

    assert list(explanation.contributions) == contributions


def test_a_name_may_stand_for_several_things() -> None:
    people: JSON = {"users": [{"name": "core"}], "groups": [{"name": "core"}]}

    found = explained("core", machine_config("00", config=ignition(passwd=people)))

    assert {each.subject.kind for each in found} == {"user", "group"}


def test_all_arguments_at_once() -> None:
    found = explained("kernelArguments", machine_config("00", kernelArguments=["a", "b"], extensions=["ipsec"]))

    assert [each.subject.name for each in found] == ["a", "b"]


def test_what_is_not_there() -> None:
    config = machine_config("00", config=files(file("/etc/chrony.conf")))

    assert explained("/etc/crony.conf", config) == []
    assert near("/etc/crony.conf", rendered(config).spec) == "/etc/chrony.conf"
    assert near("zzz", rendered(config).spec) is None
