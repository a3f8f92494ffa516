"""The mcs-gc command of a version that has no collector: it says so, and refuses what it cannot do."""

import pytest
from click.testing import CliRunner

from mcgc.__main__ import main


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        pytest.param([], 0, "collects nothing", id="no arguments print the help"),
        pytest.param(["--help"], 0, "collects nothing", id="help"),
        pytest.param(["-h"], 0, "collects nothing", id="short help"),
        pytest.param(["--version"], 0, "mcs-gc, version 0.", id="version"),
        pytest.param(["run"], 2, "unexpected extra argument", id="a command of a later version"),
        pytest.param(["--delete"], 2, "No such option", id="an option of a later version"),
    ],
)
def test_the_command_is_honest(arguments: list[str], code: int, says: str) -> None:
    result = CliRunner().invoke(main, arguments, prog_name="mcs-gc")
    assert result.exit_code == code, result.output
    assert says in " ".join(result.output.split())
