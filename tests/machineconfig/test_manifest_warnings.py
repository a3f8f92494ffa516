"""Warnings of manifests: what is accepted and looks like a mistake is named with its line and field."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject, compact
from mcs.machineconfig.manifest_warnings import did_you_mean
from mcs.machineconfig.manifests import read, write_yaml

MCO = "machineconfiguration.openshift.io/v1"
RENDERED = "rendered-worker-0123456789abcdef0123456789abcdef"
VERSION = "9: spec.config.ignition.version"
UNKNOWN = "Ignition 3.4.0 does not know this: clients ignore it"
UNKNOWN_YET = "Ignition 3.2.0 does not know this: it came with 3.3.0, so clients ignore it"
REFUSED = "clients refuse the whole config"
NETWORKD = "not to be said in spec 3.6.0: $.networkd.units: spec 3 has no networkd section, its units are files of it"
NO_FIELD = "is no field of a pool's status, and is ignored"
NOT_TAKEN = (
    "is not taken for a rendered config (that takes the name rendered-POOL-<32 hex digits> and the label "
    "mcs.internal/pool: POOL): its spec may change and it may be deleted"
)


def config(name: str = "c", labels: JSONObject | None = None, version: str = "3.4.0", **members: JSON) -> JSONObject:
    metadata: JSONObject = {"name": name, "labels": labels or {}}
    spec: JSONObject = {"config": {"ignition": {"version": version}, **members}}
    return {"apiVersion": MCO, "kind": "MachineConfig", "metadata": metadata, "spec": spec}


def with_members(members: Mapping[str, JSON]) -> JSONObject:
    spec: JSONObject = {"config": {"ignition": {"version": "3.4.0"}, **members}}
    return {"apiVersion": MCO, "kind": "MachineConfig", "metadata": {"name": "c"}, "spec": spec}


def pool(**members: JSON) -> JSONObject:
    return {"apiVersion": MCO, "kind": "MachineConfigPool", "metadata": {"name": "p"}, **members}


def warnings(document: JSONObject) -> list[str]:
    """Return the warnings of a document that is written as YAML, without the file's name."""
    (manifest,) = read(write_yaml(document), "f")
    return [manifest.warning(problem).removeprefix("f:") for problem in manifest.warnings]


CASES = [
    pytest.param(config(), [], id="nothing"),
    pytest.param(config(RENDERED, {"mcs.internal/pool": "worker"}), [], id="rendered"),
    pytest.param(config("rendered-web-1"), [f"1: rendered-web-1 {NOT_TAKEN}"], id="no hash"),
    pytest.param(config(RENDERED), [f"1: {RENDERED} {NOT_TAKEN}"], id="no label"),
    pytest.param(
        config(version="2.2.0", storage={"file": []}),
        ["11: spec.config.storage.file: Ignition 2.2.0 does not know this: clients ignore it; did you mean files?"],
        id="spec 2",
    ),
    pytest.param(
        config(version="2.4.0", networkd={"units": [{"name": "a.network"}]}),
        [f"{VERSION}: Ignition 2.4.0: clients that read spec 3 cannot be served this config: {NETWORKD}"],
        id="spec 2 with what spec 3 lacks",
    ),
    pytest.param(
        config(version="3.9.0", storage={"file": []}),
        [f"{VERSION}: Ignition 3.9.0 is not known here: the config is stored, but can be neither rendered nor served"],
        id="unknown spec",
    ),
    pytest.param(
        config(storage={"file": []}),
        [f"11: spec.config.storage.file: {UNKNOWN}; did you mean files?"],
        id="close to a known member",
    ),
    pytest.param(
        config(systemd={"units": [{"name": "a.service"}, {"name": "b.service", "enable": True, "x": 1}]}),
        [
            f"14: spec.config.systemd.units[1].enable: {UNKNOWN}; did you mean enabled?",
            f"15: spec.config.systemd.units[1].x: {UNKNOWN}",
        ],
        id="in a list",
    ),
    pytest.param(
        config(version="3.2.0", kernelArguments={"shouldExist": []}),
        [f"10: spec.config.kernelArguments: {UNKNOWN_YET}"],
        id="of a later spec",
    ),
    pytest.param(
        config(storage={"files": [], "a.b": {"c": 1}}),
        ['12: spec.config.storage["a.b"]: Ignition 3.4.0 does not know this: clients ignore it'],
        id="dots in a name",
    ),
    pytest.param(config(storage={"": 1}), [f'11: spec.config.storage[""]: {UNKNOWN}'], id="an empty name"),
    pytest.param(
        config(storage={"files": [{"path": "/a", "mode": "0644"}]}),
        [f"13: spec.config.storage.files[0].mode: an integer is expected, not a string: {REFUSED}"],
        id="wrong type",
    ),
    pytest.param(
        config(version="3.6.0", storage=[]),
        ["10: spec.config.storage: an object is expected, not a list: clients refuse the whole config"],
        id="wrong type at the newest spec",
    ),
    pytest.param(pool(spec={"configuration": {"name": RENDERED}, "paused": False}), [], id="pool"),
    pytest.param(pool(spec={"configuration": {"name": ""}}), [], id="pool without a config yet"),
    pytest.param(
        pool(spec={"configuration": {}}),
        ["6: spec.configuration: has no name, so it names no config"],
        id="configuration without a name",
    ),
    pytest.param(
        pool(status={"configuration": {"nmae": RENDERED}}),
        ["6: status.configuration: has no name, so it names no config (nmae; did you mean name?)"],
        id="misspelt name",
    ),
    pytest.param(
        pool(spec={"pause": True}, status={"updateMachineCount": 1}),
        [
            "6: spec.pause: is no field of a pool's spec, and is ignored; did you mean paused?",
            f"8: status.updateMachineCount: {NO_FIELD}; did you mean updatedMachineCount?",
        ],
        id="misspelt fields",
    ),
    pytest.param(pool(spec={"somethingElse": 1}), [], id="a field of another version"),
]


@pytest.mark.parametrize(("document", "expected"), CASES)
def test_it_warns_of(document: JSONObject, expected: list[str]) -> None:
    assert warnings(document) == expected


def test_in_a_list_a_warning_has_the_line_of_its_member() -> None:
    items = write_yaml({"kind": "List", "apiVersion": "v1", "items": [config(), config("d", storage={"file": []})]})
    _, second = read(items, "f")
    (problem,) = second.warnings
    number = items[: items.index("file:")].count("\n") + 1
    assert manifest_place(second.warning(problem)) == (f"f:{number}", "spec.config.storage.file")


def manifest_place(warning: str) -> tuple[str, str]:
    place, field, *_ = warning.split(": ")
    return place, field


def test_very_many_unknown_members_are_counted() -> None:
    found = warnings(with_members({f"x{number}": 1 for number in range(50)}))
    assert len(found) == 21
    assert found[-1] == "6: spec.config: Ignition 3.4.0 does not know 30 more members: clients ignore them"


@given(st.text(max_size=8))
def test_a_suggestion_is_a_known_word(word: str) -> None:
    assert did_you_mean(word, ["configuration", "paused"]) in {
        "",
        "; did you mean configuration?",
        "; did you mean paused?",
    }


keys = st.sampled_from(["ignition", "storage", "files", "file", "a.b", "a", "b", "0", "", "$", "units", "SYSTEMD"])
values: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.integers(-9, 9) | st.sampled_from(["", "x"]),
    lambda below: st.lists(below, max_size=2) | st.dictionaries(keys, below, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(keys, values, max_size=4).filter(lambda members: "ignition" not in members))
def test_any_config_is_warned_about_without_an_error(members: JSONObject) -> None:
    (manifest,) = read(compact(with_members(members)), "f")
    assert all(manifest.warning(problem).startswith("f:1: spec.config") for problem in manifest.warnings)
