"""`mcs ignition convert`: the config that it prints, and what it refuses and where."""

import json

import pytest

from mcs.ignition import TARGETS
from mcs.jsondata import JSONObject
from tests.cli.commands import Place
from tests.cli.ignition_configs import WARNING, config, told

KERNEL_ARGUMENTS = """{
  "ignition": {"version": "3.4.0"},
  "storage": {"luks": [{"name": "a", "device": "/dev/a", "discard": true}]},
  "kernelArguments": {"shouldExist": ["quiet"]}
}
"""

CONVERTED = [
    pytest.param(config("3.1.0"), ["--to", "3.4"], {"ignition": {"version": "3.4.0"}}, id="up"),
    pytest.param(config("3.4.0"), ["--to", "3.1.0"], {"ignition": {"version": "3.1.0"}}, id="down, long"),
    pytest.param(config("3.4.0"), ["--to", "2.4", "-o", "json"], {"ignition": {"version": "2.4.0"}}, id="to 2"),
    pytest.param(
        config("2.4.0", storage={"files": [{"filesystem": "var", "path": "/a", "mode": 420}]}),
        ["--to", "3.1", "--filesystem", "var=/var"],
        {
            "ignition": {"version": "3.1.0"},
            "storage": {"files": [{"path": "/var/a", "overwrite": True, "mode": 420, "contents": {"source": ""}}]},
        },
        id="from 2",
    ),
]


@pytest.mark.parametrize(("text", "arguments", "converted"), CONVERTED)
def test_convert_prints_the_config(here: Place, text: str, arguments: list[str], converted: JSONObject) -> None:
    outcome = here.mcs("ignition", "convert", *arguments, stdin=text)
    assert (outcome.status, json.loads("\n".join(outcome.out))) == (0, converted)


def test_convert_prints_yaml_for_a_machine_config(here: Place) -> None:
    here.file("a.ign", config("3.1.0"))
    outcome = here.mcs("ignition", "convert", "--to", "3.4", "-o", "yaml", "a.ign")
    assert told(outcome) == (0, ["ignition:", "  version: 3.4.0"], [])


def test_convert_names_every_refusal_and_prints_no_config(here: Place) -> None:
    here.file("a.ign", KERNEL_ARGUMENTS)
    assert told(here.mcs("ignition", "convert", "--to", "3.1", "a.ign")) == (
        1,
        [],
        [
            "a.ign:3:24: error: $.storage.luks: spec 3.1.0 lacks LUKS volumes (since 3.2.0)",
            "a.ign:3:69: error: $.storage.luks.0.discard: spec 3.1.0 lacks discard on a LUKS volume (since 3.4.0)",
            "a.ign:4:23: error: $.kernelArguments: spec 3.1.0 lacks kernel arguments (since 3.3.0)",
        ],
    )


ELSEWHERE = 'File "/a" references nonexistent filesystem "a". (This is ok if it is defined in a referenced config)'
NOT_MOUNTED = 'no mount point is given for the filesystem "a"'
REFUSED = [
    pytest.param(
        KERNEL_ARGUMENTS,
        "2.2",
        [
            "a.ign:3:24: error: $.storage.luks: spec 2.2.0 lacks LUKS volumes (since 3.2.0)",
            "a.ign:3:69: error: $.storage.luks.0.discard: spec 2.2.0 lacks discard on a LUKS volume (since 3.4.0)",
            "a.ign:4:23: error: $.kernelArguments: spec 2.2.0 lacks kernel arguments (since 3.3.0)",
        ],
        id="3 to 2",
    ),
    pytest.param(
        config("2.4.0", networkd={"units": [{"name": "a.network"}]}, systemd={"units": [{"name": "a.b"}] * 2}),
        "3.1",
        [
            "a.ign:1:115: error: $.systemd.units.0.name: invalid systemd unit extension",
            "a.ign:1:132: error: $.systemd.units.1.name: invalid systemd unit extension",
        ],
        id="invalid, so nothing is converted",
    ),
    pytest.param(
        config(
            "2.4.0",
            storage={"files": [{"filesystem": "a", "path": "/a", "mode": 0}]},
            networkd={"units": [{"name": "a.network"}]},
        ),
        "3.1",
        [
            f"a.ign:1:73: warning: $.storage.files.0.filesystem: {ELSEWHERE}",
            f"a.ign:1:59: error: $.storage.files.0: {NOT_MOUNTED}: add --filesystem a=PATH",
            "a.ign:1:129: error: $.networkd.units: spec 3 has no networkd section, its units are files of it",
        ],
        id="2 to 3",
    ),
]


@pytest.mark.parametrize(("text", "to", "lines"), REFUSED)
def test_convert_refuses_between_spec_2_and_3(here: Place, text: str, to: str, lines: list[str]) -> None:
    here.file("a.ign", text)
    assert told(here.mcs("ignition", "convert", "--to", to, "a.ign")) == (1, [], lines)


NAMED_FILESYSTEMS = config(
    "2.4.0",
    storage={
        "filesystems": [{"name": "a=b", "mount": {"device": "/dev/a", "format": "xfs"}}],
        "files": [{"filesystem": "var", "path": "/a", "mode": 420}, {"filesystem": "root", "path": "/a", "mode": 420}],
    },
)
NO_SUCH = "the config names no such filesystem; it names"
ONLY_2_TO_3 = "--filesystem is for conversions from spec 2 to spec 3, not from"


@pytest.mark.parametrize(
    ("text", "to", "filesystems", "lines"),
    [
        pytest.param(
            NAMED_FILESYSTEMS,
            "3.1",
            ["vra=/var", "a=b=/b"],
            [f"a.ign: error: --filesystem vra=/var: {NO_SUCH} a=b, var"],
            id="a misspelt name",
        ),
        pytest.param(
            config("2.4.0"),
            "3.1",
            ["a=/a", "b=/b"],
            [f"a.ign: error: --filesystem {name}=/{name}: {NO_SUCH} none but root" for name in "ab"],
            id="no filesystems",
        ),
        pytest.param(config("3.2.0"), "3.1", ["a=/a"], [f"a.ign: error: {ONLY_2_TO_3} 3.2.0 to 3.1.0"], id="3 to 3"),
        pytest.param(config("3.2.0"), "2.4", ["a=/a"], [f"a.ign: error: {ONLY_2_TO_3} 3.2.0 to 2.4.0"], id="3 to 2"),
        pytest.param(
            NAMED_FILESYSTEMS, "2.2", ["var=/var"], [f"a.ign: error: {ONLY_2_TO_3} 2.4.0 to 2.2.0"], id="2 to 2"
        ),
    ],
)
def test_a_mount_point_for_nothing_is_refused(
    here: Place, text: str, to: str, filesystems: list[str], lines: list[str]
) -> None:
    here.file("a.ign", text)
    options = [argument for each in filesystems for argument in ("--filesystem", each)]
    outcome = here.mcs("ignition", "convert", "--to", to, *options, "a.ign")
    said = [line for line in outcome.err if ": warning:" not in line]
    assert (outcome.status, outcome.out, said) == (1, [], lines)


def test_any_name_but_root_can_be_given_a_mount_point(here: Place) -> None:
    options = ["--filesystem", "a=b=/b", "--filesystem", "var=/var"]
    outcome = here.mcs("ignition", "convert", "--to", "3.1", *options, stdin=NAMED_FILESYSTEMS)
    storage = json.loads("\n".join(outcome.out))["storage"]
    assert [each["path"] for each in (*storage["filesystems"], *storage["files"])] == ["/b", "/var/a", "/a"]


def test_convert_passes_warnings_on_and_succeeds(here: Place) -> None:
    here.file("a.ign", WARNING)
    outcome = here.mcs("ignition", "convert", "--to", "3.1", "a.ign")
    assert (outcome.status, outcome.err) == (0, ["a.ign:4:5: warning: $.storage.disk: unused key disk"])
    assert json.loads("\n".join(outcome.out))["ignition"] == {"version": "3.1.0"}


def test_convert_refuses_a_config_with_errors(here: Place) -> None:
    here.file("a.ign", config(storage={"files": [{"path": "a"}]}))
    outcome = here.mcs("ignition", "convert", "--to", "3.5", "a.ign")
    assert told(outcome) == (1, [], ["a.ign:1:67: error: $.storage.files.0.path: path not absolute"])


def test_convert_refuses_a_result_with_errors(here: Place) -> None:
    here.file("a.ign", config("3.2.0", storage={"links": [{"path": "/a", "target": ""}]}))
    outcome = here.mcs("ignition", "convert", "--to", "3.5", "a.ign")
    message = "in spec 3.5.0: link target is required"
    assert told(outcome) == (1, [], [f"a.ign:1:83: error: $.storage.links.0.target: {message}"])


def test_the_errors_of_a_result_of_the_other_major_version_have_its_own_paths(here: Place) -> None:
    text = config("2.4.0", storage={"disks": [{"device": "/dev/a/", "wipeTable": True}]})
    outcome = here.mcs("ignition", "convert", "--to", "3.1", stdin=text)
    message = "in spec 3.1.0: path is not fully simplified"
    assert told(outcome) == (1, [], [f"<converted>: error: $.storage.disks.0.device: {message}"])


def test_every_spec_that_is_written_can_be_asked_for(here: Place) -> None:
    for spec in TARGETS:
        for text in (f"{spec.major}.{spec.minor}", str(spec)):
            outcome = here.mcs("ignition", "convert", "--to", text, stdin=config("3.0.0"))
            assert (outcome.status, json.loads("\n".join(outcome.out))) == (0, {"ignition": {"version": str(spec)}})
