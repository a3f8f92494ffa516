"""Reads manifests: text to objects of the kinds that are stored, or to errors that say where and what to do. No I/O."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from mcs.jsondata import JSON, JSONObject, list_at, text_at
from mcs.machineconfig.manifest_documents import (
    MAX_FILE,
    Document,
    ManifestError,
    Path,
    decode,
    field_name,
    quoted,
    scan,
)
from mcs.machineconfig.manifest_shapes import SHAPES, Problem
from mcs.machineconfig.manifest_syntax import write_yaml
from mcs.machineconfig.manifest_warnings import WARNINGS
from mcs.machineconfig.names import Kind

__all__ = ["MAX_FILE", "Manifest", "ManifestError", "Reading", "decode", "examine", "read", "write_yaml"]


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of a manifest, valid by the tables of its kind. Its document must not be modified.

    index: the number of the document it stands in, from 1 (objects of one List share it). line: from 1.
    warnings: what is worth saying of an object that is accepted: where in it, and in words.
    """

    kind: Kind
    document: JSONObject
    source: str
    index: int
    line: int
    warnings: tuple[Problem, ...]
    _document: Document = field(repr=False, compare=False)
    _path: Path = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The object's name."""
        return text_at(self.document, "metadata", "name") or ""

    def warning(self, problem: Problem) -> str:
        """Write a warning about this object for people: file, line, field and what is to be said."""
        path, message = problem
        line = self._document.line_of((*self._path, *path))
        return str(ManifestError(self.source, 0, line, field_name(path), message))


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text holds: all objects that are valid, and all errors, both in the order of the text."""

    manifests: tuple[Manifest, ...]
    errors: tuple[ManifestError, ...]


def read(text: str, source: str) -> list[Manifest]:
    """Return all objects of a YAML or JSON text; raises the first ManifestError if there is any."""
    reading = examine(text, source)
    if reading.errors:
        raise reading.errors[0]
    return list(reading.manifests)


def examine(text: str, source: str) -> Reading:
    """Read a YAML or JSON text of many documents and Lists, and report all errors beside what is valid.

    source: the file's name, for messages; one that ends in .json is read as JSON only.
    """
    documents, errors = scan(text, source)
    manifests: list[Manifest] = []
    for document in documents:
        if document.faulty:
            continue
        for path, kind, value in _objects(document, source, errors):
            problems = [problem for shape in SHAPES[kind] for problem in shape(value, path)]
            errors.extend(_error(document, source, where, message) for where, message in problems)
            if not problems and isinstance(value, dict):
                warnings = tuple(warning for look in WARNINGS[kind] for warning in look(value))
                line = document.line_of(path)
                manifests.append(Manifest(kind, value, source, document.number, line, warnings, document, path))
    return Reading(tuple(manifests), tuple(sorted(errors, key=lambda error: error.line)))


# ---- kinds

_KINDS = {(kind.api_version, kind.kind): kind for kind in Kind}
_LISTS: dict[tuple[str, str], Kind | None] = {("v1", "List"): None} | {
    (kind.api_version, kind.kind + "List"): kind for kind in Kind
}
_ACCEPTED = "accepted are " + "; ".join(
    f"{', '.join(kind.kind for kind in Kind if kind.api_version == version)} of {version}"
    for version in dict.fromkeys(kind.api_version for kind in Kind)
)


def _objects(document: Document, source: str, errors: list[ManifestError]) -> Iterator[tuple[Path, Kind, JSON]]:
    """Yield what a document holds, Lists taken apart: path, kind and object."""
    key = _kind_key(document.value)
    if key not in _LISTS:
        candidates: list[tuple[Path, JSON]] = [((), document.value)]
    elif isinstance(document.value, dict) and isinstance(document.value.get("items"), list | None):
        items = list_at(document.value, "items")
        candidates = [(("items", index), _with_kind(item, _LISTS[key])) for index, item in enumerate(items)]
    else:
        errors.append(_error(document, source, ("items",), "must be a list"))
        return
    for path, value in candidates:
        kind = _KINDS.get(_kind_key(value))
        if kind is not None:
            yield path, kind, value
        else:
            errors.append(_unknown(document, source, path, value))


def _kind_key(value: JSON) -> tuple[str, str]:
    return text_at(value, "apiVersion") or "", text_at(value, "kind") or ""


def _with_kind(item: JSON, kind: Kind | None) -> JSON:
    """Give an item of a typed list the kind that the API leaves out there."""
    if kind is None or not isinstance(item, dict) or "kind" in item or "apiVersion" in item:
        return item
    return {"apiVersion": kind.api_version, "kind": kind.kind, **item}


def _unknown(document: Document, source: str, path: Path, value: JSON) -> ManifestError:
    if not isinstance(value, dict):
        return _error(document, source, path, "must be an object with apiVersion, kind and metadata")
    api_version, kind = _kind_key(value)
    for member, text in (("kind", kind), ("apiVersion", api_version)):
        if not text:
            return _error(document, source, (*path, member), f"is missing or no text; {_ACCEPTED}")
    message = f"{quoted(kind)} of {quoted(api_version)} is no kind of object that is stored here; {_ACCEPTED}"
    return _error(document, source, (*path, "kind"), message)


def _error(document: Document, source: str, path: Path, message: str) -> ManifestError:
    return ManifestError(source, document.number, document.line_of(path), field_name(path), message)
