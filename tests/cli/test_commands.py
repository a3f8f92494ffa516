"""The `mcs` command as a whole: exit statuses, which store, no traceback for anybody's mistake."""

import os
import subprocess
import sys
import time
from importlib.metadata import version

import pytest
from click.testing import CliRunner

from mcs.cli import COMMANDS
from mcs.cli.command import mcs
from mcs.jsondata import compact
from tests.cli.commands import Place, hold, own_config

STATUSES = [
    pytest.param(["--version"], 0, id="version"),
    pytest.param(["--help"], 0, id="help"),
    pytest.param([], 2, id="nothing"),
    pytest.param(["launch"], 2, id="unknown command"),
    pytest.param(["get"], 2, id="get nothing"),
    pytest.param(["get", "secrets"], 2, id="get unknown"),
    pytest.param(["get", "pools", "-o", "xml"], 2, id="unknown format"),
    pytest.param(["apply"], 2, id="apply nothing"),
    pytest.param(["delete", "pool"], 2, id="delete nothing"),
    pytest.param(["get", "pools"], 0, id="get"),
    pytest.param(["store", "reset-clock"], 0, id="reset-clock"),
]


@pytest.mark.parametrize(("arguments", "status"), STATUSES)
def test_exit_status(place: Place, arguments: list[str], status: int) -> None:
    assert place.mcs(*arguments).status == status


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(place: Place, command: str) -> None:
    outcome = place.mcs(command, "--help")
    assert outcome.status == 0
    assert outcome.out[0].startswith(f"Usage: mcs {command}")


def test_the_version_is_the_packages(place: Place) -> None:
    assert place.mcs("--version").out == [f"mcs, version {version('mcs')}"]


WITHOUT_A_PACKAGE = [
    pytest.param("click", "click", ["ignition", "validate"], id="click"),
    pytest.param("yaml", "pyyaml", ["ignition", "validate"], id="pyyaml"),
    pytest.param("rich", "rich", ["get", "pools"], id="rich"),
    pytest.param("rich", "rich", ["--help"], id="rich, help"),
    pytest.param("gunicorn", "gunicorn", ["serve", "--store", "sqlite:///:memory:"], id="gunicorn"),
    pytest.param("prometheus_client", "prometheus-client", ["serve", "--store", "sqlite:///a.db"], id="prometheus"),
]


@pytest.mark.parametrize(("module", "package", "arguments"), WITHOUT_A_PACKAGE)
def test_a_package_that_is_not_installed_is_named(
    place: Place, module: str, package: str, arguments: list[str]
) -> None:
    without = f"import sys; sys.modules[{module!r}] = None; from mcs.cli import main; main()"
    finished = subprocess.run(
        [sys.executable, "-c", without, *arguments],
        capture_output=True,
        text=True,
        cwd=place.directory,
        input="",
        check=False,
    )
    (line,) = finished.stderr.splitlines()
    assert (finished.returncode, finished.stdout) == (1, "")
    assert line.startswith(f"mcs: the package {package} is not installed: ")


NEEDS_STORE = [["get", "pools"], ["apply", "-f", "x"], ["delete", "pool", "x"], ["store", "reset-clock"]]


@pytest.mark.parametrize("arguments", NEEDS_STORE, ids=" ".join)
def test_without_a_store_both_ways_to_name_one_are_shown(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MCS_STORE", raising=False)
    result = CliRunner().invoke(mcs, arguments)
    assert result.exit_code == 2
    assert "--store sqlite:///PATH" in result.stderr
    assert "MCS_STORE=sqlite:///PATH" in result.stderr


NO_ADDRESSES = [
    pytest.param("postgres://user:secret@host/db", id="unknown"),
    pytest.param("sqlite:///", id="no path"),
    pytest.param("kubernetes:prod", id="not yet"),
]


@pytest.mark.parametrize("address", NO_ADDRESSES)
@pytest.mark.parametrize("arguments", [*NEEDS_STORE[::2], ["store", "reset-clock"], ["serve"]], ids=" ".join)
def test_an_address_of_no_known_form_is_wrong_usage(place: Place, address: str, arguments: list[str]) -> None:
    manifest = place.file("x", compact(own_config("x")))
    outcome = place.mcs(*(manifest if word == "x" else word for word in arguments), "--store", address)
    assert (outcome.status, outcome.out) == (2, [])
    assert outcome.err[-1].startswith(f"mcs {arguments[0]}")
    assert "use sqlite:///PATH" in outcome.err[-1]
    assert "kubernetes" not in outcome.err[-1]
    assert "secret" not in outcome.err[-1]


ADDRESSES = [
    pytest.param("sqlite:////nowhere/at/all/store.db", id="no directory"),
    pytest.param("sqlite:////proc/self/environ", id="no database"),
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    "arguments", [["get", "pools"], ["delete", "pool", "x"], ["store", "reset-clock"]], ids=" ".join
)
def test_a_store_that_cannot_be_used_is_one_line(place: Place, address: str, arguments: list[str]) -> None:
    outcome = place.mcs(*arguments, "--store", address)
    assert (outcome.status, outcome.out, len(outcome.err)) == (1, [], 1)
    command = " ".join(arguments) if arguments[0] == "store" else arguments[0]
    assert outcome.err[0].startswith(f"mcs {command}: ")
    assert "Error" not in outcome.err[0]


MISTAKES = [
    pytest.param(["sevre"], "mcs: there is no command 'sevre'; did you mean serve?", id="misspelt"),
    pytest.param(["x"], "mcs: there is no command 'x'; there are serve, ", id="unknown"),
    pytest.param(["store", "reset"], "mcs store: there is no command 'reset'; did you mean reset-clock?", id="below"),
    pytest.param(["--verbose"], "mcs: No such option '--verbose'.", id="option of no command"),
    pytest.param(["get", "pools", "--al"], "mcs get: No such option '--al'.", id="option"),
    pytest.param(["get", "pool", "x"], "mcs get: pool x does not exist", id="failure"),
    pytest.param(["tls", "init"], "mcs tls init: Missing argument 'DIR'.", id="command of a group"),
    pytest.param(["serve", "--workers", "many"], "mcs serve: --workers: 'many': it is not", id="setting"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_every_error_begins_with_the_command(place: Place, arguments: list[str], message: str) -> None:
    outcome = place.mcs(*arguments)
    assert outcome.status in {1, 2}
    assert outcome.err[-1].startswith(message)
    assert not any(line.startswith("Error") for line in outcome.err)


def test_reset_clock_lets_a_right_clock_be_right_again(place: Place) -> None:
    now = time.time()
    store = place.store()
    store.put_hold(hold("a", renewed=now + 86_400), acked=None)
    ahead = store.put_hold(hold("b", renewed=now), acked=None).store_clock
    assert place.mcs("store", "reset-clock").status == 0
    after = store.put_hold(hold("b", renewed=now + 1), acked=None).store_clock
    store.close()
    assert ahead is not None
    assert ahead >= now + 86_400
    assert after is None  # the store's idea of now is not ahead of the caller's any more


def test_the_console_command_tells_no_tale_of_a_closed_pipe(place: Place) -> None:
    documents = "\n".join(compact(own_config(f"config-{number:04d}")) for number in range(2000))
    assert place.mcs("apply", "-f", "-", stdin=documents).status == 0
    program = [sys.executable, "-c", "from mcs.cli import main; main()", "get", "configs", "-o", "yaml"]
    environment = os.environ | {"MCS_STORE": place.address}
    environment.pop("PYTHONUNBUFFERED", None)  # an unbuffered stream takes a short write for a whole one
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_the_table_is_imported_only_as_needed() -> None:
    program = "import sys, mcs.cli; print(sorted({'flask', 'gunicorn', 'mcs.cli.serve'} & set(sys.modules)))"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout == "[]\n"
