"""`python -m loadtests.bench.ignition`: how long mcs.ignition takes for large configs, beside json.loads of their text.

A benchmark, not a test: nothing fails on its figures. They are seconds of processor time, which is the time it takes
where nothing else runs. All of a round is measured in turn, so that what slows the processor down meets all alike; the
figures are medians, with the least and the largest of all rounds behind them.
"""

import argparse
import copy
import functools
import gc
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from examples.fleet_machineconfigs import source
from examples.fleet_texts import files
from examples.make_fleet import ignition
from loadtests.bench.figures import Spread, median_of, spread_of
from mcs.ignition.conversion import convert
from mcs.ignition.merging import merge
from mcs.ignition.parsing import parse
from mcs.ignition.versions import NEWEST, V3_1
from mcs.jsondata import JSON, JSONObject, list_at

__all__ = [
    "SHAPES",
    "Measured",
    "configs_to_merge",
    "few_large",
    "main",
    "many_small",
    "measure",
    "processor_seconds",
    "table",
]

LARGE, SMALL, MERGED = 300_000, 30_000, 10


# ---- configs


def many_small(size: int, of: int = 0) -> JSONObject:
    """Return a config of about `size` bytes: small files and units of the example fleet, repeated. of: is in paths."""
    config = ignition("worker", 1, str(NEWEST))
    return _grown(config, size, [file for file in _files(config) if len(json.dumps(file)) < 4000], of)


def few_large(size: int, of: int = 0) -> JSONObject:
    """Return a config of about `size` bytes in eight files with the example fleet's texts: four in base64, four not."""
    length = size // 8 - 150
    text = "".join(text for _, _, text in files("worker", 1)) * (size // 100_000 + 1)
    escaped = quote(text, safe="-_.!~*'()")[:length].rpartition("%")[0]
    contents = [source(text[: length * 3 // 4]), f"data:,{escaped}"] * 4
    listed: list[JSON] = [
        {"path": f"/etc/large/{of}-{number}", "mode": 0o644, "overwrite": True, "contents": {"source": content}}
        for number, content in enumerate(contents)
    ]
    return {"ignition": {"version": str(NEWEST)}, "storage": {"files": listed}}


def _files(config: JSONObject) -> list[JSON]:
    return list_at(config, "storage", "files")


def _grown(config: JSONObject, size: int, small: Sequence[JSON], of: int) -> JSONObject:
    """Repeat files and units, each copy under a name of its own, until the config has its size."""
    originals = [("path", "/", file) for file in small]
    originals += [("name", "", unit) for unit in list_at(config, "systemd", "units")]
    lists: dict[str, list[JSON]] = {"path": [], "name": []}
    length, number = len(json.dumps(config["ignition"])), 0
    while length < size:
        key, before, original = originals[number % len(originals)]
        item = copy.deepcopy(original)
        assert isinstance(item, dict)
        name = str(item[key]).removeprefix("/")
        item[key] = f"{before}copy-{of}-{number // len(originals)}{before or '-'}{name}"
        lists[key].append(item)
        length += len(json.dumps(item)) + 2
        number += 1
    return {
        "ignition": config["ignition"],
        "storage": {"files": lists["path"]},
        "systemd": {"units": lists["name"]},
    }


SHAPES: Mapping[str, Callable[[int, int], JSONObject]] = {"many small": many_small, "few large": few_large}


def configs_to_merge(shape: Callable[[int, int], JSONObject]) -> list[JSONObject]:
    """Return ten configs of which every second one has the files and units of the one before it."""
    return [shape(SMALL, number // 2) for number in range(MERGED)]


# ---- measuring


@dataclass(frozen=True, slots=True)
class Measured:
    """One row. seconds: of each round; rival: of json.loads of the same text in the same rounds; bound: how long it may
    take, given the rival's seconds."""

    work: str
    shape: str
    size: int
    seconds: Sequence[float]
    rival: Sequence[float]
    bound: Callable[[float], float]


def measure(rounds: int) -> list[Measured]:
    """Measure everything, round by round."""
    return [row for name, shape in SHAPES.items() for row in _measure(name, shape, rounds)]


def _measure(name: str, shape: Callable[[int, int], JSONObject], rounds: int) -> list[Measured]:
    config, parts = shape(LARGE, 0), configs_to_merge(shape)
    text, texts = json.dumps(config), [json.dumps(part) for part in parts]
    parse(text)  # what is measured has to be valid
    work: dict[str, Callable[[], object]] = {
        "rival": lambda: json.loads(text),
        "parse and validate": lambda: parse(text),
        "3.6 to 3.1": lambda: convert(config, V3_1),
        "rival of merge": lambda: [json.loads(each) for each in texts],
        f"merge {MERGED}": lambda: functools.reduce(merge, parts),
        f"merge {MERGED} at once": lambda: merge(parts[0], *parts[1:]),
    }
    seconds: dict[str, list[float]] = {each: [] for each in work}
    for _ in range(rounds):
        for each, call in work.items():
            seconds[each].append(processor_seconds(call))
    size, sizes = len(text), sum(map(len, texts))
    return [
        Measured(
            "parse and validate", name, size, seconds["parse and validate"], seconds["rival"], lambda s: 10 * s + 0.02
        ),
        Measured("3.6 to 3.1", name, size, seconds["3.6 to 3.1"], seconds["rival"], lambda _: 0.03),
        *(
            Measured(each, name, sizes, seconds[each], seconds["rival of merge"], lambda _: 0.06)
            for each in (f"merge {MERGED}", f"merge {MERGED} at once")
        ),
    ]


def processor_seconds(call: Callable[[], object]) -> float:
    """Return the processor time that a call takes. What earlier ones left is collected before."""
    gc.collect()
    begun = time.process_time()
    result = call()
    ended = time.process_time()
    del result  # it is freed after the clock was read
    return ended - begun


# ---- the table


def table(rows: Sequence[Measured]) -> str:
    """Return the rows in Markdown: medians, least and largest in milliseconds, and ratios to json.loads."""
    lines = [
        "| work | config | kB | ms | json.loads ms | ratio | bound ms | within |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        took, rival, ratio = spread_of(row.seconds), spread_of(row.rival), median_of(row.seconds, row.rival)
        bound = row.bound(rival.median)
        cells = (
            row.work,
            row.shape,
            f"{row.size / 1000:.0f}",
            _milliseconds(took),
            _milliseconds(rival),
            f"{ratio.median:.1f} ({ratio.least:.1f}–{ratio.largest:.1f})",
            f"{bound * 1000:.1f}",
            "yes" if took.median <= bound else "no",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _milliseconds(spread: Spread) -> str:
    return f"{spread.median * 1000:.2f} ({spread.least * 1000:.2f}–{spread.largest * 1000:.2f})"


def main(arguments: list[str]) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="bench-ignition", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="how often each is measured (15)")
    chosen = parser.parse_args(arguments)
    if chosen.rounds < 1:
        parser.error("there has to be a round")
    print(table(measure(chosen.rounds)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
