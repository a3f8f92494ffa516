"""Runs the protocol of rendering against a store: what publishes a rendered config, and what takes marks off.

Decides nothing; each request of the protocol is one call of the store. Not for more than one thread at a time.
"""

from collections.abc import Callable, Iterable
from typing import Any

from mcs.boot.driver import drive
from mcs.boot.durations import Durations
from mcs.boot.protocol import Ask, Claim, GetMeta, NotAcked, Now, PutHold, Unreadable
from mcs.clock import Clock
from mcs.controller.protocol import (
    Create,
    Exists,
    Found,
    IsNamed,
    Look,
    Outcome,
    Point,
    Publication,
    Reason,
    Refused,
    Stale,
    TakeMarkOff,
    Written,
    publish,
    spec_digest,
    unmark,
)
from mcs.jsondata import JSON, JSONObject, list_at, lookup, text_at, texts_at
from mcs.machineconfig.hash_input import UnhashableSpec
from mcs.machineconfig.metadata import Metadata, generation_of
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.machineconfig.rendering import Rendered
from mcs.machineconfig.serving import last_served, named_by
from mcs.store.interface import Conflict, NotFound, ObjectRefused, Store, Stored, StoreError
from mcs.store.own_holds import OwnHolds

__all__ = ["Publisher", "publication_of"]


class Publisher:
    """Publishes what was rendered, and keeps the claims of this process between attempts."""

    def __init__(self, store: Store, *, worker: str, server: str, clock: Clock, skew: float = Durations().skew) -> None:
        """worker: 128 random bits in hex, drawn by this process. server: what people call it.

        skew: how far clocks may differ, where it is asked what a pool was served last.
        """
        self._store = store
        self._clock = clock
        self._skew = skew
        self._claims: dict[str, Claim] = {}
        self._holds = OwnHolds(store, worker=worker, server=server)

    @property
    def lost_hold(self) -> float | None:
        """When a hold of this process was last found missing or older than acked, in seconds since 1970."""
        return self._holds.lost

    def claim(self, config: str) -> Claim | None:
        """Return the claim on a config as it stands, which may no longer cover."""
        return self._claims.get(config)

    def publish(self, pool: Stored[JSONObject], rendered: Rendered, durations: Durations) -> Outcome:
        """Make one attempt to publish (see mcs.controller.protocol.publish); to be repeated while the hold is needed.

        pool: as it was read before the MachineConfigs that were rendered. What the store raises is in the outcome.
        """
        for lapsed in self._holds.forget_lapsed(self._clock()):
            self._claims.pop(lapsed, None)
        config = rendered.name
        publication = publication_of(pool, rendered)
        if self._is_taken(publication):
            return Outcome(Reason.NAME_TAKEN, f"there is a MachineConfig {config} with another spec")

        def perform(request: Ask[Any]) -> object:
            return self._create(rendered, pool.name) if isinstance(request, Create) else self._perform(request)

        outcome = drive(publish(publication, self._claims.get(config), durations), perform)
        if outcome.claim is not None:
            self._claims[config] = outcome.claim
        else:
            self._claims.pop(config, None)
        return outcome

    def _is_taken(self, publication: Publication) -> bool:
        """Look, before anything is held, whether the name is another's; the protocol's own look comes after the hold.

        It decides nothing but a refusal: else each attempt would renew a hold on an object that its owner is told to
        delete, and that a hold keeps from being deleted.
        """
        found = _read(lambda: self._look(publication.config))
        return isinstance(found, Found) and found.digest != publication.digest

    def unmark(self, config: str) -> Outcome:
        """Make one attempt to take the mark off a config that a pool names (see mcs.controller.protocol.unmark)."""
        return drive(unmark(config), self._perform)

    # ---- requests

    def _perform(self, request: Ask[Any]) -> object:
        match request:
            case Now():
                return self._clock()
            case PutHold():
                return self._holds.put(request, pools=())  # what a pool was served last is read back from holds
            case Look(config):
                return _read(lambda: self._look(config))
            case GetMeta(config):
                return _read(lambda: self._store.metadata(Kind.CONFIG, config))
            case IsNamed(config):
                return _read(lambda: self._is_named(config))
            case TakeMarkOff(config, uid, version):
                unmarked: JSONObject = {"metadata": {"annotations": {ANNOTATION_MARK: None}}}
                return self._patch(Kind.CONFIG, config, unmarked, uid, version)
            case Point(pool, uid, version, config, source):
                return self._patch(Kind.POOL, pool, _pointing(config, source), uid, version)
        raise TypeError(f"the protocol asks for {request!r}")

    def _look(self, config: str) -> Found | None:
        stored = self._store.get(Kind.CONFIG, config)
        return Found(_metadata_of(stored), _digest_of(stored.value)) if stored is not None else None

    def _create(self, rendered: Rendered, pool: str) -> Written | Exists | Refused | NotAcked:
        try:
            created = self._store.create(Kind.CONFIG, rendered.document(pool))
        except ObjectRefused as error:
            return Refused(str(error))
        except StoreError as error:
            return NotAcked(str(error))
        return Written() if created else Exists()

    def _patch(self, kind: Kind, name: str, patch: JSONObject, uid: str, version: int) -> Written | Stale | NotAcked:
        try:
            self._store.patch(kind, name, patch, uid=uid, resource_version=version)
        except (Conflict, NotFound) as error:
            return Stale(str(error))
        except StoreError as error:
            return NotAcked(str(error))
        return Written()

    def _is_named(self, config: str) -> bool:
        pools = self._store.objects(Kind.POOL)
        if any(config in named_by(pool.value) for pool in pools):  # the annotation's name is a reference too
            return True
        holds = [hold.value for hold in self._store.holds()]
        lasts = (last_served(pool.value, holds, created=pool.created, skew=self._skew) for pool in pools)
        return config in lasts


def publication_of(pool: Stored[JSONObject], rendered: Rendered) -> Publication:
    """Return what is to be published: the pool as it was read before the MachineConfigs that were rendered."""
    named = text_at(pool.value, "spec", "configuration", "name")
    source = tuple(text_at(each, "name") for each in list_at(pool.value, "spec", "configuration", "source"))
    return Publication(
        pool=pool.name,
        pool_uid=pool.uid,
        pool_version=pool.resource_version,
        config=rendered.name,
        digest=spec_digest(rendered.spec),
        source=rendered.source,
        standing=named == rendered.name and source == rendered.source,
    )


def _read(read: Callable[[], object]) -> object:
    try:
        return read()
    except StoreError as error:
        return Unreadable(str(error))


def _pointing(config: str, source: Iterable[str]) -> JSONObject:
    return {"spec": {"configuration": {"name": config, "source": _references(source)}}}


def _references(source: Iterable[str]) -> list[JSON]:
    """Return references to MachineConfigs, as a pool's spec.configuration.source has them."""
    return [{"apiVersion": Kind.CONFIG.api_version, "kind": Kind.CONFIG.kind, "name": name} for name in source]


def _metadata_of(stored: Stored[JSONObject]) -> Metadata:
    return Metadata(
        name=stored.name,
        uid=stored.uid,
        resource_version=stored.resource_version,
        generation=generation_of(stored.value),
        created=stored.created,
        deleting=text_at(stored.value, "metadata", "deletionTimestamp") is not None,
        labels=texts_at(stored.value, "metadata", "labels"),
        annotations=texts_at(stored.value, "metadata", "annotations"),
    )


def _digest_of(document: JSONObject) -> str | None:
    spec = lookup(document, "spec")
    if not isinstance(spec, dict):
        return None
    try:
        return spec_digest(spec)
    except UnhashableSpec:
        return None
