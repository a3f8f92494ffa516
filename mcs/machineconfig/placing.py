"""How files are put into an Ignition config, in its own spec's form, and what of it gives way to them. Pure.

The input is never modified; the result shares what does not change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mcs.ignition import SpecVersion, dataurl
from mcs.ignition.versions import V2_2, V3_0
from mcs.jsondata import JSON, JSONObject, list_at, object_at, text_at

__all__ = ["AppendedFile", "appending_to_what_is_there", "with_contents", "with_files"]

_ROOT = "root"  # what spec 2 calls the filesystem at /
_KINDS = ("files", "directories", "links")


@dataclass(frozen=True, slots=True)
class AppendedFile:
    """A file that is added to every config. mode: permission bits."""

    path: str
    content: bytes
    mode: int = 0o644


def with_files(config: JSONObject, files: Sequence[AppendedFile], spec: SpecVersion) -> JSONObject:
    """Add files to a config of a spec.

    What the config has at such a path gives way: a client of spec 3 refuses duplicates, one of spec 2 writes both.
    """
    paths = {file.path for file in files}
    storage = {**object_at(config, "storage")}
    for kind in _KINDS:
        if kind in storage:
            storage[kind] = [node for node in list_at(storage, kind) if _root_path(node, spec) not in paths]
    storage["files"] = [*list_at(storage, "files"), *(_entry(file, spec) for file in files)]
    return {**config, "storage": storage}


def with_contents(config: JSONObject, file: AppendedFile, spec: SpecVersion) -> JSONObject:
    """Give a file its content: in the entry that a config of a spec has for its path, or in a new one.

    Of an entry's contents nothing is kept: its compression and hash describe the source that goes. What the config
    appends to that file, it still appends.
    """
    storage = object_at(config, "storage")
    files = list_at(storage, "files")
    entry = _entry(file, spec)
    same = [at for at, other in enumerate(files) if _root_path(other, spec) == file.path]
    replaced = [at for at in same if not _is_appending(files[at], spec)]
    if replaced:
        files = [_replaced(other, entry) if at in replaced else other for at, other in enumerate(files)]
    else:  # before what is appended to it, else at the end
        place = same[0] if same else len(files)
        files = [*files[:place], entry, *files[place:]]
    return {**config, "storage": {**storage, "files": files}}


def appending_to_what_is_there(config: JSONObject) -> JSONObject:
    """Leave out `overwrite: false` of what a config of spec 2 appends to files.

    Conversions write it there, and clients of spec 2 then refuse to append to a file that exists, though it be one that
    the same config has written. Without the word they append.
    """
    storage = object_at(config, "storage")
    files = [_without_overwrite(file) for file in list_at(storage, "files")]
    return {**config, "storage": {**storage, "files": files}}


def _without_overwrite(file: JSON) -> JSON:
    if not isinstance(file, dict) or file.get("append") is not True:
        return file
    return {key: value for key, value in file.items() if key != "overwrite"}


def _replaced(other: JSON, entry: JSONObject) -> JSON:
    return {**other, "contents": entry["contents"]} if isinstance(other, dict) else other


def _entry(file: AppendedFile, spec: SpecVersion) -> JSONObject:
    entry: JSONObject = {"filesystem": _ROOT} if spec < V3_0 else {}
    if spec >= V2_2:  # before, files are always replaced, and nothing says so
        entry["overwrite"] = True
    contents: JSONObject = {"source": dataurl.encode(file.content)}
    return {**entry, "path": file.path, "contents": contents, "mode": file.mode}


def _root_path(node: JSON, spec: SpecVersion) -> str | None:
    """Return where a file, directory or link is below /; None where that is not known: on another filesystem."""
    if spec < V3_0 and text_at(node, "filesystem") != _ROOT:
        return None
    return text_at(node, "path")


def _is_appending(file: JSON, spec: SpecVersion) -> bool:
    return spec < V3_0 and isinstance(file, dict) and file.get("append") is True
