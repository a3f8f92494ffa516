"""Ends boot leases whose machines have joined, so that their configs can be collected long before the leases expire."""

import logging

from mcs.clock import Clock
from mcs.controller.backoff import Random, Retry
from mcs.controller.joins import joined
from mcs.machineconfig.names import Kind
from mcs.machineconfig.nodes import node_view
from mcs.store.interface import Conflict, NotFound, Store, StoreError
from mcs.web.complaints import Complaints

__all__ = ["Boots"]

_log = logging.getLogger(__name__)

_EVERY = 2.0  # seconds; nobody waits for it
_AT_ONCE = 100  # leases; each is a write, and others have something to write, too


class Boots:
    """Reads all open leases, then all nodes, and ends what is over."""

    def __init__(self, store: Store, clock: Clock, random: Random) -> None:
        self._store = store
        self._clock = clock
        self._random = random
        self._complaints = Complaints(_log)
        self._retry = Retry()

    def look(self) -> None:
        """End what is over, some at a time; a trouble with the store is logged and made up for."""
        now = self._clock()
        if now.boot < self._retry.at:
            return
        try:
            all_done = self._end_some(now.wall)
        except StoreError as error:
            self._complaints.say("leases", f"boot leases of machines that have joined stay open for now: {error}")
            self._retry = self._retry.failed(now.boot, self._random())
            return
        self._complaints.settle("leases")
        self._retry = Retry(at=now.boot + _EVERY if all_done else now.boot)

    def _end_some(self, now: float) -> bool:
        """End some leases; return whether none was left. Rule: leases are read before nodes, as references travel."""
        leases = self._store.boot_leases()
        if all(lease.value.ended is not None for lease in leases):
            return True
        nodes = [node_view(node.value) for node in self._store.objects(Kind.NODE)]
        done = 0
        for lease, node in joined(leases, nodes):
            if done == _AT_ONCE:
                return False
            try:
                self._store.end_boot_lease(
                    lease.name, uid=lease.uid, resource_version=lease.resource_version, node=node, ended=now
                )
            except (Conflict, NotFound):  # somebody else was quicker, or it was fetched again; the next look tells
                continue
            done += 1
            facts = {"boot": lease.name, "node": node, "config": lease.value.config, "pool": lease.value.pool}
            _log.info("joined", extra={"facts": facts})
        return True
