"""Merging, rule by rule: what becomes of items, partitions, headers and versions, and what cannot be merged."""

import pytest

from mcs.ignition import InvalidConfig, InvalidVersion, SpecVersion, UnknownVersion
from mcs.ignition.merging import merge
from mcs.jsondata import JSON, JSONObject, list_at, lookup
from tests.ignition.configs import config_of
from tests.ignition.normal_form import normal_form

RAID, LUKS, LINKS, FILES = ("raid", "luks", "links", "files")


@pytest.mark.parametrize(
    ("version", "place", "parent", "child", "expected"),
    [
        pytest.param(
            "3.2",
            RAID,
            {"name": "a", "level": "raid1", "spares": 1},
            {"name": "a"},
            {"name": "a", "spares": 1},
            id="before 3.3 an absent RAID level is an empty one, and wins",
        ),
        pytest.param(
            "3.3",
            RAID,
            {"name": "a", "level": "raid1"},
            {"name": "a", "level": None},
            {"name": "a", "level": "raid1"},
            id="from 3.3 on an absent RAID level keeps the parent's",
        ),
        pytest.param(
            "3.3",
            RAID,
            {"name": "a", "level": "raid1"},
            {"name": "a", "level": ""},
            {"name": "a", "level": ""},
            id="from 3.3 on an empty RAID level wins",
        ),
        pytest.param(
            "3.2",
            LINKS,
            {"path": "/a", "target": "/b"},
            {"path": "/a", "overwrite": True, "target": "", "hard": None},
            {"path": "/a", "target": "/b", "overwrite": True},
            id="before 3.3 a link of which neither target nor hard is set keeps the parent's target",
        ),
        pytest.param(
            "3.2",
            LINKS,
            {"path": "/a", "target": "/b"},
            {"path": "/a", "hard": False},
            {"path": "/a", "hard": False},
            id="before 3.3 a link that sets hard, even to false, sets the target too",
        ),
        pytest.param(
            "3.3",
            LINKS,
            {"path": "/a", "target": "/b"},
            {"path": "/a", "hard": True},
            {"path": "/a", "target": "/b", "hard": True},
            id="from 3.3 on hard and target are apart",
        ),
        pytest.param(
            "3.2",
            LUKS,
            {"name": "a", "clevis": {"tpm2": True}},
            {"name": "a", "clevis": {}},
            {"name": "a", "clevis": {"tpm2": True}},
            id="an empty clevis says nothing",
        ),
        pytest.param(
            "3.2",
            LUKS,
            {"name": "a", "clevis": {"custom": {"pin": "tpm2", "config": "{}", "needsNetwork": True}}},
            {"name": "a", "clevis": {"custom": {}}},
            {"name": "a", "clevis": {"custom": {"needsNetwork": True}}},
            id="before 3.3 an empty custom pin empties the parent's plain members",
        ),
        pytest.param(
            "3.3",
            LUKS,
            {"name": "a", "clevis": {"custom": {"pin": "tpm2", "config": "{}"}}},
            {"name": "a", "clevis": {"custom": {}}},
            {"name": "a", "clevis": {"custom": {"pin": "tpm2", "config": "{}"}}},
            id="from 3.3 on an empty custom pin says nothing",
        ),
        pytest.param(
            "3.1",
            FILES,
            {"path": "/a", "contents": {"source": "data:,a", "verification": {"hash": "sha512-aa"}}},
            {"path": "/a", "contents": {"source": "data:,b"}},
            {"path": "/a", "contents": {"source": "data:,b", "verification": {"hash": "sha512-aa"}}},
            id="contents merge member by member",
        ),
        pytest.param(
            "3.1",
            FILES,
            {"path": "/a", "user": {"id": 1}},
            {"path": "/a", "user": {"name": "core"}},
            {"path": "/a", "user": {"id": 1, "name": "core"}},
            id="even where the result is invalid",
        ),
        pytest.param(
            "3.0",
            FILES,
            {"path": "/a", "overwrite": True, "mode": 420, "contents": {"compression": "gzip"}},
            {"path": "/a", "overwrite": False, "mode": 0, "contents": {"compression": ""}},
            {"path": "/a", "overwrite": False, "mode": 0, "contents": {"compression": ""}},
            id="explicit zeros win",
        ),
    ],
)
def test_members_of_an_item(version: str, place: str, parent: JSON, child: JSON, expected: JSON) -> None:
    merged = merge(config_of(version, storage={place: [parent]}), config_of(version, storage={place: [child]}))

    assert normal_form(merged) == normal_form(config_of(version, storage={place: [expected]}))


def test_before_3_3_a_custom_pin_without_anything_in_it_is_there_all_the_same() -> None:
    volume: JSON = {"name": "a", "clevis": {"custom": {}}}

    pairs: list[list[JSON]] = [[{"name": "a"}, volume], [volume, {"name": "a"}], [volume, {"name": "a", "clevis": {}}]]
    for parent, child in pairs:
        merged = merge(config_of("3.2", storage={LUKS: [parent]}), config_of("3.2", storage={LUKS: [child]}))
        assert merged == config_of("3.2", storage={LUKS: [volume]})


def partitions(*items: JSONObject) -> JSONObject:
    return config_of("3.2", storage={"disks": [{"device": "/dev/a", "partitions": list(items)}]})


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        pytest.param(
            [{"number": 3, "label": "a", "sizeMiB": 1}],
            [{"number": 3, "label": "b"}],
            [{"number": 3, "label": "b", "sizeMiB": 1}],
            id="the number counts, whatever the label",
        ),
        pytest.param(
            [{"label": "a", "sizeMiB": 1}, {"number": 0, "label": "b"}],
            [{"number": 0, "label": "a", "guid": "g"}, {"label": "b", "guid": "h"}],
            [{"label": "a", "sizeMiB": 1, "guid": "g"}, {"label": "b", "guid": "h"}],
            id="without a number, or with number 0, the label counts",
        ),
        pytest.param(
            [{"number": 3, "label": "a"}],
            [{"label": "a"}],
            [{"number": 3, "label": "a"}, {"label": "a"}],
            id="a label is no number",
        ),
        pytest.param(
            [{"sizeMiB": 1}],
            [{"label": None, "number": 0, "startMiB": 2}],
            [{"sizeMiB": 1, "startMiB": 2}],
            id="partitions without either are the same",
        ),
        pytest.param(
            [{"label": "", "sizeMiB": 1}],
            [{"startMiB": 2}],
            [{"label": "", "sizeMiB": 1}, {"startMiB": 2}],
            id="an empty label is a label",
        ),
        pytest.param(
            [{"number": 1}], [{"label": "number:1"}], [{"number": 1}, {"label": "number:1"}], id="a label like a number"
        ),
    ],
)
def test_partitions(parent: list[JSONObject], child: list[JSONObject], expected: list[JSONObject]) -> None:
    merged = merge(partitions(*parent), partitions(*child))

    assert normal_form(merged) == normal_form(partitions(*expected))


def headers(*items: JSONObject) -> JSONObject:
    return config_of(
        "3.4", ignition={"config": {"replace": {"source": "https://a.example", "httpHeaders": list(items)}}}
    )


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        pytest.param(
            [{"name": "A", "value": "1"}], [{"name": "A", "value": "2"}], [{"name": "A", "value": "2"}], id="value wins"
        ),
        pytest.param(
            [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}],
            [{"name": "A", "value": None}],
            [{"name": "B", "value": "1"}],
            id="null takes the parent's away",
        ),
        pytest.param(
            [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}],
            [{"name": "A"}],
            [{"name": "B", "value": "1"}],
            id="so does absence",
        ),
        pytest.param(
            [{"name": "A", "value": "1"}],
            [{"name": "A", "value": ""}],
            [{"name": "A", "value": ""}],
            id="an empty value is one",
        ),
        pytest.param(
            [{"name": "A", "value": "1"}],
            [{"name": "a", "value": None}],
            [{"name": "A", "value": "1"}, {"name": "a"}],
            id="names differ by case, and one without value and match stays",
        ),
        pytest.param(
            [{"name": "A", "value": "1"}],
            [{"name": "A", "value": None}, {"name": "A", "value": "2"}],
            [{"name": "A", "value": "2"}],
            id="of the child's duplicates the last one counts",
        ),
        pytest.param(
            [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}],
            [{"name": "A", "value": None}],
            None,
            id="all duplicates of the parent go",
        ),
    ],
)
def test_headers(parent: list[JSONObject], child: list[JSONObject], expected: list[JSONObject] | None) -> None:
    merged = merge(headers(*parent), headers(*child))

    assert lookup(normal_form(merged), "ignition", "config", "replace", "httpHeaders") == expected


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        pytest.param({}, {"storage": {"files": None}}, {}, id="null and nothing are the same"),
        pytest.param({"storage": {"files": []}}, {}, {}, id="so is an empty list"),
        pytest.param(
            {"STORAGE": {"Files": [{"PATH": "/a", "Mode": 1}]}},
            {"storage": {"files": [{"path": "/a", "mode": 2}]}},
            {"storage": {"files": [{"path": "/a", "mode": 2}]}},
            id="the case of names does not matter",
        ),
        pytest.param(
            {"storage": {"files": [{"path": "/a", "unheard": [1.5]}]}, "kernelArguments": {"shouldExist": 3}},
            {"unheard": {}},
            {"storage": {"files": [{"path": "/a"}]}},
            id="what the spec does not know is left out",
        ),
        pytest.param(
            {"storage": {"files": [None]}},
            {"storage": {"files": [{"mode": 1}], "raid": [{"name": "a", "devices": [None, ""]}]}},
            {"storage": {"files": [{"mode": 1}], "raid": [{"name": "a", "devices": ["", ""]}]}},
            id="a null item is an empty one",
        ),
        pytest.param(
            {"storage": {"files": [{"path": "/a", "mode": 1}, {"path": "/a", "mode": 2}]}},
            {"storage": {"files": [{"path": "/a", "mode": 3}, {"path": "/a", "overwrite": True}]}},
            {"storage": {"files": [{"path": "/a", "mode": n, "overwrite": True} for n in (1, 2)]}},
            id="the last duplicate of the child merges into each of the parent",
        ),
        pytest.param(
            {"storage": {"files": [{"path": "/a", "mode": 1}], "directories": [{"path": "/a"}]}},
            {"storage": {"directories": [{"path": "/a"}], "files": [{"path": "/a", "mode": 2}]}},
            {"storage": {"files": [{"path": "/a", "mode": 2}]}},
            id="of directory, file and link in one child the last in this order counts",
        ),
        pytest.param(
            {"ignition": {"timeouts": {"httpTotal": 1, "httpResponseHeaders": 2}}},
            {"ignition": {"timeouts": {"httpTotal": 0}}},
            {"ignition": {"timeouts": {"httpTotal": 0, "httpResponseHeaders": 2}}},
            id="timeouts merge one by one",
        ),
        pytest.param(
            {"storage": {"filesystems": [{"path": "/a", "device": "/dev/a", "format": "xfs"}]}},
            {"storage": {"filesystems": [{"path": "/a", "device": "/dev/b"}, {"path": "/b", "device": "/dev/a"}]}},
            {
                "storage": {
                    "filesystems": [
                        {"path": "/b", "device": "/dev/a", "format": "xfs"},
                        {"path": "/a", "device": "/dev/b"},
                    ]
                }
            },
            id="filesystems are told apart by device, not by path",
        ),
    ],
)
def test_configs_of_spec_3_1(parent: JSONObject, child: JSONObject, expected: JSONObject) -> None:
    merged = merge(config_of("3.1", **parent), config_of("3.1", **child))

    assert normal_form(merged) == normal_form(config_of("3.1", **expected))


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        pytest.param(("3.0", "3.6"), "3.6.0", id="the child is newer"),
        pytest.param(("3.4", "3.1"), "3.4.0", id="the parent is newer"),
        pytest.param(("3.1", "3.5", "3.2"), "3.5.0", id="the newest of many"),
        pytest.param(("3.2",), "3.2.0", id="of one, its own"),
    ],
)
def test_the_result_is_in_the_newest_spec(versions: tuple[str, ...], expected: str) -> None:
    merged = merge(*[config_of(version, passwd={"users": [{"name": version}]}) for version in versions])

    assert merged["ignition"] == {"version": expected}
    assert merged["passwd"] == {"users": [{"name": version} for version in versions]}


def test_an_older_config_is_converted_before_it_is_merged() -> None:
    """Absent means empty in 3.0, and upgraded it still does: Ignition, too, translates what it fetches first."""
    parent = config_of(
        "3.6", storage={"links": [{"path": "/a", "target": "/b"}], "files": [{"path": "/c", "mode": 0o4755}]}
    )
    child = config_of("3.0", storage={"links": [{"path": "/a"}], "files": [{"path": "/c", "mode": 0o4755}]})

    assert merge(parent, child) == config_of(
        "3.6", storage={"links": [{"path": "/a", "target": ""}], "files": [{"path": "/c", "mode": 0o755}]}
    )


@pytest.mark.parametrize(
    ("broken", "path", "message"),
    [
        pytest.param(
            config_of("3.1", storage=[]), "$.storage", "an object is expected, not a list", id="a list for an object"
        ),
        pytest.param(
            config_of("3.1", storage={"files": {}}),
            "$.storage.files",
            "a list is expected, not an object",
            id="no list",
        ),
        pytest.param(
            config_of("3.1", storage={"files": [{}, "a"]}),
            "$.storage.files.1",
            "an object is expected, not a string",
            id="in a list",
        ),
        pytest.param(
            config_of("3.1", storage={"files": [{"mode": True}]}),
            "$.storage.files.0.mode",
            "an integer is expected, not true or false",
            id="true is no integer",
        ),
        pytest.param(
            config_of("3.1", storage={"files": [{"mode": 2**63}]}),
            "$.storage.files.0.mode",
            "the number does not fit 64 bits",
            id="a number too large for a client",
        ),
        pytest.param(
            config_of("3.1", passwd={"users": [{"groups": [1]}]}),
            "$.passwd.users.0.groups.0",
            "a string is expected, not an integer",
            id="a text in a list",
        ),
        pytest.param(
            config_of("3.1", passwd={}, Passwd={}),
            "$.Passwd",
            "stands beside another passwd: names are told apart by case only",
            id="a name twice",
        ),
        pytest.param(
            config_of("2.2"),
            "$.ignition.version",
            "spec 2.2.0 cannot be merged: the config has to be converted to spec 3 first",
            id="spec 2",
        ),
        pytest.param({"ignition": 3}, "$.ignition", "an object is expected, not an integer", id="no ignition"),
    ],
)
def test_what_cannot_be_merged(broken: JSONObject, path: str, message: str) -> None:
    for configs in ([broken, config_of("3.1")], [config_of("3.1"), broken], [config_of("3.6"), broken]):
        with pytest.raises(InvalidConfig) as error:
            merge(*configs)

        assert (error.value.path, error.value.message) == (path, message)


def test_a_child_that_merges_into_two_items_of_the_parent_is_not_shared_between_them() -> None:
    parent = config_of("3.1", storage={"files": [{"path": "/a"}, {"path": "/a"}]})
    child = config_of("3.1", storage={"files": [{"path": "/a", "contents": {"source": "data:,a"}}]})

    first, second = list_at(merge(parent, child), "storage", "files")

    assert first == second
    assert lookup(first, "contents") is not lookup(second, "contents")


def test_references_whose_source_is_absent_or_empty_are_the_same() -> None:
    absent: JSONObject = {}
    empty: JSONObject = {"source": ""}

    def referring(to: JSONObject) -> JSONObject:
        return config_of("3.1", ignition={"config": {"merge": [to]}})

    for parent, child in ((absent, empty), (empty, absent)):
        assert merge(referring(parent), referring(child)) == referring(empty)


def test_versions_that_there_are_not() -> None:
    with pytest.raises(UnknownVersion):
        merge(config_of("3.1"), config_of("3.9"))
    with pytest.raises(InvalidVersion):
        merge({}, config_of("3.1"))


def test_versions_are_written_as_the_spec_writes_them() -> None:
    assert merge(config_of("3.1"), {"ignition": {"version": "03.1.0"}}) == config_of("3.1")
    assert str(SpecVersion(3, 1)) == "3.1.0"
