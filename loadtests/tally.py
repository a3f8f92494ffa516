"""What a load run counts and how it ends: which machines booted, which were lost and why. Does no I/O."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

from loadtests.boot import Booted, Ended, Loss, Lost, Machine

__all__ = ["Tally", "percentile"]


@dataclass(slots=True)
class Tally:
    """The boots of one run. begun: all of them, ended or not. seconds: to the last byte, of each that booted."""

    begun: int = 0
    seconds: list[float] = field(default_factory=list)
    retries: Counter[str] = field(default_factory=Counter)
    lost: Counter[Loss] = field(default_factory=Counter)
    examples: dict[Loss, str] = field(default_factory=dict)
    boot_ids: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Count a boot that begins; one that does not end leaves the run without a verdict, hence failed."""
        self.begun += 1

    def end(self, machine: Machine, ended: Ended) -> Booted | Lost:
        """Count a boot that ended, and return its verdict: a boot id that another boot has makes it a loss."""
        verdict = ended.verdict
        self.retries.update(ended.retries)
        if isinstance(verdict, Booted) and verdict.boot_id in self.boot_ids:
            verdict = Lost(Loss.SAME_BOOT_ID, verdict.boot_id)
        if isinstance(verdict, Lost):
            self.lost[verdict.loss] += 1
            self.examples.setdefault(verdict.loss, f"{machine}: {verdict.detail}")
        else:
            self.boot_ids.add(verdict.boot_id)
            self.seconds.append(ended.seconds)
        return verdict

    @property
    def unended(self) -> int:
        """How many boots have begun and not ended."""
        return self.begun - len(self.seconds) - self.lost.total()

    @property
    def failed(self) -> bool:
        """Whether any machine was lost or did not come to an end, or none began."""
        return len(self.seconds) != self.begun or self.begun == 0

    def summary(self) -> str:
        """Return the run's result in a few lines."""
        booted, lost = len(self.seconds), self.lost.total()
        lines = [
            f"Boots: {self.begun} begun, {booted} booted, {lost} lost, {self.unended} not ended",
            f"Retries: {self.retries.total()}",
            *(f"  {count} × {reason}" for reason, count in self.retries.most_common()),
            *(f"Lost: {count} × {loss.value} ({self.examples[loss]})" for loss, count in self.lost.most_common()),
        ]
        if self.seconds:
            half, most = percentile(self.seconds, 50), percentile(self.seconds, 99)
            lines.append(f"Seconds to the last byte, retries included: p50 {half:.3f}, p99 {most:.3f}")
        if self.failed:
            lines.append("FAILED" if self.begun else "FAILED: no machine began to boot")
        return "\n".join(lines)


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the smallest of the values that at least so many percent of them do not exceed (nearest rank).

    >>> percentile([4.0, 1.0, 3.0, 2.0], 50), percentile([4.0, 1.0, 3.0, 2.0], 99)
    (2.0, 4.0)
    """
    return sorted(values)[max(1, ceil(len(values) * percent / 100)) - 1]
