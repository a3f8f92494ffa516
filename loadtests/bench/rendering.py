"""`python -m loadtests.bench.rendering`: how long rendering a pool takes, from its MachineConfigs to the name.

A benchmark, not a test: nothing fails on its figures. They are seconds of processor time, which is the time it takes
where nothing else runs, as medians with the least and the largest of all rounds behind them. `--profile` shows where
the time goes, by function.
"""

import argparse
import cProfile
import io
import json
import pstats
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from loadtests.bench.figures import spread_of
from loadtests.bench.ignition import many_small, processor_seconds
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import LABEL_ROLE
from mcs.machineconfig.rendering import Origin, Rendered, render, selected

__all__ = ["COUNTS", "Measured", "inputs", "main", "measure", "profile", "rendered", "table"]

COUNTS = (2, 11, 51)  # MachineConfigs in all, one of them large
LARGE = 165_000
BOUND = 0.25  # seconds that the largest of them may take
_POOL: JSONObject = {
    "metadata": {"name": "worker"},
    "spec": {"machineConfigSelector": {"matchLabels": {LABEL_ROLE: "worker"}}},
}
_ORIGIN = Origin(build="bench", os_image="registry.example.net/os/base@sha256:" + "1f" * 32)


# ---- MachineConfigs


def inputs(count: int) -> list[JSONObject]:
    """Return so many MachineConfigs: a large one, and small ones that each bring a file and replace another's."""
    config = many_small(LARGE)
    config["ignition"] = {"version": "3.5.0"}
    return [_machine_config("00-worker", config), *(_small(number) for number in range(1, count))]


def _small(number: int) -> JSONObject:
    files: list[JSON] = [
        {"path": f"/etc/small/{number}", "mode": 0o644, "contents": {"source": f"data:,{number}"}},
        {"path": "/etc/shared", "mode": 0o644, "contents": {"source": f"data:,{number}"}},
    ]
    config: JSONObject = {"ignition": {"version": "3.2.0"}, "storage": {"files": files}}
    return _machine_config(f"{number + 10}-worker", config)


def _machine_config(name: str, config: JSONObject) -> JSONObject:
    return {"metadata": {"name": name, "labels": {LABEL_ROLE: "worker"}}, "spec": {"config": config}}


def rendered(machine_configs: Sequence[JSONObject]) -> Rendered:
    """Do what is measured: select, check, merge, validate, name."""
    return render(_POOL, selected(_POOL, machine_configs), _ORIGIN)


# ---- measuring


@dataclass(frozen=True, slots=True)
class Measured:
    """One row. size: bytes of the rendered spec as JSON; seconds: of each round."""

    count: int
    size: int
    seconds: Sequence[float]


def measure(rounds: int) -> list[Measured]:
    """Measure all counts, round by round."""
    given = {count: inputs(count) for count in COUNTS}
    seconds: dict[int, list[float]] = {count: [] for count in COUNTS}
    for _ in range(rounds):
        for count, machine_configs in given.items():
            seconds[count].append(processor_seconds(partial(rendered, machine_configs)))
    return [
        Measured(count, len(json.dumps(rendered(machine_configs).spec)), seconds[count])
        for count, machine_configs in given.items()
    ]


def profile(rounds: int) -> str:
    """Return where the time goes when the largest number is rendered, by function, those below it not counted."""
    machine_configs = inputs(COUNTS[-1])
    profiler = cProfile.Profile()
    with profiler:
        for _ in range(rounds):
            rendered(machine_configs)
    written = io.StringIO()
    pstats.Stats(profiler, stream=written).strip_dirs().sort_stats("tottime").print_stats(20)
    return written.getvalue()


def table(rows: Sequence[Measured]) -> str:
    """Return the rows in Markdown, in milliseconds."""
    lines = ["| MachineConfigs | rendered kB | ms | bound ms | within |", "|---|---|---|---|---|"]
    for row in rows:
        took = spread_of(row.seconds)
        shown = f"{took.median * 1000:.1f} ({took.least * 1000:.1f}–{took.largest * 1000:.1f})"
        within = "yes" if took.median <= BOUND else "no"
        lines.append(f"| {row.count} | {row.size / 1000:.0f} | {shown} | {BOUND * 1000:.0f} | {within} |")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Measure and print the table, or the profile."""
    parser = argparse.ArgumentParser(prog="bench-render", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="how often each is measured (15)")
    parser.add_argument("--profile", action="store_true", help="where the time goes, instead of how much it is")
    chosen = parser.parse_args(arguments)
    if chosen.rounds < 1:
        parser.error("there has to be a round")
    print(profile(chosen.rounds) if chosen.profile else table(measure(chosen.rounds)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
