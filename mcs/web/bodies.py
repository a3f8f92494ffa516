"""The bytes that machines get, built once for each config, object, spec and appended set, and cached by size.

The objects they are built from are cached too, so that a spec which nobody has asked for yet can still be built while
the store is out of reach.
"""

from concurrent.futures import Executor
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache

from mcs.boot.protocol import Claim
from mcs.boot.reasons import Reason, Refusal
from mcs.ignition import IgnitionError, SpecVersion, UnsupportedFeatures, Untranslatable, declared_version
from mcs.jsondata import JSONObject, encode, object_at, text_at
from mcs.machineconfig.appended import AppendedSet, Body, build_body
from mcs.machineconfig.metadata import Metadata, generation_of
from mcs.machineconfig.names import Kind
from mcs.machineconfig.servable import why_unservable
from mcs.store.interface import Store, StoreError, StoreUnavailable
from mcs.web.flights import Flights, FlightTimeoutError
from mcs.web.metrics import Metrics

__all__ = ["Bodies"]

_REFUSAL_SIZE = 1000  # what a cached refusal counts for, in bytes


class Bodies:
    """Builds and caches. Safe for many threads."""

    def __init__(self, store: Store, executor: Executor, size: int, metrics: Metrics) -> None:
        """size: the bytes that the cache may hold."""
        self._store = store
        self._metrics = metrics
        self._flights: Flights[Body | Refusal] = Flights(executor)
        self._lock = Lock()
        self._cache: LRUCache[tuple[object, ...], Body | Refusal] = LRUCache(size, getsizeof=_size)
        self._oversized: tuple[tuple[object, ...], Body | Refusal] | None = None
        self._objects: LRUCache[_ObjectKey, _Object] = LRUCache(size // 2, getsizeof=lambda loaded: loaded.size)

    def prepare(self, claim: Claim) -> Refusal | None:
        """Have the claim's object at hand before a machine asks; return why it is not, None if it is."""
        loaded = self._object(_key_of(claim))
        if isinstance(loaded, Refusal):
            return loaded
        problem = why_unservable(loaded.machine_config)
        return Refusal(Reason.CONFIG_INVALID, f"{claim.config} {problem}") if problem is not None else None

    def at_hand(self, claim: Claim, spec: SpecVersion | None, appended: AppendedSet) -> bool:
        """Tell whether the bytes are built."""
        with self._lock:
            return (claim.config, claim.uid, claim.generation, spec, appended) in self._cache

    def why_unservable(self, meta: Metadata) -> str | None:
        """Tell in words why nobody can be served a config, None if somebody can. Raises StoreError."""
        loaded = self._object(_ObjectKey(meta.name, meta.uid, meta.generation))
        if isinstance(loaded, Refusal):
            if loaded.reason is Reason.STORE_UNREACHABLE:
                raise StoreUnavailable(loaded.detail)
            return loaded.detail
        return why_unservable(loaded.machine_config)

    def body(self, claim: Claim, spec: SpecVersion | None, appended: AppendedSet, timeout: float) -> Body | Refusal:
        """Return the bytes from the very object that the claim names (B4), at a spec, or at its own if None."""
        key = (claim.config, claim.uid, claim.generation, spec, appended)
        with self._lock:
            cached = self._cache.get(key)
            if cached is None and self._oversized is not None and self._oversized[0] == key:
                cached = self._oversized[1]
        self._metrics.count_cache(hit=cached is not None)
        if cached is not None:
            return cached
        try:
            return self._flights.join(key, lambda: self._build(key, claim, spec, appended), timeout)
        except FlightTimeoutError:
            return Refusal(Reason.TOO_SLOW, f"building {claim.config} takes longer than {timeout:.1f} s")

    def _build(
        self, key: tuple[object, ...], claim: Claim, spec: SpecVersion | None, appended: AppendedSet
    ) -> Body | Refusal:
        loaded = self._object(_key_of(claim))
        if isinstance(loaded, Refusal):
            return loaded
        built = _built(loaded.machine_config, spec, appended)
        with self._lock:
            if _size(built) <= self._cache.maxsize:
                self._cache[key] = built
            else:  # else those who gave up waiting would have it built anew, for ever
                self._oversized = key, built
            self._metrics.show_cache(size=self._cache.currsize, entries=len(self._cache))
        return built

    def _object(self, key: "_ObjectKey") -> "_Object | Refusal":
        with self._lock:
            cached = self._objects.get(key)
        if cached is not None:
            return cached
        try:
            stored = self._store.get(Kind.CONFIG, key.config)
        except StoreError as error:
            return Refusal(Reason.STORE_UNREACHABLE, str(error))
        if stored is None:
            return Refusal(Reason.CONFIG_MISSING, f"{key.config} does not exist")
        if stored.uid != key.uid or generation_of(stored.value) != key.generation:
            return Refusal(Reason.CONFIG_CHANGED, f"{key.config} is no longer the object that was verified")
        loaded = _Object(stored.value, len(encode(stored.value)))
        with self._lock:
            if loaded.size <= self._objects.maxsize:
                self._objects[key] = loaded
        return loaded


@dataclass(frozen=True, slots=True)
class _ObjectKey:
    config: str
    uid: str
    generation: int


@dataclass(frozen=True, slots=True)
class _Object:
    """size: about what it takes to keep, in bytes: its length as text."""

    machine_config: JSONObject
    size: int


def _key_of(claim: Claim) -> _ObjectKey:
    return _ObjectKey(claim.config, claim.uid, claim.generation)


def _size(entry: Body | Refusal) -> int:
    return len(entry) if isinstance(entry, Body) else _REFUSAL_SIZE


def _built(machine_config: JSONObject, spec: SpecVersion | None, appended: AppendedSet) -> Body | Refusal:
    name = text_at(machine_config, "metadata", "name")
    try:
        own = declared_version(object_at(machine_config, "spec", "config"))
        return build_body(machine_config, spec or own, appended)
    except (UnsupportedFeatures, Untranslatable) as error:
        return Refusal(Reason.SPEC_LACKS_FEATURE, f"{name}: {error}")
    except IgnitionError as error:
        return Refusal(Reason.CONFIG_INVALID, f"{name}: {error}")
