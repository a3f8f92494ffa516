"""A worker's signs of life: so that a collector which looks in the wrong place notices, and learns of lost holds."""

import logging
from concurrent.futures import Executor

from mcs.boot.clock import Reading, elapsed
from mcs.boot.durations import Durations
from mcs.boot.endings import is_expired
from mcs.boot.reasons import Reason, Refusal
from mcs.boot.records import Heartbeat
from mcs.clock import Clock
from mcs.store.interface import Store, Stored, StoreError
from mcs.web.claims import Identity
from mcs.web.complaints import Complaints
from mcs.web.flights import Flights, FlightTimeoutError
from mcs.web.recorder import Recorder

__all__ = ["Heartbeats"]

_log = logging.getLogger(__name__)

_PERIODS = 3  # renewal periods that a heartbeat lasts


class Heartbeats:
    """Writes this worker's heartbeat, and reads everybody's."""

    def __init__(
        self,
        store: Store,
        recorder: Recorder,
        identity: Identity,
        durations: Durations,
        clock: Clock,
        executor: Executor,
        version: str,
    ) -> None:
        """version: of this program."""
        self._store = store
        self._recorder = recorder
        self._identity = identity
        self._durations = durations
        self._clock = clock
        self._version = version
        self._reads: Flights[list[Stored[Heartbeat]]] = Flights(executor)
        self._complaints = Complaints(_log)
        self._started = clock()
        self._beaten: Reading | None = None
        self._told_lost: float | None = None

    def beat(self, lost_hold: float | None) -> None:
        """Write the heartbeat if it is due, or at once if a hold was lost since; a failure is logged and made up for.

        lost_hold: when a hold was last found missing or older than acked, in seconds since 1970.
        """
        now = self._clock()
        fresh = self._beaten is not None and elapsed(self._beaten, now) < self._durations.renewal
        if fresh and lost_hold == self._told_lost:
            return
        heartbeat = Heartbeat(
            worker=self._identity.worker,
            server=self._identity.server,
            version=self._version,
            started=self._started.wall,
            renewed=now.wall,
            duration=_PERIODS * self._durations.renewal,
            recorded=self._recorder.recorded,
            dropped=self._recorder.dropped,
            lost_hold=lost_hold,
        )
        try:
            self._store.put_heartbeat(heartbeat)
        except StoreError as error:
            self._complaints.say("heartbeat", f"no sign of life could be written: {error}")
            return
        self._complaints.settle("heartbeat")
        self._beaten = now
        self._told_lost = lost_hold

    def alive(self, timeout: float) -> list[Heartbeat] | Refusal:
        """Return the latest sign of life of all workers of all servers that are alive, or why they are not known."""
        try:
            beats = [stored.value for stored in self._reads.join("heartbeats", self._store.heartbeats, timeout)]
        except StoreError as error:
            return Refusal(Reason.STORE_UNREACHABLE, str(error))
        except FlightTimeoutError:
            return Refusal(Reason.TOO_SLOW, f"the store did not answer within {timeout:g} s")
        now, skew = self._clock().wall, self._durations.skew
        return [beat for beat in beats if not is_expired(beat.renewed, beat.duration, now, skew)]
