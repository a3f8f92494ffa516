"""The Ignition config of a rendered config: merged from those of MachineConfigs, written as the operator does."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from mcs.ignition import merge
from mcs.ignition.fields import ListOf, Scalar, Struct, Type
from mcs.ignition.schema import CONFIG
from mcs.jsondata import JSON, JSONObject, list_at, lookup, object_at, text_at
from mcs.machineconfig.components import COMMON_SPEC

__all__ = ["merged_config", "written"]


def merged_config(parts: Sequence[JSONObject | None]) -> JSONObject:
    """Merge configs of the common spec, at least one; None: a part without. The first is the base as it stands.

    What describes a file's contents stays with the source that it describes, and what has a source is overwritten.
    """
    base: JSONObject = {"ignition": {"version": str(COMMON_SPEC)}}
    configs = [base if parts[0] is None else parts[0], *(part for part in parts[1:] if part is not None)]
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
    return written(merged)


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


def written(config: JSONObject) -> JSONObject:
    """Write a config as the operator does: nothing that is unset or empty but names, and no partition number 0."""
    result = _written(CONFIG, config)
    assert isinstance(result, dict)  # as the config is
    return result


def _written(kind: Type, value: JSON) -> JSON:
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
