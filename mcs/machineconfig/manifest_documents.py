"""Documents with the line of every member, from YAML or JSON text. Does no I/O and knows no kind of object.

Nothing is decided silently: a key that stands twice, a key that is no text and a merge key are errors. No input makes
this recurse or grow without bounds; what an alias repeats counts each time.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mcs.jsondata import JSON
from mcs.machineconfig.manifest_syntax import Event, SyntaxFault, What, json_events, yaml_events

__all__ = ["MAX_FILE", "Document", "ManifestError", "Path", "decode", "field_name", "quoted", "scan"]

Path = tuple[str | int, ...]

MAX_FILE = 64 * 1024 * 1024
_MAX_REPEATED = 8 * 1024 * 1024
_MAX_DEPTH = 100
_MAX_ERRORS = 100
_MAX_FIELD = 200
_HALF_SURROGATE = re.compile("[\ud800-\udfff]")


class ManifestError(ValueError):
    """One fault of a manifest, and what to do about it.

    source: the file. document: its number in the file, from 1; 0: the file as a whole. line: from 1; 0: the whole file.
    field: as in `spec.config.ignition.version`; empty: the document as a whole.
    """

    def __init__(self, source: str, document: int, line: int, field: str, message: str) -> None:
        place = f"{source}:{line}" if line else source
        number = f"document {document}" if document else ""
        super().__init__(": ".join(part for part in (place, number, field, message) if part))
        self.source = source
        self.document = document
        self.line = line
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a text. number, line: from 1. faulty: errors were found in it, so members may be missing."""

    number: int
    line: int
    value: JSON
    faulty: bool
    _lines: "dict[int, dict[str | int, int]]" = field(repr=False)

    def line_of(self, path: Path) -> int:
        """Return the line of the member at a path, or of the nearest one above it that is in the text."""
        line, value = self.line, self.value
        for step in path:
            found = self._lines.get(id(value), {}).get(step)
            if found is None:
                break
            line, value = found, _below(value, step)
        return line


def _below(value: JSON, step: str | int) -> JSON:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step)
    if isinstance(value, list) and isinstance(step, int):
        return value[step]
    return None


def field_name(path: Path) -> str:
    """Write a path the way people write it.

    >>> field_name(("items", 0, "metadata", "labels", "a.b/c"))
    'items[0].metadata.labels["a.b/c"]'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(r"[\w-]+", step, re.ASCII):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
    return text if len(text) <= _MAX_FIELD else f"{text[:_MAX_FIELD]}…"


def quoted(text: str, limit: int = 60) -> str:
    """Quote foreign text for a message: one line, nothing that a terminal obeys, shortened to the limit.

    >>> quoted('say "\\x1b[1m"')
    '"say \\\\"\\\\u001b[1m\\\\""'
    """
    shown = json.dumps(text if len(text) <= limit else text[: limit - 1] + "…", ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in shown)


def decode(data: bytes, source: str) -> str:
    """Decode a file; raises ManifestError for what is not UTF-8, begins with a byte order mark or is too large."""
    if len(data) > MAX_FILE:
        raise ManifestError(source, 0, 0, "", f"is larger than {MAX_FILE >> 20} MiB: split it into several files")
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise ManifestError(source, 0, 1, "", "begins with a byte order mark: save it as UTF-8 without one")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise ManifestError(source, 0, line, "", f"byte 0x{byte:02x} is not UTF-8: save the file as UTF-8") from error


def scan(text: str, source: str) -> tuple[list[Document], list[ManifestError]]:
    """Read all documents of a text, and all errors that do not depend on what a document means.

    source: the file's name; one in .json is JSON only. Reading stops where the text can no longer be understood.
    Empty documents are left out, but counted. JSON documents may follow each other without `---`.
    """
    try:
        decode(text.encode("utf-8"), source)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        return [], [ManifestError(source, 0, line, "", "holds half a surrogate pair: save the file as UTF-8")]
    except ManifestError as error:
        return [], [error]
    if source.endswith(".json"):
        return _read(json_events, text, source)
    if re.match(r"\s*[{\[]", text) is None:
        return _read(yaml_events, text, source)
    as_json = _read(json_events, text, source)
    if not as_json[1]:
        return as_json
    as_yaml = _read(yaml_events, text, source)
    meant_as_json = re.match(r'\s*[{\[]\s*["{\[]', text) is not None
    return as_json if as_yaml[1] and meant_as_json else as_yaml


def _read(
    syntax: Callable[[str], Iterator[Event]], text: str, source: str
) -> tuple[list[Document], list[ManifestError]]:
    documents: list[Document] = []
    errors: list[ManifestError] = []
    events = syntax(text)
    number = 0
    try:
        for _ in events:  # the beginning of a document; the builder reads on to its end
            number += 1
            builder = _Builder(source, number, errors)
            document = builder.document(events)
            if document.value is not None:
                documents.append(document)
    except SyntaxFault as fault:
        errors.append(ManifestError(source, max(number, 1), fault.line, "", str(fault)))
    except ManifestError as error:
        errors.append(error)
    return documents, errors


@dataclass(slots=True)
class _Open:
    """An object or a list that has begun. steps: its own place. key: of the member whose value comes next.

    size_before: the size of everything before it. is_duplicate: the key stands twice, and its value is dropped.
    """

    value: "dict[str, JSON] | list[JSON]"
    lines: dict[str | int, int]
    steps: Path
    anchor: str | None
    size_before: int
    key: str | None = None
    is_duplicate: bool = False


class _Builder:
    """Builds the value of one document from its events."""

    def __init__(self, source: str, number: int, errors: list[ManifestError]) -> None:
        self.source = source
        self.number = number
        self.errors = errors
        self.faulty = False
        self.open: list[_Open] = []
        self.root: JSON = None
        self.lines: dict[int, dict[str | int, int]] = {}
        self.anchored: dict[str, tuple[JSON, int]] = {}
        self.size = 0
        self.repeated = 0

    def document(self, events: Iterator[Event]) -> Document:
        """Read the events up to the document's end."""
        line = 0
        for event in events:
            line = line or event.line
            if event.what is What.END:
                if not self.open:
                    break
                done = self.open.pop()
                self._name(done.anchor, done.value, self.size - done.size_before)
            elif event.what in {What.OBJECT, What.LIST}:
                self._begin(event)
            elif self.open and isinstance(self.open[-1].value, dict) and self.open[-1].key is None:
                self._key(self.open[-1], event)
            else:
                self._scalar(event)
        return Document(self.number, line, self.root, self.faulty, self.lines)

    def _begin(self, event: Event) -> None:
        if len(self.open) == _MAX_DEPTH:
            raise self._error(event.line, f"is nested deeper than {_MAX_DEPTH} levels")
        if self.open and isinstance(self.open[-1].value, dict) and self.open[-1].key is None:
            raise self._error(event.line, "has a key that is an object or a list: a key must be text")
        if event.fault is not None:
            self._report(event.line, event.fault)
        value: dict[str, JSON] | list[JSON] = {} if event.what is What.OBJECT else []
        lines: dict[str | int, int] = {}
        opened = _Open(value, lines, self._path(), event.anchor, self.size)
        self._put(value, event.line)
        self.lines[id(value)] = lines
        self.open.append(opened)

    def _key(self, parent: _Open, event: Event) -> None:
        key = event.value if isinstance(event.value, str) else event.plain or str(event.value)
        parent.key = key
        self.size += len(key)
        self._name(event.anchor, key, len(key))
        parent.is_duplicate = key in parent.value
        if event.what is What.ALIAS:
            self._report(event.line, "has an alias for a key: write the key out")
        elif event.fault is not None or not isinstance(event.value, str):
            self._report(event.line, "has a key that is no text: write the key in quotes")
        elif event.plain == "<<":
            self._report(event.line, "is a merge key, which is not supported: write the members out")
        elif parent.is_duplicate:
            self._report(event.line, f"stands twice in one object, first in line {parent.lines[key]}: remove one")
        elif _HALF_SURROGATE.search(key):
            self._report(event.line, "has a key with half a surrogate pair in it")
        if not parent.is_duplicate:
            parent.lines[key] = event.line

    def _scalar(self, event: Event) -> None:
        value, size = event.value, len(event.value) if isinstance(event.value, str) else 8
        if event.what is What.ALIAS:
            name = str(event.value)
            if name not in self.anchored:
                raise self._error(
                    event.line, f"alias *{name} has no finished anchor &{name} before it in this document"
                )
            value, size = self.anchored[name]
            self.repeated += size
            if self.repeated > _MAX_REPEATED:
                raise self._error(
                    event.line, f"aliases repeat more than {_MAX_REPEATED >> 20} MiB: write the values out"
                )
        elif event.fault is not None:
            self._report(event.line, event.fault)
        elif isinstance(value, str) and _HALF_SURROGATE.search(value):
            self._report(event.line, "holds half a surrogate pair, which is no character")
        self.size += size
        self._name(event.anchor, value, size)
        self._put(value, event.line)

    def _put(self, value: JSON, line: int) -> None:
        if not self.open:
            self.root = value
            return
        parent = self.open[-1]
        if isinstance(parent.value, list):
            parent.lines[len(parent.value)] = line
            parent.value.append(value)
        else:
            assert parent.key is not None
            if not parent.is_duplicate:
                parent.value[parent.key] = value
            parent.key = None

    def _name(self, anchor: str | None, value: JSON, size: int) -> None:
        if anchor is not None:
            self.anchored[anchor] = (value, size + 8)

    def _path(self) -> Path:
        """Return where the next value goes."""
        if not self.open:
            return ()
        parent = self.open[-1]
        step = len(parent.value) if isinstance(parent.value, list) else parent.key
        return (*parent.steps, step) if step is not None else parent.steps

    def _error(self, line: int, message: str) -> ManifestError:
        return ManifestError(self.source, self.number, line, field_name(self._path()), message)

    def _report(self, line: int, message: str) -> None:
        self.faulty = True
        self.errors.append(self._error(line, message))
        if len(self.errors) >= _MAX_ERRORS:
            raise self._error(line, f"is the last of {_MAX_ERRORS} errors that are shown; the rest was not read")
