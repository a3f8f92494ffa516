"""What is read of a Node: which boot it comes from, which config it names, where it is."""

from dataclasses import dataclass
from datetime import datetime

from mcs.jsondata import JSON, list_at, text_at, texts_at
from mcs.machineconfig.names import (
    ANNOTATION_BOOT,
    ANNOTATION_CURRENT_CONFIG,
    ANNOTATION_DESIRED_CONFIG,
    ANNOTATION_FIRST_CONFIG,
    LABEL_BOOT,
)

__all__ = ["NodeView", "node_view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeView:
    """boot_ids: from its label and annotation. created: seconds since 1970, None if it cannot be read."""

    name: str
    boot_ids: frozenset[str]
    current_config: str | None
    desired_config: str | None
    first_config: str | None
    addresses: frozenset[str]
    created: float | None


def node_view(node: JSON) -> NodeView:
    """Read a Node manifest."""
    labels = texts_at(node, "metadata", "labels")
    annotations = texts_at(node, "metadata", "annotations")
    boot_ids = {annotations.get(ANNOTATION_BOOT), labels.get(LABEL_BOOT)}
    addresses = (text_at(address, "address") for address in list_at(node, "status", "addresses"))
    return NodeView(
        name=text_at(node, "metadata", "name") or "",
        boot_ids=frozenset(boot_id for boot_id in boot_ids if boot_id),
        current_config=annotations.get(ANNOTATION_CURRENT_CONFIG) or None,
        desired_config=annotations.get(ANNOTATION_DESIRED_CONFIG) or None,
        first_config=annotations.get(ANNOTATION_FIRST_CONFIG) or None,
        addresses=frozenset(address for address in addresses if address),
        created=_seconds(text_at(node, "metadata", "creationTimestamp")),
    )


def _seconds(timestamp: str | None) -> float | None:
    """Read an RFC 3339 time; a local time without an offset is none."""
    try:
        moment = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo is not None else None
