"""The durations of the boot protocol, and the one rule between them (design: Durations)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

from mcs.machineconfig.names import PREFIX

__all__ = ["DurationRuleError", "Durations", "of_pool", "parse_duration", "widest"]


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


_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(|ms|s|m|h|d)", re.ASCII)

# What a pool may say of itself: the annotation, and the duration that it sets.
_OF_POOL = {PREFIX + "hold": "hold", PREFIX + "boot-bound": "boot", PREFIX + "boot-lease": "lease"}


def parse_duration(text: str) -> float:
    """Return the seconds in a text such as 90s, 5m, 12h or 7d; raises ValueError, whose text says what is wanted.

    >>> parse_duration("1.5h"), parse_duration("250ms")
    (5400.0, 0.25)
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError("it is not a duration, such as 90s, 5m, 12h or 7d")
    return float(match[1]) * _UNITS[match[2]]


def of_pool(annotations: Mapping[str, str], durations: Durations) -> tuple[Durations, tuple[str, ...]]:
    """Return the durations of a pool, and what to tell people of annotations that are ignored.

    durations: the server's. The annotations `mcs.internal/hold`, `mcs.internal/boot-bound` and
    `mcs.internal/boot-lease` are taken together: a set that breaks the rule is ignored as a whole.
    """
    changed: dict[str, float] = {}
    notes = []
    for annotation, name in _OF_POOL.items():
        text = annotations.get(annotation)
        if text is None:
            continue
        try:
            changed[name] = parse_duration(text)
        except ValueError as error:
            notes.append(f"annotation {annotation}: {text!r} is ignored: {error}")
    try:
        return replace(durations, **changed), tuple(notes)
    except DurationRuleError as error:
        return durations, (*notes, f"the pool's durations are ignored: {error}")


def widest(several: Iterable[Durations]) -> Durations | None:
    """Return durations that protect machines of all the given pools, which keep the rule if each of them does.

    None where none is given. The parts that pools cannot set are the same in all.
    """
    together: Durations | None = None
    for one in several:
        if together is None:
            together = one
        else:
            together = replace(
                together,
                hold=max(together.hold, one.hold),
                boot=max(together.boot, one.boot),
                lease=max(together.lease, one.lease),
            )
    return together
