"""`mcs ignition validate`: what it says of configs and where, to people and to programs, as do the other commands."""

import json

import pytest

from mcs.cli.ignition_files import MOST
from tests.cli.commands import Place
from tests.cli.ignition_configs import FINE, MANY, REPEATED, TWO_ERRORS, UNKNOWN, WARNING, config, told

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
    pytest.param("[]", 1, ["a.ign:1:2: error: an object is expected, not a list"], id="a list"),
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
