"""A worker's claims: the holds that it has written and the configs that it has verified under them."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from threading import Lock
from typing import Any

from mcs.boot.clock import elapsed
from mcs.boot.driver import drive
from mcs.boot.durations import Durations
from mcs.boot.protocol import (
    Acked,
    Acquisition,
    Ask,
    Claim,
    GetMeta,
    NotAcked,
    Now,
    PutHold,
    Run,
    Unreadable,
    acquire,
    covers,
    obtain,
    unfit,
)
from mcs.boot.reasons import Reason, Refusal
from mcs.clock import Clock
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import Kind
from mcs.store.interface import Store, StoreError
from mcs.store.own_holds import OwnHolds
from mcs.web.flights import Flights, FlightTimeoutError
from mcs.web.metrics import Metrics

__all__ = ["HOLD_TIMEOUT", "Claims", "Identity"]

HOLD_TIMEOUT = 1.5  # seconds that an answer waits for a hold


@dataclass(frozen=True, slots=True)
class Identity:
    """worker: 128 random bits in hex, drawn after the fork. server: the server's name, for people."""

    worker: str
    server: str


class Claims:
    """Drives `obtain` and `acquire`, one run at a time for each config. Safe for many threads."""

    def __init__(
        self,
        store: Store,
        identity: Identity,
        clock: Clock,
        executor: Executor,
        pools_of: Callable[[str], Iterable[str]],
        durations_of: Callable[[str], Durations],
        metrics: Metrics,
    ) -> None:
        """pools_of: which pools resolve to a config; written into its hold. durations_of: wide enough for them all."""
        self._store = store
        self._metrics = metrics
        self._durations_of = durations_of
        self._clock = clock
        self._pools_of = pools_of
        self._flights: Flights[Acquisition] = Flights(executor)
        self._looks: Flights[Metadata | Unreadable | None] = Flights(executor)
        self._lock = Lock()
        self._claims: dict[str, Claim] = {}
        self._holds = OwnHolds(store, worker=identity.worker, server=identity.server)

    def current(self, config: str) -> Claim | None:
        """Return the claim on a config as it stands, which may no longer cover."""
        with self._lock:
            return self._claims.get(config)

    def covering(self, config: str) -> Claim | None:
        """Return the claim on a config if it may be sent under now."""
        claim = self.current(config)
        return claim if claim is not None and covers(claim, self._clock(), self._durations_of(config)) else None

    def sending_left(self, config: str) -> float | None:
        """Return for how many seconds the config may still be sent under the present claim; None without a claim."""
        claim = self.current(config)
        if claim is None:
            return None
        durations = self._durations_of(config)
        return claim.hold - durations.boot - durations.body - elapsed(claim.since, self._clock())

    @property
    def lost_hold(self) -> float | None:
        """When a hold of this worker was last found missing or older than acked, in seconds since 1970."""
        return self._holds.lost

    def obtain(self, config: str, timeout: float = HOLD_TIMEOUT) -> Acquisition:
        """Use the claim while it covers, else acquire one: what an answer needs."""
        claim = self.covering(config)
        return Acquisition(claim, None) if claim is not None else self._join(config, obtain, timeout)

    def acquire(self, config: str, timeout: float = HOLD_TIMEOUT) -> Acquisition:
        """Write the hold and verify the config whatever the present claim: what renewal needs."""
        return self._join(config, acquire, timeout)

    def unheld(self, config: str, timeout: float) -> Claim | Refusal:
        """Look at a config without holding it: good for headers, never for bytes."""
        try:
            meta = self._looks.join(config, lambda: self._metadata(config), timeout)
        except FlightTimeoutError:
            return Refusal(Reason.TOO_SLOW, f"the store did not answer within {timeout:.1f} s")
        if isinstance(meta, Unreadable):
            return Refusal(Reason.STORE_UNREACHABLE, meta.detail)
        refusal = unfit(config, meta)
        if refusal is not None or meta is None:
            return refusal or Refusal(Reason.CONFIG_MISSING)
        return Claim(config, meta.uid, meta.generation, self._clock(), hold=0.0)

    def _join(
        self, config: str, protocol: Callable[[str, Claim | None, Durations], Run[Acquisition]], timeout: float
    ) -> Acquisition:
        try:
            return self._flights.join(config, lambda: self._run(config, protocol), timeout)
        except FlightTimeoutError:
            detail = f"the hold on {config} was not acknowledged within {timeout:g} s"
            return Acquisition(self.current(config), Refusal(Reason.HOLD_NOT_ACKED, detail))

    def _run(self, config: str, protocol: Callable[[str, Claim | None, Durations], Run[Acquisition]]) -> Acquisition:
        held = self.current(config)
        acquisition = drive(protocol(config, held, self._durations_of(config)), self._perform)
        with self._lock:
            if acquisition.claim is None:
                self._claims.pop(config, None)
            else:
                self._claims[config] = acquisition.claim
        self._metrics.count_hold(held, acquisition)
        return acquisition

    def _perform(self, request: Ask[Any]) -> object:
        match request:
            case Now():
                return self._clock()
            case PutHold():
                return self._put_hold(request)
            case GetMeta(config):
                return self._metadata(config)
        raise TypeError(f"the protocol asks for {request!r}")

    def _put_hold(self, request: PutHold) -> Acked | NotAcked:
        written = self._holds.put(request, self._pools_of(request.config))
        if isinstance(written, Acked):
            clock = written.store_clock
            self._metrics.clock_offset(request.since.wall - clock if clock is not None else 0.0)
        return written

    def _metadata(self, config: str) -> Metadata | Unreadable | None:
        try:
            return self._store.metadata(Kind.CONFIG, config)
        except StoreError as error:
            return Unreadable(str(error))
