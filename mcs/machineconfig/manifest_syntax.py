"""YAML and JSON text as one stream of events with lines, and documents as YAML text. Does no I/O; knows no object.

Rule 1: a plain scalar means what it means to Kubernetes (YAML 1.1 words for true and false, octal integers), except
that nothing is made which JSON lacks: dates, times and base 60 stay text; infinities and long integers are faults.
Rule 2: events come one by one, and neither syntax is read by recursion, so a reader can stop wherever it likes.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import NamedTuple, Protocol

import yaml

from mcs.jsondata import JSON

__all__ = ["Event", "SyntaxFault", "What", "json_events", "write_yaml", "yaml_events"]

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class What(Enum):
    """What an event says."""

    DOCUMENT = auto()
    OBJECT = auto()
    LIST = auto()
    END = auto()
    SCALAR = auto()
    ALIAS = auto()


class Event(NamedTuple):
    """One step through a text. END ends an object, a list or, after its value, a document.

    line: from 1. value: of a scalar; the anchor's name for an alias. plain: the text of a scalar without quotes, as it
    stands. anchor: the name under which this value is referred to later. fault: why it has no JSON value.
    """

    what: What
    line: int
    value: JSON = None
    plain: str | None = None
    anchor: str | None = None
    fault: str | None = None


class SyntaxFault(ValueError):
    """The text cannot be understood from this line on."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


# ---- plain scalars

_WORDS: dict[str, JSON] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INTEGERS = (
    (re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (re.compile(r"[-+]?0[bB][01]+"), 2),
    (re.compile(r"[-+]?0[oO]?[0-7]+"), 8),
    (re.compile(r"[-+]?(?:0|[1-9][0-9]*)"), 10),
)
_TOO_LONG = "is an integer beyond 64 bits: write it in quotes if it is meant as text"
_TOO_LARGE = "is no finite number: write it in quotes if it is meant as text"


def _integer(text: str, base: int) -> tuple[JSON, str | None]:
    value = int(text, base) if len(text) <= 70 else None  # 64 binary digits, sign and prefix; int() is slow beyond
    return (value, None) if value is not None and -(2**63) <= value < 2**63 else (None, _TOO_LONG)


def _number(text: str) -> tuple[JSON, str | None]:
    value = float(text)
    return (value, None) if math.isfinite(value) else (None, _TOO_LARGE)


def _plain(text: str) -> tuple[JSON, str | None]:
    """Return what a plain YAML scalar means, or why it has no meaning in JSON."""
    if text in _WORDS:
        return _WORDS[text], None
    if text[0] not in "+-.0123456789":
        return text, None
    if _NOT_FINITE.fullmatch(text):
        return None, _TOO_LARGE
    digits = text if text[0] == "." else text.replace("_", "")
    for pattern, base in _INTEGERS:
        if pattern.fullmatch(digits):
            octal = base == 8 and "o" not in digits.lower()
            return _integer(digits.replace("0", "0o", 1) if octal else digits, base)
    return _number(digits) if _DECIMAL.fullmatch(digits) else (text, None)


# ---- YAML

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAG = "tag:yaml.org,2002:"
_SCALAR_TAGS: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "null": (type(None),),
}


def yaml_events(text: str) -> Iterator[Event]:
    """Read YAML, several documents; raises SyntaxFault."""
    unprintable = _UNPRINTABLE.search(text)
    if unprintable:
        line = text.count("\n", 0, unprintable.start()) + 1
        raise SyntaxFault(
            line, f"holds the control character U+{ord(unprintable[0]):04X}: remove it, or write \\u… in quotes"
        )
    try:
        for event in yaml.parse(text, Loader=_Loader):
            make = _YAML_EVENTS.get(type(event))
            if make is not None:
                yield make(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = " ".join(part for part in (error.context, error.problem) if part)
        raise SyntaxFault(_line(mark), f"is no YAML: {reason}") from error
    except yaml.YAMLError as error:
        raise SyntaxFault(1, "is no YAML") from error


class _Mark(Protocol):
    line: int


def _line(mark: _Mark | None) -> int:
    return mark.line + 1 if mark is not None else 1


def _yaml_scalar(event: yaml.ScalarEvent) -> Event:
    plain = bool(event.implicit[0])
    tag = event.tag or ""
    value: JSON = event.value
    fault = None
    if plain or tag.removeprefix(_TAG) in _SCALAR_TAGS:
        value, fault = _plain(event.value)
    if tag and tag not in {"!", _TAG + "str"} and not isinstance(value, _SCALAR_TAGS.get(tag.removeprefix(_TAG), ())):
        fault = f"bears the tag {tag.replace(_TAG, '!!')!r}, which its value cannot have: remove the tag"
    return Event(What.SCALAR, _line(event.start_mark), value, event.value if plain else None, event.anchor, fault)


def _yaml_collection(what: What, tag: str) -> Callable[[yaml.CollectionStartEvent], Event]:
    def make(event: yaml.CollectionStartEvent) -> Event:
        found = event.tag or "!"
        fault = f"bears the tag {found.replace(_TAG, '!!')!r}: remove it" if found not in {"!", _TAG + tag} else None
        return Event(what, _line(event.start_mark), anchor=event.anchor, fault=fault)

    return make


def _yaml_bare(what: What) -> Callable[[yaml.Event], Event]:
    return lambda event: Event(what, _line(event.start_mark))


_YAML_EVENTS: dict[type[yaml.Event], Callable[..., Event]] = {
    yaml.DocumentStartEvent: _yaml_bare(What.DOCUMENT),
    yaml.DocumentEndEvent: _yaml_bare(What.END),
    yaml.MappingStartEvent: _yaml_collection(What.OBJECT, "map"),
    yaml.SequenceStartEvent: _yaml_collection(What.LIST, "seq"),
    yaml.MappingEndEvent: _yaml_bare(What.END),
    yaml.SequenceEndEvent: _yaml_bare(What.END),
    yaml.ScalarEvent: _yaml_scalar,
    yaml.AliasEvent: lambda event: Event(What.ALIAS, _line(event.start_mark), event.anchor),
}


class _PlainDumper(_Dumper):  # type: ignore[misc, valid-type]  # the base is chosen above: libyaml's where there is one
    """Quotes every text that would be read as something else, and never uses an alias."""

    def ignore_aliases(self, _data: object) -> bool:
        return True

    def text(self, data: str) -> yaml.ScalarNode:
        return yaml.ScalarNode(_TAG + "str", data, style=None if _plain(data) == (data, None) and data != "<<" else '"')


_PlainDumper.add_representer(str, _PlainDumper.text)


def write_yaml(*documents: JSON) -> str:
    """Write documents as YAML text that is read back as the same values."""
    several = len(documents) > 1
    text: str = yaml.dump_all(
        documents, Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=1_000_000, explicit_start=several
    )
    return text


# ---- JSON

_JSON_SPACE = re.compile(r"[ \t\r\n]*")
_JSON_TOKEN = re.compile(
    r'(?P<mark>[{}\[\],:])|(?P<text>"(?:[^"\\\x00-\x1f]++|\\.)*+")|(?P<word>true|false|null)'
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?P<fraction>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?))(?![\w.+-])",
    re.ASCII,
)
_JSON_VALUE = frozenset({"{", "[", "text", "word", "number"})
_JSON_WORDS: dict[str, JSON] = {"true": True, "false": False, "null": None}
# What may come next: after an opening, after a comma, after a value in an object or a list, and so on.
_JSON_NEXT: dict[str, tuple[frozenset[str], str]] = {
    "document": (_JSON_VALUE, "a value"),
    "first key": (frozenset({"text", "}"}), "a key in quotes or }"),
    "key": (frozenset({"text"}), "a key in quotes"),
    "colon": (frozenset({":"}), ":"),
    "member": (_JSON_VALUE, "a value"),
    "after member": (frozenset({",", "}"}), ", or }"),
    "first item": (_JSON_VALUE | {"]"}, "a value or ]"),
    "item": (_JSON_VALUE, "a value"),
    "after item": (frozenset({",", "]"}), ", or ]"),
}
_JSON_AFTER_VALUE = {"{": "after member", "[": "after item", "": "document"}


def json_events(text: str) -> Iterator[Event]:
    """Read JSON, several documents one after the other; raises SyntaxFault."""
    open_marks: list[str] = []
    expected = "document"
    position, line = 0, 1
    while True:
        start = _JSON_SPACE.match(text, position).end()  # type: ignore[union-attr]  # it matches emptiness too
        line += text.count("\n", position, start)
        if start == len(text) and expected == "document":
            return
        match = _JSON_TOKEN.match(text, start)
        piece = (match["mark"] or match.lastgroup or "") if match is not None else ""
        accepted, words = _JSON_NEXT[expected]
        if match is None or piece not in accepted:
            raise SyntaxFault(line, f"is no JSON: expected {words}, found {_json_found(text, start)}")
        if expected == "document":
            yield Event(What.DOCUMENT, line)
        if piece in "{[":
            open_marks.append(piece)
            yield Event(What.OBJECT if piece == "{" else What.LIST, line)
            expected = "first key" if piece == "{" else "first item"
        elif piece in "}]":
            open_marks.pop()
            yield Event(What.END, line)
            expected = ""
        elif piece in ",:":
            expected = {":": "member", ",": "key" if open_marks[-1] == "{" else "item"}[piece]
        else:
            is_key = expected in {"first key", "key"}
            yield _json_scalar(match, line)
            expected = "colon" if is_key else ""
        if not expected:
            expected = _JSON_AFTER_VALUE[open_marks[-1] if open_marks else ""]
            if not open_marks:
                yield Event(What.END, line)
        position = match.end()


def _json_scalar(match: re.Match[str], line: int) -> Event:
    fault = None
    value: JSON
    if match["text"] is not None:
        try:
            value = json.loads(match["text"])
        except ValueError as error:
            raise SyntaxFault(line, "is no JSON: an escape in a text is wrong") from error
    elif match["word"] is not None:
        value = _JSON_WORDS[match["word"]]
    else:
        value, fault = _number(match["number"]) if match["fraction"] else _integer(match["number"], 10)
    return Event(What.SCALAR, line, value, fault=fault)


def _json_found(text: str, position: int) -> str:
    if position == len(text):
        return "the end"
    word = re.compile(r"[-+.\w]+|.", re.DOTALL).match(text, position)
    return ascii(word[0][:20] if word is not None else "")
