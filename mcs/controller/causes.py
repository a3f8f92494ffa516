"""What may give a pool another rendered config, or calls for writing anew what was written of one. Pure.

Not in here: what the pool's status says beside its condition RenderDegraded, annotations, and `spec.paused`, which is
for rollouts and keeps nobody from rendering.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mcs.controller.conditions import RENDER_DEGRADED, Condition, condition_of
from mcs.jsondata import JSON, JSONObject, compact, list_at, lookup, object_at, text_at
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import ANNOTATION_GENERATED_BY
from mcs.machineconfig.selectors import InvalidSelector, matches
from mcs.store.interface import Stored

__all__ = ["Causes", "Part", "Standing", "causes_of", "changes", "selects_nothing"]

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Part:
    """A MachineConfig that the pool selects. labels: they decide over selection and order, whatever the generation."""

    name: str
    uid: str
    generation: int
    labels: tuple[tuple[str, str], ...]
    generated_by: str | None

    @classmethod
    def of(cls, metadata: Metadata) -> "Part":
        """Return what counts of a MachineConfig."""
        return cls(
            metadata.name,
            metadata.uid,
            metadata.generation,
            tuple(sorted(metadata.labels.items())),
            metadata.annotations.get(ANNOTATION_GENERATED_BY),
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """What a rendering leaves on its pool: config and source in spec.configuration, and the condition RenderDegraded.

    found: uid and generation of the config that the pool names, None if it does not exist: somebody may put another one
    in its place.
    """

    config: str | None
    source: tuple[str, ...] | None
    found: tuple[str, int] | None
    degraded: Condition | None


@dataclass(frozen=True, slots=True)
class Causes:
    """uid: the pool's. selector: spec.machineConfigSelector as text. stream: the pool's OS image stream.

    parts: by name; none for a selector that cannot be read.
    """

    uid: str
    selector: str
    stream: str | None
    parts: tuple[Part, ...]
    standing: Standing


def causes_of(pool: Stored[JSONObject], configs: Mapping[str, Metadata]) -> Causes:
    """Return the causes of a pool's rendering. configs: all MachineConfigs, by name, rendered ones too."""
    selector = lookup(pool.value, "spec", "machineConfigSelector")
    config = text_at(pool.value, "spec", "configuration", "name")
    source = lookup(pool.value, "spec", "configuration", "source")
    return Causes(
        uid=pool.uid,
        selector=compact(selector),
        stream=text_at(pool.value, "spec", "osImageStream", "name"),
        parts=tuple(_selected(selector, configs.values())),
        standing=Standing(
            config=config,
            source=tuple(text_at(each, "name") or "" for each in source) if isinstance(source, list) else None,
            found=_found(configs.get(config)) if config is not None else None,
            degraded=condition_of(pool.value, RENDER_DEGRADED),
        ),
    )


def selects_nothing(pool: JSONObject) -> bool:
    """Tell whether a pool has an empty selector, or none: people point it at its config themselves.

    As Kubernetes reads it, an empty selector selects everything, which nobody means.
    """
    selector = lookup(pool, "spec", "machineConfigSelector")
    if selector is None:
        return True
    return isinstance(selector, dict) and not (
        object_at(selector, "matchLabels") or list_at(selector, "matchExpressions")
    )


def changes(before: Causes | None, after: Causes) -> str:
    """Say in words what is different, for logs. before: None at the first look of a process."""
    if before is None:
        return "first look"
    said = list(_pool_changes(before, after))
    old = {part.name: part for part in before.parts}
    new = {part.name: part for part in after.parts}
    said += [f"{name} was added" for name in new if name not in old]
    said += [f"{name} is gone" for name in old if name not in new]
    said += [_change(old[name], new[name]) for name in new if name in old and old[name] != new[name]]
    more = len(said) - _MOST_NAMED
    return ", ".join(said[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "") or "nothing"


def _pool_changes(before: Causes, after: Causes) -> Iterator[str]:
    if before.uid != after.uid:
        yield "the pool was made anew"
    if before.selector != after.selector:
        yield "spec.machineConfigSelector changed"
    if before.stream != after.stream:
        yield "spec.osImageStream changed"
    old, new = before.standing, after.standing
    if (old.config, old.source) != (new.config, new.source):
        yield "spec.configuration changed"
    if new.config is not None and old.found != new.found:
        yield from _named_changes(old, new)
    if old.degraded != new.degraded:
        yield f"the condition {RENDER_DEGRADED} changed"


def _named_changes(old: Standing, new: Standing) -> Iterator[str]:
    """Say what became of the config that the pool names; nothing of one that it did not name before, if it is there."""
    if new.found is None:
        yield f"{new.config} is missing"
    elif old.config == new.config:
        yield f"{new.config} {'appeared' if old.found is None else 'was replaced'}"


def _found(config: Metadata | None) -> tuple[str, int] | None:
    return (config.uid, config.generation) if config is not None else None


def _change(old: Part, new: Part) -> str:
    if (old.uid, old.generation) != (new.uid, new.generation):
        return f"{new.name} changed"
    return f"the {'labels' if old.labels != new.labels else 'annotations'} of {new.name} changed"


def _selected(selector: JSON, configs: Iterable[Metadata]) -> Iterator[Part]:
    try:
        for config in sorted(configs, key=lambda config: config.name):
            if not config.rendered and matches(selector, config.labels):
                yield Part.of(config)
    except InvalidSelector:  # it fails for the first already: none was yielded
        return
