"""What the kinds of objects must look like, as tables. Pure; a member that no table names may be anything.

As in Kubernetes, null counts as absent, except as a label or in a list.
"""

from collections.abc import Callable, Iterator, Mapping

from mcs.ignition.errors import InvalidVersion
from mcs.ignition.versions import SUPPORTED, parse_semantic
from mcs.jsondata import JSON, compact, lookup
from mcs.machineconfig.manifest_documents import Path, quoted
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import ANNOTATION_SERVE, POOL_COUNTS, STATUS_COUNTED, Kind, is_dns_subdomain

__all__ = ["KNOWN_IGNITION", "MAX_OBJECT", "SHAPES", "Problem", "Shape"]

Problem = tuple[Path, str]
Shape = Callable[[JSON, Path], Iterator[Problem]]

MAX_OBJECT = 3 * 1024 * 1024
KNOWN_IGNITION = frozenset(map(str, SUPPORTED))

_MCO_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


# ---- shapes of single values


def _found(value: JSON) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {quoted(value, 40)}"
    return "an object" if isinstance(value, dict) else "a list"


def _must_be(wanted: str, value: JSON) -> str:
    hint = ""
    if wanted == "text" and isinstance(value, bool):
        hint = " (in YAML y, n, yes, no, on and off are booleans): write it in quotes"
    elif wanted == "text" and isinstance(value, int | float):
        hint = ": write it in quotes"
    return f"must be {wanted}, but is {_found(value)}{hint}"


def _text(value: JSON, path: Path) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield path, _must_be("text", value)


def _full_text(value: JSON, path: Path) -> Iterator[Problem]:
    if not isinstance(value, str) or not value:
        yield path, _must_be("text that is not empty", value)


def _boolean(value: JSON, path: Path) -> Iterator[Problem]:
    if not isinstance(value, bool):
        yield path, _must_be("true or false", value)


def _integer(value: JSON, path: Path) -> Iterator[Problem]:
    if not isinstance(value, int) or isinstance(value, bool):
        yield path, _must_be("an integer", value)


def _count_or_share(value: JSON, path: Path) -> Iterator[Problem]:
    if isinstance(value, bool) or not isinstance(value, int | str):
        yield path, _must_be("an integer or a percentage", value)


def _object_name(value: JSON, path: Path) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield path, _must_be("text", value)
    elif not is_dns_subdomain(value):
        rule = "at most 253 of a-z, 0-9, - and ., beginning and ending with a letter or a digit"
        yield path, f"{quoted(value)} cannot be an object's name: {rule}"


def _config_name(value: JSON, path: Path) -> Iterator[Problem]:
    """Accept empty text too: it stands in pools that have no config yet."""
    if value != "":
        yield from _object_name(value, path)


def _selector_operator(value: JSON, path: Path) -> Iterator[Problem]:
    if value not in _MCO_OPERATORS:
        yield path, _must_be("one of " + ", ".join(_MCO_OPERATORS), value)


def _ignition_version(value: JSON, path: Path) -> Iterator[Problem]:
    """Accept what Ignition can read as a version; whether there is such a spec is not said here."""
    if not isinstance(value, str):
        yield path, _must_be('text such as "3.4.0"', value)
        return
    try:
        parse_semantic(value)
    except InvalidVersion:
        yield path, f'{quoted(value)} is no Ignition version: write three numbers, as in "3.4.0"'


# ---- shapes of lists and objects


def _list_of(shape: Shape) -> Shape:
    def check(value: JSON, path: Path) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield path, _must_be("a list", value)
            return
        for index, item in enumerate(value):
            yield from shape(item, (*path, index))

    return check


def _map_of(shape: Shape) -> Shape:
    def check(value: JSON, path: Path) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield path, _must_be("an object", value)
            return
        for key, member in value.items():
            yield from shape(member, (*path, key))

    return check


def _members(required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    shapes = {**required, **(optional or {})}

    def check(value: JSON, path: Path) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield path, _must_be("an object", value)
            return
        for key, shape in shapes.items():
            if value.get(key) is not None:
                yield from shape(value[key], (*path, key))
            elif key in required:
                yield (*path, key), "is missing: it must be there"

    return check


# ---- the kinds

_ANY_OBJECT = _members({})

_OWNER = _members({"kind": _full_text, "name": _full_text}, {"apiVersion": _text, "uid": _text})

_METADATA = _members(
    {"name": _object_name},
    {
        "labels": _map_of(_text),
        "annotations": _map_of(_text),
        "ownerReferences": _list_of(_OWNER),
        "finalizers": _list_of(_text),
        "generation": _integer,
        "uid": _text,
        "resourceVersion": _text,
        "creationTimestamp": _text,
        "deletionTimestamp": _text,
    },
)

_SELECTOR = _members(
    {},
    {
        "matchLabels": _map_of(_text),
        "matchExpressions": _list_of(
            _members({"key": _full_text, "operator": _selector_operator}, {"values": _list_of(_text)})
        ),
    },
)

_CONFIGURATION = _members({}, {"name": _config_name, "source": _list_of(_ANY_OBJECT)})

_POOL = _members(
    {},
    {
        "spec": _members(
            {},
            {
                "configuration": _CONFIGURATION,
                "machineConfigSelector": _SELECTOR,
                "nodeSelector": _SELECTOR,
                "paused": _boolean,
                "maxUnavailable": _count_or_share,
            },
        ),
        "status": _members(
            {},
            {
                "configuration": _CONFIGURATION,
                "conditions": _list_of(_members({"type": _full_text, "status": _full_text})),
                **dict.fromkeys(("observedGeneration", *POOL_COUNTS), _integer),
                STATUS_COUNTED: _boolean,
            },
        ),
    },
)

_NODE = _members(
    {},
    {
        "spec": _ANY_OBJECT,
        "status": _members({}, {"addresses": _list_of(_members({"type": _full_text, "address": _full_text}))}),
    },
)

_CONFIG = _members(
    {
        "spec": _members(
            {},
            {
                "config": _members({"ignition": _members({"version": _ignition_version})}),
                "kernelArguments": _list_of(_text),
                "extensions": _list_of(_text),
                "fips": _boolean,
                "kernelType": _text,
                "osImageURL": _text,
                "baseOSExtensionsContainerImage": _text,
            },
        ),
    },
)


def _serve_annotation(document: JSON, path: Path) -> Iterator[Problem]:
    value = lookup(document, "metadata", "annotations", ANNOTATION_SERVE)
    if isinstance(value, str) and not is_dns_subdomain(value):
        wanted = "spec, status or the name of a rendered config"
        yield (*path, "metadata", "annotations", ANNOTATION_SERVE), f"must be {wanted}, but is {quoted(value)}"


def _rendered_has_config(document: JSON, path: Path) -> Iterator[Problem]:
    if is_rendered(document) and lookup(document, "spec", "config") is None:
        yield (*path, "spec", "config"), "is missing: a rendered config must have one"


def _not_too_large(document: JSON, path: Path) -> Iterator[Problem]:
    size = len(compact(document).encode())
    if size > MAX_OBJECT:
        yield path, f"the object has {size / 2**20:.1f} MiB, and at most {MAX_OBJECT >> 20} MiB can be stored"


_EVERY_KIND: tuple[Shape, ...] = (_members({"metadata": _METADATA}), _not_too_large)

SHAPES: dict[Kind, tuple[Shape, ...]] = {
    Kind.POOL: (*_EVERY_KIND, _POOL, _serve_annotation),
    Kind.CONFIG: (*_EVERY_KIND, _CONFIG, _rendered_has_config),
    Kind.NODE: (*_EVERY_KIND, _NODE),
}
