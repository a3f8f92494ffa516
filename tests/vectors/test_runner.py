"""The runner of vectors: what passes, what fails, what is free, and what the command says of each."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mcs.ignition.conversion import convert
from mcs.ignition.versions import V3_1
from mcs.jsondata import JSON, JSONObject
from tests.vectors.cases import Case
from tests.vectors.kinds import KINDS
from tests.vectors.runner import verdict_on
from tests.vectors.verdicts import Verdict

ROOT = Path(__file__).resolve().parents[2]

# ---- what a case has to be like to pass

MINIMAL: JSONObject = {"ignition": {"version": "3.2.0"}}
UNUSED: JSON = {"kind": "warning", "path": ["bogus"], "message": "unused key bogus"}
BOGUS: JSONObject = {**MINIMAL, "bogus": 1}
LUKS: JSONObject = {**MINIMAL, "storage": {"luks": [{"name": "a", "device": "/dev/a"}]}}
BAD_PATH: JSONObject = {**MINIMAL, "storage": {"files": [{"path": "a"}]}}
FILE_IN_GHOST: JSONObject = {
    "ignition": {"version": "2.3.0"},
    "storage": {"files": [{"filesystem": "ghost", "path": "/a", "mode": 420, "contents": {"source": "data:,"}}]},
}
GHOST: JSON = {
    "kind": "warning",
    "message": 'File "/a" references nonexistent filesystem "ghost".'
    " (This is ok if it is defined in a referenced config)",
}


def unit(contents: str) -> JSONObject:
    return {**MINIMAL, "systemd": {"units": [{"name": "a.service", "contents": contents}]}}


def file_of(source: str) -> JSONObject:
    return {**MINIMAL, "storage": {"files": [{"path": "/a", "contents": {"source": source}}]}}


def parsed(
    source: JSON, *, spec: str = "3.2", error: str | None = None, report: JSON = None, **more: JSON
) -> JSONObject:
    expect: JSONObject = {"ok": error is None, "error": error, "report": [] if report is None else report, **more}
    return {"spec": spec, "input": source, "expect": expect}


def refused(source: JSON, step: str, refused_as: str) -> JSONObject:
    above, below = step.split(">")
    return {"from": above, "to": below, "input": source, "expect": {"error": "", "class": refused_as, "step": step}}


def at(path: list[JSON], message: str | None, kind: str = "error") -> JSON:
    return {"kind": kind, "path": path, "message": message}


def verdict(kind: str, body: JSONObject) -> Verdict:
    return verdict_on(Case(1, "a-case", body), KINDS[kind])


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        pytest.param("parse", parsed(MINIMAL), id="parse"),
        pytest.param("parse", parsed(BOGUS, report=[UNUSED]), id="parse, with a warning"),
        pytest.param("parse", parsed(BOGUS, report=[at(["bogus"], None, "warning")]), id="parse, with any text"),
        pytest.param("parse", parsed(json.dumps(BOGUS), report=[UNUSED], config=MINIMAL), id="parse, the config too"),
        pytest.param("parse", parsed("{") | {"expect": {"error": "ErrInvalid"}}, id="no JSON"),
        pytest.param("parse", parsed("", spec="auto", error="ErrEmpty"), id="no text"),
        pytest.param(
            "parse", parsed({"ignition": {"version": "3"}}, spec="auto", error="ErrInvalidVersion"), id="version"
        ),
        pytest.param("parse", parsed(MINIMAL, spec="3.3", error="ErrUnknownVersion"), id="parse, another spec"),
        pytest.param(
            "parse",
            parsed({"ignition": {"version": "2.2.0"}}, spec="auto", error="ErrUnknownVersion"),
            id="parse, a spec 2 that those who made the vectors do not read",
        ),
        pytest.param(
            "parse",
            parsed(
                unit("[a"),
                error="ErrInvalid",
                report=[at(["systemd", "units", 0, "contents"], "invalid unit content: x")],
            ),
            id="parse, a library's words on a unit",
        ),
        pytest.param(
            "parse",
            parsed(
                file_of("data:;base64,!"),
                error="ErrInvalid",
                report=[at(["storage", "files", 0, "contents", "source"], "something is wrong with it")],
            ),
            id="parse, a library's words on a data URL",
        ),
        pytest.param(
            "parse",
            parsed({**MINIMAL, "Systemd": {}}, report=[at(["Systemd"], "unused key Systemd", "warning")]),
            id="parse, a key in another case",
        ),
        pytest.param(
            "translate",
            {"from": "3.2", "to": "3.3", "input": MINIMAL, "expect": {"config": {"ignition": {"version": "3.3.0"}}}},
            id="translate",
        ),
        pytest.param(
            "merge",
            {"spec": "3.2", "input": {"parent": MINIMAL, "child": LUKS}, "expect": {"config": LUKS}},
            id="merge",
        ),
        pytest.param("down", refused(LUKS, "3.2>3.1", "unsupported"), id="down, unsupported"),
        pytest.param("down", refused(LUKS, "3.2>3.1", "invalid-output"), id="down, refused earlier than there"),
        pytest.param("down", refused(LUKS, "3.2>3.0", "invalid-input"), id="down, several steps: refused anyhow"),
        pytest.param("down", refused(BAD_PATH, "3.2>3.1", "invalid-input"), id="down, invalid"),
        pytest.param(
            "down",
            {"from": "3.2", "to": "3.1", "input": LUKS, "suggest": {"error": "", "class": "unsupported", "why": ""}},
            id="down, as suggested",
        ),
        pytest.param(
            "two_to_three",
            {
                "from": "2.3",
                "to": "3.0",
                "fsmap": {},
                "input": FILE_IN_GHOST,
                "expect": {"class": "no-filesystem", "error": "", "parse_report": [GHOST]},
            },
            id="two to three, no filesystem",
        ),
    ],
)
def test_a_case_passes(kind: str, body: JSONObject) -> None:
    found = verdict(kind, body)

    assert found.passes, found


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        pytest.param("parse", parsed(MINIMAL, error="ErrInvalid"), id="parse, no error"),
        pytest.param("parse", parsed(BAD_PATH), id="parse, an error"),
        pytest.param("parse", parsed("", spec="auto", error="ErrInvalid"), id="parse, another error"),
        pytest.param("parse", parsed(BOGUS), id="parse, a warning too many"),
        pytest.param("parse", parsed(BOGUS, report=[UNUSED, UNUSED]), id="parse, a warning missing"),
        pytest.param("parse", parsed(BOGUS, report=[at(["bogus"], "unused key bogus")]), id="parse, another kind"),
        pytest.param("parse", parsed(BOGUS, report=[at(["bogu"], "unused key bogus", "warning")]), id="another path"),
        pytest.param("parse", parsed(BOGUS, report=[at(["bogus"], "unused key", "warning")]), id="parse, another text"),
        pytest.param("parse", parsed(BOGUS, report=[at(["bogu"], None, "warning")]), id="parse, any text elsewhere"),
        pytest.param("parse", parsed(json.dumps(BOGUS), report=[UNUSED], config=BOGUS), id="parse, another config"),
        pytest.param(
            "parse",
            parsed(
                file_of("https:/%"),
                error="ErrInvalid",
                report=[at(["storage", "files", 0, "contents", "source"], "something is wrong with it")],
            ),
            id="parse, our own words on another URL",
        ),
        pytest.param(
            "parse",
            parsed({**MINIMAL, "bogus": 1}, report=[at(["Systemd"], "unused key Systemd", "warning")]),
            id="parse, a key in another case that is not refused",
        ),
        pytest.param(
            "translate",
            {"from": "3.2", "to": "3.3", "input": MINIMAL, "expect": {"config": MINIMAL}},
            id="translate, another config",
        ),
        pytest.param(
            "merge",
            {"spec": "3.2", "input": {"parent": MINIMAL, "child": LUKS}, "expect": {"config": MINIMAL}},
            id="merge, another config",
        ),
        pytest.param(
            "merge",
            {"spec": "3.2", "input": {"parent": {}, "child": LUKS}, "expect": {"config": LUKS}},
            id="merge, refused",
        ),
        pytest.param("down", refused(LUKS, "3.2>3.1", "invalid-input"), id="down, another class"),
        pytest.param("down", refused(MINIMAL, "3.2>3.1", "unsupported"), id="down, not refused"),
        pytest.param(
            "down",
            {"from": "3.2", "to": "3.1", "input": LUKS, "suggest": {"error": "", "class": "invalid-output", "why": ""}},
            id="down, not as suggested",
        ),
        pytest.param(
            "down",
            {"from": "3.2", "to": "3.1", "input": LUKS, "expect": {"config": {"ignition": {"version": "3.1.0"}}}},
            id="down, refused",
        ),
        pytest.param(
            "two_to_three",
            {
                "from": "2.3",
                "to": "3.0",
                "fsmap": {},
                "input": FILE_IN_GHOST,
                "expect": {"class": "no-filesystem", "error": "", "parse_report": []},
            },
            id="two to three, another report",
        ),
        pytest.param(
            "two_to_three",
            {
                "from": "2.3",
                "to": "3.0",
                "fsmap": {},
                "input": FILE_IN_GHOST,
                "expect": {"class": "parse", "error": "", "parse_report": [GHOST]},
            },
            id="two to three, another class",
        ),
    ],
)
def test_a_case_fails(kind: str, body: JSONObject) -> None:
    assert not verdict(kind, body).passes


@pytest.mark.parametrize(
    ("kind", "body", "says"),
    [
        pytest.param("parse", {"spec": "3.9", "input": "", "expect": {}}, "no spec", id="no such spec"),
        pytest.param("parse", {"spec": "3.1", "expect": {}}, "no 'input'", id="no input"),
        pytest.param("parse", {"spec": "3.1", "input": {}}, "'suggest' is no object", id="nothing expected"),
        pytest.param("parse", parsed(MINIMAL, report=[1]), "an entry of its report is no object", id="no entry"),
        pytest.param("parse", parsed(MINIMAL, report=7), "a report of it is no list", id="no report"),
        pytest.param("parse", parsed(MINIMAL, report=[{"kind": "error"}]), "has no path", id="no path"),
        pytest.param("translate", {"to": "3.1", "input": [], "expect": {"config": {}}}, "is no config", id="no config"),
        pytest.param("merge", {"input": [], "expect": {}}, "'input' is no object", id="no pair"),
        pytest.param(
            "translate",
            {"to": "3.3", "input": MINIMAL, "expect": {"config": {}}},
            "that it expects is none",
            id="no version",
        ),
        pytest.param(
            "translate", {"to": "3.3", "input": MINIMAL, "expect": {}}, "it expects no config", id="no result"
        ),
    ],
)
def test_what_is_no_case_of_its_kind_fails_and_says_why(kind: str, body: JSONObject, says: str) -> None:
    found = verdict(kind, body)

    assert not found.passes
    assert says in str(found.actual)


def test_a_crash_is_a_failing_case() -> None:
    def crashing(_: Case) -> Verdict:
        raise RecursionError("too deep")

    found = verdict_on(Case(1, "a-case", parsed(MINIMAL)), crashing)

    assert (found.passes, found.actual) == (False, "RecursionError: too deep")


def test_a_downward_case_is_what_conversion_says() -> None:
    config = convert(MINIMAL, V3_1)

    assert verdict("down", {"from": "3.2", "to": "3.1", "input": MINIMAL, "expect": {"config": config}}).passes


# ---- the command


def vectors(folder: Path | str, *options: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.vectors", str(folder), *options]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def write(file: Path, *bodies: JSONObject) -> None:
    lines = [json.dumps({"id": f"case-{number}", "kind": "parse", **body}) for number, body in enumerate(bodies)]
    file.write_text("".join(line + "\n" for line in lines))


def test_the_last_line_counts_and_each_file_has_its_line(tmp_path: Path) -> None:
    write(tmp_path / "parse.jsonl", parsed(MINIMAL), parsed(BOGUS, report=[UNUSED]))
    write(tmp_path / "parse_upstream_bugs.jsonl", parsed(MINIMAL))
    write(tmp_path / "mco_soup.jsonl", {"input": 1})
    (tmp_path / "README.md").write_text("no vectors")

    done = vectors(tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "mco_soup.jsonl: not run, for nothing here runs its kind of cases",
        "parse.jsonl: 2 passed, 0 failed",
        "parse_upstream_bugs.jsonl: 1 passed, 0 failed",
        "3 passed, 0 failed",
    ]


def test_a_failing_case_is_shown_with_what_was_expected_and_what_came(tmp_path: Path) -> None:
    write(tmp_path / "parse.jsonl", parsed(MINIMAL), parsed(BAD_PATH))

    done = vectors(tmp_path)

    assert done.returncode == 1
    failed, expected, actual, *rest = done.stdout.splitlines()
    assert failed == f"{tmp_path}/parse.jsonl:2: case-1: FAILED"
    assert expected == '  expected: {"error": null, "ok": true, "report": []}'
    assert '"message": "path not absolute"' in actual
    assert rest == ["parse.jsonl: 1 passed, 1 failed", "1 passed, 1 failed"]


def as_text(text: bytes) -> Callable[[Path], object]:
    return lambda file: file.write_bytes(text)


@pytest.mark.parametrize(
    ("make", "line", "says"),
    [
        pytest.param(as_text(b"{}\n"), ":1", "no object with an 'id'", id="no id"),
        pytest.param(as_text(b"\n\n[1]"), ":3", "no object with an 'id'", id="no object"),
        pytest.param(as_text(b'{"id": "a"'), ":1", "no JSON: Expecting ',' delimiter at character 11", id="cut off"),
        pytest.param(as_text(b'{"id": "\xff"}'), ":1", "not in UTF-8", id="other bytes"),
        pytest.param(as_text(b"[" * 100_000), ":1", "no JSON that can be read", id="too deep"),
        pytest.param(as_text(b"9" * 5000), ":1", "no JSON that can be read", id="too large a number"),
        pytest.param(Path.mkdir, "", "Is a directory", id="a folder"),
        pytest.param(lambda file: file.symlink_to("gone"), "", "No such file or directory", id="a link to nothing"),
    ],
)
def test_what_cannot_be_read_fails_and_the_rest_is_run(
    tmp_path: Path, make: Callable[[Path], object], line: str, says: str
) -> None:
    make(tmp_path / "down.jsonl")
    write(tmp_path / "parse.jsonl", parsed(MINIMAL))

    done = vectors(tmp_path)

    first, *rest = done.stdout.splitlines()
    assert first.startswith(f"{tmp_path}/down.jsonl{line}: FAILED: {says}")
    assert rest == ["down.jsonl: 0 passed, 1 failed", "parse.jsonl: 1 passed, 0 failed", "1 passed, 1 failed"]
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("names", "says"),
    [
        pytest.param([], "there is no case in it that can be run", id="an empty folder"),
        pytest.param(["mco_soup.jsonl"], "there is no case in it that can be run", id="nothing known"),
        pytest.param(["parse.jsonl"], "there is no case in it that can be run", id="an empty file"),
        pytest.param(None, "No such file or directory", id="no folder"),
    ],
)
def test_nothing_to_run_is_an_error(tmp_path: Path, names: list[str] | None, says: str) -> None:
    folder = tmp_path / "vectors"
    if names is not None:
        folder.mkdir()
        for name in names:
            (folder / name).touch()

    done = vectors(folder)

    assert done.returncode == 1
    assert done.stderr == f"vectors: {folder}: {says}\n"


def test_a_quirk_is_free_to_differ_and_counts_only_where_it_agrees(tmp_path: Path) -> None:
    agreeing, differing = parsed(MINIMAL), parsed(BAD_PATH)
    write(tmp_path / "parse.jsonl", agreeing | {"id": "parse-quirk-1"}, differing | {"id": "parse-quirk-2"})

    done = vectors(tmp_path)

    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == f"{tmp_path}/parse.jsonl:2: parse-quirk-2: differs, as it may"
    assert done.stdout.splitlines()[-2:] == [
        "parse.jsonl: 1 passed, 0 failed, 1 free and different",
        "1 passed, 0 failed",
    ]


def test_what_passes_by_a_deviation_is_counted(tmp_path: Path) -> None:
    key = parsed({**MINIMAL, "Systemd": {}}, report=[at(["Systemd"], "unused key Systemd", "warning")])
    write(tmp_path / "parse.jsonl", key, key, parsed(MINIMAL))

    done = vectors(tmp_path)

    *_, deviation, last = done.stdout.splitlines()
    assert deviation.startswith("2 of the passed by a deliberate deviation, key-case: ")
    assert last == "3 passed, 0 failed"


def test_make_finds_a_folder_relative_to_where_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    write(tmp_path / "given" / "parse.jsonl", parsed(MINIMAL))

    here = vectors("given", cwd=tmp_path)
    called_from = vectors("given", "--called-from", str(tmp_path))

    assert (here.returncode, called_from.returncode) == (0, 0)
    assert here.stdout == called_from.stdout == "parse.jsonl: 1 passed, 0 failed\n1 passed, 0 failed\n"
