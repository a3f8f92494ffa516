"""What the benchmark of rendering measures, and what it prints. No time is judged."""

import json

import pytest

from loadtests.bench.rendering import COUNTS, LARGE, Measured, inputs, main, rendered, table
from mcs.jsondata import list_at


@pytest.mark.parametrize("count", COUNTS)
def test_one_machineconfig_is_large_and_all_are_merged(count: int) -> None:
    machine_configs = inputs(count)
    sizes = [len(json.dumps(each)) for each in machine_configs]

    made = rendered(machine_configs)

    assert len(made.source) == count
    assert sizes[0] == pytest.approx(LARGE, rel=0.1)
    assert max(sizes[1:]) < 1000
    large = list_at(machine_configs[0], "spec", "config", "storage", "files")
    files = list_at(made.spec, "config", "storage", "files")
    assert len(files) == len(large) + count  # each small one has its own, and all of them one together


def test_a_row_has_the_median_with_its_spread() -> None:
    *_, line = table([Measured(51, 170_000, [0.02, 0.3, 0.01])]).splitlines()

    assert line == "| 51 | 170 | 20.0 (10.0–300.0) | 250 | yes |"


def test_the_command_prints_a_row_for_each_count_or_a_profile(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rounds", "1"]) == 0
    _, _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split("|")[1].strip() for row in rows] == [str(count) for count in COUNTS]

    assert main(["--rounds", "1", "--profile"]) == 0
    assert "tottime" in capsys.readouterr().out


def test_there_has_to_be_a_round(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--rounds", "0"])

    assert "there has to be a round" in capsys.readouterr().err
