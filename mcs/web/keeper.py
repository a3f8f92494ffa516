"""Keeps what a worker needs before a machine asks: which config each pool serves, and verified holds on those.

A pool is switched to another config only after the hold on it is acquired, so that requests find it at hand. A hold is
renewed exactly while its config is what some pool resolves to.
"""

import logging
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread

from mcs.boot.clock import Reading, elapsed
from mcs.boot.durations import Durations, of_pool, widest
from mcs.boot.protocol import Claim, Resolved, covers, renewal_due, unfit
from mcs.boot.reasons import Reason, Refusal
from mcs.clock import Clock
from mcs.jsondata import JSONObject, texts_at
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.machineconfig.serving import Serving, last_served, resolve
from mcs.store.interface import Conflict, NotFound, PoolsView, Store, StoreError
from mcs.web.bodies import Bodies
from mcs.web.claims import Claims, Identity
from mcs.web.complaints import Complaints
from mcs.web.flights import Flights, FlightTimeoutError
from mcs.web.gates import Gates
from mcs.web.heartbeats import Heartbeats
from mcs.web.metrics import Metrics
from mcs.web.recorder import Recorder
from mcs.web.threads import ends_worker_unless

__all__ = ["Keeper", "PoolState"]

_log = logging.getLogger(__name__)

_STUCK = 2.0  # seconds after which a look that is still under way is waited for no more
_LOOK_AGAIN = 0.5  # seconds between two looks for pools that requests name and nobody knows


@dataclass(frozen=True, slots=True)
class PoolState:
    """uid: of the pool; one that is made anew under its name is another one, and is not sent what the old one was.

    serving: what the pool resolves to. sending: the config that machines get: the same, once it is held.

    durations: the pool's own: the server's, but for what its annotations say.
    """

    uid: str
    serving: Serving
    sending: str | None
    refusal: Refusal | None
    durations: Durations


class Keeper:
    """One thread that looks every so often; requests read what it found."""

    def __init__(
        self,
        store: Store,
        recorder: Recorder,
        bodies: Bodies,
        identity: Identity,
        durations: Durations,
        clock: Clock,
        executor: Executor,
        metrics: Metrics,
        *,
        version: str,
        every: float,
        quiet: float,
    ) -> None:
        """every: seconds between two looks. quiet: the quiet period. version: of this program, for the heartbeat."""
        self._store = store
        self._metrics = metrics
        self.claims = Claims(store, identity, clock, executor, self.pools_of, self.durations_of, metrics)
        self.heartbeats = Heartbeats(store, recorder, identity, durations, clock, executor, version)
        self.gates = Gates(store, clock, quiet)
        self._bodies = bodies
        self._durations = durations
        self._clock = clock
        self._every = every
        self._flights: Flights[None] = Flights(executor)
        self._pass = Lock()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="keeper", daemon=True)
        self._states: dict[str, PoolState] = {}
        self._last: dict[str, str] | None = None  # what each pool was served last, by the pool's uid
        self._held_pools: dict[str, tuple[str, ...]] = {}
        self._configs = 0  # the version of MachineConfigs at this look
        self._compared: dict[str, int] = {}  # the version at which each config was last seen as it was verified
        self._complaints = Complaints(_log)
        self._trouble: str | None = None
        self._looked: Reading | None = None
        self._known: tuple[Reading, float] | None = None
        self.ready = Event()
        self.looked = Event()

    # ---- life

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """End the thread. Holds are left to lapse: machines may still be booting under them."""
        self._stop.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        with ends_worker_unless(self._stop.is_set):
            while True:
                self.look()
                if self._stop.wait(self._every):
                    return

    # ---- what requests read

    @property
    def states(self) -> dict[str, PoolState]:
        """The state of each pool, by name; a fresh dict is put in place at each look."""
        return self._states

    @property
    def trouble(self) -> str | None:
        """Why the store could not be read at the last look, or None."""
        return self._trouble

    def staleness(self) -> float | None:
        """Return how old what is known of the pools is, in seconds; None before they were read."""
        known = self._known
        return elapsed(known[0], self._clock()) + known[1] if known is not None else None

    def pools_of(self, config: str) -> tuple[str, ...]:
        """Return the pools that resolve to a config, or are sent it."""
        return tuple(
            sorted(pool for pool, state in self._states.items() if config in {state.serving.config, state.sending})
        )

    def durations_of(self, config: str) -> Durations:
        """Return durations that are wide enough for all pools that resolve to a config."""
        states = self._states
        return widest(states[pool].durations for pool in self.pools_of(config) if pool in states) or self._durations

    def pool_durations(self, pool: str) -> Durations:
        """Return the durations of a pool."""
        state = self._states.get(pool)
        return state.durations if state is not None else self._durations

    def resolve(self, pool: str, timeout: float) -> Resolved | Refusal:
        """Return the config that a pool is sent (B1); a pool that is not known yet is looked for, but not often."""
        state = self._states.get(pool)
        if state is None:
            self._look_for_unknown(timeout)
            state = self._states.get(pool)
        if state is None:
            if self._trouble is not None:
                return Refusal(Reason.STORE_UNREACHABLE, self._trouble)
            if not self.ready.is_set():
                return Refusal(Reason.STARTING, "the pools have not been read yet")
            return Refusal(Reason.POOL_UNKNOWN, f"there is no pool {pool}")
        config = state.sending or state.serving.config
        if config is None:
            return _without_config(pool, state)
        return Resolved(config, state.serving.why)

    def _look_for_unknown(self, timeout: float) -> None:
        looked = self._looked
        since = elapsed(looked, self._clock()) if looked is not None else None
        if since is not None and (since < _LOOK_AGAIN or (self._pass.locked() and since > _STUCK)):
            return
        try:
            self._flights.join("look", self.look, timeout)
        except FlightTimeoutError:
            return

    # ---- one look

    def look(self) -> None:
        """Read the pools, hold what they resolve to, switch those that can be, and give a sign of life."""
        with self._pass:
            self._looked = now = self._clock()
            try:
                view = self._store.pools()
                # Before any config is looked at: a change in between is found by the next look.
                self._configs = self._store.version(Kind.CONFIG)
                self.gates.look(view, now)
                if self._last is None:
                    self._last = self._read_back(view)
                self._resolve_all(view, self._last)
            except StoreError as error:
                self._say_trouble(str(error))
            else:
                self._known = now, view.age
                self._say_trouble(None)
            self._hold_all()
            self._show_holds()
            self.heartbeats.beat(self.claims.lost_hold)
            if self._trouble is None:
                self.ready.set()
            self.looked.set()

    def _read_back(self, view: PoolsView) -> dict[str, str]:
        """Return what each pool was served last, by holds; raises StoreError."""
        holds = [hold.value for hold in self._store.holds()]
        skew = self._durations.skew
        lasts = ((pool.uid, last_served(pool.value, holds, created=pool.created, skew=skew)) for pool in view.pools)
        return {uid: config for uid, config in lasts if config is not None}

    def _resolve_all(self, view: PoolsView, last: dict[str, str]) -> None:
        states = {}
        for pool in view.pools:
            before = self._states.get(pool.name)
            if before is not None and before.uid != pool.uid:
                before = None
            serving = resolve(
                pool.value,
                last=last.get(pool.uid),
                unservable=self._why_unservable,
                settling=self.gates.unsettled(pool.uid),
            )
            durations, notes = of_pool(texts_at(pool.value, "metadata", "annotations"), self._durations)
            serving = replace(serving, notes=(*serving.notes, *notes))
            self._tell(pool.name, before.serving if before is not None else None, serving)
            sending = before.sending if before is not None else None
            states[pool.name] = PoolState(pool.uid, serving, sending, None, durations)
        self._states = states
        self._last = {pool.uid: last[pool.uid] for pool in view.pools if pool.uid in last}

    def _tell(self, pool: str, before: Serving | None, serving: Serving) -> None:
        """Log what a pool serves from now on, and what is ignored: each text when it comes, not while it stays."""
        if before is None or (before.config, before.why) != (serving.config, serving.why):
            _log.info("pool %s serves %s: %s", pool, serving.config or "nothing", serving.why)
        for note in serving.notes:
            if before is None or note not in before.notes:
                _log.warning("pool %s: %s", pool, note)

    def _why_unservable(self, config: str) -> str | None:
        meta = self._store.metadata(Kind.CONFIG, config)
        if meta is None:
            return "does not exist"
        return "is being deleted" if meta.deleting else self._bodies.why_unservable(meta)

    def _hold_all(self) -> None:
        """Hold each config that some pool resolves to or is sent, then switch the pools whose config is held."""
        states = dict(self._states)
        wanted = {state.serving.config for state in states.values()} | {state.sending for state in states.values()}
        refusals = {config: self._hold(config) for config in sorted(name for name in wanted if name is not None)}
        for pool, state in states.items():
            config = state.serving.config
            if config is None:
                continue
            refusal = refusals[config]
            if refusal is None and state.sending != config:
                _log.info("pool %s is sent %s", pool, config)
                if self._last is not None:
                    self._last[state.uid] = config
            states[pool] = replace(state, sending=config if refusal is None else state.sending, refusal=refusal)
        self._states = states

    def _show_holds(self) -> None:
        """Tell the metrics how each pool's config is held."""
        now = self._clock().wall
        shown = {}
        for pool, state in self._states.items():
            claim = self.claims.current(state.sending) if state.sending is not None else None
            left = self.claims.sending_left(claim.config) if claim is not None else None
            if claim is not None and left is not None:
                shown[pool] = (claim.since.wall, now + left)
        self._metrics.show_holds(shown)

    def _hold(self, config: str) -> Refusal | None:
        """Acquire or renew one hold where that is due; return why it may not be sent under, None if it may."""
        now = self._clock()
        claim = self.claims.current(config)
        pools = self.pools_of(config)
        known = self._held_pools.get(config) == pools
        durations = self.durations_of(config)
        fresh = claim is not None and not renewal_due(claim, now, durations) and claim.hold >= durations.hold
        if claim is not None and fresh and known and covers(claim, now, durations) and self._is_as_verified(claim):
            return None
        if claim is None:
            # Without a look first, a config that may not be sent would cost a durable write at each look.
            seen = self._seen(config)
            if isinstance(seen, Refusal):
                self._complaints.say(config, f"{config} is not sent: {seen.detail}")
                return seen
        acquisition = self.claims.acquire(config)
        if acquisition.refusal is not None and acquisition.refusal.reason is Reason.CONFIG_MARKED:
            self._unmark(config)
            acquisition = self.claims.acquire(config)
        if acquisition.claim is not None and acquisition.refusal is None:
            return self._prepare(acquisition.claim, pools)
        assert acquisition.refusal is not None, "no claim without a reason"
        detail = acquisition.refusal.detail
        if acquisition.claim is not None and covers(acquisition.claim, now, durations):
            self._complaints.say(config, f"the hold on {config} was not renewed, and stands for now: {detail}")
            return None
        self._complaints.say(config, f"{config} is not sent: {detail}")
        return acquisition.refusal

    def _prepare(self, claim: Claim, pools: tuple[str, ...]) -> Refusal | None:
        refusal = self._bodies.prepare(claim)
        if refusal is None:
            self._held_pools[claim.config] = pools
            self._complaints.settle(claim.config)
        else:
            self._complaints.say(claim.config, f"{claim.config} is not sent: {refusal.detail}")
        return refusal

    def _is_as_verified(self, claim: Claim) -> bool:
        """Tell whether a held config is what was verified; looks only if MachineConfigs have changed since it last was.

        What cannot be read now is taken to be: an outage stops nothing, and the next look asks again.
        """
        if self._compared.get(claim.config) == self._configs:
            return True
        seen = self._seen(claim.config)
        if isinstance(seen, Refusal):
            return seen.reason is Reason.STORE_UNREACHABLE
        if (seen.uid, seen.generation) != (claim.uid, claim.generation):
            return False
        self._compared[claim.config] = self._configs
        return True

    def _seen(self, config: str) -> Metadata | Refusal:
        """Look at a config; one that is marked is unmarked. The look lets nothing be sent: see `acquire`."""
        try:
            meta = self._store.metadata(Kind.CONFIG, config)
            if meta is not None and meta.mark is not None and self._unmark(config):
                meta = self._store.metadata(Kind.CONFIG, config)
        except StoreError as error:
            return Refusal(Reason.STORE_UNREACHABLE, str(error))
        refusal = unfit(config, meta)
        if refusal is not None or meta is None:
            return refusal or Refusal(Reason.CONFIG_MISSING)
        return meta

    def _unmark(self, config: str) -> bool:
        """Take the mark off a config that a pool names, so that a collector's death stops no boot for long."""
        if not self._store.server_unmarks:
            return False
        try:
            meta = self._store.metadata(Kind.CONFIG, config)
            if meta is None or meta.mark is None:
                return False
            unmark: JSONObject = {"metadata": {"annotations": {ANNOTATION_MARK: None}}}
            self._store.patch(Kind.CONFIG, config, unmark, uid=meta.uid, resource_version=meta.resource_version)
        except (Conflict, NotFound):
            return False  # somebody else was quicker; the next look sees what came of it
        except StoreError as error:
            text = f"{config} is marked for collection and could not be unmarked: {error}"
            self._complaints.say(f"unmark {config}", text)
            return False
        _log.warning("%s was marked for collection while a pool names it; the mark was taken off", config)
        return True

    def _say_trouble(self, trouble: str | None) -> None:
        """Log a trouble once when it comes and once when it goes."""
        if trouble is not None and self._trouble is None:
            _log.error("the store cannot be read; what is held is still sent: %s", trouble)
        if trouble is None and self._trouble is not None:
            _log.info("the store can be read again")
        self._trouble = trouble

    def readiness(self) -> Refusal | None:
        """Tell whether some pool can be served: the store is reachable, or its hold can still be sent under."""
        if not self.ready.is_set() and self._trouble is None:
            return Refusal(Reason.STARTING, "the pools have not been read yet")
        now = self._clock()
        for state in self._states.values():
            if self._can_serve(state, now):
                return None
        if self._trouble is not None:
            return Refusal(Reason.STORE_UNREACHABLE, self._trouble)
        refusals = [state.refusal for state in self._states.values() if state.refusal is not None]
        refusals += [
            _without_config(pool, state)
            for pool, state in self._states.items()
            if state.serving.config is None and state.serving.settling is not None
        ]
        return next(iter(refusals), Refusal(Reason.POOL_UNKNOWN, "there is no pool that could be served"))

    def _can_serve(self, state: PoolState, now: Reading) -> bool:
        claim = self.claims.current(state.sending) if state.sending is not None else None
        return claim is not None and covers(claim, now, self.durations_of(claim.config))


def _without_config(pool: str, state: PoolState) -> Refusal:
    """Return why a pool that serves nothing does so."""
    reason = Reason.POOL_NAMES_NO_CONFIG if state.serving.settling is None else Reason.POOL_UNSETTLED
    return Refusal(reason, f"pool {pool}: {state.serving.why}")
