"""When a boot lease ends: the one rule that the controller, the collector and the commands share.

A lease ends only once a Node bears its boot id and names its config. Whatever is ambiguous ends nothing: a lease too
long costs disk, a lease too short costs a machine.
"""

from collections.abc import Sequence
from enum import Enum

from mcs.boot.identity import network_of
from mcs.boot.records import BootLease
from mcs.machineconfig.nodes import NodeView

__all__ = ["BootState", "ended_by", "is_expired", "state"]


class BootState(Enum):
    """What became of a boot."""

    FETCHED = "fetched"
    JOINED = "joined"
    EXPIRED = "expired"


def ended_by(lease: BootLease, leases: Sequence[BootLease], nodes: Sequence[NodeView]) -> str | None:
    """Return the name of the Node whose joining ends the lease, or None.

    leases: all leases, this one among them. With a boot id: exactly one Node bears it, and that one's currentConfig is
    the lease's config. Without one: exactly one lease and one Node fit each other by address, config and time. An
    aggregate lease ends by expiry only.
    """
    if lease.network is not None:
        return None
    if lease.boot_id is not None:
        bearers = [node for node in nodes if lease.boot_id in node.boot_ids]
        return bearers[0].name if len(bearers) == 1 and bearers[0].current_config == lease.config else None
    fitting = [node for node in nodes if _fits(lease, node)]
    if len(fitting) != 1:
        return None
    rivals = [other for other in leases if other.boot_id is None and other.ended is None and _fits(other, fitting[0])]
    return fitting[0].name if len(rivals) == 1 else None


def is_expired(renewed: float, duration: float, now: float, skew: float) -> bool:
    """Tell whether a record is expired beyond doubt; a time in the future never is.

    >>> is_expired(100.0, 10.0, now=111.0, skew=2.0), is_expired(100.0, 10.0, now=112.5, skew=2.0)
    (False, True)
    """
    return now > renewed + duration + skew


def state(lease: BootLease, node: str | None, now: float, skew: float) -> BootState:
    """Return what became of a boot; node: what `ended_by` said."""
    if lease.ended is not None or node is not None:
        return BootState.JOINED
    return BootState.EXPIRED if is_expired(lease.renewed, lease.duration, now, skew) else BootState.FETCHED


def _fits(lease: BootLease, node: NodeView) -> bool:
    """Tell whether a lease without an id may be of this node; an aggregate may be of any node of its network."""
    if lease.network is None:
        near = lease.address in node.addresses
    else:
        near = lease.network in {network_of(address) for address in node.addresses}
    return near and node.current_config == lease.config and node.created is not None and node.created > lease.fetched
