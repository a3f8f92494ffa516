"""A run of a generator as a value: what was called, and what it was sent. It is resumed by replaying that.

Generators can be neither copied nor compared; since nothing but what they are sent decides, their answers name them.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any

from mcs.boot.protocol import Ask
from mcs.boot.protocol import Run as Running
from mcs.controller.protocol import Found
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import ANNOTATION_MARK

__all__ = ["Done", "Function", "Run", "Runs", "Seen"]

Function = Callable[..., Running[Any]]


@dataclass(frozen=True, slots=True)
class Done:
    """The run has returned."""

    value: Any


@dataclass(frozen=True, slots=True)
class Seen:
    """What a read saw, as a value that can be hashed; a run is sent the real thing.

    digest: of the spec, None where the metadata alone was read.
    """

    name: str
    uid: str
    version: int
    marked: bool
    digest: str | None = None

    def answer(self) -> Metadata | Found:
        """Return what the read is answered: the metadata alone, or with what a look at the whole config tells."""
        return self.metadata() if self.digest is None else Found(self.metadata(), self.digest)

    def metadata(self) -> Metadata:
        """Return what the store would have answered."""
        return Metadata(
            name=self.name,
            uid=self.uid,
            resource_version=self.version,
            generation=1,
            created=0.0,
            annotations={ANNOTATION_MARK: "nonce"} if self.marked else {},
        )


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run that was sent `answers` so far; pending: what it asks now, or what it returned.

    Made by `Runs` alone, which returns the same object for runs with the same future: runs are equal if identical.
    """

    function: Function
    arguments: tuple[Hashable, ...]
    answers: tuple[Hashable, ...]
    pending: Ask[Any] | Done


class Runs:
    """Starts and resumes runs, and takes those for one that will ask and return the same whatever they are answered.

    By trying every answer a run is unfolded into the tree of what it may do; runs with equal trees behave alike for
    ever, though they came there by different answers.
    """

    def __init__(self, alphabet: Callable[[Ask[Any]], tuple[Hashable, ...]]) -> None:
        """alphabet: every answer that a request may get in this world."""
        self._alphabet = alphabet
        self._future = cache(self._unfolded)

    def begin(self, function: Function, *arguments: Hashable) -> Run:
        """Start a generator."""
        return self._representative(_begin(function, *arguments))

    def proceed(self, run: Run, answer: Hashable) -> Run:
        """Send a run its next answer, one of the alphabet's."""
        assert not isinstance(run.pending, Done), "the run has returned"
        assert answer in self._alphabet(run.pending), f"{answer!r} is no answer to {run.pending!r} in this world"
        return self._representative(_proceed(run, answer))

    def _representative(self, run: Run) -> Run:
        return _BY_FUTURE.setdefault(self._future(run), run)

    def _unfolded(self, run: Run) -> int:
        """Return the number of a run's tree: equal trees have equal numbers, whatever the world."""
        answers = () if isinstance(run.pending, Done) else self._alphabet(run.pending)
        tree = (run.pending, tuple((answer, self._future(_proceed(run, answer))) for answer in answers))
        return _NUMBERS.setdefault(tree, len(_NUMBERS))


_NUMBERS: dict[Hashable, int] = {}
_BY_FUTURE: dict[int, Run] = {}


@cache
def _begin(function: Function, *arguments: Hashable) -> Run:
    return Run(function, arguments, (), _replay(function, arguments, ()))


@cache
def _proceed(run: Run, answer: Hashable) -> Run:
    answers = (*run.answers, answer)
    return Run(run.function, run.arguments, answers, _replay(run.function, run.arguments, answers))


def _replay(function: Function, arguments: tuple[Hashable, ...], answers: tuple[Hashable, ...]) -> Ask[Any] | Done:
    running = function(*arguments)
    try:
        pending = next(running)
        for answer in answers:
            pending = running.send(answer.answer() if isinstance(answer, Seen) else answer)
    except StopIteration as stop:
        return Done(stop.value)
    return pending
