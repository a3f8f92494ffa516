"""The holds that one process writes: each tells the store when it was acknowledged last, so that a loss is noticed."""

from collections.abc import Iterable
from dataclasses import dataclass

from mcs.boot.clock import Reading, elapsed
from mcs.boot.protocol import Acked, NotAcked, PutHold
from mcs.boot.records import Hold
from mcs.store.interface import Store, StoreError

__all__ = ["OwnHolds"]


@dataclass(frozen=True, slots=True)
class _Written:
    """The last acknowledged write of a hold: kept when its config may not be sent, so that a loss is noticed."""

    since: Reading
    acquired: float
    duration: float

    def has_lapsed(self, now: Reading) -> bool:
        return elapsed(self.since, now) >= self.duration


class OwnHolds:
    """Does what `PutHold` asks for. Safe for many threads, as long as each config is one's at a time."""

    def __init__(self, store: Store, *, worker: str, server: str) -> None:
        """worker: 128 random bits in hex, drawn by this process. server: what people call it."""
        self._store = store
        self._worker = worker
        self._server = server
        self._written: dict[str, _Written] = {}
        self.lost: float | None = None  # when a hold was last found missing or older than acked, seconds since 1970

    def put(self, request: PutHold, pools: Iterable[str]) -> Acked | NotAcked:
        """Write a hold. pools: those that resolve to its config, by name."""
        earlier = self._written.get(request.config)
        if earlier is not None and earlier.has_lapsed(request.since):
            earlier = None  # it may have been cleared away rightly
        hold = Hold(
            worker=self._worker,
            server=self._server,
            config=request.config,
            pools=tuple(sorted(pools)),
            acquired=earlier.acquired if earlier is not None else request.since.wall,
            renewed=request.since.wall,
            duration=request.duration,
        )
        try:
            ack = self._store.put_hold(hold, acked=earlier.since.wall if earlier is not None else None)
        except StoreError as error:
            return NotAcked(str(error))
        self._written[request.config] = _Written(request.since, hold.acquired, request.duration)
        if ack.lost:
            self.lost = request.since.wall
        return Acked(lost=ack.lost, store_clock=ack.store_clock)

    def forget_lapsed(self, now: Reading) -> list[str]:
        """Forget the holds that have lapsed; return their configs."""
        lapsed = [config for config, written in list(self._written.items()) if written.has_lapsed(now)]
        for config in lapsed:
            del self._written[config]
        return lapsed
