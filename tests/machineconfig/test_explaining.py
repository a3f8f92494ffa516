"""Where something in a rendered config is from, and what it overrode."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.components import component
from mcs.machineconfig.explaining import Contribution, Explanation, ForeignHeader, explain, is_known, near
from mcs.machineconfig.subjects import Subject, leaves, subjects
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


def keys(*said: str) -> JSONObject:
    return ignition(passwd={"users": [{"name": "core", "sshAuthorizedKeys": list(said)}]})


def appended(source: str) -> JSONObject:
    return files({"path": "/a", "append": [{"source": source}]})


def resource(source: str | None = None, **members: JSON) -> JSONObject:
    return files({"path": "/a", "contents": {**({"source": source} if source else {}), **members}})


def header(value: str | None) -> JSON:
    return [{"name": "X", "value": value} if value is not None else {"name": "X"}]


def link(path: str) -> JSONObject:
    return ignition(storage={"links": [{"path": path, "target": "b"}]})


@pytest.mark.parametrize(
    ("what", "configs", "contributions"),
    [
        pytest.param(
            "/a",
            [machine_config("00", config=files(file("/a", mode=1)))],
            [Contribution("00", "file", new=("contents.source", "mode"))],
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
                Contribution("00", "file", new=("contents.source", "mode")),
                Contribution("01", "file", repeated=("mode",), replaced=(("contents.source", "00"),)),
                Contribution("03", "file", replaced=(("contents.source", "01"), ("mode", "00"))),
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
                Contribution("99", "file", new=("contents.source",)),
                Contribution("00", "file", repeated=("contents.source",)),
            ],
            id="in-the-order-of-merging",
        ),
        pytest.param(
            "/a",
            [machine_config("00", config=link("/a")), machine_config("01", config=files(file("/a")))],
            [
                Contribution("00", "link", new=("target",)),
                Contribution("01", "file", new=("contents.source",), instead_of=(Subject("link", "/a"), "00")),
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
            "core",
            [
                machine_config("00", config=keys("a", "b")),
                machine_config("01", config=keys("b")),
                machine_config("02", config=keys("b", "c")),
                machine_config("03", config=keys("a")),
            ],
            [
                Contribution("00", "user", new=("sshAuthorizedKeys",)),
                Contribution("01", "user", repeated=("sshAuthorizedKeys",)),
                Contribution("02", "user", added=("sshAuthorizedKeys",)),
                Contribution("03", "user", repeated=("sshAuthorizedKeys",)),
            ],
            id="lists-in-which-nothing-stands-twice",
        ),
        pytest.param(
            "/a",
            [
                machine_config("00", config=appended("data:,a")),
                machine_config("01", config=appended("data:,a")),
            ],
            [
                Contribution("00", "file", new=("append",)),
                Contribution("01", "file", added=("append",)),
            ],
            id="what-is-appended-stands-twice",
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
            "x",
            [
                machine_config("00", config=ignition(kernelArguments={"shouldExist": ["x"]})),
                machine_config("01", config=ignition(kernelArguments={"shouldExist": ["x"]})),
            ],
            [
                Contribution("00", "kernel argument of the first boot", new=("",)),
                Contribution("01", "kernel argument of the first boot", repeated=("",)),
            ],
            id="argument-of-the-first-boot-that-stands-once",
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
        pytest.param(
            "fips",
            [machine_config("00"), machine_config("01", fips=False), machine_config("02", fips=False)],
            [Contribution("01", "member", new=("",)), Contribution("02", "member", repeated=("",))],
            id="no-fips-said",
        ),
        pytest.param("fips", [machine_config("00")], [], id="no-fips-by-default"),
    ],
)
def test_contributions(what: str, configs: list[JSONObject], contributions: list[Contribution]) -> None:
    [explanation] = explained(what, *configs)

    assert list(explanation.contributions) == contributions


# ---- the members of a content

HASH = "sha256-" + "0" * 64


@pytest.mark.parametrize(
    ("configs", "contributions"),
    [
        pytest.param(
            [
                machine_config("00", config=resource("https://a", compression="gzip", verification={"hash": HASH})),
                machine_config("01", config=resource("https://b")),
            ],
            [
                Contribution(
                    "00",
                    "file",
                    new=("contents.source", "contents.compression", "contents.verification.hash"),
                ),
                Contribution(
                    "01",
                    "file",
                    replaced=(("contents.source", "00"),),
                    removed=(("contents.compression", "00"), ("contents.verification.hash", "00")),
                ),
            ],
            id="another-source-takes-its-description-along",
        ),
        pytest.param(
            [
                machine_config("00", config=resource("https://a")),
                machine_config("01", config=resource(compression="gzip")),
            ],
            [
                Contribution("00", "file", new=("contents.source",)),
                Contribution("01", "file", new=("contents.compression",)),
            ],
            id="a-description-of-what-another-one-gives",
        ),
        pytest.param(
            [
                machine_config("00", config=resource("https://a", httpHeaders=header("a"))),
                machine_config("01", config=resource("https://b", httpHeaders=header("b"))),
            ],
            [
                Contribution("00", "file", new=("contents.source", "contents.httpHeaders[X]")),
                Contribution("01", "file", replaced=(("contents.source", "00"), ("contents.httpHeaders[X]", "00"))),
            ],
            id="header-replaced",
        ),
        pytest.param(
            [
                machine_config("00", config=resource("https://a", httpHeaders=header("a"))),
                machine_config("01", config=resource("https://b", httpHeaders=header(None))),
            ],
            [
                Contribution("00", "file", new=("contents.source", "contents.httpHeaders[X]")),
                Contribution(
                    "01",
                    "file",
                    replaced=(("contents.source", "00"),),
                    removed=(("contents.httpHeaders[X]", "00"),),
                ),
            ],
            id="header-taken-away",
        ),
    ],
)
def test_contents_member_by_member(configs: list[JSONObject], contributions: list[Contribution]) -> None:
    [explanation] = explained("/a", *configs)

    assert list(explanation.contributions) == contributions


_DESCRIPTIONS: dict[str, st.SearchStrategy[JSON]] = {
    "compression": st.sampled_from(["gzip", ""]),
    "verification": st.just({"hash": HASH}),
    "httpHeaders": st.sampled_from(["a", "b", None]).map(header),
}
_SOURCES = st.sampled_from(["https://a.example/", "https://b.example/"])
RESOURCES: st.SearchStrategy[dict[str, JSON]] = st.one_of(
    st.fixed_dictionaries({"source": _SOURCES}, optional=_DESCRIPTIONS),
    st.fixed_dictionaries({}, optional={"compression": _DESCRIPTIONS["compression"]}),  # all else needs a source
).map(dict[str, JSON])


@given(st.lists(RESOURCES, min_size=1, max_size=4))
def test_what_is_given_and_not_taken_away_is_what_was_rendered(said: list[dict[str, JSON]]) -> None:
    configs = [
        machine_config(f"{number:02}", config=files({"path": "/a", "contents": dict(each)}))
        for number, each in enumerate(said)
    ]
    made = rendered(*configs)

    [explanation] = explain("/a", [component(config) for config in configs], made.spec)

    there: set[str] = set()
    for each in explanation.contributions:
        assert {path for path, _ in (*each.removed, *each.replaced)} <= there
        there -= {path for path, _ in each.removed}
        assert not there & {*each.new}
        there |= {*each.new}
    members = leaves(subjects(made.spec)[Subject("file", "/a")], apart=True)
    without_value = {path for path, value in members.items() if value == {"name": "X"}}
    assert there == members.keys() - without_value - {"overwrite"}  # the last is what the renderer adds


@pytest.mark.parametrize(
    ("what", "configs", "foreign"),
    [
        pytest.param("/a", [resource("https://a", httpHeaders=header("a"))], [], id="of-one"),
        pytest.param(
            "/a",
            [resource("https://a", httpHeaders=header("a")), resource("https://b")],
            [ForeignHeader("contents.httpHeaders[X]", "00", "01")],
            id="sent-to-what-came-later",
        ),
        pytest.param(
            "/a",
            [resource("https://a", httpHeaders=header("a")), resource("https://b", httpHeaders=header("b"))],
            [],
            id="replaced",
        ),
        pytest.param(
            "/a",
            [resource("https://a", httpHeaders=header("a")), resource("https://b", httpHeaders=header(None))],
            [],
            id="taken-away",
        ),
        pytest.param(
            "/a",
            [
                resource("https://a", httpHeaders=header("a")),
                resource("https://b"),
                resource("https://b", httpHeaders=header("a")),
            ],
            [],
            id="said-with-the-source-by-another-one",
        ),
        pytest.param(
            "config.ignition.config.replace.httpHeaders",
            [
                {
                    "ignition": {
                        "version": "3.5.0",
                        "config": {"replace": {"source": "https://a", "httpHeaders": header("a")}},
                    }
                },
                {"ignition": {"version": "3.5.0", "config": {"replace": {"source": "https://b"}}}},
            ],
            [ForeignHeader("httpHeaders[X]", "00", "01")],
            id="of-a-config",
        ),
    ],
)
def test_headers_that_are_sent_to_where_another_one_says(
    what: str, configs: list[JSONObject], foreign: list[ForeignHeader]
) -> None:
    made = [machine_config(f"{number:02}", config=config) for number, config in enumerate(configs)]

    [explanation] = explained(what, *made)

    assert list(explanation.foreign_headers) == foreign


# ---- what is asked for


def test_a_name_may_stand_for_several_things() -> None:
    people: JSON = {"users": [{"name": "core"}], "groups": [{"name": "core"}]}

    found = explained("core", machine_config("00", config=ignition(passwd=people)))

    assert {each.subject.kind for each in found} == {"user", "group"}


@pytest.mark.parametrize(
    ("what", "names"),
    [
        pytest.param("kernelArguments", ["x", "y"], id="arguments"),
        pytest.param("extensions", ["ipsec"], id="extensions"),
        pytest.param("config.storage.files", ["/a"], id="a-list"),
        pytest.param("config.storage", ["/a", "/b"], id="a-section"),
        pytest.param("config.systemd.units", ["a.service", "a.service/1.conf"], id="units-with-their-drop-ins"),
        pytest.param("config.ignition.timeouts.httpTotal", ["config.ignition.timeouts.httpTotal"], id="a-member"),
        pytest.param("config.ignition.timeouts", ["config.ignition.timeouts.httpTotal"], id="members"),
        pytest.param("config.stor", [], id="no-part-of-a-name"),
    ],
)
def test_all_in_a_member_at_once(what: str, names: list[str]) -> None:
    dropins: JSON = [{"name": "1.conf", "contents": "[A]\n"}]
    config = machine_config(
        "00",
        kernelArguments=["x", "y"],
        extensions=["ipsec"],
        config={
            "ignition": {"version": "3.5.0", "timeouts": {"httpTotal": 1}},
            "storage": {"files": [file("/a")], "directories": [{"path": "/b"}]},
            "systemd": {"units": [{"name": "a.service", "dropins": dropins}]},
        },
    )

    assert [each.subject.name for each in explained(what, config)] == names


def test_a_unit_names_its_drop_ins() -> None:
    dropins: JSON = [{"name": name, "contents": "[A]\n"} for name in ("1.conf", "2.conf")]
    other: JSONObject = {"name": "b.service", "dropins": [{"name": "3.conf", "contents": "[A]\n"}]}
    units: JSON = [{"name": "a.service", "enabled": True, "dropins": dropins}, other]

    [explanation] = explained("a.service", machine_config("00", config=ignition(systemd={"units": units})))

    assert explanation.dropins == ("a.service/1.conf", "a.service/2.conf")


@pytest.mark.parametrize(
    ("what", "known"),
    [
        pytest.param("extensions", True, id="extensions"),
        pytest.param("baseOSExtensionsContainerImage", True, id="image"),
        pytest.param("config", True, id="config"),
        pytest.param("config.ignition.timeouts.httpTotal", True, id="deep"),
        pytest.param("config.storage.files", True, id="a-list"),
        pytest.param("config.storage.files.path", False, id="within-a-list"),
        pytest.param("config.ignition.timeouts.httpTotal.a", False, id="below-a-value"),
        pytest.param("config.", False, id="nothing-after-a-dot"),
        pytest.param("ignition", False, id="no-whole-path"),
        pytest.param("", False, id="empty"),
        pytest.param("config" + ".ignition" * 100_000, False, id="long"),
    ],
)
def test_which_members_there_might_be(what: str, known: bool) -> None:
    assert is_known(what) is known


def test_what_is_not_there() -> None:
    config = machine_config("00", config=files(file("/etc/chrony.conf")))

    assert explained("/etc/crony.conf", config) == []
    assert near("/etc/crony.conf", rendered(config).spec) == "/etc/chrony.conf"
    assert near("zzz", rendered(config).spec) is None


def test_a_long_name_is_not_compared_with_any_other() -> None:
    config = machine_config("00", config=files(file("/" + "a" * 300)))

    assert near("/" + "a" * 299, rendered(config).spec) is None
