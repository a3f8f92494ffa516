"""The protocol of rendering: what is done before a pool names a config. No I/O here; nothing but answers decides.

Whoever points a pool at a config obeys the rules of those who serve it (design: "Whoever renders a pool obeys the same
rules: hold N, read it consistently, create or unmark it, then point the pool at it").

Rule 1: the hold is acknowledged before the config is looked at. Until the pool names it nothing else refers to it, and
a name is a hash of contents: after a revert the config is an old one, which a collector may be about to delete.
Rule 2: the look is a consistent read. What a cache shows may be deleted, or marked, already.
Rule 3: creating is not enough. That the config exists, whoever made it (a collector restores configs from its archive,
too), does not say that it bears no mark: each creation is followed by a look, and a mark is taken off, with
preconditions on what was looked at, before the pool names the config. A collector's delete, armed with the version of
its mark, then fails.
Rule 4: the pool is pointed only while the hold outlasts the write by a boot bound, by this process's own clocks, and
with preconditions on the pool that was rendered. Who calls reads the pool before its MachineConfigs: a rendering of
older inputs than the pool's then meets a conflict.
Rule 5: a write without an answer may have been done, and may be done late. The attempt ends; the next one begins with
the hold, and looks. The hold is never dropped or shortened: it protects what the late write names.
Rule 6: a config of this name with another spec is an error. It is neither overwritten nor pointed at.

The generators are as those of mcs.boot.protocol, run by mcs.controller.driver and by the model checker.
"""

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar, cast

from mcs.boot.clock import Reading
from mcs.boot.durations import Durations
from mcs.boot.protocol import Acked, Ask, Claim, GetMeta, NotAcked, Now, PutHold, Run, Unreadable, covers, renewal_due
from mcs.jsondata import JSONObject
from mcs.machineconfig.hash_input import hash_input
from mcs.machineconfig.metadata import Metadata

__all__ = [
    "Create",
    "Exists",
    "Found",
    "IsNamed",
    "Look",
    "Outcome",
    "Point",
    "Publication",
    "Reason",
    "Refused",
    "Stale",
    "TakeMarkOff",
    "Written",
    "publish",
    "spec_digest",
    "unmark",
]

R = TypeVar("R")


def _ask(request: Ask[R]) -> Run[R]:
    return cast("R", (yield request))


# ---- what is published


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A pool's rendered config, and the pool as it was read before its MachineConfigs were.

    digest: of the config's spec, by spec_digest. source: what it was merged from, in that order. standing: whether the
    pool, as it was read, names the config with this very source.
    """

    pool: str
    pool_uid: str
    pool_version: int
    config: str
    digest: str
    source: tuple[str, ...]
    standing: bool = False


def spec_digest(spec: JSONObject) -> str:
    """Return what two specs share exactly if they are the same one: SHA-256 of the text that names are made of.

    Not the name itself, which is an MD5 and can be forged. Raises UnhashableSpec for a spec that has no name.
    """
    return hashlib.sha256(hash_input(spec).encode()).hexdigest()


# ---- what is asked, and what is answered


@dataclass(frozen=True, slots=True)
class Found:
    """A config as it is stored. digest: of its spec, None for a spec that no rendered config has."""

    meta: Metadata
    digest: str | None


@dataclass(frozen=True, slots=True)
class Look(Ask["Found | Unreadable | None"]):
    """Read the config consistently. None: it does not exist."""

    config: str


@dataclass(frozen=True, slots=True)
class Written:
    """The write is durable."""


@dataclass(frozen=True, slots=True)
class Exists:
    """There is a config of this name already; nothing was written."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The store will not have it, now or later; nothing was written."""

    detail: str = ""


@dataclass(frozen=True, slots=True)
class Stale:
    """The object is gone, or not the one or the version that was named; nothing was written."""

    detail: str = ""


@dataclass(frozen=True, slots=True)
class Create(Ask["Written | Exists | Refused | NotAcked"]):
    """Create the config that was rendered, under this name; never replace one."""

    config: str


@dataclass(frozen=True, slots=True)
class TakeMarkOff(Ask["Written | Stale | NotAcked"]):
    """Take the collector's mark off the config, if it is this one at this version."""

    config: str
    uid: str
    resource_version: int


@dataclass(frozen=True, slots=True)
class Point(Ask["Written | Stale | NotAcked"]):
    """Write the pool's spec.configuration (name and source), if the pool is this one at this version.

    A write that is not acknowledged must be done within the boot bound, or never.
    """

    pool: str
    uid: str
    resource_version: int
    config: str
    source: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IsNamed(Ask["bool | Unreadable"]):
    """Does a pool name the config, by a consistent read: in its spec or status, by annotation, or as served last?"""

    config: str


# ---- what comes of it


class Reason(Enum):
    """What became of an attempt: a code for conditions and logs, and whether the same attempt may do better.

    The codes are spelt as those of rendering are (mcs.machineconfig.render_error), for a condition bears either.
    lasting: what to say of it while it lasts, where the detail of each attempt has versions or seconds of its own.
    """

    POINTED = ("pointed", False)
    STANDING = ("standing", False)
    UNMARKED = ("unmarked", False)
    NOT_MARKED = ("not_marked", False)
    NOT_NAMED = ("not_named", False)
    NAME_TAKEN = ("name_taken", False)
    CREATE_REFUSED = ("create_refused", False)
    CONFIG_MISSING = ("config_missing", True)
    CONFIG_DELETING = ("config_deleting", True)
    CONFIG_CHANGED = ("config_changed", True, "others write the rendered config all the time")
    POOL_CHANGED = ("pool_changed", True, "others write the pool all the time")
    WRITE_UNKNOWN = ("write_unknown", True)
    STORE_UNREACHABLE = ("store_unreachable", True)
    HOLD_NOT_ACKED = ("hold_not_acked", True)
    HOLD_LAPSED = ("hold_lapsed", True)
    CLOCK_OFF = ("clock_off", True, "this host's clock and the store's differ by too much")

    def __init__(self, code: str, may_pass: bool, lasting: str | None = None) -> None:
        self.code = code
        self.may_pass = may_pass
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one attempt.

    claim: what this process has on the config from now on, to be handed to the next attempt for it; None: nothing that
    it may rely on. created, unmarked: what was done to the config on the way. detail: facts for people; never a secret.
    """

    reason: Reason
    detail: str = ""
    claim: Claim | None = None
    created: bool = False
    unmarked: bool = False

    @property
    def published(self) -> bool:
        """Whether the pool names the config, by this attempt or before it."""
        return self.reason in (Reason.POINTED, Reason.STANDING)


# ---- protocols


def publish(publication: Publication, held: Claim | None, durations: Durations) -> Run[Outcome]:
    """Make sure that the rendered config exists and bears no mark, and point the pool at it: one attempt.

    held: this process's claim on the config, from an earlier attempt. Who gets a reason that may pass repeats it all:
    reads the pool and its MachineConfigs, renders, and publishes anew.
    """
    holding = yield from _hold(publication.config, held, durations)
    if isinstance(holding, Outcome):
        return holding
    since, hold, lost = holding
    looked = yield from _look(publication)
    if isinstance(looked, Outcome):
        return looked
    found, created = looked
    meta = found.meta
    if meta.mark is not None:
        ended = yield from _take_mark_off(meta)
        if ended is not None:
            return ended
    unmarked = meta.mark is not None
    claim = Claim(publication.config, meta.uid, meta.generation, since, hold, lost=lost)
    now = yield from _ask(Now())
    if not covers(claim, now, durations):
        return Outcome(Reason.HOLD_LAPSED, f"the hold on {claim.config} ends too soon", None, created, unmarked)
    if publication.standing:
        return Outcome(Reason.STANDING, "", claim, created, unmarked)
    pointed = yield from _ask(_pointing(publication))
    if isinstance(pointed, Stale):
        return Outcome(Reason.POOL_CHANGED, pointed.detail, claim, created, unmarked)
    if isinstance(pointed, NotAcked):
        return Outcome(Reason.WRITE_UNKNOWN, pointed.detail, claim, created, unmarked)
    return Outcome(Reason.POINTED, "", claim, created, unmarked)


def unmark(config: str) -> Run[Outcome]:
    """Take the mark off a config that a pool names (design: "at once, so that a collector's death stops no boot").

    It only ever keeps a config, so it needs no hold. The pools are read after the config: what was marked when it was
    looked at is kept only if a pool names it still.
    """
    meta = yield from _ask(GetMeta(config))
    if isinstance(meta, Unreadable):
        return Outcome(Reason.STORE_UNREACHABLE, meta.detail)
    if meta is None:
        return Outcome(Reason.CONFIG_MISSING, f"{config} does not exist")
    if meta.deleting:
        return Outcome(Reason.CONFIG_DELETING, f"{config} is being deleted")
    if meta.mark is None:
        return Outcome(Reason.NOT_MARKED)
    named = yield from _ask(IsNamed(config))
    if isinstance(named, Unreadable):
        return Outcome(Reason.STORE_UNREACHABLE, named.detail)
    if not named:
        return Outcome(Reason.NOT_NAMED, f"{config} is marked for collection, and no pool names it")
    ended = yield from _take_mark_off(meta)
    return Outcome(Reason.UNMARKED, unmarked=True) if ended is None else ended


def _hold(config: str, held: Claim | None, durations: Durations) -> Run[tuple[Reading, float, bool] | Outcome]:
    """Return since when, for how long and after what loss the config is held (rule 1).

    A claim that covers is as good as a new one: it was acknowledged before the look that follows.
    """
    since = yield from _ask(Now())
    if held is not None and covers(held, since, durations) and not renewal_due(held, since, durations):
        return held.since, held.hold, held.lost
    written: Acked | NotAcked = yield from _ask(PutHold(config, since, durations.hold))
    if isinstance(written, NotAcked):
        return Outcome(Reason.HOLD_NOT_ACKED, written.detail, held)
    if written.store_clock is not None and abs(written.store_clock - since.wall) > durations.skew:
        off = since.wall - written.store_clock
        return Outcome(Reason.CLOCK_OFF, f"this host's clock is {off:+.0f} s from the store's")
    return since, durations.hold, written.lost


def _look(publication: Publication) -> Run[tuple[Found, bool] | Outcome]:
    """Return the config as it is stored, and whether it was created for that (rules 2, 3 and 6)."""
    config = publication.config
    found = yield from _ask(Look(config))
    created = False
    if found is None:
        answer = yield from _ask(Create(config))
        if isinstance(answer, Refused):
            return Outcome(Reason.CREATE_REFUSED, answer.detail)
        if isinstance(answer, NotAcked):
            # Rule 5. Were it done, the next attempt finds it; were it not, nothing was lost but time.
            return Outcome(Reason.WRITE_UNKNOWN, answer.detail)
        created = isinstance(answer, Written)
        found = yield from _ask(Look(config))
    if isinstance(found, Unreadable):
        return Outcome(Reason.STORE_UNREACHABLE, found.detail, created=created)
    ended = _unusable(publication, found)
    if ended is not None or found is None:
        return ended or Outcome(Reason.CONFIG_MISSING)
    return found, created


def _unusable(publication: Publication, found: Found | None) -> Outcome | None:
    """Return why the pool cannot be pointed at what was found; a mark is no reason, for it can be taken off."""
    config = publication.config
    if found is None:
        return Outcome(Reason.CONFIG_MISSING, f"{config} was deleted as soon as it was there")
    if found.digest != publication.digest:
        return Outcome(Reason.NAME_TAKEN, f"there is a MachineConfig {config} with another spec")
    if found.meta.deleting:
        return Outcome(Reason.CONFIG_DELETING, f"{config} is being deleted; it can be made anew when it is gone")
    return None


def _take_mark_off(meta: Metadata) -> Run[Outcome | None]:
    """Take the mark off the config as it was looked at; return why that could not be done, None if it was."""
    answer = yield from _ask(TakeMarkOff(meta.name, meta.uid, meta.resource_version))
    if isinstance(answer, Stale):
        return Outcome(Reason.CONFIG_CHANGED, answer.detail)
    if isinstance(answer, NotAcked):
        return Outcome(Reason.WRITE_UNKNOWN, answer.detail)
    return None


def _pointing(publication: Publication) -> Point:
    return Point(
        publication.pool,
        publication.pool_uid,
        publication.pool_version,
        publication.config,
        publication.source,
    )
