"""Runs of protocols in tests: what they are sent, and what they asked for."""

from dataclasses import replace
from typing import Any, TypeVar

from mcs.boot.clock import Reading
from mcs.boot.durations import Durations
from mcs.boot.protocol import Ask, Claim, Run
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import ANNOTATION_MARK

__all__ = ["LIMITS", "MARKED", "META", "N", "at", "claim", "play"]

T = TypeVar("T")

N = "rendered-worker-" + "0" * 32
LIMITS = Durations(hold=100, renewal=10, boot=50, lease=50, skew=5, body=10)
META = Metadata(name=N, uid="u1", resource_version=7, generation=3, created=1.0)
MARKED = replace(META, annotations={ANNOTATION_MARK: ""})


def at(seconds: float) -> Reading:
    """Return both clocks at some time."""
    return Reading(wall=1000.0 + seconds, boot=seconds)


def claim(since: float = 0.0, **changed: Any) -> Claim:
    """Return a claim on N as META has it."""
    return replace(Claim(N, "u1", 3, at(since), LIMITS.hold), **changed)


def play(run: Run[T], *answers: object) -> tuple[list[Ask[Any]], T]:
    """Send the answers one by one; return what was asked and what came out. Too few or too many answers fail."""
    asked = [next(run)]
    for index, response in enumerate(answers):
        try:
            asked.append(run.send(response))
        except StopIteration as stop:
            assert index == len(answers) - 1, f"it ended before answer {index + 2}"
            outcome: T = stop.value
            return asked, outcome
    raise AssertionError(f"it goes on asking: {asked[-1]}")
