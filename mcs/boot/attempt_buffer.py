"""The attempts that wait to be written: coalesced and bounded. Not safe for threads.

They are for people who look for a machine that loops; nothing is protected by them, so in a flood of different ones the
oldest are dropped and counted.
"""

from collections import OrderedDict
from collections.abc import Iterable

from mcs.boot.records import Attempt

__all__ = ["AttemptBuffer"]


class AttemptBuffer:
    """Takes attempts from requests, gives them to a writer all at once."""

    def __init__(self, most: int) -> None:
        """most: how many different attempts may wait."""
        self._most = most
        self._waiting: OrderedDict[tuple[str, str, str, str], Attempt] = OrderedDict()
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, attempt: Attempt) -> None:
        """Add an attempt to that of the same key, which becomes the newest, or drop the oldest to make room."""
        known = self._waiting.pop(attempt.key, None)
        self._waiting[attempt.key] = attempt if known is None else known.joined(attempt)
        if len(self._waiting) > self._most:
            _, oldest = self._waiting.popitem(last=False)
            self.dropped += oldest.count

    def take(self) -> list[Attempt]:
        """Take all out, oldest first."""
        taken = list(self._waiting.values())
        self._waiting.clear()
        return taken

    def give_back(self, attempts: Iterable[Attempt]) -> None:
        """Put back what was taken out and not written; what came since stays the newest."""
        newer = self.take()
        for attempt in (*attempts, *newer):
            self.put(attempt)
