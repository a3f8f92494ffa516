"""A pool's MachineConfigs become one rendered config: order, merge, cross-checks, metadata (MCO: MergeMachineConfigs).

The name follows from the spec alone, so that the same inputs give the same object everywhere. Where the Machine Config
Operator would render what no machine can read, an error is given instead; docs/render.md lists these cases.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mcs.ignition import IgnitionError, convert, validate
from mcs.ignition.report import Path, path_text
from mcs.jsondata import JSONObject, encode, lookup, object_at, text_at, texts_at
from mcs.machineconfig.components import COMMON_SPEC, DEFAULT_KERNEL, Component, component
from mcs.machineconfig.hash_input import UnhashableSpec
from mcs.machineconfig.lost_images import EXTENSIONS_IMAGE, OS_IMAGE
from mcs.machineconfig.merged_config import merged_config, written
from mcs.machineconfig.metadata import generation_of, is_rendered
from mcs.machineconfig.names import ANNOTATION_GENERATED_BY, ANNOTATION_POOL_GENERATION, LABEL_POOL, MCO_PREFIX, Kind
from mcs.machineconfig.provenance import last_to_say, place_in
from mcs.machineconfig.reconciling import obstacles
from mcs.machineconfig.render_error import Reason, RenderError
from mcs.machineconfig.rendered_name import rendered_name
from mcs.machineconfig.selectors import InvalidSelector, is_empty, selecting

__all__ = ["ANNOTATION_RELEASE", "MAX_SIZE", "Origin", "Rendered", "render", "selected", "selects_everything"]

ANNOTATION_RELEASE = MCO_PREFIX + "release-image-version"
ANNOTATION_IMAGE_OVERRIDDEN = MCO_PREFIX + "os-image-url-overridden"
_MOST_NAMED = 3  # of the MachineConfigs that make a config too large
MAX_SIZE = 1_572_864  # bytes of compact JSON: what etcd stores as one object


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Who renders, and what it starts from. build: of the renderer; release: of the cluster, may be empty.

    os_image, extensions_image: where no MachineConfig of a person overrides them. None: nobody said one, which is
    rendered as none; that this is not meant where machines have one is for `lost_images` to say.
    """

    build: str
    release: str = ""
    os_image: str | None = None
    extensions_image: str | None = None

    @property
    def images(self) -> Mapping[str, str | None]:
        """The images as they were said, by the member of a spec."""
        return {OS_IMAGE: self.os_image, EXTENSIONS_IMAGE: self.extensions_image}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A rendered config. source: the names of what it was merged from, in that order.

    annotations: those of the operator. pool_generation: of the pool that it was first rendered for, 0 if it has none.
    """

    name: str
    spec: JSONObject
    source: tuple[str, ...]
    annotations: Mapping[str, str]
    pool_generation: int = 0

    def document(self, pool: str) -> JSONObject:
        """Return the MachineConfig object. Its label makes it known as rendered; it has no owner.

        An owner would take the object with it when the pool is deleted, though machines may still need it. So the label
        names the pool, and an annotation its generation.
        """
        own = {ANNOTATION_POOL_GENERATION: str(self.pool_generation)} if self.pool_generation else {}
        return {
            "apiVersion": Kind.CONFIG.api_version,
            "kind": Kind.CONFIG.kind,
            "metadata": {
                "name": self.name,
                "labels": {LABEL_POOL: pool},
                "annotations": {**self.annotations, **own},
            },
            "spec": self.spec,
        }


def selects_everything(pool: JSONObject) -> bool:
    """Tell whether the pool's selector is the empty one, which selects all there is: such a pool is not rendered.

    No person means that; the operator leaves such a pool as it is, without an error. Who renders asks first.
    """
    selector = lookup(pool, "spec", "machineConfigSelector")
    return isinstance(selector, dict) and is_empty(selector)


def selected(pool: JSONObject, machine_configs: Iterable[JSONObject]) -> list[JSONObject]:
    """Return the MachineConfigs that the pool's selector chooses, by name; rendered ones never are.

    Raises RenderError for a selector that cannot be read.
    """
    try:
        selects = selecting(lookup(pool, "spec", "machineConfigSelector"))
    except InvalidSelector as error:
        raise RenderError(Reason.SELECTOR, None, f"spec.machineConfigSelector: {error}") from error
    chosen = [each for each in machine_configs if selects(texts_at(each, "metadata", "labels"))]
    return sorted((each for each in chosen if not is_rendered(each)), key=_name)


def _name(document: JSONObject) -> str:
    return text_at(document, "metadata", "name") or ""


def render(
    pool: JSONObject, machine_configs: Sequence[JSONObject], origin: Origin, current: JSONObject | None = None
) -> Rendered:
    """Merge the MachineConfigs that `selected` chose into the pool's rendered config. The inputs stay as they are.

    current: the MachineConfig that the pool's machines have now, to which the result must be reachable; None: any is.
    Raises RenderError with the reason and, where there is one, the MachineConfig that causes it.
    """
    if not machine_configs:
        raise RenderError(Reason.NO_CONFIGS, None, "the pool's selector chooses no MachineConfig")
    parts = _in_order([_checked_component(each, origin) for each in machine_configs])
    spec = _spec(parts, origin)
    if current is not None:
        _check_reachable(object_at(current, "spec"), spec, parts)
    annotations = {ANNOTATION_GENERATED_BY: origin.build, ANNOTATION_RELEASE: origin.release}
    if spec[OS_IMAGE] != (origin.os_image or ""):
        _check_stream(pool, parts)
        annotations[ANNOTATION_IMAGE_OVERRIDDEN] = "true"
    rendered = Rendered(
        name=_rendered_name(_name(pool), spec, parts),
        spec=spec,
        source=tuple(part.name for part in parts),
        annotations=annotations,
        pool_generation=generation_of(pool),
    )
    _check_size(rendered.document(_name(pool)), parts)
    return rendered


def _spec(parts: Sequence[Component], origin: Origin) -> JSONObject:
    """Merge what the parts say; raises RenderError for what they say together and must not."""
    config = merged_config([part.config for part in parts])
    _check_merged(config, parts)
    return {
        OS_IMAGE: _overridden(parts, origin.os_image, lambda part: part.os_image),
        EXTENSIONS_IMAGE: _overridden(parts, origin.extensions_image, lambda part: part.extensions_image),
        "config": config,
        "kernelArguments": [argument for part in parts for argument in part.kernel_arguments],
        "extensions": [extension for part in parts for extension in part.extensions],
        "fips": any(part.fips for part in parts),
        "kernelType": _kernel_type(parts),
    }


def _check_stream(pool: JSONObject, parts: Sequence[Component]) -> None:
    if text_at(pool, "spec", "osImageStream", "name") is not None:
        raise RenderError(
            Reason.STREAM_OVERRIDE,
            next(part.name for part in reversed(parts) if part.os_image and not part.generated),
            "it overrides osImageURL, but the pool names an OS image stream (spec.osImageStream.name)",
        )


def _rendered_name(pool: str, spec: JSONObject, parts: Sequence[Component]) -> str:
    try:
        return rendered_name(pool, spec)
    except UnhashableSpec as error:
        culprit = last_to_say(error.path, spec, _said(parts))
        own = next((_own_place(part, error.path, spec) for part in parts if part.name == culprit), "")
        place = path_text(error.path)
        if own not in ("", place):
            place = f"{own} of its spec, {place} of the rendered one"
        raise RenderError(Reason.HASH_INPUT, culprit, f"{place}: {error.message}") from error


def _check_size(document: JSONObject, parts: Iterable[Component]) -> None:
    size = len(encode(document))
    if size > MAX_SIZE:
        largest = sorted(((len(encode(part.manifest)), part.name) for part in parts), reverse=True)[:_MOST_NAMED]
        raise RenderError(
            Reason.TOO_LARGE,
            None,
            f"the rendered config has {size} bytes; the API server takes {MAX_SIZE}; the largest parts: "
            + ", ".join(f"{name} ({size} bytes)" for size, name in largest),
        )


def _checked_component(machine_config: JSONObject, origin: Origin) -> Component:
    name = _name(machine_config)
    annotations = texts_at(machine_config, "metadata", "annotations")
    generated_by = annotations.get(ANNOTATION_GENERATED_BY) or origin.build
    if generated_by != origin.build:
        raise RenderError(Reason.VERSION_SKEW, name, f"it was made by build {generated_by}, and this is {origin.build}")
    part = component(machine_config)
    if lookup(machine_config, "metadata", "labels") is None:
        raise RenderError(Reason.LABELS_MISSING, name, "it has no labels, and they decide over the order of merging")
    return part


def _in_order(parts: Iterable[Component]) -> list[Component]:
    """Put those for all workers first, so that what is for one pool comes after it whatever its name."""
    return sorted(parts, key=lambda part: (not part.for_workers, part.name.encode()))


def _overridden(parts: Iterable[Component], default: str | None, image: Callable[[Component], str]) -> str:
    chosen = [image(part) for part in parts if not part.generated and image(part)]
    return chosen[-1] if chosen else default or ""


def _kernel_type(parts: Sequence[Component]) -> str:
    chosen = [part for part in parts if part.kernel_type not in ("", DEFAULT_KERNEL)]
    kernel_type = chosen[-1].kernel_type if chosen else DEFAULT_KERNEL
    wants_headers = [part.name for part in parts if "kernel-devel" in part.extensions]
    if wants_headers and kernel_type != DEFAULT_KERNEL:
        raise RenderError(
            Reason.EXTENSION_KERNEL,
            wants_headers[-1],
            f"kernel-devel is for the {DEFAULT_KERNEL} kernel, and {chosen[-1].name} asks for kernelType {kernel_type}",
        )
    return kernel_type


def _check_reachable(current: JSONObject, spec: JSONObject, parts: Sequence[Component]) -> None:
    try:
        config = convert(object_at(current, "config"), COMMON_SPEC)
    except IgnitionError:  # it was not made here: whatever it is, machines have it, and nothing can be compared
        return
    first = next(obstacles({**current, "config": written(config)}, spec), None)
    if first is not None:
        culprit = None if first.path is None else last_to_say(first.path, spec, _said(parts))
        raise RenderError(Reason.IRRECONCILABLE, culprit, f"not reachable from the current config: {first.message}")


def _check_merged(config: JSONObject, parts: Sequence[Component]) -> None:
    """Refuse a config that no machine could read, though each MachineConfig is valid on its own."""
    report = validate(config, COMMON_SPEC)
    if not report.is_valid:
        first = report.errors[0]
        concerned = _concerned(first.message, parts)
        path = ("config", *first.path)
        places = [(part.name, _own_place(part, path, {"config": config})) for part in concerned]
        raise RenderError(
            Reason.IGNITION_INVALID,
            concerned[0].name,
            f"the merged config is invalid: {'; '.join(map(str, report.errors))}; together it is so by "
            + " and ".join(f"{name} ({place} of its spec)" if place else name for name, place in places),
        )


def _concerned(problem: str, parts: Sequence[Component]) -> list[Component]:
    """Return MachineConfigs that have a problem together, and none that it takes not; the last first.

    Each is left out in turn, the first of them first: of several that say the same the last is left.
    """
    left = list(parts)
    for part in parts:
        rest = [other for other in left if other is not part]
        if rest and any(
            entry.message == problem
            for entry in validate(merged_config([part.config for part in rest]), COMMON_SPEC).errors
        ):
            left = rest
    return left[::-1]


def _own_place(part: Component, path: Path, spec: JSONObject) -> str:
    """Say where a MachineConfig has what stands at a path of the rendered spec; empty where that is not to be found."""
    place = place_in(part.manifest, path, spec)
    return path_text(place) if place is not None else ""


def _said(parts: Sequence[Component]) -> list[tuple[str, JSONObject]]:
    """Return what each MachineConfig says, in the shape of a rendered spec."""
    return [
        (
            part.name,
            {
                "config": part.config,
                "kernelArguments": list(part.kernel_arguments),
                "extensions": list(part.extensions),
                "fips": part.fips or None,
                "osImageURL": part.os_image or None,
                "baseOSExtensionsContainerImage": part.extensions_image or None,
            },
        )
        for part in parts
    ]
