"""`mcs ignition` as a whole: its page, its help, wrong usage, and streams that are closed or full."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mcs.cli.ignition_files import MOST
from mcs.ignition import SUPPORTED
from tests.cli.commands import ROOT, Place, by_shell
from tests.cli.ignition_configs import FINE, WARNING, config

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
    pytest.param(
        ["convert", "--to", "3\x1b.9"],
        r"mcs ignition convert: Invalid value for '--to': '3\x1b.9' is none of"
        " 2.2, 2.4, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6",
        id="a spec that is not printable",
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
    pytest.param(
        ["check\x9b"],
        r"mcs ignition: there is no command 'check\x9b'; there are convert, merge, validate",
        id="command that is not printable",
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
    finished = by_shell(here, f"ignition {arguments}")
    assert (finished.returncode, finished.stdout, finished.stderr) == (1, "", f"{message}\n")


def test_a_reader_that_has_had_enough_hears_no_tale(here: Place) -> None:
    here.file("a.ign", config("3.4.0", *(f"member-{number}" for number in range(MOST))))
    finished = by_shell(here, f"ignition validate {' a.ign' * 20} | head -n 1")
    assert finished.stdout == "a.ign:1:36: warning: $.member-0: unused key member-0\n"
    assert finished.stderr == ""
