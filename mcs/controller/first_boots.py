"""Gives a node that first booted into a custom pool the labels by which that pool chooses its nodes, once.

A machine is served a pool by its stub, and its Node says nothing of that pool: it would be counted as a worker, or not
at all. Which labels it lacks decides mcs.machineconfig.membership.
"""

import logging

from mcs.clock import Clock
from mcs.controller.backoff import Random, Retry
from mcs.controller.watch import Sight
from mcs.jsondata import JSONObject, object_at
from mcs.machineconfig.membership import first_boot_labels
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import ANNOTATION_CUSTOM_LABELS, ANNOTATION_FIRST_CONFIG, LABEL_POOL, Kind
from mcs.store.interface import Conflict, NotFound, ObjectRefused, Store, StoreError
from mcs.web.complaints import Complaints

__all__ = ["FirstBoots"]

_log = logging.getLogger(__name__)

_EVERY = 2.0  # seconds; nobody waits for it
_AT_ONCE = 100  # nodes; each is a write, and others have something to write, too


class FirstBoots:
    """Looks at all nodes when one of them, a pool or a config has changed, and labels those that lack something."""

    def __init__(self, store: Store, clock: Clock, random: Random) -> None:
        """store: one that nobody else's controllers look after."""
        self._store = store
        self._clock = clock
        self._random = random
        self._complaints = Complaints(_log)
        self._retry = Retry()
        self._done: tuple[int, Sight] | None = None
        self._owned: dict[str, tuple[int, JSONObject]] = {}

    def look(self, sight: Sight) -> None:
        """Label what is to be, some at a time; a trouble with the store is logged and made up for."""
        now = self._clock().boot
        if now < self._retry.at:
            return
        try:
            all_done = self._label_some(sight)
        except StoreError as error:
            self._complaints.say("nodes", f"nodes that booted into custom pools get no labels for now: {error}")
            self._retry = self._retry.failed(now, self._random())
            return
        self._complaints.settle("nodes")
        self._retry = Retry(at=now + _EVERY if all_done else now)

    def _label_some(self, sight: Sight) -> bool:
        """Label some nodes; return whether none was left."""
        version = self._store.version(Kind.NODE)  # before what it is the version of: never newer than that
        if self._done is not None and self._done[0] == version and self._done[1] is sight:
            return True
        self._owned = {name: kept for name, kept in self._owned.items() if name in sight.configs}
        pools = [pool.value for pool in sight.pools]
        done, raced = 0, False
        for node in self._store.all_metadata(Kind.NODE):
            labels = first_boot_labels(_document(node), lambda name: self._config(name, sight), pools)
            if labels is None:
                continue
            if done == _AT_ONCE:
                return False
            raced |= not self._label(node, labels)
            done += 1
        self._done = (version, sight) if not raced else None
        return True

    def _label(self, node: Metadata, labels: dict[str, str]) -> bool:
        """Label a node as it was looked at; return whether it was this one. Raises StoreError."""
        wanted: JSONObject = {"labels": {**labels}, "annotations": {ANNOTATION_CUSTOM_LABELS: ""}}
        try:
            self._store.patch(
                Kind.NODE, node.name, {"metadata": wanted}, uid=node.uid, resource_version=node.resource_version
            )
        except (Conflict, NotFound):  # somebody else was quicker; the next look tells
            return False
        except ObjectRefused as error:  # nor would it be taken another time, as long as nothing changes
            self._complaints.say(node.name, f"node {node.name} cannot have the labels of its custom pool: {error}")
            return True
        self._complaints.settle(node.name)
        listed = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
        facts = {"node": node.name, "labels": listed, "config": node.annotations[ANNOTATION_FIRST_CONFIG]}
        _log.info("labelled", extra={"facts": facts})
        return True

    def _config(self, name: str, sight: Sight) -> JSONObject | None:
        """Return what says for which pool a config was made: its label, else its owners, which have to be read."""
        seen = sight.configs.get(name)
        if seen is None:
            return None
        if LABEL_POOL in seen.labels:
            return {"metadata": {"labels": {**seen.labels}}}
        kept = self._owned.get(name)
        if kept is None or kept[0] != seen.resource_version:
            stored = self._store.get(Kind.CONFIG, name)
            if stored is None:
                return None
            kept = stored.resource_version, {"metadata": object_at(stored.value, "metadata")}
            self._owned[name] = kept
        return kept[1]


def _document(node: Metadata) -> JSONObject:
    return {"metadata": {"name": node.name, "labels": {**node.labels}, "annotations": {**node.annotations}}}
