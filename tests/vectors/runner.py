"""Runs vectors: each file of a folder by the kind that its name tells, each case on its own. Used by tests as well."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mcs.jsondata import JSON
from tests.vectors.cases import Broken, Case, Malformed, read
from tests.vectors.deviations import DEVIATIONS
from tests.vectors.kinds import KINDS, Kind
from tests.vectors.verdicts import Verdict

__all__ = ["Tally", "kind_of", "run", "verdict_on"]

_BUGS = "_upstream_bugs"


def kind_of(name: str, kinds: Mapping[str, Kind] = KINDS) -> Kind | None:
    """Return what runs the cases of a file with this name, or None.

    >>> kind_of("down_upstream_bugs.jsonl") is kind_of("down.jsonl") is not None, kind_of("up.jsonl")
    (True, None)
    """
    return kinds.get(name.removesuffix(".jsonl").removesuffix(_BUGS))


def verdict_on(case: Case, kind: Kind) -> Verdict:
    """Run one case. What is wrong with the case itself, and a crash, are failures that say so."""
    try:
        return kind(case)
    except Malformed as error:
        return Verdict(False, "a case of this kind", str(error))
    except Exception as error:  # noqa: BLE001  # the boundary: a crash in one case is a finding, and the others still run
        return Verdict(False, case.body.get("expect", case.body.get("suggest")), f"{type(error).__name__}: {error}")


@dataclass(slots=True)
class Tally:
    """What has come of the cases so far. free: cases that differ and may; they count as neither."""

    passed: int = 0
    failed: int = 0
    free: int = 0
    deviations: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.passed + other.passed,
            self.failed + other.failed,
            self.free + other.free,
            self.deviations + other.deviations,
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (
            f", {self.free} free and different" if self.free else ""
        )


def run(files: Iterable[Path], kinds: Mapping[str, Kind] = KINDS) -> Iterator[str | Tally]:
    """Run all cases of these files. Yields lines for people and, last of all, the tally of everything."""
    total, lines = Tally(), []
    for file in files:
        kind = kind_of(file.name, kinds)
        if kind is None:
            lines.append(f"{file.name}: not run, for nothing here runs its kind of cases")
            continue
        tally = Tally()
        for case in read(file):
            yield from _one(file, case, kind, tally)
        lines.append(f"{file.name}: {tally}")
        total += tally
    yield from lines
    for deviation in DEVIATIONS:
        if (count := total.deviations[deviation.name]) > 0:
            yield f"{count} of the passed by a deliberate deviation, {deviation.name}: {deviation.reason}"
    yield total


def _one(file: Path, case: Case | Broken, kind: Kind, tally: Tally) -> Iterator[str]:
    if isinstance(case, Broken):
        tally.failed += 1
        yield f"{file}{f':{case.line}' if case.line else ''}: FAILED: {case.why}"
        return
    verdict = verdict_on(case, kind)
    if verdict.passes:
        tally.passed += 1
        if verdict.deviation is not None:
            tally.deviations[verdict.deviation] += 1
        return
    if case.is_free:
        tally.free += 1
    else:
        tally.failed += 1
    yield f"{file}:{case.line}: {case.name}: {'differs, as it may' if case.is_free else 'FAILED'}"
    yield f"  expected: {_shown(verdict.expected)}"
    yield f"  actual:   {_shown(verdict.actual)}"


def _shown(value: JSON) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
