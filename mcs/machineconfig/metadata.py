"""The metadata of an object: all that the protocols need to know of one."""

from dataclasses import dataclass, field

from mcs.jsondata import JSON, integer_at, list_at, text_at, texts_at
from mcs.machineconfig.names import (
    ANNOTATION_GENERATED_BY,
    ANNOTATION_MARK,
    LABEL_POOL,
    rendered_pool,
)

__all__ = ["Metadata", "generation_of", "is_rendered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """resource_version grows with every change, generation with each of the spec. created: seconds since 1970.

    rendered: whether it is a rendered config, as `is_rendered` tells of the whole object.
    """

    name: str
    uid: str
    resource_version: int
    generation: int
    created: float
    deleting: bool = False
    rendered: bool = False
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)

    @property
    def mark(self) -> str | None:
        """The collector's mark: somebody intends to delete this object. Present but empty is a mark too."""
        return self.annotations.get(ANNOTATION_MARK)


def is_rendered(document: JSON) -> bool:
    """Tell whether a MachineConfig is a rendered one: by name and our label, or by name, annotation and owner (MCO).

    A person's copy of a rendered config under another name, or without those, is none.
    """
    pool = rendered_pool(text_at(document, "metadata", "name") or "")
    if pool is None:
        return False
    if texts_at(document, "metadata", "labels").get(LABEL_POOL) == pool:
        return True
    owned = any(
        text_at(owner, "kind") == "MachineConfigPool" and text_at(owner, "name") == pool
        for owner in list_at(document, "metadata", "ownerReferences")
    )
    return owned and ANNOTATION_GENERATED_BY in texts_at(document, "metadata", "annotations")


def generation_of(document: JSON) -> int:
    """Return metadata.generation, 0 where it is absent."""
    return integer_at(document, "metadata", "generation") or 0
