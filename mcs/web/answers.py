"""Answers one machine: drives the boot protocol's `answer`, fills in the boot id and records the boot."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcs.boot.driver import drive
from mcs.boot.identity import BOOT_ID_BYTES, boot_id
from mcs.boot.protocol import Ask, Build, Built, Claim, Grant, Now, Obtain, Resolve, answer
from mcs.boot.reasons import Refusal
from mcs.boot.records import BootLease
from mcs.clock import Clock
from mcs.ignition import SpecVersion
from mcs.machineconfig.appended import AppendedSet, Body
from mcs.web.bodies import Bodies
from mcs.web.claims import HOLD_TIMEOUT, Identity
from mcs.web.keeper import Keeper
from mcs.web.recorder import Recorder

__all__ = ["ANSWER_TIMEOUT", "Answers", "Given", "Question"]

ANSWER_TIMEOUT = 1.8  # seconds until an answer is ready or refused, so that headers leave within two


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a machine asks for. spec: None for the config's own; asked: its version text, if it named one."""

    pool: str
    spec: SpecVersion | None
    asked: str | None
    address: str
    client: str
    appended: AppendedSet


@dataclass(frozen=True, slots=True)
class Given:
    """What a machine gets. boot_id: None where responses carry none; content: in pieces; None for a HEAD request."""

    config: str
    spec: SpecVersion
    length: int
    boot_id: str | None
    content: list[bytes] | None


class Answers:
    """Answers questions. Safe for many threads."""

    def __init__(
        self,
        keeper: Keeper,
        bodies: Bodies,
        recorder: Recorder,
        identity: Identity,
        clock: Clock,
        *,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._keeper = keeper
        self._bodies = bodies
        self._recorder = recorder
        self._identity = identity
        self._clock = clock
        self._random = random

    def get(self, question: Question) -> Given | Refusal:
        """Return the bytes and the permission to send them now; the boot is on record (B1 to B6)."""
        attempt = _Attempt(question, self._keeper, self._bodies, self._clock)
        outcome = drive(answer(question.pool, self._keeper.pool_durations(question.pool)), attempt.perform)
        if isinstance(outcome, Refusal):
            return outcome
        body = attempt.body
        assert body is not None, "the protocol grants nothing before Build was answered"
        identity = boot_id(self._random(BOOT_ID_BYTES))
        self._recorder.record(self._lease(question, outcome, body, identity))
        carried = identity if question.appended.boot_ids else None
        content = body.fill(identity) if carried is not None else list(body.parts)
        return Given(outcome.claim.config, body.spec, len(body), carried, content)

    def at_hand(self, pool: str, spec: SpecVersion | None, appended: AppendedSet) -> bool:
        """Tell whether a pool's config is held, verified and built: `get` then waits for nothing."""
        state = self._keeper.states.get(pool)
        claim = self._keeper.claims.covering(state.sending) if state is not None and state.sending else None
        return claim is not None and self._bodies.at_hand(claim, spec, appended)

    def look(self, question: Question) -> Given | Refusal:
        """Return what `get` would, without bytes or boot id: a HEAD request takes no hold and leaves no lease."""
        attempt = _Attempt(question, self._keeper, self._bodies, self._clock)
        resolved = self._keeper.resolve(question.pool, attempt.left())
        if isinstance(resolved, Refusal):
            return resolved
        claim = self._keeper.claims.covering(resolved.config) or self._keeper.claims.unheld(
            resolved.config, attempt.left()
        )
        if isinstance(claim, Refusal):
            return claim
        body = self._bodies.body(claim, question.spec, question.appended, attempt.left())
        if isinstance(body, Refusal):
            return body
        return Given(claim.config, body.spec, len(body), None, None)

    def _lease(self, question: Question, grant: Grant, body: Body, identity: str) -> BootLease:
        carried = question.appended.boot_ids
        return BootLease(
            name=identity if carried else f"unnamed-{identity}",
            boot_id=identity if carried else None,
            server=self._identity.server,
            worker=self._identity.worker,
            pool=question.pool,
            config=grant.claim.config,
            asked=question.asked,
            served=str(body.spec),
            address=question.address,
            client=question.client,
            fetched=grant.at.wall,
            renewed=grant.at.wall,
            duration=self._keeper.pool_durations(question.pool).lease,
        )


class _Attempt:
    """Performs the requests of one `answer`, within the time that an answer may take."""

    def __init__(self, question: Question, keeper: Keeper, bodies: Bodies, clock: Clock) -> None:
        self._question = question
        self._keeper = keeper
        self._bodies = bodies
        self._clock = clock
        self._end = clock().boot + ANSWER_TIMEOUT
        self.body: Body | None = None

    def left(self) -> float:
        """Return the seconds that are left."""
        return max(0.0, self._end - self._clock().boot)

    def perform(self, request: Ask[Any]) -> object:
        """Do what the protocol asks for."""
        match request:
            case Now():
                return self._clock()
            case Resolve(pool):
                return self._keeper.resolve(pool, self.left())
            case Obtain(config):
                return self._keeper.claims.obtain(config, min(HOLD_TIMEOUT, self.left()))
            case Build(claim):
                return self._build(claim)
        raise TypeError(f"the protocol asks for {request!r}")

    def _build(self, claim: Claim) -> Built | Refusal:
        body = self._bodies.body(claim, self._question.spec, self._question.appended, self.left())
        if isinstance(body, Refusal):
            return body
        self.body = body
        return Built()
