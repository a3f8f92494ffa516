"""How two rendered specs differ, as data; and what a spec is about."""

import copy

import pytest
from hypothesis import given

from mcs.jsondata import JSON, JSONObject, lookup
from mcs.machineconfig.comparing import Change, Leaf, differences, reordered
from mcs.machineconfig.subjects import Subject, leaves, place_of, subjects
from tests.machineconfig.machine_configs import file, files, ignition, unit
from tests.machineconfig.specs import SPECS


def names(spec: JSONObject) -> list[tuple[str, str]]:
    return [(subject.kind, subject.name) for subject in subjects(spec)]


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        pytest.param({"config": files(file("/a"))}, ("file", "/a"), id="file"),
        pytest.param({"config": ignition(storage={"links": [{"path": "/a"}]})}, ("link", "/a"), id="link"),
        pytest.param({"config": ignition(storage={"directories": [{"path": "/a"}]})}, ("directory", "/a"), id="dir"),
        pytest.param({"config": ignition(storage={"disks": [{"device": "/dev/a"}]})}, ("disk", "/dev/a"), id="disk"),
        pytest.param({"config": ignition(storage={"raid": [{"name": "a"}]})}, ("RAID array", "a"), id="raid"),
        pytest.param({"config": ignition(storage={"luks": [{"name": "a"}]})}, ("LUKS device", "a"), id="luks"),
        pytest.param(
            {"config": ignition(storage={"filesystems": [{"device": "/dev/a"}]})}, ("filesystem", "/dev/a"), id="fs"
        ),
        pytest.param({"config": unit("a.service")}, ("unit", "a.service"), id="unit"),
        pytest.param({"config": ignition(passwd={"users": [{"name": "a"}]})}, ("user", "a"), id="user"),
        pytest.param({"config": ignition(passwd={"groups": [{"name": "a"}]})}, ("group", "a"), id="group"),
        pytest.param({"kernelArguments": ["a"]}, ("kernel argument", "a"), id="argument"),
        pytest.param({"extensions": ["a"]}, ("extension", "a"), id="extension"),
        pytest.param(
            {"config": ignition(kernelArguments={"shouldExist": ["a"]})},
            ("kernel argument of the first boot", "a"),
            id="first-boot",
        ),
        pytest.param({"osImageURL": "a"}, ("member", "osImageURL"), id="member"),
        pytest.param(
            {"config": {"ignition": {"timeouts": {"httpTotal": 1}}}},
            ("member", "config.ignition.timeouts.httpTotal"),
            id="deep-member",
        ),
        pytest.param(
            {"config": {"ignition": {"config": {"merge": [{"source": "https://a"}]}}}},
            ("merged config", "https://a"),
            id="merged-config",
        ),
    ],
)
def test_what_a_spec_is_about(spec: JSONObject, found: tuple[str, str]) -> None:
    assert found in names(spec)


def test_a_drop_in_is_named_by_its_unit_and_is_no_part_of_it() -> None:
    spec: JSONObject = {"config": unit("a.service", enabled=True, dropins=[{"name": "1.conf", "contents": "x"}])}

    found = subjects(spec)

    assert found[Subject("unit", "a.service")] == {"enabled": True}
    assert found[Subject("drop-in", "a.service/1.conf")] == {"contents": "x"}


@pytest.mark.parametrize(
    ("said", "paths"),
    [
        pytest.param({"mode": 1, "user": {"name": "a"}}, {"mode": 1, "user.name": "a"}, id="nested"),
        pytest.param(
            {"append": [{"source": "data:,a"}]}, {"append[0]": {"source": "data:,a"}}, id="resources-by-their-number"
        ),
        pytest.param(
            {"append": [{"source": "https://a"}, {"source": "https://b"}, {"source": "https://a", "httpHeaders": []}]},
            {
                "append[https://a]": {"source": "https://a"},
                "append[https://b]": {"source": "https://b"},
                "append[https://a #2]": {"source": "https://a", "httpHeaders": []},
            },
            id="two-resources-of-one-source",
        ),
        pytest.param(
            {"partitions": [{"number": 4, "label": "a"}]},
            {"partitions[number 4].number": 4, "partitions[number 4].label": "a"},
            id="items-by-what-identifies-them",
        ),
        pytest.param(
            {"partitions": [{"number": 1}, {"label": "1"}, {"number": 0, "label": "b"}, {"number": 0}]},
            {
                "partitions[number 1].number": 1,
                "partitions[label 1].label": "1",
                "partitions[label b].number": 0,
                "partitions[label b].label": "b",
                "partitions[3].number": 0,
            },
            id="a-number-and-a-label-that-look-the-same",
        ),
        pytest.param(
            {"httpHeaders": [{"name": "A", "value": "b"}]},
            {"httpHeaders[A]": {"name": "A", "value": "b"}},
            id="a-header-is-one",
        ),
        pytest.param({"groups": ["a"], "shell": None}, {"groups": ["a"]}, id="null-says-nothing"),
        pytest.param({"enabled": False}, {"enabled": False}, id="false-does"),
        pytest.param(2, {"": 2}, id="a-value-by-itself"),
    ],
)
def test_the_members_of_a_subject(said: JSON, paths: JSONObject) -> None:
    assert leaves(said) == paths


@pytest.mark.parametrize(
    ("said", "paths"),
    [
        pytest.param(
            {"contents": {"source": "data:,a", "compression": "gzip", "verification": {"hash": "b"}}},
            {"contents.source": "data:,a", "contents.compression": "gzip", "contents.verification.hash": "b"},
            id="contents",
        ),
        pytest.param(
            {"contents": {"httpHeaders": [{"name": "A", "value": "b"}]}},
            {"contents.httpHeaders[A]": {"name": "A", "value": "b"}},
            id="headers",
        ),
        pytest.param({"append": [{"source": "a"}]}, {"append": [{"source": "a"}]}, id="what-is-appended-is-one-list"),
    ],
)
def test_what_describes_a_content_each_by_itself(said: JSON, paths: JSONObject) -> None:
    assert leaves(said, apart=True) == paths


@given(SPECS)
def test_a_subject_stands_where_it_is_said_to(spec: JSONObject) -> None:
    for subject in subjects(spec):
        assert lookup(spec, *place_of(subject)) is not None


# ---- differences


def test_added_removed_and_changed() -> None:
    before: JSONObject = {"config": files(file("/a"), file("/b", mode=1)), "kernelArguments": ["x"]}
    after: JSONObject = {"config": files(file("/b", mode=2), file("/c")), "kernelArguments": ["x"]}

    found = {each.subject.name: (each.change, each.leaves) for each in differences(before, after)}

    assert found == {
        "/a": (Change.REMOVED, (Leaf("contents", {"source": "data:,a"}, None),)),
        "/b": (Change.CHANGED, (Leaf("mode", 1, 2),)),
        "/c": (Change.ADDED, (Leaf("contents", None, {"source": "data:,a"}),)),
    }


def test_another_ignition_spec_is_no_difference_by_itself() -> None:
    one, other = ignition("3.2.0", systemd={"units": [{"name": "a.service"}]}), unit("a.service")

    assert differences({"config": one}, {"config": other}) == []


def test_a_config_that_cannot_be_converted_is_compared_as_it_stands() -> None:
    found = differences({"config": {"ignition": {"version": "9.0.0"}}}, {"config": ignition()})

    assert [(each.change, each.subject.name) for each in found] == [
        (Change.REMOVED, "config.ignition.version"),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"fips": False}, {"fips": 0}, id="false-and-0"),
        pytest.param({"osImageURL": ""}, {}, id="empty-and-absent"),
    ],
)
def test_values_that_are_nearly_the_same_differ(before: JSONObject, after: JSONObject) -> None:
    assert len(differences(before, after)) == 1


@given(SPECS, SPECS)
def test_differences_are_the_same_in_both_directions_and_none_with_itself(one: JSONObject, other: JSONObject) -> None:
    kept = copy.deepcopy((one, other))
    forth = {each.subject: (each.before, each.after) for each in differences(one, other)}
    back = {each.subject: (each.after, each.before) for each in differences(other, one)}

    assert forth == back
    assert differences(one, copy.deepcopy(one)) == []
    assert (one, other) == kept


# ---- order


def merging(*sources: str) -> JSONObject:
    return {"config": {"ignition": {"config": {"merge": [{"source": source} for source in sources]}}}}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        pytest.param({"kernelArguments": ["a", "b"]}, {"kernelArguments": ["a", "b", "c"]}, [], id="one-more"),
        pytest.param({"kernelArguments": ["a", "b"]}, {"kernelArguments": ["a", "b", "a"]}, [], id="once-more"),
        pytest.param(
            {"kernelArguments": ["a", "b"]},
            {"kernelArguments": ["c", "b", "a"]},
            [Leaf("kernelArguments", ["a", "b"], ["b", "a"])],
            id="arguments",
        ),
        pytest.param(
            {"extensions": ["a", "b"]},
            {"extensions": ["b", "a"]},
            [Leaf("extensions", ["a", "b"], ["b", "a"])],
            id="extensions",
        ),
        pytest.param(
            {"config": {"kernelArguments": {"shouldExist": ["a", "b"]}}},
            {"config": {"kernelArguments": {"shouldExist": ["b", "a"]}}},
            [Leaf("config.kernelArguments.shouldExist", ["a", "b"], ["b", "a"])],
            id="arguments-of-the-first-boot",
        ),
        pytest.param(
            merging("a", "b"),
            merging("b", "a"),
            [
                Leaf(
                    "config.ignition.config.merge",
                    [{"source": "a"}, {"source": "b"}],
                    [{"source": "b"}, {"source": "a"}],
                )
            ],
            id="merged-configs",
        ),
        pytest.param(
            {"config": files(file("/a"), file("/b"))}, {"config": files(file("/b"), file("/a"))}, [], id="files"
        ),
    ],
)
def test_order_where_it_decides_something(before: JSONObject, after: JSONObject, found: list[Leaf]) -> None:
    assert reordered(before, after) == found
