"""What the controller looks at: pools, and the metadata of all MachineConfigs. Read anew only when something changed.

The protocol is what a store's own watches can be put behind; the class polls, which the embedded store makes cheap.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from mcs.controller.causes import Part
from mcs.jsondata import JSONObject, texts_at
from mcs.machineconfig.metadata import Metadata, generation_of
from mcs.machineconfig.names import ANNOTATION_GENERATED_BY, Kind
from mcs.store.interface import Store, Stored

__all__ = ["MovedError", "PollingWatch", "Sight", "Watch"]


class MovedError(Exception):
    """A MachineConfig changed while it was being read: what was read together never stood together."""


@dataclass(frozen=True, slots=True)
class Sight:
    """pools: by name. configs: the metadata of all MachineConfigs, rendered ones too, by name."""

    pools: tuple[Stored[JSONObject], ...]
    configs: Mapping[str, Metadata]


class Watch(Protocol):
    """Looks, perhaps from a cache, and reads what was seen."""

    def look(self) -> Sight:
        """Return what there is; the very same value while nothing has changed. Raises StoreError."""

    def documents(self, parts: Iterable[Part]) -> list[JSONObject]:
        """Return MachineConfigs exactly as they were seen; raises MovedError if one is another now, and StoreError."""


class PollingWatch:
    """Asks a store for its versions at each look, and keeps what it has read of MachineConfigs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: tuple[tuple[int, int], Sight] | None = None
        self._documents: dict[str, Stored[JSONObject]] = {}

    def look(self) -> Sight:
        """Return what there is; see Watch.look."""
        version = self._store.version(Kind.CONFIG)  # before what it is the version of: never newer than that
        pools = self._store.pools()
        if self._seen is not None and self._seen[0] == (version, pools.version):
            return self._seen[1]
        configs = {config.name: config for config in self._store.all_metadata(Kind.CONFIG)}
        sight = Sight(pools.pools, configs)
        self._seen = (version, pools.version), sight
        self._documents = {name: kept for name, kept in self._documents.items() if name in configs}
        return sight

    def documents(self, parts: Iterable[Part]) -> list[JSONObject]:
        """Return MachineConfigs as they were seen; see Watch.documents."""
        return [self._document(part) for part in parts]

    def _document(self, part: Part) -> JSONObject:
        kept = self._documents.get(part.name)
        if kept is None or _part_of(kept) != part:
            kept = self._store.get(Kind.CONFIG, part.name)
            if kept is None or _part_of(kept) != part:
                raise MovedError(f"{part.name} changed while it was being read")
            self._documents[part.name] = kept
        return kept.value


def _part_of(stored: Stored[JSONObject]) -> Part:
    return Part(
        stored.name,
        stored.uid,
        generation_of(stored.value),
        tuple(sorted(texts_at(stored.value, "metadata", "labels").items())),
        texts_at(stored.value, "metadata", "annotations").get(ANNOTATION_GENERATED_BY),
    )
