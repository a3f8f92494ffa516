import pytest

from mcs.ignition.duplicates import duplicates
from mcs.ignition.report import path_text
from mcs.ignition.schema import CONFIG
from mcs.ignition.versions import NEWEST, V3_0, V3_1, V3_2, V3_3, SpecVersion
from mcs.jsondata import JSONObject


def repeats(config: JSONObject, version: SpecVersion = NEWEST) -> list[str]:
    return [path_text(entry.path) for entry in duplicates(CONFIG, config, version)]


@pytest.mark.parametrize(
    ("config", "paths"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"storage": None}, [], id="null"),
        pytest.param(
            {"passwd": {"users": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}}, ["passwd.users.2"], id="users"
        ),
        pytest.param(
            {"passwd": {"users": [{"name": "a"}] * 3}}, ["passwd.users.1", "passwd.users.2"], id="each-repeat"
        ),
        pytest.param(
            {"passwd": {"users": [{}, {"name": ""}, {"name": None}, None]}},
            ["passwd.users.1", "passwd.users.2", "passwd.users.3"],
            id="no-name-is-the-empty-name",
        ),
        pytest.param({"passwd": {"users": [{"name": "a"}], "groups": [{"name": "a"}]}}, [], id="users-and-groups"),
        pytest.param(
            {"passwd": {"users": [{"name": "a", "groups": ["b", "b"], "sshAuthorizedKeys": ["k", "k"]}]}},
            ["passwd.users.0.groups.1", "passwd.users.0.sshAuthorizedKeys.1"],
            id="texts",
        ),
        pytest.param(
            {"storage": {"raid": [{"devices": ["", None]}]}}, ["storage.raid.0.devices.1"], id="null-is-the-empty-text"
        ),
        pytest.param(
            {
                "storage": {
                    "files": [{"path": "/a"}, {"path": "/b"}],
                    "directories": [{"path": "/b"}],
                    "links": [{"path": "/a"}],
                }
            },
            ["storage.files.1", "storage.links.0"],
            id="nodes-share-their-paths",
        ),
        pytest.param(
            {"kernelArguments": {"shouldExist": ["a"], "shouldNotExist": ["a", "b"]}},
            ["kernelArguments.shouldNotExist.0"],
            id="kernel-arguments-are-shared",
        ),
        pytest.param(
            {"storage": {"disks": [{"partitions": [{"number": 1, "label": "a"}, {"number": 1, "label": "b"}]}]}},
            ["storage.disks.0.partitions.1"],
            id="partitions-by-number",
        ),
        pytest.param(
            {"storage": {"disks": [{"partitions": [{"number": 0, "label": "a"}, {"number": 1, "label": "a"}]}]}},
            [],
            id="number-before-label",
        ),
        pytest.param(
            {"storage": {"disks": [{"partitions": [{"label": "1"}, {"number": 0, "label": "1"}, {"number": 1}]}]}},
            ["storage.disks.0.partitions.1"],
            id="partitions-by-label",
        ),
        pytest.param(
            {"storage": {"disks": [{"partitions": [{"label": ""}, {}, {"label": None}]}]}},
            ["storage.disks.0.partitions.2"],
            id="an-empty-label-is-one",
        ),
        pytest.param(
            {"ignition": {"config": {"merge": [{}, {"source": ""}, {"source": "a"}]}}},
            ["ignition.config.merge.1"],
            id="no-source-is-the-empty-one",
        ),
        pytest.param(
            {"storage": {"files": [{"contents": {"httpHeaders": [{"name": "a"}, {"name": "a"}]}}]}},
            ["storage.files.0.contents.httpHeaders.1"],
            id="headers",
        ),
        pytest.param(
            {"storage": {"files": [{"append": [{"source": "a"}, {"source": "a"}]}]}}, [], id="what-is-appended"
        ),
        pytest.param(
            {"storage": {"filesystems": [{"options": ["a", "a"], "mountOptions": ["a", "a"]}]}}, [], id="options"
        ),
        pytest.param(
            {"systemd": {"units": [{"name": "a", "dropins": [{"name": "b"}, {"name": "b"}]}]}},
            ["systemd.units.0.dropins.1"],
            id="dropins",
        ),
    ],
)
def test_repeats(config: JSONObject, paths: list[str]) -> None:
    assert repeats(config) == [f"$.{path}" for path in paths]


@pytest.mark.parametrize(
    ("first", "before", "config"),
    [
        pytest.param(V3_1, V3_0, {"ignition": {"proxy": {"noProxy": ["a", "a"]}}}, id="noProxy"),
        pytest.param(V3_2, V3_1, {"storage": {"luks": [{"name": "a"}, {"name": "a"}]}}, id="luks"),
        pytest.param(V3_3, V3_2, {"kernelArguments": {"shouldExist": ["a", "a"]}}, id="kernelArguments"),
    ],
)
def test_lists_that_a_spec_does_not_know_have_no_repeats(
    first: SpecVersion, before: SpecVersion, config: JSONObject
) -> None:
    assert len(repeats(config, first)) == 1
    assert repeats(config, before) == []
