"""The text of a config as JSON data, taken as Ignition's decoder takes it (Go's encoding/json). Pure.

It knows no table: which members a config may have, and of what type, is not decided here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import Never

from mcs.ignition.errors import EmptyConfig, NotJSON
from mcs.ignition.positions import places
from mcs.ignition.report import Entry, Kind, Path, Report
from mcs.jsondata import JSON, JSONObject

__all__ = ["Decoded", "decode"]


@dataclass(frozen=True, slots=True)
class Decoded:
    """A JSON value and the text it was read from, in which what is no Unicode has become U+FFFD.

    repeated: the paths of members of the value that an object has twice, or each of two that have become one.
    """

    value: JSON
    text: str
    repeated: tuple[Path, ...] = ()


def decode(source: str | bytes) -> Decoded:
    """Return the JSON value of a text.

    Bytes are UTF-8. Every byte that is not, and every lone surrogate, escaped or not, becomes U+FFFD. Of two members of
    one name in one object the later one counts, except that two objects become one, member by member; a null after an
    object changes nothing (Go: null leaves a struct as it is). An integer of more than 20 characters becomes ±2**64:
    neither fits 64 bits, and Python refuses to read very long ones.

    >>> decoded = decode('{"a": {"b": 1}, "a": {"c": [2]}, "d": 3, "d": 4}')
    >>> decoded.value, decoded.repeated
    ({'a': {'b': 1, 'c': [2]}, 'd': 4}, (('a',), ('d',)))
    >>> decode('{"a": 1}, {}')
    Traceback (most recent call last):
    mcs.ignition.errors.NotJSON: $: not JSON: Extra data

    Raises EmptyConfig where there is no character at all, and NotJSON, with line and column, where the text is not
    exactly one JSON value, or one nested deeper than the interpreter's stack (about 900 levels).
    """
    if not source:
        raise EmptyConfig
    text = _unicode(source)
    _refuse_other_formats(text)
    objects = _Objects()
    decoder = JSONDecoder(parse_int=_integer, parse_constant=_no_constant, object_pairs_hook=objects.make)
    try:
        value = decoder.decode(text)
        objects.settle(value)
        return Decoded(value, text, tuple(objects.repeated(value)))
    except JSONDecodeError as error:
        raise _not_json(f"not JSON: {error.msg.removesuffix(' at').rstrip(': ')}", text, error.pos) from None
    except _Constant as error:
        raise _not_json(f"not JSON: {error} is no number", text, _first_constant(text)) from None
    except RecursionError:
        raise _not_json("nested too deeply", text, _deepest(text)) from None


def _not_json(message: str, text: str, offset: int) -> NotJSON:
    return NotJSON(Report((Entry(Kind.ERROR, (), message, places(text, [offset])[offset]),)))


# Characters

_REPLACEMENT = "\ufffd"
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Every escape is matched, so that the second half of an escaped backslash never counts as the start of another one.
_ESCAPE = re.compile(
    r"""\\ (?: (?P<pair> u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2} )
             | (?P<lone> u[dD][89a-fA-F][0-9a-fA-F]{2} )
             | . )""",
    re.VERBOSE | re.DOTALL,
)


def _unicode(source: str | bytes) -> str:
    """Return the text without lone surrogates; every character and every escape keeps its place."""
    # Go replaces each invalid byte by itself, where Python's own replacement takes several at a time.
    text = source.decode("utf-8", "surrogateescape") if isinstance(source, bytes) else source
    if not text.isascii():
        text = _SURROGATE.sub(_REPLACEMENT, text)
    if _ESCAPED_SURROGATE.search(text):
        text = _ESCAPE.sub(lambda escape: escape[0] if escape["lone"] is None else r"\ufffd", text)
    return text


# What people send instead of a config

_BYTE_ORDER_MARK = "\ufeff"


def _refuse_other_formats(text: str) -> None:
    """Name what the text is, where it is no JSON but something well known. The words are Ignition's."""
    if text.startswith(_BYTE_ORDER_MARK):
        raise _not_json("not JSON: a byte order mark", text, 0)
    if text.startswith("#!"):
        raise _not_json("not a config (found coreos-cloudinit script)", text, 0)
    if text.startswith("#") and text.split("\n", 1)[0].rstrip() == "#cloud-config":
        raise _not_json("not a config (found coreos-cloudconfig)", text, 0)


# Values


class _Constant(Exception):
    """NaN or Infinity, which Python reads as numbers and JSON does not have."""


def _no_constant(name: str) -> Never:
    raise _Constant(name)


_LONGEST = 20  # characters of the longest integers in 64 bits, and more than any in 63


def _integer(text: str) -> int:
    if len(text) <= _LONGEST:
        return int(text)
    return -(2**64) if text.startswith("-") else 2**64


class _Objects:
    """Makes the objects of one text, and knows which of their members are repeated.

    Objects of one name become one only when the text has been read, outer ones first: so each is taken apart once,
    however deep it lies in others that are repeated as well.
    """

    def __init__(self) -> None:
        # By identity; the object stands beside what is known of it, so that no other one gets its identity.
        self._repeats: dict[int, tuple[JSONObject, set[str]]] = {}
        self._later: dict[int, tuple[JSONObject, list[JSONObject]]] = {}  # what is to become part of the object

    def make(self, pairs: list[tuple[str, JSON]]) -> JSONObject:
        members = dict(pairs)
        if len(members) != len(pairs):
            members = {}
            for name, value in pairs:
                self._put(members, name, value)
        return members

    def _put(self, members: JSONObject, name: str, value: JSON) -> None:
        if name in members:
            self._note(members, {name})
        earlier = members.get(name)
        if not isinstance(earlier, dict):
            members[name] = value
        elif isinstance(value, dict):
            self._later.setdefault(id(earlier), (earlier, []))[1].append(value)
        elif value is not None:
            members[name] = value

    def settle(self, value: JSON) -> None:
        """Make one object of those that have one name, everywhere in the value; no recursion, it may be deep."""
        pending: list[JSON] = [value] if self._later else []
        while pending:
            value = pending.pop()
            if isinstance(value, dict):
                self._take_in(value)
                pending += value.values()
            elif isinstance(value, list):
                pending += value

    def _take_in(self, members: JSONObject) -> None:
        pending = self._later_than(members)
        while pending:
            later = pending.pop()
            for name, value in later.items():
                self._put(members, name, value)
            if id(later) in self._repeats:
                self._note(members, self._repeats[id(later)][1])
            pending += self._later_than(later)

    def _later_than(self, members: JSONObject) -> list[JSONObject]:
        """Return what is to become part of an object, the last one first."""
        return self._later[id(members)][1][::-1] if id(members) in self._later else []

    def _note(self, members: JSONObject, names: set[str]) -> None:
        self._repeats.setdefault(id(members), (members, set()))[1].update(names)

    def repeated(self, value: JSON) -> Iterator[Path]:
        """Yield the path of each repeated member that is in the value, in its order; no recursion, it may be deep."""
        pending: list[tuple[Path, JSON]] = [((), value)] if self._repeats else []
        while pending:
            path, value = pending.pop()
            if isinstance(value, dict):
                names = self._repeats[id(value)][1] if id(value) in self._repeats else ()
                yield from ((*path, name) for name in value if name in names)
                pending += [((*path, name), member) for name, member in reversed(value.items())]
            elif isinstance(value, list):
                pending += [((*path, index), value[index]) for index in reversed(range(len(value)))]


# Where a text that Python's decoder does not locate goes wrong

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_CONSTANTS = re.compile(rf"{_STRING}|(?P<constant>NaN|-?Infinity)", re.DOTALL)
_BRACKETS = re.compile(rf"{_STRING}|(?P<opening>[\[{{])|(?P<closing>[\]}}])", re.DOTALL)


_DEEPEST = 900  # levels that can be counted on: of the interpreter's 1000 the callers take some


def _first_constant(text: str) -> int:
    return next(match.start() for match in _CONSTANTS.finditer(text) if match["constant"])


def _deepest(text: str) -> int:
    """Return where the first object or list begins that is deeper than can be counted on, or else the deepest one."""
    depth = greatest = offset = 0
    for match in _BRACKETS.finditer(text):
        if match["opening"]:
            depth += 1
            if depth > greatest:
                greatest, offset = depth, match.start()
            if depth > _DEEPEST:
                break
        elif match["closing"]:
            depth -= 1
    return offset
