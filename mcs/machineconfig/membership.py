"""Which nodes are a pool's, what a pool's status counts of them, and what a node that booted into a pool lacks. Pure.

The rules are those of the Machine Config Operator, so that both count the same.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mcs.jsondata import JSON, JSONObject, list_at, lookup, object_at, text_at, texts_at
from mcs.machineconfig.metadata import generation_of
from mcs.machineconfig.names import (
    ANNOTATION_CURRENT_CONFIG,
    ANNOTATION_CURRENT_IMAGE,
    ANNOTATION_CUSTOM_LABELS,
    ANNOTATION_DESIRED_CONFIG,
    ANNOTATION_DESIRED_IMAGE,
    ANNOTATION_FIRST_CONFIG,
    ANNOTATION_STATE,
    LABEL_POOL,
    Kind,
)
from mcs.machineconfig.selectors import InvalidSelector, matches

__all__ = [
    "Membership",
    "counted",
    "first_boot_labels",
    "members",
    "membership",
    "status_of",
]

MASTER, WORKER = "master", "worker"
_LABEL_OS = "kubernetes.io/os"
_DONE = "Done"
_FAILED = ("Degraded", "Unreconcilable")


# ---- which pool a node is in


@dataclass(frozen=True, slots=True)
class Membership:
    """pools: those that a node is in, the primary one first. problem: why it is in none though some select it.

    ignored: a custom pool that selects a node of the control plane, which stays with that.
    """

    pools: tuple[str, ...] = ()
    problem: str | None = None
    ignored: str | None = None

    @property
    def primary(self) -> str | None:
        """The pool whose config the node is to have, and that counts it."""
        return self.pools[0] if self.pools else None


def membership(node: JSONObject, pools: Iterable[JSONObject]) -> Membership:
    """Tell which pools a node is in.

    A pool is a candidate if its nodeSelector, which must not be empty, selects the node's labels; Windows nodes have
    none. Every pool but master and worker is custom, arbiter too. A custom pool goes before worker, master before both;
    two custom pools are a problem, and so is a selector that cannot be read, since it might be the second.
    """
    labels = texts_at(node, "metadata", "labels")
    if labels.get(_LABEL_OS) == "windows":
        return Membership()
    try:
        found = {_name(pool) for pool in pools if _selects(pool, labels)}
    except InvalidSelector as error:
        return Membership(problem=str(error))
    custom = sorted(found - {MASTER, WORKER})
    if len(custom) > 1:
        return Membership(problem=f"it belongs to {len(custom)} custom pools: {', '.join(custom)}")
    workers = (WORKER,) if WORKER in found else ()
    if MASTER in found:
        return Membership((MASTER, *workers), ignored=custom[0]) if custom else Membership((MASTER,))
    return Membership((*custom, *workers))


def members(nodes: Iterable[JSONObject], pools: Sequence[JSONObject]) -> Mapping[str, Sequence[JSONObject]]:
    """Return the nodes of which each pool is the primary one, by the pool's name; pools without nodes are absent."""
    found: defaultdict[str, list[JSONObject]] = defaultdict(list)
    for node in nodes:
        primary = membership(node, pools).primary
        if primary is not None:
            found[primary].append(node)
    return found


def _selects(pool: JSONObject, labels: Mapping[str, str]) -> bool:
    selector = lookup(pool, "spec", "nodeSelector")
    if not (object_at(selector, "matchLabels") or list_at(selector, "matchExpressions")):
        return False  # none or an empty one: a pool that says nothing has no nodes, not all of them
    try:
        return matches(selector, labels)
    except InvalidSelector as error:
        raise InvalidSelector(f"pool {_name(pool)}: spec.nodeSelector: {error}") from error


# ---- what a pool's status says of its nodes


def status_of(pool: JSONObject, nodes: Iterable[JSONObject], pools: Sequence[JSONObject]) -> JSONObject:
    """Return a pool's status with its counters as they must be. nodes, pools: all that there are.

    See `counted`, which is for many pools at once.
    """
    return counted(pool, members(nodes, pools).get(_name(pool), ()))


def counted(pool: JSONObject, own: Sequence[JSONObject]) -> JSONObject:
    """Return a pool's status with its counters as they must be; other members stay as they are.

    own: the nodes of which it is the primary pool. A node is updated if it is done with the config that the pool's
    spec names, and ready if it is updated and can take work. status.configuration becomes that of the spec once all
    nodes are updated and ready and none is unavailable: in a pool without nodes at once.
    """
    target = text_at(pool, "spec", "configuration", "name")
    updated = [node for node in own if _is_updated(node, target)]
    ready = [node for node in updated if _is_ready(node)]
    unavailable = [node for node in own if _is_unavailable(node)]
    status: JSONObject = {
        **object_at(pool, "status"),
        "observedGeneration": generation_of(pool),
        "machineCount": len(own),
        "updatedMachineCount": len(updated),
        "readyMachineCount": len(ready),
        "unavailableMachineCount": len(unavailable),
        "degradedMachineCount": sum(map(_is_degraded, own)),
    }
    if target is not None and len(own) == len(updated) == len(ready) and not unavailable:
        status["configuration"] = object_at(pool, "spec", "configuration")
    return status


def _is_done(node: JSONObject) -> bool:
    annotations = _annotations(node)
    current = annotations.get(ANNOTATION_CURRENT_CONFIG)
    same_image = annotations.get(ANNOTATION_CURRENT_IMAGE) == annotations.get(ANNOTATION_DESIRED_IMAGE)
    return (
        bool(current)
        and current == annotations.get(ANNOTATION_DESIRED_CONFIG)
        and same_image
        and annotations.get(ANNOTATION_STATE) == _DONE
    )


def _is_updated(node: JSONObject, target: str | None) -> bool:
    """Tell whether a node is done with a config; one with an image of its own is not what the pool's spec says."""
    annotations = _annotations(node)
    return (
        _is_done(node)
        and annotations[ANNOTATION_DESIRED_CONFIG] == target
        and ANNOTATION_DESIRED_IMAGE not in annotations
    )


# What a condition must say if it is there.
_CONDITIONS = {"Ready": "True", "DiskPressure": "False", "NetworkUnavailable": "False"}


def _is_ready(node: JSONObject) -> bool:
    """Tell whether a node can take work; one without any conditions, as people write them by hand, can."""
    for condition in list_at(node, "status", "conditions"):
        wanted = _CONDITIONS.get(text_at(condition, "type") or "")
        if wanted is not None and text_at(condition, "status") != wanted:
            return False
    return lookup(node, "spec", "unschedulable") is not True


def _is_unavailable(node: JSONObject) -> bool:
    """Tell whether a node cannot take work, or is on its way to another config; one that failed on it is neither."""
    if not _is_ready(node):
        return True
    return not _is_done(node) and not _has_failed(node)


def _has_failed(node: JSONObject) -> bool:
    annotations = _annotations(node)
    on_its_way = annotations.get(ANNOTATION_CURRENT_CONFIG) != annotations.get(ANNOTATION_DESIRED_CONFIG)
    return on_its_way and annotations.get(ANNOTATION_STATE) in _FAILED


def _is_degraded(node: JSONObject) -> bool:
    annotations = _annotations(node)
    return bool(annotations.get(ANNOTATION_DESIRED_CONFIG)) and annotations.get(ANNOTATION_STATE) in _FAILED


# ---- the first boot into a custom pool


def first_boot_labels(
    node: JSONObject, config_named: Callable[[str], JSONObject | None], pools: Iterable[JSONObject]
) -> dict[str, str] | None:
    """Return the labels that a node lacks for the custom pool into which it first booted; None if there is none.

    A machine may fetch the config of a custom pool whose label its Node does not bear yet. config_named: returns a
    MachineConfig, None if it is not there; it is asked for the one in the annotation firstPivotConfig, whose label or
    owner says the pool. Labels: matchLabels, `In` with one value, and `Exists` as an empty one; other requirements say
    no label. This is done once: whoever sets the labels, none of them too, sets the annotation customPoolLabelsApplied.
    """
    annotations = _annotations(node)
    first = annotations.get(ANNOTATION_FIRST_CONFIG)
    if not first or ANNOTATION_CUSTOM_LABELS in annotations:
        return None
    config = config_named(first)
    wanted = _pool_of(config) if config is not None else None
    if wanted is None or wanted in {MASTER, WORKER}:
        return None
    pool = next((pool for pool in pools if _name(pool) == wanted), None)
    if pool is None:
        return None
    labels = texts_at(node, "metadata", "labels")
    required = _required_labels(lookup(pool, "spec", "nodeSelector"))
    return {
        key: value if value is not None else ""
        for key, value in required
        if key not in labels or value not in {None, labels[key]}
    }


def _required_labels(selector: JSON) -> Iterable[tuple[str, str | None]]:
    """Yield each label that a selector asks for, with its value; None: whatever the value."""
    yield from texts_at(selector, "matchLabels").items()
    for requirement in list_at(selector, "matchExpressions"):
        key, operator = text_at(requirement, "key"), text_at(requirement, "operator")
        values = list_at(requirement, "values")
        if key is not None and operator == "Exists":
            yield key, None
        elif key is not None and operator == "In" and len(values) == 1 and isinstance(values[0], str):
            yield key, values[0]


def _pool_of(config: JSONObject) -> str | None:
    """Return the pool that a rendered config was made for."""
    label = texts_at(config, "metadata", "labels").get(LABEL_POOL)
    owners = list_at(config, "metadata", "ownerReferences")
    owned = (text_at(owner, "name") for owner in owners if text_at(owner, "kind") == Kind.POOL.kind)
    return label or next(owned, None)


def _annotations(node: JSONObject) -> dict[str, str]:
    return texts_at(node, "metadata", "annotations")


def _name(pool: JSONObject) -> str:
    return text_at(pool, "metadata", "name") or ""
