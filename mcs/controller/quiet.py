"""When a pool is rendered: once what it depends on has been quiet for a while, and never later than a cap. Pure.

A burst of MachineConfigs gives one rendered config, not one for each, and each machine restarts once. Rule 1: nothing
is rendered while changes come closer to each other than the quiet period, unless the first of them is a cap ago.
Rule 2: what is seen unchanged restarts nothing. Rule 3: a change that is taken back is a change; rendering it costs
a look, and writes nothing.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

__all__ = ["QuietPeriod", "Waiting", "begun"]

Inputs = TypeVar("Inputs", bound=Hashable)


@dataclass(frozen=True, slots=True)
class QuietPeriod:
    """In seconds. quiet: for how long nothing may have changed. cap: the longest that a change waits all the same."""

    quiet: float = 5.0
    cap: float = 60.0

    def __post_init__(self) -> None:
        if not 0 <= self.quiet <= self.cap < float("inf"):
            raise ValueError(f"0 ≤ quiet period ≤ cap does not hold: they are {self.quiet:g} s and {self.cap:g} s")


@dataclass(frozen=True, slots=True)
class Waiting(Generic[Inputs]):
    """What was seen of one pool. Times are seconds of a clock that never goes back.

    seen: the inputs as they were seen last. first, latest: when the first and the last change was seen that no
    rendering has taken in, None where there is none. rendered: the inputs of the last rendering.
    """

    seen: Inputs
    first: float | None
    latest: float | None
    rendered: Inputs | None = None

    def observed(self, inputs: Inputs, now: float) -> "Waiting[Inputs]":
        """Take in one look."""
        if inputs == self.seen:
            return self
        return replace(self, seen=inputs, first=self.first if self.first is not None else now, latest=now)

    def taking_in(self, own: Callable[[Inputs], Inputs]) -> "Waiting[Inputs]":
        """Take in what this process itself has changed, which is nobody's change. own: makes it in inputs."""
        return replace(self, seen=own(self.seen), rendered=own(self.rendered) if self.rendered is not None else None)

    def done(self, inputs: Inputs) -> "Waiting[Inputs]":
        """Take in a rendering. inputs: as they have to look from now on if nobody else changes anything."""
        return Waiting(inputs, None, None, inputs)

    def due_at(self, period: QuietPeriod) -> float | None:
        """Return when the pool is to be rendered if nothing else changes; None if nothing waits.

        >>> begun("a", 100.0).observed("b", 104.0).due_at(QuietPeriod(quiet=5, cap=60))
        109.0
        """
        if self.first is None or self.latest is None:
            return None
        return min(self.latest + period.quiet, self.first + period.cap)

    def is_due(self, period: QuietPeriod, now: float) -> bool:
        """Tell whether the pool is to be rendered now."""
        due = self.due_at(period)
        return due is not None and now >= due


def begun(inputs: Inputs, now: float) -> Waiting[Inputs]:
    """Return what a process knows after its first look: all it sees is new to it."""
    return Waiting(inputs, now, now)
