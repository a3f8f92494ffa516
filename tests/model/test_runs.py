"""Runs as values: resumed by replay, and the same where their futures are."""

from collections.abc import Hashable
from typing import Any

from mcs.boot.clock import Reading
from mcs.boot.protocol import Acked, Acquisition, Ask, Claim, GetMeta, NotAcked, Now, PutHold, acquire, obtain
from tests.model.boot import DURATIONS
from tests.model.runs import Done, Runs, Seen

START, LATER = Reading(wall=0, boot=0), Reading(wall=1, boot=1)
ACKED, FREE, MARKED = Acked(), Seen("N", "uid-1", 1, marked=False), Seen("N", "uid-1", 1, marked=True)


def answers(request: Ask[Any]) -> tuple[Hashable, ...]:
    table: dict[type[Ask[Any]], tuple[Hashable, ...]] = {
        Now: (START, LATER),
        PutHold: (ACKED, NotAcked()),
        GetMeta: (FREE, MARKED, None),
    }
    return table[type(request)]


def test_run_is_resumed_where_it_stood() -> None:
    runs = Runs(answers)
    run = runs.begin(acquire, "N", None, DURATIONS)
    assert run.pending == Now()
    run = runs.proceed(run, LATER)
    assert run.pending == PutHold("N", LATER, DURATIONS.hold)
    looking = runs.proceed(run, ACKED)
    assert looking.pending == GetMeta("N")
    assert runs.proceed(looking, FREE).pending == Done(Acquisition(Claim("N", "uid-1", 1, LATER, DURATIONS.hold), None))
    refused = runs.proceed(looking, MARKED).pending
    assert isinstance(refused, Done)
    assert refused.value.claim is None


def test_runs_with_one_future_are_one_run() -> None:
    runs = Runs(answers)
    acquiring = runs.proceed(runs.begin(acquire, "N", None, DURATIONS), LATER)
    obtaining = runs.proceed(runs.proceed(runs.begin(obtain, "N", None, DURATIONS), START), LATER)
    assert obtaining is acquiring


def test_runs_with_different_futures_are_different() -> None:
    runs = Runs(answers)
    run = runs.begin(acquire, "N", None, DURATIONS)
    held = Claim("N", "uid-1", 1, START, DURATIONS.hold)
    assert runs.proceed(run, START) is not runs.proceed(run, LATER)
    assert runs.begin(acquire, "N", held, DURATIONS) is not run
