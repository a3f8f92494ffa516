"""What is worth saying of an object that is accepted: likely mistakes that no shape forbids. Pure; decides nothing."""

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

from mcs.ignition.conversion import convert, unknown_members
from mcs.ignition.errors import IgnitionError, InvalidConfig
from mcs.ignition.fields import ListOf, Struct
from mcs.ignition.tables import table
from mcs.ignition.versions import NEWEST, V3_0, SpecVersion, declared_version
from mcs.jsondata import JSON, JSONObject, lookup, object_at, text_at
from mcs.machineconfig.manifest_documents import Path
from mcs.machineconfig.manifest_shapes import KNOWN_IGNITION, Problem
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import LABEL_POOL, POOL_COUNTS, STATUS_COUNTED, Kind

__all__ = ["WARNINGS", "did_you_mean"]

_MOST_MEMBERS = 20
_RENDERED_PREFIX = "rendered-"

# What the Machine Config Operator's API has at the top of a pool's spec and status, and a member of ours.
_POOL_FIELDS = {
    "spec": (
        "configuration",
        "machineConfigSelector",
        "maxUnavailable",
        "nodeSelector",
        "osImageStream",
        "paused",
        "pinnedImageSets",
    ),
    "status": (
        "certExpirys",
        "conditions",
        "configuration",
        "observedGeneration",
        "osImageStream",
        "poolSynchronizersStatus",
        *POOL_COUNTS,
        STATUS_COUNTED,
    ),
}


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean NAME?" where a word is close to a known one, else nothing.

    >>> did_you_mean("file", ["files", "disks"]), did_you_mean("x", ["files"])
    ('; did you mean files?', '')
    """
    by_folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[near[0]]}?" if near else ""


# ---- MachineConfigs


def _looks_rendered(document: JSONObject) -> Iterator[Problem]:
    name = text_at(document, "metadata", "name") or ""
    if name.startswith(_RENDERED_PREFIX) and not is_rendered(document):
        form = f"rendered-POOL-<32 hex digits> and the label {LABEL_POOL}: POOL"
        fact = f"{name} is not taken for a rendered config (that takes the name {form})"
        yield (), f"{fact}: its spec may change and it may be deleted"


def _ignition_version(document: JSONObject) -> Iterator[Problem]:
    version = text_at(document, "spec", "config", "ignition", "version")
    path = ("spec", "config", "ignition", "version")
    if version is not None and version not in KNOWN_IGNITION:
        unknown = f"Ignition {version} is not known here"
        yield path, f"{unknown}: the config is stored, but can be neither rendered nor served"


def _only_for_spec_2(document: JSONObject) -> Iterator[Problem]:
    config = object_at(document, "spec", "config")
    try:
        version = declared_version(config)
        unknown_members(config)  # what is wrong in itself is said elsewhere
    except IgnitionError:
        return
    if version >= V3_0:
        return
    try:
        convert(config, NEWEST)
    except IgnitionError as error:
        path = ("spec", "config", "ignition", "version")
        yield path, f"Ignition {version}: clients that read spec 3 cannot be served this config: {error}"


def _ignition_members(document: JSONObject) -> Iterator[Problem]:
    config = object_at(document, "spec", "config")
    try:
        version = declared_version(config)
        unknown = unknown_members(config)
    except InvalidConfig as error:
        yield ("spec", "config", *_steps(config, error.path)), f"{error.message}: clients refuse the whole config"
        return
    except IgnitionError:  # its version is unknown or none
        return
    for text in unknown[:_MOST_MEMBERS]:
        steps = _steps(config, text)
        yield ("spec", "config", *steps), f"Ignition {version} does not know this: {_unknown(steps, version)}"
    if len(unknown) > _MOST_MEMBERS:
        more = len(unknown) - _MOST_MEMBERS
        yield ("spec", "config"), f"Ignition {version} does not know {more} more members: clients ignore them"


def _unknown(steps: Path, version: SpecVersion) -> str:
    *above, name = steps
    fields = _struct_at(above, version).fields
    later = next((field.since for known, field in fields.items() if known.casefold() == str(name).casefold()), None)
    if later is not None:
        return f"it came with {later}, so clients ignore it"
    return "clients ignore it" + did_you_mean(
        str(name), (known for known, field in fields.items() if field.since <= version)
    )


def _struct_at(steps: Iterable[str | int], version: SpecVersion) -> Struct:
    """Return the table of the object at a path that the spec's table knows."""
    struct = table(version)
    for step in steps:
        if isinstance(step, str):
            field = next(field for name, field in struct.fields.items() if name.casefold() == step.casefold())
            inner = field.type.element if isinstance(field.type, ListOf) else field.type
            assert isinstance(inner, Struct)  # only an object has members that are not known
            struct = inner
    return struct


def _steps(value: JSON, text: str) -> Path:
    """Read a path such as `$.storage.files.0.mode` back, along the document: a member's name may have dots in it."""
    steps: list[str | int] = []
    rest = text.removeprefix("$")
    while rest and isinstance(value, dict | list):
        names = list(map(str, range(len(value)))) if isinstance(value, list) else list(value)
        name = max((name for name in names if f"{rest}.".startswith(f".{name}.")), key=len, default=None)
        if name is None:
            break
        rest = rest.removeprefix(f".{name}")
        if isinstance(value, list):
            steps.append(int(name))
            value = value[int(name)]
        else:
            steps.append(name)
            value = value[name]
    return tuple(steps)


# ---- pools


def _configuration_without_name(document: JSONObject) -> Iterator[Problem]:
    for section in _POOL_FIELDS:
        configuration = lookup(document, section, "configuration")
        if isinstance(configuration, dict) and configuration.get("name") is None:
            hint = next(filter(None, (did_you_mean(key, ["name"]) for key in configuration)), "")
            extra = f" ({', '.join(configuration)}{hint})" if hint else ""
            yield (section, "configuration"), f"has no name, so it names no config{extra}"


def _misspelt_fields(document: JSONObject) -> Iterator[Problem]:
    for section, known in _POOL_FIELDS.items():
        for name in object_at(document, section):
            hint = did_you_mean(name, known) if name not in known else ""
            if hint:
                yield (section, name), f"is no field of a pool's {section}, and is ignored{hint}"


WARNINGS: dict[Kind, tuple[Callable[[JSONObject], Iterator[Problem]], ...]] = {
    Kind.POOL: (_configuration_without_name, _misspelt_fields),
    Kind.CONFIG: (_looks_rendered, _ignition_version, _only_for_spec_2, _ignition_members),
    Kind.NODE: (),
}
