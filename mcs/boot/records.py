"""What a server leaves behind about what it handed out, or did not: holds, boot leases, heartbeats, attempts.

Each is a frozen value with times in seconds since 1970 (UTC). A store keeps them with a uid and a resourceVersion of
their own (attempts without). None ever changes the config it names: whoever reads one may rely on the name for as long
as it exists.
"""

from dataclasses import dataclass, replace

__all__ = ["Attempt", "BootLease", "Heartbeat", "Hold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One worker's claim "I am handing out this config". Key: worker and config.

    worker: 128 random bits in hex, drawn after the fork; a successor has another.
    server: which server the worker belongs to, for people.
    pools: the pools that resolve to the config here; what a pool was served last is read back from it.
    """

    worker: str
    server: str
    config: str
    pools: tuple[str, ...]
    acquired: float
    renewed: float
    duration: float

    @property
    def expires(self) -> float:
        """When it stops to protect; a reader adds the skew before it believes this."""
        return self.renewed + self.duration


@dataclass(frozen=True, slots=True, kw_only=True)
class BootLease:
    """One boot of one machine, or, past the limits, all boots of one config from one network. Key: name.

    name: the boot id where there is one; else unique text that says what kind of record it is.
    boot_id: the id inside the response, or None (boot ids switched off, or an aggregate).
    network: for an aggregate the network, such as 192.0.2.0/24; else None.
    asked, served: Ignition spec versions, such as "3.4.0"; asked is None for a client that named none.
    fetched: when it was fetched first; renewed: when last (equal but for an aggregate); count: how many fetches.
    ended, node: when and by which Node it was seen to join; an ended lease is history and protects nothing.
    """

    name: str
    boot_id: str | None
    network: str | None = None
    server: str
    worker: str
    pool: str
    config: str
    asked: str | None
    served: str
    address: str
    client: str
    fetched: float
    renewed: float
    duration: float
    count: int = 1
    ended: float | None = None
    node: str | None = None

    @property
    def expires(self) -> float:
        """When it stops to protect; a reader adds the skew before it believes this."""
        return self.renewed + self.duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """One worker's sign of life, so that a collector which looks in the wrong place notices. Key: worker.

    lost_hold: when this worker last found a hold of its own missing or older than it was acked, or None. Somebody
    deleted it, or a backup was restored: machines may be unprotected, and a collector stops for one lease duration.
    dropped: boot leases given up because the queue was full, since the worker started.
    """

    worker: str
    server: str
    version: str
    started: float
    renewed: float
    duration: float
    recorded: int = 0
    dropped: int = 0
    lost_hold: float | None = None

    @property
    def expires(self) -> float:
        """When the worker no longer counts as alive; a reader adds the skew."""
        return self.renewed + self.duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Requests of one client that were refused for one reason. Key: address, client, pool and reason.

    client, pool: as the requests name them, empty where they name none; the pool need not exist.
    reason: a code of mcs.boot.reasons. first, last: when the first and the last came. count: how many came.
    """

    address: str
    client: str
    pool: str
    reason: str
    first: float
    last: float
    count: int = 1

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells one from another."""
        return self.address, self.client, self.pool, self.reason

    def joined(self, other: "Attempt") -> "Attempt":
        """Return both as one; they have the same key."""
        first, last = min(self.first, other.first), max(self.last, other.last)
        return replace(self, first=first, last=last, count=self.count + other.count)
