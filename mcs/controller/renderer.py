"""Renders pools that are due, and leaves on each what came of it: its config and source, or why there is none.

It decides when; what is rendered decides mcs.machineconfig.rendering, and in which order it is written the protocol.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from mcs.boot.durations import Durations, of_pool
from mcs.clock import Clock
from mcs.controller.backoff import Random, Retry
from mcs.controller.causes import Causes, Standing, causes_of, changes, selects_nothing
from mcs.controller.conditions import RENDER_DEGRADED, WELL, Condition, condition_of, conditions_with
from mcs.controller.contest import Contest, undone
from mcs.controller.driver import Publisher
from mcs.controller.protocol import Outcome
from mcs.controller.protocol import Reason as Ending
from mcs.controller.quiet import QuietPeriod, Waiting, begun
from mcs.controller.watch import MovedError, Sight, Watch
from mcs.jsondata import JSONObject, text_at, texts_at
from mcs.machineconfig.lost_images import lost_images
from mcs.machineconfig.names import Kind
from mcs.machineconfig.render_error import Reason, RenderError
from mcs.machineconfig.rendering import Origin, Rendered, render, selected
from mcs.store.interface import Conflict, NotFound, Store, Stored, StoreError
from mcs.web.complaints import Complaints

__all__ = ["Renderer"]

_log = logging.getLogger(__name__)

_LOOKS = 3  # at a pool that others write, until a condition can be written
_DEGRADED_AFTER = 5  # failures in a row that may each have passed
_MOST_TEXT = 2000  # characters of a condition's message


class _AgainError(Exception):
    """This attempt came to nothing, and another may do better. left: the condition that says so on the pool, if any."""

    def __init__(self, message: str, *, left: Condition | None = None) -> None:
        super().__init__(message)
        self.left = left


@dataclass(frozen=True, slots=True)
class _Pool:
    """What is known of one pool: of changes, of failures, and of who undoes what was done."""

    waiting: Waiting[Causes]
    retry: Retry
    contest: Contest


class Renderer:
    """Takes in looks, and renders the pools that are due by them. For one thread."""

    def __init__(
        self,
        store: Store,
        watch: Watch,
        publisher: Publisher,
        *,
        origin: Origin,
        period: QuietPeriod,
        durations: Durations,
        clock: Clock,
        random: Random,
        stopping: Callable[[], bool],
    ) -> None:
        """durations: of the holds, but for what pools' annotations say. stopping: asked between two pools."""
        self._store = store
        self._watch = watch
        self._publisher = publisher
        self._origin = origin
        self._period = period
        self._durations = durations
        self._clock = clock
        self._random = random
        self._stopping = stopping
        self._pools: dict[str, _Pool] = {}
        self._seen: Sight | None = None
        self._complaints = Complaints(_log)
        self._lost_hold: float | None = None

    def look(self, sight: Sight) -> None:
        """Take in what was seen, and render the pools that are due; what fails is logged and tried again later."""
        now = self._clock().boot
        if sight is not self._seen:
            self._pools = {pool.name: self._observed(pool, sight, now) for pool in sight.pools}
            self._seen = sight
        for name, pool in self._pools.items():
            if not self._stopping() and pool.waiting.is_due(self._period, now) and now >= pool.retry.at:
                self._pools[name] = self._attempt(name, pool)

    def _observed(self, pool: Stored[JSONObject], sight: Sight, now: float) -> _Pool:
        causes = causes_of(pool, sight.configs)
        known = self._pools.get(pool.name)
        if known is None:
            return _Pool(begun(causes, now), Retry(), Contest())
        return replace(known, waiting=known.waiting.observed(causes, now))

    def _attempt(self, name: str, known: _Pool) -> _Pool:
        try:
            waiting = self._render(name, known)
        except (StoreError, MovedError, _AgainError) as error:
            left = error.left if isinstance(error, _AgainError) else None
            if left is None:
                self._complaints.say(f"{name} yet", f"pool {name} is not rendered yet: {error}")
            else:  # its own word on the pool is no change
                known = replace(known, waiting=known.waiting.taking_in(lambda inputs: _standing(inputs, degraded=left)))
            return replace(known, retry=known.retry.failed(self._clock().boot, self._random()))
        self._complaints.settle(f"{name} yet")
        contest = known.contest
        if waiting.rendered is not known.waiting.rendered and undone(known.waiting.rendered, known.waiting.seen):
            contest = self._contested(name, contest)
        return _Pool(waiting, Retry(), contest)

    def _render(self, name: str, known: _Pool) -> Waiting[Causes]:
        """Render a pool, unless another look says that it is not due. Raises StoreError, MovedError, _AgainError."""
        # The pool is read before its MachineConfigs: what is rendered of older ones than the pool's meets a conflict.
        pool = self._store.get(Kind.POOL, name)
        if pool is None:
            return known.waiting
        now = self._clock().boot
        causes = causes_of(pool, {config.name: config for config in self._store.all_metadata(Kind.CONFIG)})
        waiting = known.waiting.observed(causes, now)
        if not waiting.is_due(self._period, now):  # the next part of a burst came just now
            return waiting
        why = changes(waiting.rendered, causes)
        if selects_nothing(pool.value):
            return self._leave_alone(pool, waiting, causes)
        try:
            rendered = self._rendered(pool, causes)
        except RenderError as error:
            return waiting.done(_standing(causes, degraded=self._degrade(pool, error.reason.value, str(error))))
        outcome = self._publisher.publish(pool, rendered, self._durations_of(pool))
        self._tell(name, rendered, outcome, why)
        if not outcome.published:
            reason, left = outcome.reason, None
            if not reason.may_pass or known.retry.failures + 1 >= _DEGRADED_AFTER:
                left = self._degrade(pool, reason.code, reason.lasting or outcome.detail or reason.code)
            raise _AgainError(outcome.detail or reason.code, left=left)
        self._report(pool, WELL)
        self._complaints.settle(name)
        claim = outcome.claim
        found = (claim.uid, claim.generation) if claim is not None else None
        return waiting.done(replace(causes, standing=Standing(rendered.name, rendered.source, found, degraded=WELL)))

    def _rendered(self, pool: Stored[JSONObject], causes: Causes) -> Rendered:
        """Render; raises RenderError, MovedError, StoreError."""
        documents = self._watch.documents(causes.parts)
        named = text_at(pool.value, "spec", "configuration", "name")
        current = self._store.get(Kind.CONFIG, named) if named is not None else None
        before = current.value if current is not None else None
        rendered = render(pool.value, selected(pool.value, documents), self._origin, before)
        lost = "; ".join(lost_images(before, rendered.spec, self._origin.images))
        if lost:
            raise RenderError(Reason.IMAGE_LOST, None, lost)
        return rendered

    def _durations_of(self, pool: Stored[JSONObject]) -> Durations:
        durations, notes = of_pool(texts_at(pool.value, "metadata", "annotations"), self._durations)
        for note in notes:
            self._complaints.say(f"{pool.name}: {note}", f"pool {pool.name}: {note}")
        return durations

    def _leave_alone(self, pool: Stored[JSONObject], waiting: Waiting[Causes], causes: Causes) -> Waiting[Causes]:
        """Have nothing to do with a pool that selects nothing, but for a condition that would stand for ever."""
        self._complaints.say(
            pool.name, f"pool {pool.name} is not rendered: its spec.machineConfigSelector is empty or absent"
        )
        degraded = causes.standing.degraded
        if degraded is not None and degraded.holds:
            degraded = WELL
            self._report(pool, WELL)
        return waiting.done(_standing(causes, degraded=degraded))

    # ---- what is left on the pool, and said

    def _degrade(self, pool: Stored[JSONObject], reason: str, message: str) -> Condition:
        """Say that a pool cannot be rendered; return the condition that says so on it. As `_report` otherwise."""
        condition = _degraded(pool.name, reason, message)
        self._complaints.say(pool.name, f"pool {pool.name} cannot be rendered: {message}")
        self._report(pool, condition)
        return condition

    def _report(self, pool: Stored[JSONObject], condition: Condition) -> None:
        """Write the condition RenderDegraded where it says something else; raises StoreError, _AgainError."""
        for _ in range(_LOOKS):
            stored = self._store.get(Kind.POOL, pool.name)
            if stored is None or stored.uid != pool.uid:
                return
            conditions = conditions_with(stored.value, RENDER_DEGRADED, condition, self._clock().wall)
            if conditions is None:
                return
            patch: JSONObject = {"status": {"conditions": conditions}}
            try:
                self._store.patch(Kind.POOL, pool.name, patch, uid=stored.uid, resource_version=stored.resource_version)
            except (Conflict, NotFound):
                continue
            before = condition_of(stored.value, RENDER_DEGRADED)
            if before is not None and before.holds and not condition.holds:
                _log.info("pool %s can be rendered again", pool.name)
            return
        raise _AgainError(f"others write pool {pool.name} all the time")

    def _contested(self, pool: str, contest: Contest) -> Contest:
        """Take in that others had undone what was just put right; warn of it from time to time."""
        now = self._clock().boot
        contest = contest.happened(now, self._period)
        if not contest.is_to_be_told(now):
            return contest
        _log.warning(
            "pool %s: others undo what this controller writes, %d times in a row; if that is another controller, give "
            "both the same --os-image and --extensions-image",
            pool,
            contest.times,
        )
        return replace(contest, told=now)

    def _tell(self, pool: str, rendered: Rendered, outcome: Outcome, why: str) -> None:
        if outcome.unmarked:
            _log.warning("unmarked", extra={"facts": {"config": rendered.name, "why": f"pool {pool} is to name it"}})
        if outcome.published:
            message = "rendered" if outcome.reason is Ending.POINTED else "rendered, and nothing is to be written"
            facts = {
                "pool": pool,
                "config": rendered.name,
                "from": ",".join(rendered.source),
                "why": why,
                "created": outcome.created,
            }
            _log.info(message, extra={"facts": facts})
        if self._publisher.lost_hold != self._lost_hold:
            self._lost_hold = self._publisher.lost_hold
            _log.error("a hold of this controller was deleted, or the store is a restored backup: %s", rendered.name)


def _degraded(pool: str, reason: str, message: str) -> Condition:
    text = f"Failed to render configuration for pool {pool}: {message}"
    return Condition(holds=True, reason=reason, message=text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT] + "…")


def _standing(causes: Causes, *, degraded: Condition | None) -> Causes:
    return replace(causes, standing=replace(causes.standing, degraded=degraded))
