"""What the benchmark of mcs.ignition measures, and what it prints. No time is judged."""

import json
from collections.abc import Callable

import pytest

from loadtests.bench.ignition import MERGED, SHAPES, Measured, configs_to_merge, main, table
from mcs.ignition.conversion import convert
from mcs.ignition.merging import merge
from mcs.ignition.parsing import parse
from mcs.ignition.versions import NEWEST, V3_1
from mcs.jsondata import JSONObject, list_at

shapes = pytest.mark.parametrize("shape", [pytest.param(shape, id=name) for name, shape in SHAPES.items()])


@shapes
@pytest.mark.parametrize("size", [30_000, 300_000])
def test_a_config_has_its_size_and_is_valid_and_can_be_converted(
    shape: Callable[[int, int], JSONObject], size: int
) -> None:
    config = shape(size, 0)

    assert len(json.dumps(config)) == pytest.approx(size, rel=0.1)
    assert parse(json.dumps(config)).version == NEWEST
    assert parse(json.dumps(convert(config, V3_1))).version == V3_1


@shapes
def test_what_is_merged_is_half_the_same_and_half_not(shape: Callable[[int, int], JSONObject]) -> None:
    configs = configs_to_merge(shape)

    merged = merge(configs[0], *configs[1:])

    assert len(configs) == MERGED
    counts = [len(list_at(config, "storage", "files")) for config in (merged, *configs)]
    assert counts[0] * 2 == sum(counts[1:])


def test_the_two_shapes_differ() -> None:
    counts = {name: len(list_at(shape(300_000, 0), "storage", "files")) for name, shape in SHAPES.items()}

    assert counts["few large"] == 8
    assert counts["many small"] > 100


def test_a_row_has_medians_with_their_spread_and_the_ratio_of_each_round() -> None:
    row = Measured("parse", "small", 300_000, [0.02, 0.03, 0.01], [0.001, 0.001, 0.002], lambda rival: 10 * rival)

    *_, line = table([row]).splitlines()

    assert line == "| parse | small | 300 | 20.00 (10.00–30.00) | 1.00 (1.00–2.00) | 20.0 (5.0–30.0) | 10.0 | no |"


def test_the_command_measures_everything_in_both_shapes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rounds", "1"]) == 0

    _, _, *rows = capsys.readouterr().out.splitlines()
    assert [tuple(cell.strip() for cell in row.split("|")[1:3]) for row in rows] == [
        (work, shape)
        for shape in SHAPES
        for work in ("parse and validate", "3.6 to 3.1", "merge 10", "merge 10 at once")
    ]
