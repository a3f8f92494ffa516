"""What is worth saying of a manifest by what is known beside it: the rule of durations, and what is stored."""

from collections.abc import Callable, Iterator

from mcs.boot.durations import Durations, of_pool, parse_duration
from mcs.cli.world import configs_named_by
from mcs.jsondata import JSONObject, texts_at
from mcs.machineconfig.manifest_documents import Path, quoted
from mcs.machineconfig.manifest_shapes import Problem
from mcs.machineconfig.manifest_warnings import did_you_mean
from mcs.machineconfig.manifests import Manifest
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import ANNOTATION_BOOT, ANNOTATION_MARK, ANNOTATION_SERVE, PREFIX, Kind

__all__ = ["DURATION_ANNOTATIONS", "remarks"]

_FindConfig = Callable[[str], "JSONObject | None"]

DURATION_ANNOTATIONS = (f"{PREFIX}hold", f"{PREFIX}boot-bound", f"{PREFIX}boot-lease")

_ANNOTATIONS: dict[Kind, tuple[str, ...]] = {
    Kind.POOL: (ANNOTATION_SERVE, *DURATION_ANNOTATIONS),
    Kind.CONFIG: (ANNOTATION_MARK,),
    Kind.NODE: (ANNOTATION_BOOT,),
}

_NAMED_AT: dict[str, Path] = {
    "spec": ("spec", "configuration", "name"),
    "status": ("status", "configuration", "name"),
    ANNOTATION_SERVE: ("metadata", "annotations", ANNOTATION_SERVE),
}


def remarks(manifest: Manifest, find_config: _FindConfig) -> Iterator[Problem]:
    """Yield what is worth saying of an object. find_config: returns a stored MachineConfig by its name, or None."""
    annotations = texts_at(manifest.document, "metadata", "annotations")
    yield from _unknown_annotations(manifest.kind, annotations)
    if manifest.kind is Kind.POOL:
        yield from _durations(annotations)
        yield from _named_configs(manifest.document, find_config)


def _unknown_annotations(kind: Kind, annotations: dict[str, str]) -> Iterator[Problem]:
    known = _ANNOTATIONS[kind]
    for annotation in annotations:
        if annotation.startswith(PREFIX) and annotation not in known:
            message = f"means nothing on a {kind.kind}{did_you_mean(annotation, known)}"
            yield ("metadata", "annotations", annotation), message


def _durations(annotations: dict[str, str]) -> Iterator[Problem]:
    """Check each duration, and then all against the rule, with those that only a server knows at their defaults."""
    readable = {}
    for annotation in DURATION_ANNOTATIONS:
        text = annotations.get(annotation)
        if text is None:
            continue
        try:
            parse_duration(text)
        except ValueError as error:
            yield ("metadata", "annotations", annotation), f"{quoted(text)} is ignored: {error}"
        else:
            readable[annotation] = text
    _, notes = of_pool(readable, Durations())
    for note in notes:
        yield ("metadata", "annotations"), f"by a server's default durations, {note}"


def _named_configs(pool: JSONObject, find_config: _FindConfig) -> Iterator[Problem]:
    for where, name in configs_named_by(pool).items():
        config = find_config(name)
        if config is None:
            yield _NAMED_AT[where], f"there is no MachineConfig {quoted(name)} yet: machines wait until it is applied"
        elif not is_rendered(config):
            yield _NAMED_AT[where], f"{name} is not a rendered config: its spec may change and it may be deleted"
