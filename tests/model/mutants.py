"""Variants of the shipped protocol, each without one of its rules: what the rules are for is what the checker finds.

As far as it goes a mutant is the shipped code, in which one function that it calls is replaced.
"""

from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from mcs.boot import protocol
from mcs.boot.clock import Reading
from mcs.boot.durations import Durations
from mcs.boot.protocol import (
    Acked,
    Acquisition,
    Claim,
    GetMeta,
    NotAcked,
    Now,
    PutHold,
    Run,
    Unreadable,
    acquire,
)
from mcs.boot.reasons import Reason, Refusal
from mcs.machineconfig.metadata import Metadata
from tests.model.server import DropHold, Protocol

__all__ = ["MUTANTS", "Mutant", "shipped_with"]


@dataclass(frozen=True)
class Mutant:
    """name: for test ids. title: what is wrong, as a heading. rule: what the shipped protocol does instead.

    steps: how long a shortest trace to a lost machine may be. telling: events that its story has, in this order.
    """

    name: str
    title: str
    rule: str
    protocol: Protocol
    steps: int
    telling: tuple[str, ...]


def shipped_with(**replaced: Any) -> Protocol:
    """Return the shipped generators, in which the named functions of their module are replaced."""
    missing = replaced.keys() - vars(protocol).keys()
    if missing:
        raise AttributeError(f"{protocol.__name__} has no {', '.join(sorted(missing))}: such a mutant would be none")
    names = {**vars(protocol), **replaced}
    for name in ("acquire", "obtain", "answer"):
        if name not in replaced:
            shipped: FunctionType = getattr(protocol, name)
            names[name] = FunctionType(shipped.__code__, names, name, shipped.__defaults__, shipped.__closure__)
    return Protocol(names["answer"], names["obtain"], names["acquire"])


def _claims_after_check(config: str, held: Claim | None, durations: Durations) -> Run[Acquisition]:
    meta = yield GetMeta(config)
    if isinstance(meta, Unreadable):
        return Acquisition(held, Refusal(Reason.STORE_UNREACHABLE))
    if meta is None or meta.mark is not None:
        return Acquisition(None, Refusal(Reason.CONFIG_MARKED))
    since = yield Now()
    acked = yield PutHold(config, since, durations.hold)
    if isinstance(acked, NotAcked):
        return Acquisition(held, Refusal(Reason.HOLD_NOT_ACKED))
    return Acquisition(Claim(config, meta.uid, meta.generation, since, durations.hold), None)


def _refuses_the_missing_only(config: str, meta: Metadata | None) -> Refusal | None:
    return None if meta is not None else Refusal(Reason.CONFIG_MISSING)


def _drops_when_refused(config: str, held: Claim | None, durations: Durations) -> Run[Acquisition]:
    acquisition = yield from acquire(config, held, durations)
    if acquisition.claim is None:
        yield DropHold(config)
    return acquisition


def _revives(config: str, held: Claim | None, durations: Durations) -> Run[Acquisition]:
    if held is None:
        return (yield from acquire(config, held, durations))
    since = yield Now()
    written = yield PutHold(config, since, durations.hold)
    if not isinstance(written, Acked):
        return Acquisition(held, Refusal(Reason.HOLD_NOT_ACKED))
    return Acquisition(replace(held, since=since), None)


def _covers_for_ever(claim: Claim, now: Reading, durations: Durations) -> bool:
    return True


MUTANTS = (
    Mutant(
        "claim-after-check",
        "The hold is written after the look",
        "The hold is acknowledged before the config is looked at (B2 before B3).",
        shipped_with(acquire=_claims_after_check),
        9,
        (
            "server A: looks at N: it is there, without a mark",
            "collector: marks N",
            "collector: reads the holds: none",
            "server A: writes its hold on N",
            "starts to send N to machine 1",
            "collector: deletes N",
        ),
    ),
    Mutant(
        "mark-ignored",
        "The look ignores the mark",
        "A config that bears a mark is not sent (B3).",
        shipped_with(unfit=_refuses_the_missing_only),
        8,
        (
            "collector: marks N",
            "collector: reads the holds: none",
            "server A: writes its hold on N",
            "server A: looks at N: it bears a mark",
            "starts to send N to machine 1",
            "collector: deletes N",
        ),
    ),
    Mutant(
        "hold-dropped",
        "The hold is dropped when its renewal is refused",
        "A hold is never dropped: a server that may not send lets it lapse.",
        shipped_with(acquire=_drops_when_refused),
        12,
        (
            "starts to send N to machine 1",
            "server A: sets out to renew its hold on N",
            "server A: looks at N: it bears a mark",
            "server A: drops its hold",
            "collector: reads the holds: none",
            "collector: deletes N",
        ),
    ),
    Mutant(
        "hold-revived",
        "A lapsed hold is revived",
        "Every write of a hold is followed by a new look, whatever was known before.",
        shipped_with(acquire=_revives),
        15,
        (
            "server A: looks at N: it is there, without a mark",
            "collector: marks N",
            "t=5 collector: reads the holds: none",
            "t=5 server A: writes its hold on N",
            "t=5 server A: has the bytes",
            "collector: deletes N",
        ),
    ),
    Mutant(
        "deadline-ignored",
        "The send deadline is ignored",
        "Bytes leave only while the hold outlasts the last of them by the boot bound (B5).",
        shipped_with(covers=_covers_for_ever),
        13,
        (
            "t=0 server A: writes its hold on N, renewed at t=0: acked",
            "collector: marks N",
            "t=4 server A: has the bytes, and starts to send N",
            "t=5 collector: reads the holds: none",
            "collector: deletes N",
        ),
    ),
)
