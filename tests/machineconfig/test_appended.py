import copy
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition import SPEC_3, InvalidConfig, SpecVersion, UnsupportedFeatures, dataurl
from mcs.jsondata import JSONObject
from mcs.machineconfig.appended import AppendedFile, AppendedSet, build_body, compose
from mcs.machineconfig.names import Kind

NAME = "rendered-worker-0123456789abcdef0123456789abcdef"
ID = "abcdefghijklmnopqrstuvwxyz"
SPEC = SpecVersion(3, 4)
ANNOTATIONS = "/etc/machine-config-daemon/node-annotations.json"
LABELS = "/etc/mcs/node-labels.env"
ENCAPSULATED = "/etc/ignition-machine-config-encapsulated.json"
FULL = "/etc/mcs-machine-config-content.json"
KUBECONFIG = "/etc/kubernetes/kubeconfig"
BUNDLE = "/etc/kubernetes/kubelet-ca.crt"


def machine_config(config: JSONObject | None = None, **spec: Any) -> JSONObject:
    return {
        "apiVersion": Kind.CONFIG.api_version,
        "kind": "MachineConfig",
        "metadata": {
            "name": NAME,
            "uid": "u1",
            "resourceVersion": "77",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "managedFields": [{"manager": "someone"}],
            "labels": {"mcs.internal/pool": "worker", "team": "a"},
            "annotations": {"mcs.internal/mark": "x", "note": "kept"},
        },
        "spec": {"config": config or {"ignition": {"version": "3.4.0"}}, **spec},
    }


def files(config: JSONObject) -> dict[str, Any]:
    storage: Any = config["storage"]
    return {entry["path"]: entry for entry in storage["files"]}


def content(config: JSONObject, path: str) -> bytes:
    return dataurl.decode(files(config)[path]["contents"]["source"])


def paths(config: JSONObject) -> list[str]:
    return list(files(config))


def test_files_are_appended_in_the_order_of_the_machine_config_operator() -> None:
    stored = machine_config({"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "/etc/own"}]}})
    appended = AppendedSet(
        bundles=(AppendedFile(BUNDLE, b"ca"),),
        kubeconfig=b"kube",
        full_config=True,
        extra=(AppendedFile("/etc/extra", b"x", 0o600),),
    )
    config = compose(stored, SPEC, appended, ID)
    assert paths(config) == ["/etc/own", BUNDLE, ANNOTATIONS, LABELS, KUBECONFIG, FULL, "/etc/extra", ENCAPSULATED]
    assert files(config)["/etc/extra"] == {
        "path": "/etc/extra",
        "overwrite": True,
        "mode": 0o600,
        "contents": {"source": "data:,x"},
    }
    assert {entry["mode"] for path, entry in files(config).items() if path not in {"/etc/own", "/etc/extra"}} == {0o644}


def test_without_settings_only_what_every_machine_needs_is_appended() -> None:
    assert paths(compose(machine_config(), SPEC, AppendedSet(), ID)) == [ANNOTATIONS, LABELS, ENCAPSULATED]


def test_the_node_learns_its_config_and_its_boot_id() -> None:
    config = compose(machine_config(), SPEC, AppendedSet(), ID)
    assert content(config, ANNOTATIONS).decode() == (
        f'{{"machineconfiguration.openshift.io/currentConfig":"{NAME}"'
        f',"machineconfiguration.openshift.io/desiredConfig":"{NAME}"'
        f',"machineconfiguration.openshift.io/firstPivotConfig":"{NAME}"'
        ',"machineconfiguration.openshift.io/state":"Done"'
        f',"mcs.internal/boot":"{ID}"}}'
    )
    assert content(config, LABELS).decode() == (
        f"MCS_NODE_LABELS=mcs.internal/boot={ID},mcs.internal/config-hash=0123456789abcdef0123456789abcdef\n"
    )


def test_without_boot_ids_nothing_names_one() -> None:
    config = compose(machine_config(), SPEC, AppendedSet(boot_ids=False), None)
    assert "mcs.internal/boot" not in json.loads(content(config, ANNOTATIONS))
    assert b"mcs.internal/boot=" not in content(config, LABELS)
    assert build_body(machine_config(), SPEC, AppendedSet(boot_ids=False)).parts[1:] == ()


def test_the_encapsulated_object_has_an_empty_config_of_the_requested_spec() -> None:
    stored = machine_config({"ignition": {"version": "3.2.0"}}, osImageURL="quay.example/os@sha256:0", fips=True)
    for spec in SPEC_3:
        seen = json.loads(content(compose(stored, spec, AppendedSet(), ID), ENCAPSULATED))
        assert seen["spec"] == {
            "config": {"ignition": {"version": str(spec)}},
            "osImageURL": "quay.example/os@sha256:0",
            "fips": True,
        }
        assert seen["metadata"] == {"name": NAME}
        assert list(seen) == ["kind", "apiVersion", "metadata", "spec"]


@pytest.mark.parametrize(
    ("spec", "in_ignition", "in_object"),
    [
        pytest.param(SpecVersion(3, 2), None, ["base", "quiet", "nosmt"], id="below 3.3 they move into the object"),
        pytest.param(SpecVersion(3, 3), ["quiet", "nosmt"], ["base"], id="from 3.3 on they stay"),
    ],
)
def test_kernel_arguments(spec: SpecVersion, in_ignition: list[str] | None, in_object: list[str]) -> None:
    stored = machine_config(
        {"ignition": {"version": "3.4.0"}, "kernelArguments": {"shouldExist": ["quiet", "nosmt"]}},
        kernelArguments=["base"],
    )
    config = compose(stored, spec, AppendedSet(full_config=True), ID)
    arguments: Any = config.get("kernelArguments")
    assert (arguments["shouldExist"] if arguments else None) == in_ignition
    for path in (ENCAPSULATED, FULL):
        assert json.loads(content(config, path))["spec"]["kernelArguments"] == in_object


def test_kernel_arguments_to_remove_cannot_be_said_below_3_3() -> None:
    stored = machine_config({"ignition": {"version": "3.3.0"}, "kernelArguments": {"shouldNotExist": ["quiet"]}})
    with pytest.raises(UnsupportedFeatures) as caught:
        compose(stored, SpecVersion(3, 2), AppendedSet(), ID)
    [feature] = caught.value.features
    assert (feature.path, str(feature.since)) == ("$.kernelArguments.shouldNotExist", "3.3.0")


def test_a_bundle_replaces_the_contents_that_the_config_has_whole() -> None:
    stored = machine_config(
        {
            "ignition": {"version": "3.4.0"},
            "storage": {
                "files": [
                    {
                        "path": BUNDLE,
                        "mode": 0o600,
                        "contents": {
                            "source": "data:,old",
                            "compression": "gzip",
                            "verification": {"hash": "sha512-0"},
                        },
                    },
                    {"path": "/etc/own"},
                ]
            },
        }
    )
    config = compose(stored, SPEC, AppendedSet(bundles=(AppendedFile(BUNDLE, b"new"),)), ID)
    assert paths(config)[:2] == [BUNDLE, "/etc/own"]
    assert files(config)[BUNDLE] == {"path": BUNDLE, "mode": 0o600, "contents": {"source": "data:,new"}}


def test_an_empty_bundle_leaves_things_alone() -> None:
    config = compose(machine_config(), SPEC, AppendedSet(bundles=(AppendedFile(BUNDLE, b""),)), ID)
    assert BUNDLE not in paths(config)


def test_what_the_config_has_at_an_appended_path_gives_way() -> None:
    stored = machine_config(
        {
            "ignition": {"version": "3.4.0"},
            "storage": {
                "files": [{"path": ANNOTATIONS, "contents": {"source": "data:,mine"}}],
                "links": [{"path": LABELS, "target": "/dev/null"}, {"path": "/etc/link", "target": "/x"}],
                "directories": [{"path": "/etc/directory"}],
            },
        }
    )
    config = compose(stored, SPEC, AppendedSet(), ID)
    storage: Any = config["storage"]
    assert paths(config) == [ANNOTATIONS, LABELS, ENCAPSULATED]
    assert content(config, ANNOTATIONS) != b"mine"
    assert [link["path"] for link in storage["links"]] == ["/etc/link"]
    assert storage["directories"] == [{"path": "/etc/directory"}]


@pytest.mark.parametrize(
    "appended",
    [
        pytest.param({"extra": (AppendedFile(ANNOTATIONS, b""),)}, id="a file of the server's own"),
        pytest.param({"extra": (AppendedFile("/a", b"1"), AppendedFile("/a", b"2"))}, id="the same path twice"),
        pytest.param({"bundles": (AppendedFile("/a", b"1"),), "extra": (AppendedFile("/a", b"2"),)}, id="as both"),
    ],
)
def test_no_path_is_appended_twice(appended: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is appended twice, or is a file that the server itself appends"):
        AppendedSet(**appended)


def test_the_parts_take_an_id_and_nothing_else_changes() -> None:
    stored = machine_config()
    body = build_body(stored, SPEC, AppendedSet())
    filled = b"".join(body.fill(ID))
    assert len(filled) == len(body)
    assert json.loads(filled) == compose(stored, SPEC, AppendedSet(), ID)
    assert filled.count(ID.encode()) == 2
    assert b"".join(body.fill("z" * 26)) == filled.replace(ID.encode(), b"z" * 26)


def test_a_config_that_holds_the_placeholder_itself_is_served_unharmed() -> None:
    marked = b"".join(build_body(machine_config(), SPEC, AppendedSet()).fill("?" * 26))
    placeholders = {hashlib.sha256(f"{attempt} {NAME}".encode()).hexdigest()[:26] for attempt in range(3)}
    assert not any(placeholder.encode() in marked for placeholder in placeholders)
    hostile: JSONObject = {
        "ignition": {"version": "3.4.0"},
        "storage": {"files": [{"path": "/x", "contents": {"source": "data:," + "".join(sorted(placeholders))}}]},
    }
    filled = b"".join(build_body(machine_config(hostile), SPEC, AppendedSet()).fill(ID))
    assert content(json.loads(filled), "/x").decode() == "".join(sorted(placeholders))
    assert filled.count(ID.encode()) == 2


def test_a_config_that_is_none_is_an_error_with_its_path() -> None:
    broken: JSONObject = {"ignition": {"version": "3.4.0"}, "storage": {"files": {"path": "/x"}}}
    for spec in SPEC_3:  # its own among them
        with pytest.raises(InvalidConfig) as caught:
            compose(machine_config(broken), spec, AppendedSet(), ID)
        assert caught.value.path == "$.storage.files"


config_parts = st.fixed_dictionaries(
    {},
    optional={
        "kernelArguments": st.fixed_dictionaries(
            {}, optional={"shouldExist": st.lists(st.text(max_size=4), max_size=3)}
        ),
        "storage": st.fixed_dictionaries(
            {},
            optional={
                "files": st.lists(
                    st.fixed_dictionaries({"path": st.sampled_from(["/a", ANNOTATIONS, BUNDLE])}), max_size=3
                ),
                "links": st.lists(
                    st.fixed_dictionaries({"path": st.just(LABELS), "target": st.just("/t")}), max_size=1
                ),
            },
        ),
    },
)


@given(config_parts, st.sampled_from(SPEC_3), st.sampled_from(SPEC_3), st.booleans(), st.text(max_size=8))
def test_the_stored_object_is_never_modified(
    parts: dict[str, Any], own: SpecVersion, asked: SpecVersion, boot_ids: bool, argument: str
) -> None:
    stored = machine_config({"ignition": {"version": str(own)}, **parts}, kernelArguments=[argument])
    before = copy.deepcopy(stored)
    appended = AppendedSet(bundles=(AppendedFile(BUNDLE, b"ca"),), boot_ids=boot_ids, full_config=True)
    try:
        body = build_body(stored, asked, appended)
    except UnsupportedFeatures:
        pass
    else:
        served = json.loads(b"".join(body.fill(ID)))
        assert served["ignition"]["version"] == str(asked)
        assert len(paths(served)) == len(served["storage"]["files"]) or "files" in parts.get("storage", {})
    assert stored == before
