"""An object as documents and as what a store keeps of it: metadata, body and generation. Pure.

Rule 1: what the store owns in metadata never comes from a document.
Rule 2: generation grows exactly when something outside metadata and status changes.
Rule 3: a rendered config's content never changes.
Rule 4: a pool's spec.configuration is rendering's: a document that does not name it leaves it as it is, and so does one
that names the same config with its source. A status that spoke of the spec speaks of it on when only the source
changed, for it counts who has the config of that name.
Rule 5: two documents are the same if they are the same JSON; the order of members does not matter, 1 and true differ.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from mcs.jsondata import JSON, JSONObject, integer_at, lookup, object_at, text_at
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import ANNOTATION_MARK, Kind

__all__ = [
    "Content",
    "DocumentRefused",
    "decode",
    "document_of",
    "encode",
    "merge_patch",
    "patched",
    "replaced",
    "same",
]

# metadata.name identifies the object, so it can be neither given nor patched.
_OWNED = frozenset(
    {"name", "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "deletionTimestamp"}
)
_EMPTY_MEANS_ABSENT = ("labels", "annotations", "ownerReferences", "finalizers")
_OUTSIDE_BODY = ("apiVersion", "kind", "metadata")
_STATUS = "status"
_CONFIGURATION = ("spec", "configuration")
_SOURCE = "source"
_NO_JSON = "a number is not finite or too long, or the document is nested too deeply for JSON"


class DocumentRefused(ValueError):
    """A document may not be stored so."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a store keeps of a document. Nothing in it is ever modified in place.

    metadata: without what the store owns, without empty labels, annotations, ownerReferences and finalizers.
    body: all members but apiVersion, kind and metadata. generation: 1 for a new object.
    """

    metadata: JSONObject
    body: JSONObject
    generation: int


def encode(document: JSON) -> str:
    """Encode for the file, as ASCII, so that any text survives; raises DocumentRefused for what is no JSON."""
    try:
        return json.dumps(document, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise DocumentRefused(_NO_JSON) from error


def decode(text: str) -> JSONObject:
    """Decode what `encode` made of an object; raises ValueError for anything else."""
    try:
        document: JSON = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - the caller maps every kind of damage alike
    return document


def same(one: JSON, other: JSON) -> bool:
    """Tell whether two values are the same JSON.

    >>> same({"a": 1, "b": 2}, {"b": 2, "a": 1}), same([1], [True])
    (True, False)
    """
    return one is other or _canonical(one) == _canonical(other)


def document_of(kind: Kind, name: str, uid: str, resource_version: int, created: float, content: Content) -> JSONObject:
    """Return the document to hand out. created: seconds since 1970; the document has whole ones (RFC 3339)."""
    timestamp = datetime.fromtimestamp(int(created), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    metadata: JSONObject = {
        "name": name,
        "uid": uid,
        "resourceVersion": str(resource_version),
        "generation": content.generation,
        "creationTimestamp": timestamp,
        **content.metadata,
    }
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **content.body}


def replaced(kind: Kind, name: str, stored: Content | None, document: JSONObject) -> Content:
    """Return the content after `document` was applied over what is stored (None: nothing), by `Store.apply`'s rules.

    Raises DocumentRefused.
    """
    metadata = _given(object_at(document, "metadata"))
    body = {key: value for key, value in document.items() if key not in _OUTSIDE_BODY}
    if stored is None:
        return _observed(document, Content(metadata, body, 1))
    if kind is Kind.POOL:
        body = _with_configuration_of(stored.body, body)
    named = object_at(document, "metadata", "annotations")
    kept: JSONObject = {
        key: value
        for key, value in object_at(stored.metadata, "annotations").items()
        if key == ANNOTATION_MARK and key not in named
    }
    if kept:
        metadata["annotations"] = {**object_at(metadata, "annotations"), **kept}
    if _STATUS not in body and _STATUS in stored.body:
        body[_STATUS] = stored.body[_STATUS]
        return _after(kind, name, stored, metadata, body)
    content = _observed(document, _after(kind, name, stored, metadata, body))
    return Content(content.metadata, stored.body, content.generation) if same(content.body, stored.body) else content


def patched(kind: Kind, name: str, stored: Content, patch: JSONObject) -> Content:
    """Return the content after a JSON merge patch (RFC 7396) of the object's document; raises DocumentRefused.

    What the store owns in metadata, apiVersion and kind stay as they are, whatever the patch says of them.
    """
    metadata, body = stored.metadata, stored.body
    if "metadata" in patch:
        change = patch["metadata"]
        if change is not None and not isinstance(change, dict):
            raise DocumentRefused("metadata must be an object")
        merged = merge_patch(metadata, change) if change is not None else {}
        metadata = _given(object_at({"metadata": merged}, "metadata"))
    of_body: JSONObject = {key: value for key, value in patch.items() if key not in _OUTSIDE_BODY}
    if of_body:
        body = object_at({"body": merge_patch(body, of_body)}, "body")
    return _after(kind, name, stored, metadata, body)


def merge_patch(target: JSON, patch: JSON) -> JSON:
    """Return `target` after a JSON merge patch (RFC 7396, section 2). Neither is modified; unchanged parts are shared.

    >>> merge_patch({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}})
    {'a': {'c': 2, 'd': 3}}
    """
    if not isinstance(patch, dict):
        return patch
    merged: JSONObject = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def _canonical(document: JSON) -> str:
    try:
        return json.dumps(document, sort_keys=True)
    except (ValueError, RecursionError) as error:
        raise DocumentRefused(_NO_JSON) from error


def _given(metadata: JSONObject) -> JSONObject:
    """Return metadata as it is stored: without what the store owns, and with one way to say "none"."""
    given: JSONObject = {key: value for key, value in metadata.items() if key not in _OWNED and value is not None}
    for key in ("labels", "annotations"):
        members = given.get(key)
        if isinstance(members, dict):
            given[key] = {name: value for name, value in members.items() if value is not None}
    return {key: value for key, value in given.items() if value or key not in _EMPTY_MEANS_ABSENT}


def _after(kind: Kind, name: str, stored: Content, metadata: JSONObject, body: JSONObject) -> Content:
    grows = body is not stored.body and not same(_without_status(body), _without_status(stored.body))
    if kind is Kind.CONFIG and is_rendered({"metadata": {**stored.metadata, "name": name}}):
        if grows:
            raise DocumentRefused(
                f"{kind.kind} {name} is a rendered config: its spec never changes; render anew, under a new name"
            )
        if not is_rendered({"metadata": {**metadata, "name": name}}):
            raise DocumentRefused(f"{kind.kind} {name} is a rendered config: the metadata that says so must stay")
    if not grows and same(body, stored.body):
        body = stored.body
    if grows and kind is Kind.POOL:
        body = _observed_on(stored, body)
    return Content(metadata, body, stored.generation + grows)


def _with_configuration_of(stored: JSONObject, given: JSONObject) -> JSONObject:
    """Return a pool's body with the stored spec.configuration where the given one does not name it, or its source."""
    before = object_at(stored, *_CONFIGURATION)
    spec = given.get("spec", {})
    if not before or not isinstance(spec, dict):
        return given
    if "configuration" not in spec:
        return {**given, "spec": {**spec, "configuration": before}}
    named = object_at(spec, "configuration")
    if _SOURCE in named or _SOURCE not in before or text_at(named, "name") != text_at(before, "name"):
        return given
    return {**given, "spec": {**spec, "configuration": {**named, _SOURCE: before[_SOURCE]}}}


def _observed_on(stored: Content, body: JSONObject) -> JSONObject:
    """Return a pool's body of the next generation; its status speaks of it where only the source changed."""
    observed = integer_at(stored.body, _STATUS, "observedGeneration")
    if observed is None or observed < stored.generation or not same(body.get(_STATUS), stored.body.get(_STATUS)):
        return body
    if not same(_without_source(body), _without_source(stored.body)):
        return body
    status: JSONObject = {**object_at(body, _STATUS), "observedGeneration": max(observed, stored.generation + 1)}
    return {**body, _STATUS: status}


def _without_source(body: JSONObject) -> JSONObject:
    configuration = lookup(body, *_CONFIGURATION)
    if not isinstance(configuration, dict):
        return body
    rest: JSONObject = {key: value for key, value in configuration.items() if key != _SOURCE}
    return {**body, "spec": {**object_at(body, "spec"), "configuration": rest}}


def _observed(document: JSONObject, content: Content) -> Content:
    """Say in our generations what the document's status says in those of where it comes from.

    A status that has observed the document's own generation, or a document that names none, speaks of its spec.
    """
    observed = integer_at(document, _STATUS, "observedGeneration")
    if observed is None:
        return content
    current = observed >= (integer_at(document, "metadata", "generation") or 0)
    status: JSONObject = {
        **object_at(document, _STATUS),
        "observedGeneration": content.generation if current else content.generation - 1,
    }
    return Content(content.metadata, {**content.body, _STATUS: status}, content.generation)


def _without_status(body: JSONObject) -> JSONObject:
    return {key: value for key, value in body.items() if key != _STATUS}
