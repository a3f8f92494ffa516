"""One MachineConfig on its way into a rendered config: what is refused, and what becomes of what is not."""

import copy

import pytest

from mcs.jsondata import JSON, JSONObject, list_at, lookup
from mcs.machineconfig.components import component
from mcs.machineconfig.render_error import Reason, RenderError
from tests.machineconfig.machine_configs import BUILD_ANNOTATION, file, files, ignition, machine_config, of_spec, unit


def spec_2(**sections: JSON) -> JSONObject:
    return ignition("2.2.0", **sections)


def file_2(path: str, source: str = "data:,a", **members: JSON) -> JSONObject:
    return {"filesystem": "root", "path": path, "mode": 0o644, "contents": {"source": source}, **members}


# ---- what is refused, each by its reason and in words

KNOWN = "2.0, 2.1, 2.2, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5"


@pytest.mark.parametrize(
    ("spec", "reason", "said"),
    [
        pytest.param(
            {"kernelType": "rt"},
            Reason.KERNEL_TYPE,
            "kernelType 'rt' is unknown; there are default, realtime, 64k-pages",
            id="kernel-type",
        ),
        pytest.param(
            {"config": ignition(), "extensions": ["usbguard", "nano", "emacs"]},
            Reason.EXTENSION,
            "extensions emacs, nano are unknown; there are ipsec, kerberos, kernel-devel, sandboxed-containers, "
            "sysstat, two-node-ha, usbguard",
            id="extensions",
        ),
        pytest.param(
            {"config": ignition(), "extensions": [""]}, Reason.EXTENSION, "extensions  are unknown", id="no-extension"
        ),
        pytest.param(
            {"config": files(file("/a", mode=0o1777))},
            Reason.FILE_MODE,
            "file /a has mode 0o1777; at most 0o777 is allowed",
            id="file-mode",
        ),
        pytest.param(
            {"config": spec_2(storage={"files": [file_2("/a", mode=0o1777)]})},
            Reason.FILE_MODE,
            "file /a has mode 0o1777",
            id="file-mode-in-spec-2",
        ),
        pytest.param(
            {"config": {}}, Reason.VERSION_INVALID, "its Ignition version is missing or none", id="no-version"
        ),
        pytest.param(
            {"config": {"ignitionVersion": 1}},
            Reason.VERSION_INVALID,
            "its Ignition version is missing or none",
            id="spec-1",
        ),
        pytest.param(
            {"config": ignition("3")}, Reason.VERSION_INVALID, "its Ignition version is missing or none", id="no-semver"
        ),
        pytest.param({"config": ignition("3.9.0")}, Reason.VERSION_UNKNOWN, f"rendered are {KNOWN}", id="later-spec"),
        pytest.param(
            {"config": ignition("2.3.0")},
            Reason.VERSION_UNKNOWN,
            f"Ignition 2.3.0 cannot be rendered; rendered are {KNOWN}",
            id="spec-that-the-operator-cannot-read",
        ),
        pytest.param(
            {"config": ignition("3.6.0")}, Reason.VERSION_UNKNOWN, "Ignition 3.6.0 cannot be rendered", id="newest-spec"
        ),
        pytest.param({"config": "x"}, Reason.IGNITION_INVALID, "its Ignition config is invalid", id="text"),
        pytest.param({"config": [1]}, Reason.IGNITION_INVALID, "its Ignition config is invalid", id="list"),
        pytest.param(
            {"config": files(file("a"))},
            Reason.IGNITION_INVALID,
            "$.storage.files.0.path: path not absolute",
            id="path",
        ),
        pytest.param(
            {"config": files(file("/a"), file("/a"))}, Reason.IGNITION_INVALID, "duplicate entry", id="twice-in-spec-3"
        ),
        pytest.param(
            {"config": files(file("/a", mode="0644"))}, Reason.IGNITION_INVALID, "$.storage.files.0.mode", id="type"
        ),
        pytest.param(
            {"config": files(file("/a", "ftp://example.net/a"))},
            Reason.IGNITION_INVALID,
            "$.storage.files.0.contents.source",
            id="scheme",
        ),
        pytest.param(
            {"config": unit("a.service", contents="[broken")}, Reason.IGNITION_INVALID, "$.systemd.units.0", id="unit"
        ),
        pytest.param(
            {"config": spec_2(passwd={"users": [{"name": "core"}, {"name": "root"}]})},
            Reason.SPEC_2_USER,
            "user 'root' in a config of spec 2: only core is supported",
            id="other-user-in-spec-2",
        ),
        pytest.param(
            {"config": spec_2(Passwd={"USERS": [{"name": "root"}]})},
            Reason.SPEC_2_USER,
            "user 'root' in a config of spec 2",
            id="other-user-in-another-case",
        ),
        pytest.param(
            {"config": spec_2(networkd={"units": [{"name": "a.network"}]})},
            Reason.SPEC_2_CONVERT,
            "its Ignition config cannot be said in spec 3.5.0",
            id="networkd",
        ),
    ],
)
def test_refused(spec: JSONObject, reason: Reason, said: str) -> None:
    with pytest.raises(RenderError) as caught:
        component(of_spec("00", spec))

    assert (caught.value.reason, caught.value.culprit) == (reason, "00")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"kernelType": ""}, id="empty-kernel-type"),
        pytest.param({"extensions": ["nano"]}, id="unknown-extension-without-a-config"),
        pytest.param({"config": files(file("/a", mode=0o777))}, id="largest-file-mode"),
        pytest.param(
            {"config": ignition(storage={"directories": [{"path": "/a", "mode": 0o1777}]})}, id="directory-mode"
        ),
        pytest.param({"config": files(file("/a", "https://example.net/a"))}, id="remote-source"),
        pytest.param({"config": ignition(passwd={"users": [{"name": "root"}]})}, id="other-user-in-spec-3"),
        pytest.param({"config": ignition(unknown=1)}, id="unknown-member"),
    ],
)
def test_taken_though_it_looks_odd(spec: JSONObject) -> None:
    assert component(of_spec("00", spec)).name == "00"


# ---- what it contributes


def test_what_is_read_of_a_spec() -> None:
    found = component(
        machine_config(
            "00",
            role="infra",
            annotations={BUILD_ANNOTATION: "b1"},
            kernelArguments=["a", "a"],
            extensions=["ipsec"],
            fips=True,
            kernelType="realtime",
            osImageURL="os",
            baseOSExtensionsContainerImage="ext",
        )
    )

    assert (found.for_workers, found.generated, found.config) == (False, True, None)
    assert (found.kernel_arguments, found.extensions) == (("a", "a"), ("ipsec",))
    assert (found.fips, found.kernel_type, found.os_image, found.extensions_image) == (True, "realtime", "os", "ext")


@pytest.mark.parametrize(
    ("role", "first"),
    [
        pytest.param("worker", True, id="worker"),
        pytest.param("Worker", False, id="case-matters"),
        pytest.param("infra", False, id="another"),
    ],
)
def test_whose_it_is(role: str, first: bool) -> None:
    assert component(machine_config("00", role=role)).for_workers is first


@pytest.mark.parametrize("version", ["3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0"])
def test_every_spec_3_becomes_the_common_one(version: str) -> None:
    config = ignition(version, storage={"files": [file("/a")]})
    before = copy.deepcopy(config)

    converted = component(machine_config("00", config=config)).config

    assert lookup(converted, "ignition", "version") == "3.5.0"
    assert list_at(converted, "storage", "files") == list_at(before, "storage", "files")
    assert config == before


def in_capitals(value: JSON) -> JSON:
    """Return the value with all members' names in capitals."""
    if isinstance(value, list):
        return [in_capitals(item) for item in value]
    if isinstance(value, dict):
        return {key.upper(): in_capitals(member) for key, member in value.items()}
    return value


@pytest.mark.parametrize(
    ("version", "entry"),
    [
        pytest.param("2.0.0", file_2("/a", "data:,1"), id="2.0"),
        pytest.param("2.2.0", file_2("/a", "data:,1"), id="2.2"),
        pytest.param("3.2.0", file("/a", contents={"source": "data:,a", "compression": "gzip"}), id="3.2"),
        pytest.param("3.5.0", file("/a", contents={"source": "data:,a", "compression": "gzip"}), id="common-spec"),
    ],
)
def test_members_are_read_whatever_the_case_of_their_names(version: str, entry: JSONObject) -> None:
    entries = [entry, {**entry, "contents": {"source": "data:,2"}}] if version < "3" else [entry]
    sections: JSONObject = {"storage": {"files": [*entries]}}
    plain, loud = ignition(version, **sections), ignition(version, STORAGE=in_capitals(sections["storage"]))

    found, wanted = (component(machine_config("00", config=config)).config for config in (loud, plain))

    assert found == wanted
    assert len(list_at(found, "storage", "files")) == 1


# ---- spec 2: several entries of one name


def test_the_last_file_of_a_path_counts_and_the_last_comes_first() -> None:
    config = spec_2(storage={"files": [file_2("/a", "data:,1"), file_2("/b"), file_2("/a", "data:,2")]})

    found = list_at(component(machine_config("00", config=config)).config, "storage", "files")

    assert [(lookup(each, "path"), lookup(each, "contents", "source")) for each in found] == [
        ("/a", "data:,2"),
        ("/b", "data:,a"),
    ]


def test_the_last_unit_counts_with_the_drop_ins_that_only_earlier_ones_have() -> None:
    units: list[JSON] = [
        {
            "name": "a.service",
            "dropins": [{"name": "1.conf", "contents": "[A]\n"}, {"name": "2.conf", "contents": "[C]\n"}],
        },
        {"name": "b.service", "enabled": True},
        {"name": "a.service", "dropins": [{"name": "1.conf", "contents": "[B]\n"}]},
    ]

    found = list_at(component(machine_config("00", config=spec_2(systemd={"units": units}))).config, "systemd", "units")

    assert [lookup(each, "name") for each in found] == ["a.service", "b.service"]
    assert [(lookup(each, "name"), lookup(each, "contents")) for each in list_at(found[0], "dropins")] == [
        ("1.conf", "[B]\n"),
        ("2.conf", "[C]\n"),
    ]


def test_the_last_user_counts_with_the_keys_of_all() -> None:
    users: list[JSON] = [
        {"name": "core", "passwordHash": "x", "sshAuthorizedKeys": ["a", "b"]},
        {"name": "core", "sshAuthorizedKeys": ["c", "a"]},
    ]

    found = component(machine_config("00", config=spec_2(passwd={"users": users}))).config

    assert list_at(found, "passwd", "users") == [{"name": "core", "sshAuthorizedKeys": ["c", "a", "b"]}]
