"""`mcs ignition`: what it says of configs and where, what it prints, and what it answers to files that are none."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mcs.cli.ignition_files import LARGEST, MOST
from mcs.ignition import SUPPORTED, TARGETS
from mcs.jsondata import JSON, JSONObject, compact
from tests.cli.commands import Outcome, Place

ROOT = Path(__file__).parents[2]


@pytest.fixture
def here(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A directory that is the current one, so that files are named as people name them."""
    monkeypatch.chdir(place.directory)
    return place


def config(version: str = "3.4.0", *others: str, **members: JSON) -> str:
    """Return the text of a config, on one line. others: names of members that are 1."""
    return json.dumps({"ignition": {"version": version}, **members, **dict.fromkeys(others, 1)})


def told(outcome: Outcome) -> tuple[int, list[str], list[str]]:
    return outcome.status, outcome.out, outcome.err


FINE = config()
WARNING = '{\n  "ignition": {"version": "3.4.0"},\n  "storage": {\n    "disk": []\n  }\n}\n'
TWO_ERRORS = """{
  "ignition": {"version": "3.4.0"},
  "systemd": {"units": [{"name": "a.sevice"}]},
  "storage": {"files": [{"path": "etc/motd", "mode": 8192}]},
  "extra": 1
}
"""


REPEATED = "repeated: the later one counts; two objects become one"
UNKNOWN = "Ignition spec 3.9.0 is not known here: specs 2.0.0 to 2.4.0 and 3.0.0 to 3.6.0 are"


# ---- validate

SAID = [
    pytest.param(FINE, 0, [], id="nothing"),
    pytest.param(WARNING, 0, ["a.ign:4:5: warning: $.storage.disk: unused key disk"], id="warning"),
    pytest.param(
        TWO_ERRORS,
        1,
        [
            "a.ign:3:34: error: $.systemd.units.0.name: invalid systemd unit extension",
            "a.ign:4:34: error: $.storage.files.0.path: path not absolute",
            "a.ign:4:54: error: $.storage.files.0.mode: illegal file mode",
            "a.ign:5:3: warning: $.extra: unused key extra",
        ],
        id="by position",
    ),
    pytest.param(
        config("2.2.0", storage={"files": [{"filesystem": "root", "path": "/a"}]}),
        0,
        ["a.ign:1:59: warning: $.storage.files.0.mode: permissions unset, defaulting to 0000"],
        id="spec 2",
    ),
    pytest.param("", 1, ["a.ign: error: the config is empty"], id="empty"),
    pytest.param(
        '{\n  "a": 1,\n}',
        1,
        ["a.ign:3:1: error: not JSON: Expecting property name enclosed in double quotes"],
        id="no JSON",
    ),
    pytest.param(
        '{"ignition": {}}',
        1,
        ["a.ign:1:15: error: $.ignition.version: the version is missing: it names the spec, such as 3.4.0"],
        id="no version",
    ),
    pytest.param(
        config("3.4"),
        1,
        ["a.ign:1:26: error: $.ignition.version: '3.4' is no version: three numbers are expected, such as 3.2.0"],
        id="invalid version",
    ),
    pytest.param(
        config("3.9.0"),
        1,
        [f"a.ign:1:26: error: $.ignition.version: {UNKNOWN}"],
        id="unknown version",
    ),
    pytest.param(
        config(storage={"Files": []}),
        1,
        ["a.ign:1:48: error: $.storage.Files: unknown key Files: did you mean files? Case matters"],
        id="case",
    ),
    pytest.param(
        config("3.4.0", "a\x1b[2J\n"),
        0,
        [r"a.ign:1:36: warning: $.a\x1b[2J\n: unused key a\x1b[2J\n"],
        id="nothing that a terminal obeys",
    ),
    pytest.param("[]", 1, ["a.ign:1:2: error: an object is expected"], id="a list"),
    pytest.param(
        '{\n"ignition": {"version": "3.4.0"},\n"storage": {"files": [], "disks": []},\n"storage": {"files": []}\n}',
        0,
        [f"a.ign:4:1: warning: $.storage: {REPEATED}", f"a.ign:4:13: warning: $.storage.files: {REPEATED}"],
        id="repeated members",
    ),
    pytest.param(
        '{"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "a", "path": "b"}]}}',
        1,
        [
            f"a.ign:1:72: warning: $.storage.files.0.path: {REPEATED}",
            "a.ign:1:80: error: $.storage.files.0.path: path not absolute",
        ],
        id="a repeated member beside an error",
    ),
    pytest.param(
        '{"ignition": {"version": "3.4.0"}, "ignition": {"version": "3.9.0"}}',
        1,
        [
            f"a.ign:1:36: warning: $.ignition: {REPEATED}",
            f"a.ign:1:49: warning: $.ignition.version: {REPEATED}",
            f"a.ign:1:60: error: $.ignition.version: {UNKNOWN}",
        ],
        id="a repeated version",
    ),
    pytest.param(
        '{"kind": "MachineConfig", "spec": {}, "spec": {}}',
        1,
        ["a.ign:1:1: error: this is a MachineConfig: take the value of its spec.config (jq .spec.config)"],
        id="repeated members of what is no config",
    ),
]


@pytest.mark.parametrize(("text", "status", "lines"), SAID)
def test_validate_says_what_is_wrong_and_where(here: Place, text: str, status: int, lines: list[str]) -> None:
    here.file("a.ign", text)
    assert told(here.mcs("ignition", "validate", "a.ign")) == (status, lines, [])


@pytest.mark.parametrize("arguments", [[], ["-"]], ids=["none", "-"])
def test_validate_reads_standard_input(here: Place, arguments: list[str]) -> None:
    outcome = here.mcs("ignition", "validate", *arguments, stdin=WARNING)
    assert told(outcome) == (0, ["<stdin>:4:5: warning: $.storage.disk: unused key disk"], [])


def test_validate_goes_through_all_files_and_counts_those_with_errors(here: Place) -> None:
    here.file("a.ign", "")
    here.file("b.ign", FINE)
    outcome = here.mcs("ignition", "validate", "a.ign", "b.ign", "absent.ign", "-", stdin=WARNING)
    assert told(outcome) == (
        1,
        [
            "a.ign: error: the config is empty",
            "absent.ign: error: cannot be read: No such file or directory",
            "<stdin>:4:5: warning: $.storage.disk: unused key disk",
        ],
        ["mcs ignition validate: errors in 2 of 4 files"],
    )


def test_validate_prints_reports_for_programs(here: Place) -> None:
    here.file("a.ign", FINE)
    here.file("b.ign", config(storage={"disk": []}))
    here.file("c.ign", config(storage={"files": [{"path": "a"}]}))
    outcome = here.mcs("ignition", "validate", "-o", "json", "a.ign", "b.ign", "c.ign", "absent.ign")
    assert (outcome.status, outcome.err) == (1, [])
    assert json.loads("\n".join(outcome.out)) == [
        {"file": "a.ign", "valid": True, "version": "3.4.0", "report": []},
        {
            "file": "b.ign",
            "valid": True,
            "version": "3.4.0",
            "report": [
                {
                    "kind": "warning",
                    "path": ["storage", "disk"],
                    "message": "unused key disk",
                    "line": 1,
                    "column": 48,
                }
            ],
        },
        {
            "file": "c.ign",
            "valid": False,
            "version": None,
            "report": [
                {
                    "kind": "error",
                    "path": ["storage", "files", 0, "path"],
                    "message": "path not absolute",
                    "line": 1,
                    "column": 67,
                }
            ],
        },
        {
            "file": "absent.ign",
            "valid": False,
            "version": None,
            "report": [
                {
                    "kind": "error",
                    "path": [],
                    "message": "cannot be read: No such file or directory",
                    "line": None,
                    "column": None,
                }
            ],
        },
    ]


def test_reports_for_programs_have_repeated_members(here: Place) -> None:
    text = '{"ignition": {"version": "3.4.0"}, "storage": {}, "storage": {}}'
    (told,) = json.loads("\n".join(here.mcs("ignition", "validate", "-o", "json", stdin=text).out))
    entry = {"kind": "warning", "path": ["storage"], "message": REPEATED, "line": 1, "column": 51}
    assert (told["valid"], told["report"]) == (True, [entry])


@pytest.mark.parametrize(
    "command",
    [["convert", "--to", "3.1", "a.ign"], ["merge", "a.ign", "b.ign"]],
    ids=["convert", "merge"],
)
def test_convert_and_merge_warn_of_repeated_members(here: Place, command: list[str]) -> None:
    here.file("a.ign", '{"ignition": {"version": "3.4.0"}, "storage": {}, "storage": {}}')
    here.file("b.ign", FINE)
    outcome = here.mcs("ignition", *command)
    assert (outcome.status, outcome.err) == (0, [f"a.ign:1:51: warning: $.storage: {REPEATED}"])


MANY = config("3.4.0", *(f"member-{number}" for number in range(MOST)), storage={"files": [{"path": "a"}]}, more=1)


@pytest.mark.parametrize("command", [["validate"], ["convert", "--to", "3.1"]], ids=["validate", "convert"])
def test_of_very_many_lines_the_errors_are_told(here: Place, command: list[str]) -> None:
    here.file("a.ign", MANY)
    outcome = here.mcs("ignition", *command, "a.ign")
    lines = outcome.out + outcome.err
    assert (outcome.status, len(lines), lines[-1]) == (1, MOST + 1, "a.ign: and 2 more")
    assert [line for line in lines if ": error:" in line] == [
        "a.ign:1:67: error: $.storage.files.0.path: path not absolute"
    ]


def test_programs_get_all_of_very_many_lines(here: Place) -> None:
    here.file("a.ign", MANY)
    (told,) = json.loads("\n".join(here.mcs("ignition", "validate", "-o", "json", "a.ign").out))
    assert len(told["report"]) == MOST + 2


def test_just_so_many_lines_are_all_told(here: Place) -> None:
    here.file("a.ign", config("3.4.0", *(f"member-{number}" for number in range(MOST))))
    lines = here.mcs("ignition", "validate", "a.ign").out
    assert (len(lines), lines[-1].partition(": ")[2]) == (
        MOST,
        f"warning: $.member-{MOST - 1}: unused key member-{MOST - 1}",
    )


def test_a_name_that_is_no_unicode_is_printable_for_programs_too(here: Place) -> None:
    outcome = here.mcs("ignition", "validate", "-o", "json", "a\udcff\n")
    assert [each["file"] for each in json.loads("\n".join(outcome.out))] == ["a\\xff\n"]


# ---- what is no config

YAML_CONFIG = "# mine\n---\nignition:\n  version: 3.4.0\n"
IN_MACHINE_CONFIG: JSONObject = {"ignition": {"version": "3.4.0"}}
MACHINE_CONFIG: JSONObject = {"apiVersion": "x/v1", "kind": "MachineConfig", "spec": {"config": IN_MACHINE_CONFIG}}

TAKEN_FOR_CONFIGS = [
    pytest.param(
        compact(MACHINE_CONFIG),
        "this is a MachineConfig: take the value of its spec.config (jq .spec.config)",
        id="MachineConfig",
    ),
    pytest.param(
        yaml.safe_dump(MACHINE_CONFIG),
        "this is a MachineConfig in YAML: take the value of its spec.config, as JSON (yq -o json .spec.config)",
        id="MachineConfig, YAML",
    ),
    pytest.param(
        '{"apiVersion": "v1", "kind": "Li\\nst"}',
        "this is a Kubernetes manifest of a Li st, not an Ignition config",
        id="manifest",
    ),
    pytest.param(
        "apiVersion: v1\nkind: Node\n", "this is a Kubernetes manifest, not an Ignition config", id="manifest, YAML"
    ),
    pytest.param(
        "variant: fcos\nversion: 1.5.0\n",
        "this is a Butane config: have butane make an Ignition config of it",
        id="Butane",
    ),
    pytest.param(
        '{"variant": "fcos"}', "this is a Butane config: have butane make an Ignition config of it", id="Butane, JSON"
    ),
    pytest.param(
        YAML_CONFIG, "this is YAML, and Ignition reads JSON alone: rewrite it (yq -o json)", id="config, YAML"
    ),
    pytest.param("#cloud-config\na: 1\n", "not a config (found coreos-cloudconfig)", id="cloud-config"),
    pytest.param("#!/bin/sh\nkind: x\n", "not a config (found coreos-cloudinit script)", id="script"),
]


@pytest.mark.parametrize("command", [["validate"], ["convert", "--to", "3.1"]], ids=["validate", "convert"])
@pytest.mark.parametrize(("text", "hint"), TAKEN_FOR_CONFIGS)
def test_what_is_no_config_is_told_by_its_name(here: Place, text: str, hint: str, command: list[str]) -> None:
    outcome = here.mcs("ignition", *command, stdin=text)
    assert (outcome.status, outcome.out + outcome.err) == (1, [f"<stdin>:1:1: error: {hint}"])


def test_the_config_of_a_machine_config_is_one(here: Place) -> None:
    assert told(here.mcs("ignition", "validate", stdin=compact(IN_MACHINE_CONFIG))) == (0, [], [])


UNREADABLE = [
    pytest.param("absent.ign", "absent.ign: error: cannot be read: No such file or directory", id="absent"),
    pytest.param(".", ".: error: cannot be read: Is a directory", id="directory"),
    pytest.param("a\nb", r"a\nb: error: cannot be read: No such file or directory", id="two lines"),
    pytest.param("a\0b", r"a\x00b: error: cannot be read: embedded null byte", id="NUL"),
    pytest.param("a\udcff", r"a\xff: error: cannot be read: No such file or directory", id="not UTF-8"),
    pytest.param("x" * 300, f"{'x' * 300}: error: cannot be read: File name too long", id="too long"),
]


@pytest.mark.parametrize(
    "command", [["validate"], ["convert", "--to", "3.1"], ["merge", "-"]], ids=["validate", "convert", "merge"]
)
@pytest.mark.parametrize(("name", "message"), UNREADABLE)
def test_a_file_that_cannot_be_read_is_one_line(here: Place, name: str, message: str, command: list[str]) -> None:
    outcome = here.mcs("ignition", *command, name, stdin=FINE)
    assert (outcome.status, outcome.out + outcome.err) == (1, [message])


def test_a_file_that_is_too_large_is_not_read(here: Place) -> None:
    with (here.directory / "a.ign").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert told(here.mcs("ignition", "validate", "a.ign")) == (1, ["a.ign: error: is larger than 16 MiB"], [])


def test_what_is_not_utf_8_is_no_traceback(here: Place) -> None:
    (here.directory / "a.ign").write_bytes(b"\xff\xfe{\x00}\x00")
    outcome = here.mcs("ignition", "validate", "a.ign")
    assert told(outcome) == (1, ["a.ign:1:1: error: not JSON: Expecting value"], [])


PIECES = [FINE, WARNING, TWO_ERRORS, YAML_CONFIG, compact(MACHINE_CONFIG), "{", "[", '"', "\n", ": ", "null", "\ud800"]


@pytest.mark.parametrize(
    "command", [["validate"], ["validate", "-o", "json"], ["convert", "--to", "2.4"]], ids=" ".join
)
@given(text=st.binary(max_size=40) | st.lists(st.sampled_from(PIECES), max_size=4).map("".join))
@settings(max_examples=50)
def test_no_input_is_a_traceback(text: str | bytes, command: list[str]) -> None:
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    assert Place(Path("/nowhere")).mcs("ignition", *command, stdin=data).status in {0, 1}


# ---- convert

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


# ---- merge


def test_merge_lays_the_later_over_the_earlier_in_their_newest_spec(here: Place) -> None:
    here.file("a.ign", config("3.1.0", storage={"files": [{"path": "/a", "mode": 1}, {"path": "/b"}]}))
    here.file("b.ign", config("3.3.0", kernelArguments={"shouldExist": ["quiet"]}))
    last = config("3.0.0", storage={"files": [{"path": "/a", "mode": 2}]})
    outcome = here.mcs("ignition", "merge", "a.ign", "b.ign", "-", stdin=last)
    assert (outcome.status, outcome.err) == (0, [])
    assert json.loads("\n".join(outcome.out)) == {
        "ignition": {"version": "3.3.0"},
        "storage": {"files": [{"path": "/a", "mode": 2}, {"path": "/b"}]},
        "kernelArguments": {"shouldExist": ["quiet"]},
    }


def test_merge_refuses_a_result_with_errors(here: Place) -> None:
    here.file("a.ign", config(storage={"files": [{"path": "/a", "user": {"id": 1}}]}))
    here.file("b.ign", config(storage={"files": [{"path": "/a", "user": {"name": "b"}}]}))
    outcome = here.mcs("ignition", "merge", "a.ign", "b.ign")
    message = "cannot set both id and name"
    assert told(outcome) == (1, [], [f"<merged>: error: $.storage.files.0.user: {message}"])


def test_merge_refuses_files_with_errors_and_names_them_all(here: Place) -> None:
    here.file("a.ign", "")
    here.file("b.ign", config("3.9.0"))
    outcome = here.mcs("ignition", "merge", "a.ign", "-", "b.ign", stdin=FINE)
    assert told(outcome) == (
        1,
        [],
        ["a.ign: error: the config is empty", f"b.ign:1:26: error: $.ignition.version: {UNKNOWN}"],
    )


def test_merge_converts_spec_2_if_there_is_a_config_of_spec_3(here: Place) -> None:
    here.file("a.ign", config("2.4.0"))
    outcome = here.mcs("ignition", "merge", "a.ign", "-", stdin=config("3.2.0"))
    assert (outcome.status, json.loads("\n".join(outcome.out))) == (0, {"ignition": {"version": "3.2.0"}})


def test_merge_refuses_spec_2_alone(here: Place) -> None:
    here.file("a.ign", config("2.4.0"))
    outcome = here.mcs("ignition", "merge", "a.ign", "a.ign")
    message = "configs of spec 2 cannot be merged: convert them to spec 3 (mcs ignition convert)"
    assert told(outcome) == (1, [], [f"mcs ignition merge: {message}"])


def test_merge_says_which_file_cannot_be_converted(here: Place) -> None:
    here.file("a.ign", config("2.4.0", networkd={"units": [{"name": "a.network"}]}))
    outcome = here.mcs("ignition", "merge", "a.ign", "-", stdin=config("3.2.0"))
    message = "spec 3 has no networkd section, its units are files of it"
    assert told(outcome) == (1, [], [f"a.ign:1:59: error: $.networkd.units: {message}"])


def test_merge_says_what_to_do_with_a_config_that_takes_mount_points(here: Place) -> None:
    here.file("a.ign", config("2.4.0", storage={"files": [{"filesystem": "var", "path": "/a", "mode": 420}]}))
    outcome = here.mcs("ignition", "merge", "a.ign", "-", stdin=config("3.2.0"))
    message = 'no mount point is given for the filesystem "var": convert this file first'
    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err[-1] == (
        f"a.ign:1:59: error: $.storage.files.0: {message} (mcs ignition convert --filesystem var=PATH)"
    )


# ---- the page


def test_the_page_shows_what_the_command_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "ignition.md").read_text(encoding="utf-8")
    sample = page.partition("<!-- sample:begin -->")[2].partition("<!-- sample:end -->")[0]
    files, session = re.findall(r"```\n(.*?)```", sample, re.DOTALL)
    shell(files, tmp_path)
    commands = [line.removeprefix("$ ") for line in session.splitlines() if line.startswith("$ ")]
    assert len(commands) >= 5
    assert "".join(f"$ {command}\n{shell(command, tmp_path)}" for command in commands) == session


def shell(script: str, directory: Path) -> str:
    """Run a script, and return all that it prints; `mcs` is the one of this tree."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDEVMODE": ""}
    with_mcs = f'mcs() {{ {sys.executable} -m mcs "$@"; }}\n{script}'
    finished = subprocess.run(
        with_mcs,
        shell=True,
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return finished.stdout


# ---- usage

MISUSED = [
    pytest.param(
        ["convert", "--to", "3.9"],
        "mcs ignition convert: Invalid value for '--to': '3.9' is none of 2.2, 2.4, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6",
        id="unknown spec",
    ),
    pytest.param(["convert"], "mcs ignition convert: Missing option '--to'.", id="no spec"),
    pytest.param(
        ["convert", "--to", "3.1", "--filesystem", "var"],
        "mcs ignition convert: Invalid value for '--filesystem': 'var' is not NAME=PATH with an absolute path",
        id="filesystem",
    ),
    pytest.param(
        ["convert", "--to", "3.1", "--filesystem", "var=srv"],
        "mcs ignition convert: Invalid value for '--filesystem': 'var=srv' is not NAME=PATH with an absolute path",
        id="relative path",
    ),
    pytest.param(
        ["convert", "--to", "3.1", "--filesystem", "var=//a/../var/"],
        "mcs ignition convert: Invalid value for '--filesystem': '//a/../var/' is not fully simplified, that is '/var'",
        id="path not clean",
    ),
    pytest.param(
        ["convert", "--to", "3.1", "--filesystem", "root=/"],
        "mcs ignition convert: Invalid value for '--filesystem': 'root' is at / in any case",
        id="root",
    ),
    pytest.param(
        ["convert", "--to", "3.1", "--filesystem", "a\nb"],
        r"mcs ignition convert: Invalid value for '--filesystem': 'a\nb' is not NAME=PATH with an absolute path",
        id="two lines",
    ),
    pytest.param(
        ["convert", "--to", "3.1", "--filesystem", "var=/var", "--filesystem", "var=/srv"],
        "mcs ignition convert: Invalid value for '--filesystem': 'var' is mounted at two paths",
        id="filesystem twice",
    ),
    pytest.param(
        ["convert", "--to", "3.1", ""], "mcs ignition convert: a file's name is empty", id="convert, empty name"
    ),
    pytest.param(["validate", ""], "mcs ignition validate: a file's name is empty", id="empty name"),
    pytest.param(
        ["validate", "-", "-"], "mcs ignition validate: standard input (-) can be read only once", id="input twice"
    ),
    pytest.param(["merge"], "mcs ignition merge: merge takes two files or more", id="merge nothing"),
    pytest.param(["merge", "a.ign"], "mcs ignition merge: merge takes two files or more", id="merge one"),
    pytest.param(
        ["check"], "mcs ignition: there is no command 'check'; there are convert, merge, validate", id="command"
    ),
]


@pytest.mark.parametrize(("arguments", "message"), MISUSED)
def test_wrong_usage_is_a_sentence(here: Place, arguments: list[str], message: str) -> None:
    outcome = here.mcs("ignition", *arguments)
    assert (outcome.status, outcome.out, outcome.err[-1]) == (2, [], message)


@pytest.mark.parametrize("command", ["validate", "convert", "merge"])
def test_help_has_examples(here: Place, command: str) -> None:
    outcome = here.mcs("ignition", command, "--help")
    examples = [line.strip() for line in outcome.out[outcome.out.index("  Examples:") + 1 :] if "mcs ignition" in line]
    assert outcome.status == 0
    assert len(examples) >= 2


def test_the_help_names_the_specs_that_are_read(here: Place) -> None:
    text = " ".join(" ".join(here.mcs("ignition", "--help").out).split())
    minors = {major: [spec.minor for spec in SUPPORTED if spec.major == major] for major in (2, 3)}
    spans = " and ".join(f"{major}.{min(known)} to {major}.{max(known)}" for major, known in minors.items())
    assert f"Ignition configs of the specs {spans};" in text


# ---- streams


def run(arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run the command by the shell, with the redirections that its arguments end with."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDEVMODE": ""}
    line = f"{sys.executable} -m mcs ignition {arguments}"
    return subprocess.run(line, shell=True, cwd=directory, env=environment, capture_output=True, text=True)


FULL = "the output cannot be written: No space left on device"
STREAMS = [
    pytest.param("validate a.ign >/dev/full", f"mcs ignition validate: {FULL}", id="full"),
    pytest.param("convert --to 3.1 b.ign >/dev/full", f"mcs ignition convert: {FULL}", id="full, config"),
    pytest.param(
        "merge b.ign b.ign >&-", "mcs ignition merge: the output cannot be written: it is closed", id="closed"
    ),
    pytest.param("convert --to 3.1 <&-", "<stdin>: error: cannot be read: it is closed", id="input closed"),
]


@pytest.mark.parametrize(("arguments", "message"), STREAMS)
def test_broken_streams_are_one_line(here: Place, arguments: str, message: str) -> None:
    here.file("a.ign", WARNING)
    here.file("b.ign", FINE)
    finished = run(arguments, here.directory)
    assert (finished.returncode, finished.stdout, finished.stderr) == (1, "", f"{message}\n")


def test_a_reader_that_has_had_enough_hears_no_tale(here: Place) -> None:
    here.file("a.ign", config("3.4.0", *(f"member-{number}" for number in range(MOST))))
    finished = run(f"validate {' a.ign' * 20} | head -n 1", here.directory)
    assert finished.stdout == "a.ign:1:36: warning: $.member-0: unused key member-0\n"
    assert finished.stderr == ""
