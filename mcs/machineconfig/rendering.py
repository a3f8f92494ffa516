"""A pool's MachineConfigs become one rendered config: order, merge, cross-checks, metadata (MCO: MergeMachineConfigs).

The name follows from the spec alone, so that the same inputs give the same object everywhere. Where the Machine Config
Operator would render what no machine can read, an error is given instead; docs/render.md lists these cases.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcs.ignition import IgnitionError, convert, merge, validate
from mcs.ignition.fields import ListOf, Scalar, Struct, Type
from mcs.ignition.report import Path, path_text
from mcs.ignition.schema import CONFIG
from mcs.jsondata import JSON, JSONObject, encode, list_at, lookup, object_at, text_at, texts_at
from mcs.machineconfig.components import COMMON_SPEC, DEFAULT_KERNEL, Component, component
from mcs.machineconfig.hash_input import UnhashableSpec
from mcs.machineconfig.lost_images import EXTENSIONS_IMAGE, OS_IMAGE
from mcs.machineconfig.metadata import generation_of, is_rendered
from mcs.machineconfig.names import ANNOTATION_GENERATED_BY, ANNOTATION_POOL_GENERATION, LABEL_POOL, MCO_PREFIX, Kind
from mcs.machineconfig.provenance import last_to_say, place_in
from mcs.machineconfig.reconciling import obstacles
from mcs.machineconfig.render_error import Reason, RenderError
from mcs.machineconfig.rendered_name import rendered_name
from mcs.machineconfig.selectors import InvalidSelector, matches

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
    return isinstance(selector, dict) and not any(selector.get(name) for name in ("matchLabels", "matchExpressions"))


def selected(pool: JSONObject, machine_configs: Iterable[JSONObject]) -> list[JSONObject]:
    """Return the MachineConfigs that the pool's selector chooses, by name; rendered ones never are.

    Raises RenderError for a selector that cannot be read.
    """
    selector = lookup(pool, "spec", "machineConfigSelector")
    try:
        matches(selector, {})  # a bad selector is told even if there is nothing to select from
        chosen = [
            each
            for each in machine_configs
            if matches(selector, texts_at(each, "metadata", "labels")) and not is_rendered(each)
        ]
    except InvalidSelector as error:
        raise RenderError(Reason.SELECTOR, None, f"spec.machineConfigSelector: {error}") from error
    return sorted(chosen, key=_name)


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
    config = _merged_config(parts)
    _check_merged(config, parts)
    image = _overridden(parts, origin.os_image, lambda part: part.os_image)
    spec: JSONObject = {
        "osImageURL": image,
        "baseOSExtensionsContainerImage": _overridden(
            parts, origin.extensions_image, lambda part: part.extensions_image
        ),
        "config": config,
        "kernelArguments": [argument for part in parts for argument in part.kernel_arguments],
        "extensions": [extension for part in parts for extension in part.extensions],
        "fips": any(part.fips for part in parts),
        "kernelType": _kernel_type(parts),
    }
    if current is not None:
        _check_reachable(object_at(current, "spec"), spec, parts)
    annotations = {ANNOTATION_GENERATED_BY: origin.build, ANNOTATION_RELEASE: origin.release}
    if image != (origin.os_image or ""):
        annotations[ANNOTATION_IMAGE_OVERRIDDEN] = "true"
        if text_at(pool, "spec", "osImageStream", "name") is not None:
            raise RenderError(
                Reason.STREAM_OVERRIDE,
                next(part.name for part in reversed(parts) if part.os_image and not part.generated),
                "it overrides osImageURL, but the pool names an OS image stream (spec.osImageStream.name)",
            )
    try:
        name = rendered_name(_name(pool), spec)
    except UnhashableSpec as error:
        culprit = last_to_say(error.path, spec, _said(parts))
        own = next((_own_place(part, error.path, spec) for part in parts if part.name == culprit), "")
        place = path_text(error.path)
        if own not in ("", place):
            place = f"{own} of its spec, {place} of the rendered one"
        raise RenderError(Reason.HASH_INPUT, culprit, f"{place}: {error.message}") from error
    rendered = Rendered(
        name=name,
        spec=spec,
        source=tuple(part.name for part in parts),
        annotations=annotations,
        pool_generation=generation_of(pool),
    )
    size = len(encode(rendered.document(_name(pool))))
    if size > MAX_SIZE:
        raise RenderError(
            Reason.TOO_LARGE,
            None,
            f"the rendered config has {size} bytes; the API server takes {MAX_SIZE}; the largest parts: "
            + ", ".join(_largest(parts)),
        )
    return rendered


def _largest(parts: Iterable[Component]) -> Iterator[str]:
    """Name the MachineConfigs with the most bytes, the largest first."""
    sizes = sorted(((len(encode(part.manifest)), part.name) for part in parts), reverse=True)
    for size, name in sizes[:_MOST_NAMED]:
        yield f"{name} ({size} bytes)"


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
    first = next(obstacles({**current, "config": _written(CONFIG, config)}, spec), None)
    if first is not None:
        culprit = None if first.path is None else last_to_say(first.path, spec, _said(parts))
        raise RenderError(Reason.IRRECONCILABLE, culprit, f"not reachable from the current config: {first.message}")


# The Ignition config.


def _merged_config(parts: Sequence[Component]) -> JSONObject:
    """Merge the configs; the first is the base as it stands, an empty one where it has none."""
    base: JSONObject = {"ignition": {"version": str(COMMON_SPEC)}}
    configs = [base if parts[0].config is None else parts[0].config]
    configs += [part.config for part in parts[1:] if part.config is not None]
    merged = merge(*configs)
    files = [file for file in list_at(merged, "storage", "files") if isinstance(file, dict)]
    if len(configs) > 1:
        contributed = _contents_by_path(configs)
        for file in files:
            _describe_its_source(file, contributed[text_at(file, "path") or ""])
    for file in files:
        # A file that has no source is made if it is missing; Ignition refuses to overwrite it with nothing.
        if file.get("overwrite") is None and lookup(file, "contents", "source") is not None:
            file["overwrite"] = True
    written = _written(CONFIG, merged)
    assert isinstance(written, dict)  # as merged is
    return written


def _contents_by_path(configs: Iterable[JSONObject]) -> Mapping[str, list[JSONObject]]:
    """Return for each path what the configs say of a file's contents there, in the order of merging."""
    found: dict[str, list[JSONObject]] = defaultdict(list)
    for config in configs:
        for file in list_at(config, "storage", "files"):
            found[text_at(file, "path") or ""].append(object_at(file, "contents"))
    return found


def _describe_its_source(file: JSONObject, contributed: Sequence[JSONObject]) -> None:
    """Leave the compression and the hash that came with the source or after it; those of a source before go."""
    contents = object_at(file, "contents")
    sources = [index for index, each in enumerate(contributed) if each.get("source") is not None]
    own = contributed[sources[-1] :] if sources else contributed
    contents["compression"] = next(filter(None, (text_at(each, "compression") for each in reversed(own))), None)
    if all(lookup(each, "verification", "hash") is None for each in own):
        contents["verification"] = None


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
        if rest and any(entry.message == problem for entry in validate(_merged_config(rest), COMMON_SPEC).errors):
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


def _written(kind: Type, value: JSON) -> JSON:
    """Write a config as the operator does: nothing that is unset or empty but names, and no partition number 0."""
    if isinstance(kind, ListOf) and isinstance(value, list):
        return [_written(kind.element, item) for item in value]
    if not (isinstance(kind, Struct) and isinstance(value, dict)):
        return value
    result: JSONObject = {}
    for name, field in kind.fields.items():
        member = _written(field.type, value.get(name))
        plain = field.optional_since is None
        if plain and field.type is Scalar.TEXT and member is None:
            member = ""
        if member not in (None, {}, []) and not (plain and member == 0 and field.type is Scalar.INTEGER):
            result[name] = member
    return result
