import base64
import copy
import gzip
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition import (
    SPEC_2,
    SUPPORTED,
    TARGETS,
    InvalidConfig,
    SpecVersion,
    UnsupportedFeatures,
    Untranslatable,
    dataurl,
    unknown_members,
    validate,
)
from mcs.ignition.versions import V2_2, V3_0
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
    for spec in TARGETS:
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
    for spec in TARGETS:  # its own among them
        with pytest.raises(InvalidConfig) as caught:
            compose(machine_config(broken), spec, AppendedSet(), ID)
        assert caught.value.path == "$.storage.files"


# ---- spec 2


@pytest.mark.parametrize("spec", [version for version in TARGETS if version in SPEC_2], ids=str)
def test_a_file_is_appended_in_the_form_of_spec_2(spec: SpecVersion) -> None:
    config = compose(machine_config(), spec, AppendedSet(extra=(AppendedFile("/etc/extra", b"x", 0o600),)), ID)
    assert paths(config) == [ANNOTATIONS, LABELS, "/etc/extra", ENCAPSULATED]
    assert files(config)["/etc/extra"] == {
        "filesystem": "root",
        "path": "/etc/extra",
        "overwrite": True,
        "mode": 0o600,
        "contents": {"source": "data:,x"},
    }
    assert {entry["filesystem"] for entry in files(config).values()} == {"root"}
    assert {entry["overwrite"] for entry in files(config).values()} == {True}
    assert validate(config, spec).entries == ()
    assert unknown_members(config) == ()


@pytest.mark.parametrize("own", SPEC_2, ids=str)
def test_a_config_of_spec_2_is_served_at_its_own_spec_with_what_is_appended(own: SpecVersion) -> None:
    entry: JSONObject = {"filesystem": "root", "path": "/etc/own", "mode": 0o644, "contents": {"source": "data:,x"}}
    stored = machine_config({"ignition": {"version": str(own)}, "storage": {"files": [entry]}})
    config = compose(stored, own, AppendedSet(), ID)
    assert paths(config) == ["/etc/own", ANNOTATIONS, LABELS, ENCAPSULATED]
    assert files(config)["/etc/own"] == entry
    assert validate(config, own).errors == ()
    assert unknown_members(config) == ()  # 2.0 and 2.1 have no word for overwriting: they always do
    assert json.loads(content(config, ENCAPSULATED))["spec"]["config"] == {"ignition": {"version": str(own)}}


def test_a_mode_that_is_not_given_is_the_one_of_spec_3() -> None:
    """A client of spec 2 would leave the file without any permission."""
    storage: JSONObject = {"files": [{"path": "/etc/a", "contents": {"source": "data:,x"}}]}
    stored = machine_config({"ignition": {"version": "3.4.0"}, "storage": storage})
    assert files(compose(stored, V2_2, AppendedSet(), ID))["/etc/a"]["mode"] == 0o644


def test_clients_of_spec_2_append_to_what_the_config_itself_has_written() -> None:
    """With `overwrite: false` they refuse to, as real ones show."""
    entry: JSONObject = {"path": "/a", "contents": {"source": "data:,1"}, "append": [{"source": "data:,2"}]}
    stored = machine_config({"ignition": {"version": "3.4.0"}, "storage": {"files": [entry, {"path": "/bare"}]}})
    config: Any = compose(stored, V2_2, AppendedSet(), ID)
    said = [(file["path"], file.get("append", False), file.get("overwrite")) for file in config["storage"]["files"][:3]]
    assert said == [("/a", False, False), ("/a", True, None), ("/bare", True, None)]


def test_an_appended_file_lies_on_the_filesystem_that_is_mounted_there() -> None:
    filesystem: JSONObject = {"device": "/dev/sdb1", "format": "xfs", "path": "/etc/kubernetes"}
    stored = machine_config({"ignition": {"version": "3.4.0"}, "storage": {"filesystems": [filesystem]}})
    config = compose(stored, V2_2, AppendedSet(bundles=(AppendedFile(BUNDLE, b"ca"),)), ID)
    found = files(config)["/kubelet-ca.crt"]
    assert (found["filesystem"], found["contents"]) == ("/etc/kubernetes", {"source": "data:,ca"})
    assert files(config)[ANNOTATIONS]["filesystem"] == "root"


def test_all_that_spec_2_lacks_is_named_at_its_place_in_the_stored_config() -> None:
    headers: list[Any] = [{"name": "X-A", "value": "1"}]
    remote: JSONObject = {"source": "https://example.net/a", "httpHeaders": headers}
    stored = machine_config(
        {
            "ignition": {"version": "3.4.0"},
            "kernelArguments": {"shouldExist": ["quiet"], "shouldNotExist": ["ro"]},
            "storage": {"files": [{"path": ANNOTATIONS}, {"path": "/etc/remote", "contents": remote}]},
        }
    )
    with pytest.raises(UnsupportedFeatures) as caught:
        compose(stored, V2_2, AppendedSet(), ID)
    assert [feature.path for feature in caught.value.features] == [
        "$.storage.files.1.contents.httpHeaders",
        "$.kernelArguments.shouldNotExist",
    ]


def test_kernel_arguments_move_into_the_object_for_spec_2() -> None:
    stored = machine_config({"ignition": {"version": "3.4.0"}, "kernelArguments": {"shouldExist": ["quiet"]}})
    config = compose(stored, V2_2, AppendedSet(), ID)
    assert "kernelArguments" not in config
    assert json.loads(content(config, ENCAPSULATED))["spec"]["kernelArguments"] == ["quiet"]


@pytest.mark.parametrize("own", ["2.2.0", "3.1.0"])
@pytest.mark.parametrize("spec", [V2_2, V3_0], ids=str)
def test_compressed_contents_are_unpacked_for_clients_that_cannot(own: str, spec: SpecVersion) -> None:
    source = "data:;base64," + base64.b64encode(gzip.compress(b"packed")).decode()
    root: JSONObject = {"filesystem": "root"} if own < "3" else {}
    entry: JSONObject = {**root, "path": "/a", "mode": 420, "contents": {"source": source, "compression": "gzip"}}
    stored = machine_config({"ignition": {"version": own}, "storage": {"files": [entry]}})
    config = compose(stored, spec, AppendedSet(), ID)
    assert content(config, "/a") == b"packed"
    assert "compression" not in files(config)["/a"]["contents"]


def entries_of_bundle(*entries: JSONObject) -> list[Any]:
    """Serve a config of spec 2.2 that has these files, with a bundle; return what is at the bundle's path."""
    stored = machine_config({"ignition": {"version": "2.2.0"}, "storage": {"files": [*entries]}})
    config: Any = compose(stored, V2_2, AppendedSet(bundles=(AppendedFile(BUNDLE, b"new"),)), ID)
    return [
        (entry["filesystem"], entry["path"], entry.get("append", False), entry["contents"]["source"])
        for entry in config["storage"]["files"]
        if entry["path"] in {BUNDLE, "/etc/other"}
    ]


def old(filesystem: str = "root", path: str = BUNDLE, **members: Any) -> JSONObject:
    return {"filesystem": filesystem, "path": path, "mode": 420, "contents": {"source": "data:,old"}, **members}


def test_a_bundle_replaces_what_spec_2_has_at_its_path() -> None:
    assert entries_of_bundle(old(), old(path="/etc/other")) == [
        ("root", BUNDLE, False, "data:,new"),
        ("root", "/etc/other", False, "data:,old"),
    ]


def test_what_spec_2_appends_to_a_bundle_it_still_appends() -> None:
    assert entries_of_bundle(old(path="/etc/other"), old(append=True)) == [
        ("root", "/etc/other", False, "data:,old"),
        ("root", BUNDLE, False, "data:,new"),
        ("root", BUNDLE, True, "data:,old"),
    ]
    assert entries_of_bundle(old(), old(append=True)) == [
        ("root", BUNDLE, False, "data:,new"),
        ("root", BUNDLE, True, "data:,old"),
    ]


def test_a_path_on_another_filesystem_is_another_one() -> None:
    assert entries_of_bundle(old("data")) == [
        ("data", BUNDLE, False, "data:,old"),
        ("root", BUNDLE, False, "data:,new"),
    ]


def test_all_that_spec_2_has_at_an_appended_path_gives_way() -> None:
    node: JSONObject = {"filesystem": "root", "path": LABELS}
    storage: JSONObject = {
        "files": [old(path=ANNOTATIONS), old(path=ANNOTATIONS, append=True), old("data", ANNOTATIONS)],
        "links": [{**node, "target": "/x"}],
        "directories": [{**node, "mode": 493}, {"filesystem": "data", "path": LABELS, "mode": 493}],
    }
    config: Any = compose(
        machine_config({"ignition": {"version": "2.2.0"}, "storage": storage}), V2_2, AppendedSet(), ID
    )
    kept = [(entry["filesystem"], entry["path"]) for entry in config["storage"]["files"]]
    assert kept == [("data", ANNOTATIONS), ("root", ANNOTATIONS), ("root", LABELS), ("root", ENCAPSULATED)]
    assert config["storage"]["links"] == []
    assert [entry["filesystem"] for entry in config["storage"]["directories"]] == ["data"]


def test_what_spec_3_lacks_is_named() -> None:
    networkd: JSONObject = {"units": [{"name": "a.network", "contents": "[Match]\n"}]}
    stored = machine_config({"ignition": {"version": "2.2.0"}, "networkd": networkd})
    with pytest.raises(Untranslatable, match=r"\$\.networkd"):
        compose(stored, SPEC, AppendedSet(), ID)


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


@given(config_parts, st.sampled_from(SUPPORTED), st.sampled_from(TARGETS), st.booleans(), st.text(max_size=8))
def test_the_stored_object_is_never_modified(
    parts: dict[str, Any], own: SpecVersion, asked: SpecVersion, boot_ids: bool, argument: str
) -> None:
    stored = machine_config({"ignition": {"version": str(own)}, **parts}, kernelArguments=[argument])
    before = copy.deepcopy(stored)
    appended = AppendedSet(bundles=(AppendedFile(BUNDLE, b"ca"),), boot_ids=boot_ids, full_config=True)
    try:
        body = build_body(stored, asked, appended)
    except (UnsupportedFeatures, Untranslatable):
        pass
    else:
        served = json.loads(b"".join(body.fill(ID)))
        assert served["ignition"]["version"] == str(asked)
        assert len(paths(served)) == len(served["storage"]["files"]) or "files" in parts.get("storage", {})
    assert stored == before
