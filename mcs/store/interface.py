"""The store's interface. Every implementation passes the same contract tests (tests/store/contract.py).

Reads are consistent (they see every write that was acknowledged before they began) except where one says otherwise.
No call keeps a transaction, a lock or a cursor open after it has returned. Every call ends within a few seconds.
A store may be used by many threads; it must be opened after the process has forked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeVar

from mcs.boot.records import Attempt, BootLease, Heartbeat, Hold
from mcs.jsondata import JSONObject
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import Kind

__all__ = [
    "MAX_ATTEMPTS",
    "Change",
    "Conflict",
    "HoldAck",
    "NotFound",
    "ObjectRefused",
    "PoolsView",
    "RecordKind",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "StoreUnusable",
    "Stored",
]

T = TypeVar("T", covariant=True)

MAX_ATTEMPTS = 1000  # that a store keeps; those whose last request is the oldest go first


class StoreError(Exception):
    """Base of all that a store raises."""


class StoreUnavailable(StoreError):
    """The store cannot answer now: locked, full, unreachable, damaged. Whether a write was done is not known."""


class StoreUnusable(StoreError):
    """The store cannot be used as it is, and waiting will not help: another version's file, a network file system."""


class NotFound(StoreError):
    """There is no such object."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{kind} {name} does not exist")
        self.kind = kind
        self.name = name


class Conflict(StoreError):
    """The object is not the one, or not the version, that the caller named; nothing was written.

    field: "uid" or "resourceVersion".
    """

    def __init__(self, kind: str, name: str, field: str, expected: str | int, found: str | int) -> None:
        super().__init__(f"{kind} {name} has {field} {found}, not {expected}")
        self.kind = kind
        self.name = name
        self.field = field
        self.expected = expected
        self.found = found


class ObjectRefused(StoreError):
    """An object may not be written so: it would change a rendered config's spec, has an impossible name, is no JSON.

    index: which of those handed in.
    """

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class RecordKind(Enum):
    """The kinds of records beside objects."""

    HOLD = "hold"
    BOOT_LEASE = "boot lease"
    HEARTBEAT = "heartbeat"


@dataclass(frozen=True, slots=True)
class Stored(Generic[T]):
    """A stored value with what the store adds. created: seconds since 1970. The value must not be modified.

    An object's document holds the same in metadata (uid, resourceVersion as text, creationTimestamp, generation).
    """

    name: str
    uid: str
    resource_version: int
    created: float
    value: T


@dataclass(frozen=True, slots=True)
class Change:
    """What apply did to one object. outcome: created, configured or unchanged."""

    kind: Kind
    name: str
    outcome: str


@dataclass(frozen=True, slots=True)
class HoldAck:
    """A hold is durable. lost: the caller's earlier record was missing or older than it had been acknowledged.

    store_clock: the store's idea of now in seconds since 1970, None where it has none. The embedded store's is the
    latest time that anybody wrote, if that is later than the caller's.
    """

    lost: bool
    store_clock: float | None


@dataclass(frozen=True, slots=True)
class PoolsView:
    """All pools, perhaps from a cache. version: changes whenever pools may have. age: seconds since last known true."""

    version: int
    pools: tuple[Stored[JSONObject], ...]
    age: float


class Store(Protocol):
    """Objects (pools, configs, nodes) and records (holds, boot leases, heartbeats, attempts)."""

    @property
    def address(self) -> str:
        """What `--store` was, without any secret: for logs and messages."""

    @property
    def server_unmarks(self) -> bool:
        """Whether a config server is to take the mark off a config that a pool names (else a controller does)."""

    @property
    def counts_machines(self) -> bool:
        """Whether the store keeps the counters in pools' status itself (else a controller does).

        It then writes them together with the change of a node or pool that they follow from, for pools that choose
        nodes, unless a document brought counts of its own.
        """

    def close(self) -> None:
        """Release what the calling process holds open. The store may be used again: it opens anew."""

    # ---- objects

    def get(self, kind: Kind, name: str) -> Stored[JSONObject] | None:
        """Return one object, or None."""

    def metadata(self, kind: Kind, name: str) -> Metadata | None:
        """Return one object's metadata without reading the rest of it, or None."""

    def objects(self, kind: Kind) -> list[Stored[JSONObject]]:
        """Return all objects of a kind, by name."""

    def all_metadata(self, kind: Kind) -> list[Metadata]:
        """Return the metadata of all objects of a kind, by name."""

    def version(self, kind: Kind) -> int:
        """Return a number that is another one after each change of an object of the kind; no object is read.

        May be as stale as `pools`, and is as cheap. Read it before the objects: then it is never newer than they are.
        """

    def pools(self) -> PoolsView:
        """Return all pools. May answer from a cache; cheap enough to be called every second."""

    def apply(self, documents: Sequence[tuple[Kind, JSONObject]]) -> list[Change]:
        """Create or replace objects in one transaction; all or none.

        What the store owns in metadata (uid, resourceVersion, creationTimestamp, generation, managedFields,
        deletionTimestamp) is ignored in what is handed in. labels, annotations, ownerReferences and finalizers are
        replaced as given, except that a mark which the document does not name is kept: it is not lost by applying a
        manifest anew. Nor is what rendering wrote: a pool's spec.configuration that the document does not name is kept,
        and so is its source where the document names the same config without one; an empty one, or null, takes it away.
        A document without `status` keeps the stored status; a status that it brings is about the spec that it brings:
        what observedGeneration says relative to metadata.generation there, it says here. generation grows exactly when
        something outside metadata and status changes. An object that would not change is not written. Raises
        ObjectRefused for a rendered config (is_rendered of the stored document) of another spec.
        """

    def create(self, kind: Kind, document: JSONObject) -> bool:
        """Create an object; return False, and write nothing, if there is one of its name.

        What the store owns is ignored as apply does. Raises ObjectRefused (index 0).
        """

    def patch(
        self, kind: Kind, name: str, patch: JSONObject, *, uid: str | None = None, resource_version: int | None = None
    ) -> Stored[JSONObject]:
        """Apply a JSON merge patch (RFC 7396) under the given preconditions; raises NotFound, Conflict.

        What the store owns in metadata cannot be patched. A patch that changes nothing is not a write.
        Raises ObjectRefused (index 0) for a change of a rendered config's spec.
        """

    def delete(self, kind: Kind, name: str, *, uid: str | None = None, resource_version: int | None = None) -> None:
        """Delete one object under the given preconditions; raises NotFound, Conflict."""

    # ---- records

    def put_hold(self, hold: Hold, *, acked: float | None) -> HoldAck:
        """Create or renew the hold of (worker, config), durably.

        acked: the `renewed` of the caller's last acknowledged write of this hold, None for the first. A stored hold
        that lasts longer than the one handed in keeps its end: a hold never gets shorter. Its config never changes.
        """

    def holds(self) -> list[Stored[Hold]]:
        """Return all holds, by name."""

    def put_boot_leases(self, leases: Sequence[BootLease]) -> None:
        """Create or replace boot leases by name, in one transaction. An ended lease stays as it is."""

    def boot_leases(self) -> list[Stored[BootLease]]:
        """Return all boot leases, oldest fetch first."""

    def count_boot_leases(self, *, at: float) -> dict[str, int]:
        """Return how many boot leases each pool has that have neither ended nor run out by then. May be a bit stale."""

    def end_boot_lease(self, name: str, *, uid: str, resource_version: int, node: str, ended: float) -> None:
        """Record that a lease's machine joined as `node`; raises NotFound, Conflict."""

    def put_heartbeat(self, heartbeat: Heartbeat) -> None:
        """Create or replace the heartbeat of its worker."""

    def heartbeats(self) -> list[Stored[Heartbeat]]:
        """Return all heartbeats, by name."""

    def put_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Add attempts to those of the same key, in one transaction, and keep MAX_ATTEMPTS.

        Not for what must be exact: a batch that is written anew after a lost answer counts twice.
        """

    def attempts(self) -> list[Attempt]:
        """Return all attempts, the one with the latest request first. May be a little stale."""

    def delete_record(self, kind: RecordKind, name: str, *, uid: str, resource_version: int) -> None:
        """Delete one record under preconditions; raises NotFound, Conflict."""
