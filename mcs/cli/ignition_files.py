"""Ignition configs in files: read with all that is said of them, and that as lines of a compiler or as JSON.

Whatever is wrong with a file, that it cannot be read or that it breaks a rule, is an entry; nothing is raised.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcs.cli.options import one_line, printable
from mcs.cli.streams import read_input
from mcs.ignition.decoding import Decoded, decode
from mcs.ignition.errors import (
    EmptyConfig,
    IgnitionError,
    InvalidConfig,
    InvalidVersion,
    NoFilesystem,
    NotJSON,
    Problem,
    UnknownVersion,
    Unsupported,
    UnsupportedFeatures,
    Untranslatable,
)
from mcs.ignition.parsing import Parsed, parse_decoded
from mcs.ignition.positions import locate
from mcs.ignition.report import Entry, Kind, Position, path_text
from mcs.ignition.report import Path as ConfigPath
from mcs.ignition.versions import SPEC_2, SPEC_3, SpecVersion
from mcs.jsondata import JSON, JSONObject, text_at

__all__ = [
    "LARGEST",
    "MOST",
    "STDIN",
    "Examined",
    "by_position",
    "examine",
    "line",
    "lines",
    "placed",
    "record",
    "refusals",
]

LARGEST = 16 * 1024 * 1024
MOST = 1000  # lines for people about one file
STDIN = "-"

_KNOWN = f"{SPEC_2[0]} to {SPEC_2[-1]} and {SPEC_3[0]} to {SPEC_3[-1]}"


@dataclass(frozen=True, slots=True)
class Examined:
    """A file and what is said of it, by position. text: as it was decoded; parsed: None where there is an error."""

    file: str
    entries: tuple[Entry, ...]
    text: str = ""
    parsed: Parsed | None = None


def examine(file: str) -> Examined:
    """Read a file, or standard input for "-", and check the config in it."""
    name = "<stdin>" if file == STDIN else _UNDECODED.sub(lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", file)
    try:
        content = _read(file)
    except OSError as error:
        return _refused(name, f"cannot be read: {error.strerror or error}")
    except ValueError as error:  # a NUL in a file's name
        return _refused(name, f"cannot be read: {error}")
    if len(content) > LARGEST:
        return _refused(name, f"is larger than {LARGEST >> 20} MiB")
    try:
        decoded = decode(content)
    except NotJSON as error:
        hint = _text_taken_for(content)
        return Examined(name, error.report.entries) if hint is None else _refused(name, hint, Position(1, 1))
    except EmptyConfig as error:
        return _refused(name, str(error))
    return _examined(name, decoded)


def _examined(name: str, decoded: Decoded) -> Examined:
    repeats = _repeats(decoded)
    try:
        parsed = parse_decoded(decoded)
    except InvalidVersion as error:
        hint = None if error.text else _object_taken_for(decoded.value)
        if hint is not None:
            return _refused(name, hint, Position(1, 1))
        return Examined(name, by_position([*_about_version(decoded, str(error)), *repeats]))
    except UnknownVersion as error:
        return Examined(name, by_position([*_about_version(decoded, f"{error}: specs {_KNOWN} are"), *repeats]))
    except InvalidConfig as error:
        return Examined(name, by_position([*error.report.entries, *repeats]))
    return Examined(name, by_position([*parsed.report.entries, *repeats]), decoded.text, parsed)


_UNDECODED = re.compile("[\udc80-\udcff]")  # what Python makes of bytes of a file's name that are no characters


def _read(file: str) -> bytes:
    """Read a file, or of one that is too large just enough to know."""
    if file == STDIN:
        return read_input(LARGEST + 1)
    with Path(file).open("rb") as stream:
        return stream.read(LARGEST + 1)


def _refused(name: str, message: str, position: Position | None = None) -> Examined:
    return Examined(name, (Entry(Kind.ERROR, (), message, position),))


def _about_version(decoded: Decoded, message: str) -> tuple[Entry, ...]:
    return _placed(decoded.text, [Entry(Kind.ERROR, ("ignition", "version"), message)])


def by_position(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Order entries by their place in the text, those without one first, and otherwise as they are."""
    return tuple(sorted(entries, key=lambda entry: entry.position or Position(0, 0)))


_REPEATED = "repeated: the later one counts; two objects become one"


def _repeats(decoded: Decoded) -> list[Entry]:
    """Warn of members that an object has twice, at the later one: clients take that without a word."""
    if not decoded.repeated:
        return []
    places = locate(decoded.text, (), decoded.repeated)
    return [Entry(Kind.WARNING, path, _REPEATED, places[path]) for path in decoded.repeated]


# ---- what a file is instead


# What people have in hand instead of an Ignition config: a pattern of its text, and what to do.
_TAKEN_FOR: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), hint)
    for pattern, hint in (
        (
            r"^kind: *[\"']?MachineConfig[\"']? *$",
            "this is a MachineConfig in YAML: take the value of its spec.config, as JSON (yq -o json .spec.config)",
        ),
        (r"^(apiVersion|kind): ", "this is a Kubernetes manifest, not an Ignition config"),
        (r"^variant: ", "this is a Butane config: have butane make an Ignition config of it"),
        (r"\A(?:\s|#.*\n)*(---\s|[\w-]+:\s)", "this is YAML, and Ignition reads JSON alone: rewrite it (yq -o json)"),
    )
)


def _text_taken_for(content: bytes) -> str | None:
    """Tell what a text is that is no JSON, and what to do; None where it looks like an Ignition config."""
    start = content[:65536].decode("utf-8", "replace")
    if start.lstrip().startswith(("{", "[", "#!", "#cloud-config")):
        return None  # decoding has the better words
    return next((hint for pattern, hint in _TAKEN_FOR if pattern.search(start)), None)


def _object_taken_for(document: JSON) -> str | None:
    """Tell what a document without a version is; None where it looks like an Ignition config."""
    kind = text_at(document, "kind")
    if kind == "MachineConfig":
        return "this is a MachineConfig: take the value of its spec.config (jq .spec.config)"
    if kind is not None and text_at(document, "apiVersion") is not None:
        return f"this is a Kubernetes manifest of a {one_line(kind)}, not an Ignition config"
    if text_at(document, "variant") is not None:
        return "this is a Butane config: have butane make an Ignition config of it"
    return None


# ---- what a conversion says


def refusals(source: Examined, error: IgnitionError, mounting: str) -> tuple[Entry, ...]:
    """Return why a file's config cannot be said in another spec, each reason at its place in the file.

    mounting: what to do where no mount point is known for the filesystem {}.
    """
    if isinstance(error, UnsupportedFeatures):
        entries = tuple(_refusal(each, error.to) for each in error.features)
    elif isinstance(error, Untranslatable):
        entries = tuple(_refusal(each, error.to, mounting) for each in error.problems)
    elif isinstance(error, InvalidConfig):
        entries = error.report.entries
    else:
        entries = (Entry(Kind.ERROR, (), str(error)),)
    return placed(source, entries)


def _refusal(problem: Problem, to: SpecVersion, mounting: str = "") -> Entry:
    if isinstance(problem, Unsupported):
        message = f"spec {to} lacks {problem.field} (since {problem.since})"
    else:
        message = problem.message
    if isinstance(problem, NoFilesystem) and problem.name:
        message += f": {mounting.format(problem.name)}"
    return Entry(Kind.ERROR, _keys(problem.path), message)


def placed(source: Examined, entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Give entries whose paths are those of the file their places in it, and order them."""
    return by_position(_placed(source.text, tuple(entries)))


def _placed(text: str, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    places = locate(text, {entry.path for entry in entries})
    return tuple(replace(entry, position=places[entry.path]) for entry in entries)


def _keys(path: str) -> ConfigPath:
    """Take a path's text apart again; no member that a spec knows has a dot in its name or is a number.

    >>> _keys("$.storage.files.0.mode")
    ('storage', 'files', 0, 'mode')
    """
    return tuple(int(key) if key.isdecimal() else key for key in path.split(".")[1:])


# ---- what is said, for people and programs


def line(file: str, entry: Entry) -> str:
    """Write an entry as compilers do.

    >>> line("a.ign", Entry(Kind.ERROR, ("storage", "files", 0, "path"), "path not absolute", Position(1, 61)))
    'a.ign:1:61: error: $.storage.files.0.path: path not absolute'
    >>> line("a.ign", Entry(Kind.ERROR, (), "the config is empty"))
    'a.ign: error: the config is empty'
    """
    place = "" if entry.position is None else f":{entry.position.line}:{entry.position.column}"
    path = f"{path_text(entry.path)}: " if entry.path else ""
    return printable(f"{file}{place}: {entry.kind}: {path}{entry.message}")


def lines(file: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Write a file's entries for people: of very many some, errors before others, and how many more there are."""
    shown = entries
    if len(entries) > MOST:
        shown = by_position(sorted(entries, key=lambda entry: entry.kind is not Kind.ERROR)[:MOST])
    yield from (line(file, entry) for entry in shown)
    if len(shown) < len(entries):
        yield printable(f"{file}: and {len(entries) - len(shown)} more")


def record(examined: Examined) -> JSONObject:
    """Return a file and what is said of it as a program reads it."""
    return {
        "file": examined.file,
        "valid": examined.parsed is not None,
        "version": None if examined.parsed is None else str(examined.parsed.version),
        "report": [
            {
                "kind": entry.kind.value,
                "path": [*entry.path],
                "message": entry.message,
                "line": None if entry.position is None else entry.position.line,
                "column": None if entry.position is None else entry.position.column,
            }
            for entry in examined.entries
        ],
    }
