"""The durations of the boot protocol, and the one rule between them (design: Durations)."""

from dataclasses import dataclass, fields

__all__ = ["DurationRuleError", "Durations"]


class DurationRuleError(ValueError):
    """A set of durations under which a machine could be stranded. `rule` says which rule it breaks."""

    def __init__(self, rule: str, facts: str) -> None:
        super().__init__(f"{rule} does not hold: {facts}")
        self.rule = rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Durations:
    """All in seconds. There is no other lower bound than the rules, so tests run the real code with seconds.

    hold: how long a hold protects after its last renewal.
    renewal: how often a worker renews the holds it needs.
    boot: the boot bound B; within it after the last byte the hold alone protects a machine.
    lease: how long a boot lease protects after its fetch.
    skew: how far the clocks of servers, collector and store may differ.
    body: the longest a response body may take, from the last check to the last byte.
    """

    hold: float = 24 * 3600.0
    renewal: float = 300.0
    boot: float = 12 * 3600.0
    lease: float = 7 * 24 * 3600.0
    skew: float = 60.0
    body: float = 15 * 60.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (0 <= value < float("inf")):
                raise DurationRuleError(f"{field.name} ≥ 0", f"{field.name} is {value:g} s")
        if self.renewal <= 0:
            raise DurationRuleError("renewal > 0", f"renewal is {self.renewal:g} s")
        needed = self.boot + self.body + 2 * self.renewal + 2 * self.skew
        if self.hold < needed:
            raise DurationRuleError(
                "hold ≥ boot bound + body deadline + 2·renewal + 2·skew",
                f"hold is {self.hold:g} s, and {self.boot:g} + {self.body:g} + 2·{self.renewal:g} + 2·{self.skew:g}"
                f" is {needed:g} s",
            )
        if self.lease < self.boot:
            raise DurationRuleError(
                "boot lease ≥ boot bound", f"boot lease is {self.lease:g} s, boot bound is {self.boot:g} s"
            )
