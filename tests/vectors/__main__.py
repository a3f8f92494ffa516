"""`python -m tests.vectors DIR`: runs every file of vectors in a folder. Exits with 1 where a case fails."""

import argparse
import io
import sys
from pathlib import Path

from tests.vectors.runner import Tally, run

__all__ = ["main"]

COPIES = Path(__file__).parents[1] / "data" / "vectors"


def main(arguments: list[str]) -> int:
    """Print what fails, a line for each file and, last, the count. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="vectors", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=COPIES, metavar="DIR", help="the test suite's own")
    parser.add_argument(
        "--called-from", type=Path, default=Path(), metavar="DIR", help="where a relative DIR may be, too"
    )
    chosen = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a case may hold what no terminal can show
    folder = chosen.folder if chosen.folder.exists() else chosen.called_from / chosen.folder
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")
    except OSError as error:
        sys.stderr.write(f"vectors: {folder}: {error.strerror}\n")
        return 1
    total = Tally()
    for said in run(files):
        if isinstance(said, Tally):
            total = said
        else:
            _say(said)
    if total == Tally():
        sys.stderr.write(f"vectors: {folder}: there is no case in it that can be run\n")
    _say(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or total == Tally() else 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
