"""Leases and nodes that tests of the boot package start from."""

from dataclasses import replace

from mcs.boot.records import BootLease
from mcs.machineconfig.nodes import NodeView

CONFIG = "rendered-worker-" + "0" * 32
OTHER = "rendered-worker-" + "1" * 32


def lease(boot_id: str | None = "a" * 26, **changed: object) -> BootLease:
    """A lease fetched at 1000."""
    base = BootLease(
        name=boot_id or "unnamed-1",
        boot_id=boot_id,
        server="one",
        worker="w1",
        pool="worker",
        config=CONFIG,
        asked="3.4.0",
        served="3.4.0",
        address="192.0.2.7",
        client="Ignition/2.19.0",
        fetched=1000.0,
        renewed=1000.0,
        duration=600.0,
    )
    return replace(base, **changed)  # type: ignore[arg-type]  # the cases name fields


def node(name: str = "node-1", *boot_ids: str, **changed: object) -> NodeView:
    """A Node created at 1500 that names CONFIG."""
    base = NodeView(
        name=name,
        boot_ids=frozenset(boot_ids),
        current_config=CONFIG,
        desired_config=CONFIG,
        first_config=CONFIG,
        addresses=frozenset({"192.0.2.7"}),
        created=1500.0,
    )
    return replace(base, **changed)  # type: ignore[arg-type]  # the cases name fields
