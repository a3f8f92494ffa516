"""Objects and records for tests: small, valid, and each part can be named; and how an object is read back."""

from typing import Any

from mcs.boot.records import Attempt, BootLease, Heartbeat, Hold
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import LABEL_POOL, Kind
from mcs.store.interface import Store, Stored

__all__ = ["RENDERED", "WORKER_POOL", "attempt", "heartbeat", "hold", "lease", "manifest", "read", "rendered"]

RENDERED = "rendered-worker-0123456789abcdef0123456789abcdef"
WORKER = "0f" * 16


def manifest(kind: Kind, name: str, **members: JSON) -> tuple[Kind, JSONObject]:
    """Return what apply takes. metadata=... adds to metadata; other members are the document's."""
    extra = members.pop("metadata", {})
    assert isinstance(extra, dict)
    members.setdefault("spec", {"paused": False})
    return kind, {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name, **extra}, **members}


WORKER_POOL = manifest(
    Kind.POOL,
    "worker",
    metadata={"labels": {"team": "a"}, "annotations": {"note": "x", "mcs.internal/serve": "spec"}},
    spec={"paused": False, "nodeSelector": {"matchLabels": {"role": "worker"}}},
    status={"machineCount": 3},
)


def rendered(spec: JSON, name: str = RENDERED, pool: str = "worker") -> tuple[Kind, JSONObject]:
    """Return a rendered config, told by name and label."""
    return manifest(Kind.CONFIG, name, metadata={"labels": {LABEL_POOL: pool}}, spec=spec)


def hold(**members: Any) -> Hold:
    """Return a hold that lasts from 1000 to 1100."""
    facts: dict[str, Any] = {
        "worker": WORKER,
        "server": "server-1",
        "config": RENDERED,
        "pools": ("worker", "infra"),
        "acquired": 1000.0,
        "renewed": 1000.0,
        "duration": 100.0,
    }
    return Hold(**{**facts, **members})


def lease(name: str, **members: Any) -> BootLease:
    """Return a boot lease that lasts from 1000 to 2000."""
    facts: dict[str, Any] = {
        "boot_id": name,
        "server": "server-1",
        "worker": WORKER,
        "pool": "worker",
        "config": RENDERED,
        "asked": "3.4.0",
        "served": "3.4.0",
        "address": "192.0.2.1",
        "client": "Ignition/2.26.0",
        "fetched": 1000.0,
        "renewed": 1000.0,
        "duration": 1000.0,
    }
    return BootLease(name=name, **{**facts, **members})


def heartbeat(**members: Any) -> Heartbeat:
    """Return a heartbeat that lasts from 1000 to 1060."""
    facts: dict[str, Any] = {
        "worker": WORKER,
        "server": "server-1",
        "version": "0.1.0",
        "started": 900.0,
        "renewed": 1000.0,
        "duration": 60.0,
    }
    return Heartbeat(**{**facts, **members})


def attempt(**members: Any) -> Attempt:
    """Return an attempt that was refused once, at 1000."""
    facts: dict[str, Any] = {
        "address": "192.0.2.1",
        "client": "Ignition/2.26.0",
        "pool": "worker",
        "reason": "pool-unknown",
        "first": 1000.0,
        "last": 1000.0,
    }
    return Attempt(**{**facts, **members})


def read(store: Store, kind: Kind, name: str) -> Stored[JSONObject]:
    """Return an object that is there."""
    stored = store.get(kind, name)
    assert stored is not None
    return stored
