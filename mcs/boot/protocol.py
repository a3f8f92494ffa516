"""The boot protocol: what a server does before it sends a config. Nothing here does I/O; nothing but answers decides.

Rule 1 (B2 before B3): a hold is written and acknowledged before the config is looked at. The collector does the
mirror image (mark, then look for holds), so at least one of the two sees the other.
Rule 2 (B3): the look is a consistent read, after every write of a hold, and a mark or a deletion means "not this one".
Rule 3 (B4): bytes come from the very object that was looked at, told by uid and generation.
Rule 4 (B5): bytes leave only while the hold outlasts them by the boot bound, by this process's own clocks.
Rule 5: a hold is never dropped or shortened here. A server that may not send lets its hold lapse, for machines that
got bytes under it may still be booting, and a write that seemed refused may have been done.

Each generator yields requests (subclasses of Ask) and is sent their answers; it makes one attempt, or in `answer` two,
and returns a frozen value. A driver runs it against a real store; the model checker runs the same code against a
simulated one, and resumes a run by replaying what it was sent.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from mcs.boot.clock import Reading, elapsed
from mcs.boot.durations import Durations
from mcs.boot.reasons import Reason, Refusal
from mcs.machineconfig.metadata import Metadata

__all__ = [
    "Acked",
    "Acquisition",
    "Answer",
    "Ask",
    "Build",
    "Built",
    "Claim",
    "GetMeta",
    "Grant",
    "NotAcked",
    "Now",
    "Obtain",
    "PutHold",
    "Resolve",
    "Resolved",
    "Run",
    "Unreadable",
    "acquire",
    "answer",
    "covers",
    "obtain",
    "renewal_due",
    "unfit",
]

R = TypeVar("R")
T = TypeVar("T")


class Ask(Generic[R]):
    """A request that a protocol yields; R is the type of the answer that it is sent."""

    __slots__ = ()


Run = Generator[Ask[Any], Any, T]


def _ask(request: Ask[R]) -> Run[R]:
    return cast("R", (yield request))


# ---- what is asked, and what is answered


@dataclass(frozen=True, slots=True)
class Now(Ask[Reading]):
    """Read both clocks."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A pool resolves to a config. why: in words, for people."""

    config: str
    why: str


@dataclass(frozen=True, slots=True)
class Resolve(Ask["Resolved | Refusal"]):
    """B1: which config does this pool serve? A cache may answer."""

    pool: str


@dataclass(frozen=True, slots=True)
class Acked:
    """The hold is durable. lost and store_clock: see HoldAck of the store."""

    lost: bool = False
    store_clock: float | None = None


@dataclass(frozen=True, slots=True)
class NotAcked:
    """The write was refused, or nobody knows. It may have been done all the same."""

    detail: str = ""


@dataclass(frozen=True, slots=True)
class PutHold(Ask["Acked | NotAcked"]):
    """B2: write this worker's hold on the config, renewed at `since` for `duration` s, and wait until it is durable."""

    config: str
    since: Reading
    duration: float


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A read failed: nothing is known."""

    detail: str = ""


@dataclass(frozen=True, slots=True)
class GetMeta(Ask["Metadata | Unreadable | None"]):
    """B3: read the config's metadata consistently. None: it does not exist."""

    config: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A verified hold: this worker may send the config while it covers.

    since: the clocks before the hold was written, so that its end is never overestimated. hold: how long it was written
    to last, in seconds, whatever the durations have become since.
    uid, generation: the object that was verified. lost: the write found an earlier hold missing or older than acked.
    """

    config: str
    uid: str
    generation: int
    since: Reading
    hold: float
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Acquisition:
    """What became of an attempt. claim: what the worker has on this config from now on; None: it must not send it.

    refusal: why the hold could not be had, renewed or verified; an older claim may stand beside it, with its own end.
    """

    claim: Claim | None
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class Obtain(Ask[Acquisition]):
    """Have this worker's claim on the config, by running `obtain`: one run at a time for a worker and a config."""

    config: str


@dataclass(frozen=True, slots=True)
class Built:
    """The bytes are ready, from the object that the claim names. What they are does not matter to the protocol."""


@dataclass(frozen=True, slots=True)
class Build(Ask["Built | Refusal"]):
    """B4: build the bytes, or take them from a cache, from the object with the claim's uid and generation."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Grant:
    """The bytes may leave, now: the last byte within the body deadline after `at`."""

    claim: Claim
    at: Reading


Answer = Grant | Refusal


# ---- decisions


def covers(claim: Claim, now: Reading, durations: Durations) -> bool:
    """B5: tell whether a body that starts now ends a boot bound before the hold does (design: send deadline)."""
    return elapsed(claim.since, now) + durations.body < claim.hold - durations.boot


def renewal_due(claim: Claim, now: Reading, durations: Durations) -> bool:
    """Tell whether a hold that is still needed is to be renewed."""
    return elapsed(claim.since, now) >= durations.renewal


def unfit(config: str, meta: Metadata | None) -> Refusal | None:
    """Return why a config that looks like this must not be sent (B3), or None; meta None: it does not exist."""
    if meta is None:
        return Refusal(Reason.CONFIG_MISSING, f"{config} does not exist")
    if meta.deleting:
        return Refusal(Reason.CONFIG_DELETING, f"{config} is being deleted")
    if meta.mark is not None:
        return Refusal(Reason.CONFIG_MARKED, f"{config} is marked for collection")
    return None


# ---- protocols


def acquire(config: str, held: Claim | None, durations: Durations) -> Run[Acquisition]:
    """Acquire or renew the hold on a config and verify the config (B2, B3).

    A lapsed hold is not revived by this: every write is followed by a new look, whatever was known before.
    """
    since = yield from _ask(Now())
    written = yield from _ask(PutHold(config, since, durations.hold))
    if isinstance(written, NotAcked):
        # The older hold, if any, stands until its own end; the write may have been done, and then protects longer.
        return Acquisition(held, Refusal(Reason.HOLD_NOT_ACKED, written.detail))
    if written.store_clock is not None and abs(written.store_clock - since.wall) > durations.skew:
        off = since.wall - written.store_clock
        return Acquisition(None, Refusal(Reason.CLOCK_OFF, f"this host's clock is {off:+.0f} s from the store's"))
    meta = yield from _ask(GetMeta(config))
    if isinstance(meta, Unreadable):
        return Acquisition(held, Refusal(Reason.STORE_UNREACHABLE, meta.detail))
    refusal = unfit(config, meta)
    if refusal is not None or meta is None:
        return Acquisition(None, refusal)
    return Acquisition(Claim(config, meta.uid, meta.generation, since, durations.hold, lost=written.lost), None)


def obtain(config: str, held: Claim | None, durations: Durations) -> Run[Acquisition]:
    """Use the claim that is held while it covers, else acquire one (B2)."""
    now = yield from _ask(Now())
    if held is not None and covers(held, now, durations):
        return Acquisition(held, None)
    return (yield from acquire(config, held, durations))


def answer(pool: str, durations: Durations) -> Run[Answer]:
    """Answer one machine: return the permission to send, or why not (B1 to B5).

    When the bytes took so long that the hold no longer covers, it starts again at B2, once.
    """
    resolved = yield from _ask(Resolve(pool))
    if isinstance(resolved, Refusal):
        return resolved
    for _ in range(2):
        acquisition = yield from _ask(Obtain(resolved.config))
        claim = acquisition.claim
        if acquisition.refusal is not None or claim is None:
            return acquisition.refusal or Refusal(Reason.HOLD_NOT_ACKED)
        built = yield from _ask(Build(claim))
        if isinstance(built, Refusal):
            return built
        now = yield from _ask(Now())
        if covers(claim, now, durations):
            return Grant(claim, now)
    return Refusal(Reason.HOLD_LAPSED, f"the hold on {resolved.config} ends too soon")
