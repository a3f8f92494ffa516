"""Which boot leases are over, of many and at once, by the one rule of mcs.boot.endings. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from mcs.boot.endings import ended_by
from mcs.boot.records import BootLease
from mcs.machineconfig.nodes import NodeView
from mcs.store.interface import Stored

__all__ = ["joined"]


def joined(leases: Sequence[Stored[BootLease]], nodes: Sequence[NodeView]) -> Iterator[tuple[Stored[BootLease], str]]:
    """Yield each lease that is to be ended, with its Node's name.

    leases: all of them. nodes: all of them, read after the leases. The rule is asked with those nodes and leases only
    that can decide over it: thousands of leases and nodes would otherwise be millions of comparisons.
    """
    by_boot_id: defaultdict[str, list[NodeView]] = defaultdict(list)
    by_address: defaultdict[str, list[NodeView]] = defaultdict(list)
    for node in nodes:
        for boot_id in node.boot_ids:
            by_boot_id[boot_id].append(node)
        for address in node.addresses:
            by_address[address].append(node)
    rivals: defaultdict[str | None, list[BootLease]] = defaultdict(list)  # without an id, by address; aggregates: None
    for stored in leases:
        if stored.value.boot_id is None and stored.value.ended is None:
            rivals[stored.value.address if stored.value.network is None else None].append(stored.value)
    for stored in leases:
        lease = stored.value
        if lease.ended is not None:
            continue
        if lease.boot_id is not None:
            near, others = by_boot_id.get(lease.boot_id, []), []
        else:
            near = by_address.get(lease.address, [])
            addresses = sorted({address for node in near for address in node.addresses})
            others = [rival for address in (*addresses, None) for rival in rivals.get(address, ())]
        node_name = ended_by(lease, others, near) if near else None
        if node_name is not None:
            yield stored, node_name
