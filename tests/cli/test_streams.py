"""Standard streams that are closed, full or narrow: one line and the right exit status, whoever starts the command."""

import sys

import pytest

from mcs.jsondata import compact
from mcs.machineconfig.names import Kind
from tests.cli.commands import Place, by_shell, node, pool

PROGRAMS = [
    pytest.param(["-m", "mcs"], id="module"),
    pytest.param(["-c", "from mcs.cli import main; main()"], id="console script"),
]

FULL = "No space left on device"
APPLIED = "mcs apply: everything was applied, but that could not be reported"

FAILING = [
    pytest.param("get pools >/dev/full", 1, f"mcs get: the output cannot be written: {FULL}", id="get"),
    pytest.param("get pools -o yaml >/dev/full", 1, f"mcs get: the output cannot be written: {FULL}", id="YAML"),
    pytest.param("get pools >&-", 1, "mcs get: the output cannot be written: it is closed", id="closed"),
    pytest.param("get pools -o json >&-", 1, "mcs get: the output cannot be written: it is closed", id="closed, JSON"),
    pytest.param("get pools >&- 2>&-", 1, "", id="both closed"),
    pytest.param("get pools >/dev/full 2>/dev/full", 1, "", id="both full"),
    pytest.param("get pool absent 2>/dev/full", 1, "", id="error cannot be written"),
    pytest.param("get nonsense 2>/dev/full", 2, "", id="usage cannot be written"),
    pytest.param("get --nonsense 2>&-", 2, "", id="usage, closed"),
    pytest.param("--help >/dev/full", 1, f"mcs: the output cannot be written: {FULL}", id="help"),
    pytest.param("--version >/dev/full", 1, f"mcs: the output cannot be written: {FULL}", id="version"),
    pytest.param("get --help >/dev/full", 1, f"mcs get: the output cannot be written: {FULL}", id="help below"),
    pytest.param("apply -f a.yaml >/dev/full", 1, f"{APPLIED}: {FULL}", id="apply"),
    pytest.param("apply -f a.yaml >&-", 1, f"{APPLIED}: it is closed", id="apply, closed"),
    pytest.param(
        "apply -f - <&-", 1, "mcs apply: standard input cannot be read: it is closed; nothing was applied", id="input"
    ),
    pytest.param(
        "delete pool old >/dev/full",
        1,
        f"mcs delete: machineconfigpool/old was deleted, but that could not be reported: {FULL}",
        id="delete",
    ),
    pytest.param(
        "store reset-clock >/dev/full",
        1,
        f"mcs store reset-clock: the store's clock is this host's clock now, but that could not be reported: {FULL}",
        id="reset-clock",
    ),
]


@pytest.fixture
def filled(here: Place) -> Place:
    """A store with a pool, and the current directory, in which a manifest of a node lies."""
    here.mcs("apply", "-f", "-", stdin=compact(pool("old")))
    here.file("a.yaml", compact(node("new")))
    return here


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(("arguments", "status", "message"), FAILING)
def test_what_fails_is_one_line(filled: Place, arguments: str, status: int, message: str, unbuffered: str) -> None:
    finished = by_shell(filled, arguments, PYTHONUNBUFFERED=unbuffered)
    assert (finished.returncode, finished.stdout, finished.stderr.rstrip("\n")) == (status, "", message)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_command_is_the_same_however_it_is_started(filled: Place, program: list[str]) -> None:
    version = by_shell(filled, "--version", tuple(program))
    full = by_shell(filled, "get pools >/dev/full", tuple(program))
    assert (version.returncode, version.stdout.split()[0]) == (0, "mcs,")
    assert (full.returncode, full.stderr) == (1, f"mcs get: the output cannot be written: {FULL}\n")


def test_what_is_said_to_be_applied_is(filled: Place) -> None:
    by_shell(filled, "apply -f a.yaml >/dev/full")
    assert [row[0] for row in filled.mcs("get", "nodes").rows()] == ["new"]


def test_a_character_that_the_output_lacks_is_escaped_in_tables_and_whole_in_documents(filled: Place) -> None:
    store = filled.store()
    store.apply([(Kind.NODE, node("far", state="\u2265"))])
    store.close()
    assert r"\u2265" in by_shell(filled, "get nodes", PYTHONIOENCODING="latin-1").stdout
    assert "\u2265" in by_shell(filled, "get nodes -o json", PYTHONIOENCODING="latin-1").stdout


def test_a_current_directory_that_is_gone_is_not_taken_for_the_output(place: Place) -> None:
    gone = place.directory / "gone"
    gone.mkdir()
    finished = by_shell(
        place,
        f"--version; cd {gone}; rmdir {gone}; {sys.executable} -m mcs get pools",
        MCS_STORE="sqlite:///x.db",
    )
    assert finished.returncode == 1
    assert finished.stderr == "mcs get: the current directory: No such file or directory\n"
