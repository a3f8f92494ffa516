"""`python -m loadtests.bench`: measures the server beside nginx on loopback; `--soak` looks for leaks instead.

A benchmark, not a test: its figures depend on the machine and on what else runs there. The table goes to standard
output, progress to standard error, everything to a JSON file.
"""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from loadtests.bench.figures import Row, Unusable, comparison, document, rows_in, soak_table, spread_of, table
from loadtests.bench.measuring import MODES, SPECS, Plan, compare, memory_after, soak, start_times
from loadtests.bench.processes import machine_facts
from loadtests.bench.servers import SIZES, Failed, make_certificate, make_store, require_programs

__all__ = ["main"]

_REQUESTS = 1000  # after which memory is looked at
_SIZE = "300kB"  # of the config that memory is measured with
_SOAK = 100_000


def main(arguments: list[str]) -> int:
    """Run the benchmark or the soak. Returns the exit code: 1 where it could not run, or a soak is not flat."""
    chosen = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the servers are stopped
    try:
        if chosen.show is not None:
            print(table(rows_in(chosen.show.read_text())))
            return 0
        require_programs()
        with tempfile.TemporaryDirectory(prefix="mcs-bench-") as folder:
            return _run(chosen, Path(folder))
    except (Failed, Unusable, OSError, ValueError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _run(chosen: argparse.Namespace, folder: Path) -> int:
    facts = machine_facts()
    plan = Plan(
        modes=chosen.modes,
        sizes=chosen.sizes,
        specs=chosen.specs,
        rounds=chosen.rounds,
        seconds=chosen.seconds,
        connections=chosen.connections,
        workers=chosen.workers,
        folder=folder,
        store=make_store(folder),
        certificate=make_certificate(folder),
    )
    results, good = _soak(plan, chosen.soak) if chosen.soak else (_bench(plan), True)
    options = {key: value for key, value in vars(chosen).items() if key not in {"json", "show"}}
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(document(facts, options, results), indent=2, default=str) + "\n")
    print(f"\nThe figures are in {chosen.json}; load average at the start: {facts['load_average']}.")
    return 0 if good else 1


def _bench(plan: Plan) -> dict[str, object]:
    starts = spread_of(start_times(plan))
    memory = memory_after(plan, _REQUESTS, _SIZE)
    rows: list[Row] = list(compare(plan, _say))
    megabytes = {count: max(workers) / 1e6 for count, workers in memory.items()}
    print(table(rows))
    print(f"\nStart to ready: {starts.median:.2f} s ({starts.least:.2f} to {starts.largest:.2f}).")
    print(f"PSS a worker: {megabytes[0]:.1f} MB when ready, {megabytes[_REQUESTS]:.1f} MB after {_REQUESTS} requests.")
    return {
        "rows": [comparison(row) for row in rows],
        "start_to_ready_seconds": asdict(starts),
        "pss_bytes_after_requests": {str(count): list(workers) for count, workers in memory.items()},
    }


def _soak(plan: Plan, requests: int) -> tuple[dict[str, object], bool]:
    seen = soak(plan, requests, _say)
    print(soak_table(seen.verdicts))
    print(f"\n{seen.requests[-1]} requests: {'flat' if seen.flat else 'NOT flat'}.")
    return {"soak": asdict(seen)}, seen.flat


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--modes", type=_some_of(MODES), default=tuple(MODES), metavar="MODE,…", help=", ".join(MODES))
    parser.add_argument("--sizes", type=_some_of(SIZES), default=tuple(SIZES), metavar="SIZE,…", help=", ".join(SIZES))
    parser.add_argument("--specs", type=_some_of(SPECS), default=tuple(SPECS), metavar="SPEC,…", help=", ".join(SPECS))
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each case and server (5)")
    parser.add_argument("--seconds", type=int, default=3, metavar="N", help="of one run (3)")
    parser.add_argument("--connections", type=int, default=8, metavar="N", help="at once (8)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes of each server (2)")
    parser.add_argument("--json", type=Path, default=Path("run/bench.json"), metavar="FILE", help="run/bench.json")
    parser.add_argument("--show", type=Path, metavar="FILE", help="only print the table of an earlier run's JSON")
    parser.add_argument(
        "--soak",
        type=int,
        nargs="?",
        const=_SOAK,
        default=0,
        metavar="N",
        help=f"make N requests ({_SOAK}) over TLS and look for what grows, instead of comparing",
    )
    return parser


def _some_of(known: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    names = tuple(known)

    def read(text: str) -> tuple[str, ...]:
        chosen = tuple(part.strip() for part in text.split(","))
        unknown = [name for name in chosen if name not in names]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(names)}")
        return chosen

    return read


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
