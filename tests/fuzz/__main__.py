"""`python -m tests.fuzz --seconds 60`: fuzzes mcs.ignition, guided by coverage. Exits with 1 where something is found.

The time is divided among the targets. A finding is printed with its input in base64; --replay runs that again.
"""

import argparse
import base64
import os
import sys
from pathlib import Path

from tests.fuzz.session import ALL, MISSING, cache, fuzz, is_there

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Fuzz one target or all. Returns the exit code."""
    chosen = _parser().parse_args(arguments)
    plans = [plan for plan in ALL if chosen.target in (None, plan.name)]
    if chosen.replay is not None:
        return _replay(chosen.target, chosen.replay)
    if not is_there():
        sys.stderr.write(f"fuzz: {MISSING}.\n")
        return 1
    clean = True
    for plan in plans:
        outcome = fuzz(plan, chosen.corpus / plan.name, max(1, chosen.seconds // len(plans)), chosen.runs)
        clean = clean and outcome.is_clean
        _say(f"{plan.name}: {outcome.runs} inputs, {'nothing found' if outcome.is_clean else 'FOUND'}")
        if not outcome.is_clean:
            _say(outcome.trouble or "no input was tried")
            _say(f"again: python -m tests.fuzz --target {plan.name} --replay '{outcome.finding}'")
    return 0 if clean else 1


def _replay(name: str | None, text: str) -> int:
    from tests.fuzz.targets import TARGETS_OF_FUZZING  # only here: the engine instruments it

    if name is None:
        sys.stderr.write("fuzz: --replay needs a --target\n")
        return 2
    TARGETS_OF_FUZZING[name](base64.b64decode(text))
    _say(f"{name}: nothing found")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="for all targets together (60)")
    parser.add_argument("--runs", type=int, metavar="N", help="inputs of each target, if time allows")
    parser.add_argument("--target", choices=[plan.name for plan in ALL], help="this one alone")
    parser.add_argument("--corpus", type=Path, default=cache(os.environ), metavar="DIR", help="where inputs are kept")
    parser.add_argument("--replay", metavar="BASE64", help="run one input of the target once")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
