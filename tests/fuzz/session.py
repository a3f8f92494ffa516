"""Fuzzes one target after the other, each in a process of its own, within limits of time and memory."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.seeds import seeds

__all__ = ["ALL", "MISSING", "Outcome", "Plan", "cache", "fuzz", "is_there"]

ROOT = Path(__file__).resolve().parents[2]
MISSING = (
    "atheris is not installed: it is built for Linux on x86-64 with glibc only, so nothing is fuzzed here."
    " Where it exists, make setup installs it"
)
_MEGABYTES = 2048
_SECONDS_OF_ONE_INPUT = 10
_LARGEST = 16_000  # bytes of an input


@dataclass(frozen=True, slots=True)
class Plan:
    """What is fuzzed. address: module and function. prefix: bytes before the JSON document; -1: there is no JSON."""

    name: str
    address: str
    prefix: int = 0


ALL: tuple[Plan, ...] = (
    Plan("parse", "tests.fuzz.targets:fuzz_parse"),
    Plan("convert", "tests.fuzz.targets:fuzz_convert", prefix=1),
    Plan("merge", "tests.fuzz.targets:fuzz_merge"),
    Plan("validate", "tests.fuzz.targets:fuzz_validate", prefix=1),
    Plan("negotiate", "tests.fuzz.targets:fuzz_negotiate", prefix=-1),
    Plan("dataurl", "tests.fuzz.targets:fuzz_dataurl", prefix=-1),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one target. runs: inputs tried. finding: the input in base64; trouble: what was seen, or empty."""

    runs: int
    finding: str
    trouble: str

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found, and something was tried."""
        return not self.trouble and self.runs > 0


def is_there() -> bool:
    """Tell whether atheris is installed."""
    return importlib.util.find_spec("atheris") is not None


def cache(environment: Mapping[str, str]) -> Path:
    """The folder, outside the source tree, where the inputs that reach new code are kept from run to run."""
    root = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", "/")) / ".cache"
    return Path(root) / "mcs-fuzz"


def fuzz(plan: Plan, corpus: Path, seconds: int, runs: int | None = None) -> Outcome:
    """Fuzz a target until time or number of inputs is used up, or the first finding."""
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mcs-fuzz-") as folder:
        given = Path(folder) / "seeds"
        given.mkdir()
        _write(given, seeds(plan.name))
        options = [
            f"-max_total_time={seconds}",
            *([] if runs is None else [f"-runs={runs}"]),
            f"-rss_limit_mb={_MEGABYTES}",
            f"-timeout={_SECONDS_OF_ONE_INPUT}",
            f"-max_len={_LARGEST}",
            f"-artifact_prefix={folder}/",
            "-print_final_stats=1",
            str(corpus),
            str(given),
        ]
        command = [sys.executable, "-m", "tests.fuzz.engine", plan.address, str(plan.prefix), *options]
        return _outcome(_run(command, 2 * seconds + 120))


def _write(folder: Path, inputs: Iterable[bytes]) -> None:
    for number, content in enumerate(inputs):
        (folder / str(number)).write_bytes(content)


def _run(command: list[str], patience: int) -> tuple[int, str]:
    # Measuring coverage as well would trace each line twice, at a tenth of the speed.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    try:
        done = subprocess.run(
            command,
            check=False,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=patience,
        )
    except subprocess.TimeoutExpired as error:
        return 1, f"{(error.output or b'').decode(errors='replace')}\nit did not end within {patience} s"
    return done.returncode, done.stdout.decode(errors="replace")


_RUNS = re.compile(r"^stat::number_of_executed_units: (\d+)$", re.MULTILINE)
_FINDING = re.compile(r"^finding: (\S*)$", re.MULTILINE)
_ARTIFACT = re.compile(r"^Base64: (\S*)$", re.MULTILINE)  # libFuzzer's own: an input that takes too long


def _outcome(done: tuple[int, str]) -> Outcome:
    code, output = done
    runs, finding = _RUNS.search(output), _FINDING.search(output) or _ARTIFACT.search(output)
    if code == 0 and finding is None:
        return Outcome(int(runs[1]) if runs else 0, "", "")
    trouble = output[finding.end() :] if finding else output
    shown = trouble.split("\n==")[0].strip().splitlines()[-30:]
    return Outcome(
        int(runs[1]) if runs else 0, finding[1] if finding else "", "\n".join(shown) or f"it ended with {code}"
    )
