"""A store in front of another: what a subclass does around each call, it says in one place."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from mcs.boot.records import Attempt, BootLease, Heartbeat, Hold
from mcs.jsondata import JSONObject
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import Kind
from mcs.store.interface import Change, HoldAck, PoolsView, RecordKind, Store, Stored

__all__ = ["OPERATIONS", "ForwardingStore"]

T = TypeVar("T")

# The names of all calls that reach for what is stored.
OPERATIONS = tuple(
    name for name, member in vars(Store).items() if callable(member) and not name.startswith("_") and name != "close"
)


class ForwardingStore(ABC):
    """A Store (see mcs.store.interface) that hands every call on."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @abstractmethod
    def _call(self, operation: str, call: Callable[[], T]) -> T:
        """Make a call. operation: one of OPERATIONS."""

    @property
    def address(self) -> str:
        return self._store.address

    @property
    def server_unmarks(self) -> bool:
        return self._store.server_unmarks

    @property
    def counts_machines(self) -> bool:
        return self._store.counts_machines

    def close(self) -> None:
        self._store.close()

    def get(self, kind: Kind, name: str) -> Stored[JSONObject] | None:
        return self._call("get", lambda: self._store.get(kind, name))

    def metadata(self, kind: Kind, name: str) -> Metadata | None:
        return self._call("metadata", lambda: self._store.metadata(kind, name))

    def objects(self, kind: Kind) -> list[Stored[JSONObject]]:
        return self._call("objects", lambda: self._store.objects(kind))

    def all_metadata(self, kind: Kind) -> list[Metadata]:
        return self._call("all_metadata", lambda: self._store.all_metadata(kind))

    def version(self, kind: Kind) -> int:
        return self._call("version", lambda: self._store.version(kind))

    def pools(self) -> PoolsView:
        return self._call("pools", self._store.pools)

    def apply(self, documents: Sequence[tuple[Kind, JSONObject]]) -> list[Change]:
        return self._call("apply", lambda: self._store.apply(documents))

    def create(self, kind: Kind, document: JSONObject) -> bool:
        return self._call("create", lambda: self._store.create(kind, document))

    def patch(
        self, kind: Kind, name: str, patch: JSONObject, *, uid: str | None = None, resource_version: int | None = None
    ) -> Stored[JSONObject]:
        return self._call(
            "patch", lambda: self._store.patch(kind, name, patch, uid=uid, resource_version=resource_version)
        )

    def delete(self, kind: Kind, name: str, *, uid: str | None = None, resource_version: int | None = None) -> None:
        self._call("delete", lambda: self._store.delete(kind, name, uid=uid, resource_version=resource_version))

    def put_hold(self, hold: Hold, *, acked: float | None) -> HoldAck:
        return self._call("put_hold", lambda: self._store.put_hold(hold, acked=acked))

    def holds(self) -> list[Stored[Hold]]:
        return self._call("holds", self._store.holds)

    def put_boot_leases(self, leases: Sequence[BootLease]) -> None:
        self._call("put_boot_leases", lambda: self._store.put_boot_leases(leases))

    def boot_leases(self) -> list[Stored[BootLease]]:
        return self._call("boot_leases", self._store.boot_leases)

    def count_boot_leases(self, *, at: float) -> dict[str, int]:
        return self._call("count_boot_leases", lambda: self._store.count_boot_leases(at=at))

    def end_boot_lease(self, name: str, *, uid: str, resource_version: int, node: str, ended: float) -> None:
        self._call(
            "end_boot_lease",
            lambda: self._store.end_boot_lease(
                name, uid=uid, resource_version=resource_version, node=node, ended=ended
            ),
        )

    def put_heartbeat(self, heartbeat: Heartbeat) -> None:
        self._call("put_heartbeat", lambda: self._store.put_heartbeat(heartbeat))

    def heartbeats(self) -> list[Stored[Heartbeat]]:
        return self._call("heartbeats", self._store.heartbeats)

    def put_attempts(self, attempts: Sequence[Attempt]) -> None:
        self._call("put_attempts", lambda: self._store.put_attempts(attempts))

    def attempts(self) -> list[Attempt]:
        return self._call("attempts", self._store.attempts)

    def delete_record(self, kind: RecordKind, name: str, *, uid: str, resource_version: int) -> None:
        self._call(
            "delete_record",
            lambda: self._store.delete_record(kind, name, uid=uid, resource_version=resource_version),
        )
