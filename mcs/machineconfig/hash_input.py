"""The text that the name of a rendered config is the hash of: its spec as the Machine Config Operator writes it. Pure.

The text is YAML, but no YAML library writes it: which style a string gets, and where it is wrapped, decides over names,
and a name that changes reboots a fleet. The rules are those of the emitter that the operator uses.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from mcs.ignition.report import Path, path_text
from mcs.jsondata import JSON, JSONObject

__all__ = ["UnhashableSpec", "hash_input"]


class UnhashableSpec(ValueError):
    """The spec cannot be written. path: where, from the spec on; message: why."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(path, message)
        self.path = path
        self.message = message

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.message}"


def hash_input(spec: JSONObject) -> str:
    """Return the text for a spec, `spec` of a MachineConfig. Order of members does not matter, order of items does.

    >>> print(hash_input({"b": ["yes", "a: b"], "a": {}}), end="")
    a: {}
    b:
    - "yes"
    - 'a: b'

    Raises UnhashableSpec for a character that the text cannot hold, or could not hold without giving two specs one text
    (U+0085), and for a number with a fraction.
    """
    text = _Text()
    text.mapping(spec, 0, ())
    return "".join(text.parts) + ("\n" if text.open else "")


class _Text:
    """The text so far. open: the last line has no line feed yet."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.open = False

    def start(self, column: int, text: str) -> None:
        """Begin a line."""
        self.parts.append("\n" if self.open else "")
        self.parts.append(" " * column + text)
        self.open = True

    def mapping(self, members: JSONObject, column: int, path: Path, inline: bool = False) -> None:
        """Write the members of an object, the first on the line that is open if inline is set."""
        for key in sorted(members, key=lambda name: name.encode(errors="surrogatepass")):
            name = _inline(_checked(key, (*path, key)), 0, column)
            if inline:
                self.parts.append(f"{name}:")
                inline = False
            else:
                self.start(column, f"{name}:")
            self.value(members[key], column, column + len(name) + 1, (*path, key))

    def value(self, value: JSON, column: int, written: int, path: Path) -> None:
        """Write what follows a key or dash that stands in `column`, `written` characters being on the line."""
        if isinstance(value, dict) and value:
            self.mapping(value, column + 2, path)
        elif isinstance(value, list) and value:
            self.items(value, column, path)
        elif isinstance(value, str):
            self.string(_checked(value, path), column, written + 1)
        else:
            self.parts.append(f" {_word(value, path)}")

    def items(self, items: list[JSON], column: int, path: Path) -> None:
        for index, item in enumerate(items):
            self.start(column, "-")
            if isinstance(item, dict) and item:
                self.parts.append(" ")
                self.mapping(item, column + 2, (*path, index), inline=True)
            elif isinstance(item, list) and item:
                raise UnhashableSpec((*path, index), "a list in a list is not known to the text")
            else:
                self.value(item, column, column + 1, (*path, index))

    def string(self, text: str, column: int, written: int) -> None:
        if "\n" in text and _NOT_LITERAL.search(text) is None:
            literal = _literal(text, column + 2)
            self.parts.append(f" {literal}")
            self.open = literal[-1] not in _BREAKS
        else:
            self.parts.append(f" {_inline(text, written, column + 2)}")


def _word(value: JSON, path: Path) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case dict():
            return "{}"
        case list():
            return "[]"
    raise UnhashableSpec(path, "a number with a fraction is not known to the text")


# Characters. The class names are those of the YAML specification; a tab and what lies beyond U+FFFF are not printable
# to this emitter.

_BREAKS = "\n\u2028\u2029"
_REFUSED = re.compile("[\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
_NOT_PRINTABLE = "[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]"
_NOT_LITERAL = re.compile(rf"{_NOT_PRINTABLE}|\x20[{_BREAKS}]|\x20\Z")
_MUST_BE_DOUBLE = re.compile(rf"{_NOT_PRINTABLE}|\n|\x20[{_BREAKS}]|[{_BREAKS}]\x20")
_NOT_PLAIN = re.compile(
    rf"""\A(?:---|\.\.\.|[#,\[\]{{}}&*!|>'"%@`\x20]|[?:-](?:[\x20\t]|\Z))|:(?:[\x20\t]|\Z)"""
    rf"""|(?<=[\x20\t{_BREAKS}])\#|\x20\Z|[{_BREAKS}]"""
)


def _checked(text: str, path: Path) -> str:
    if not text.isascii() or "\x7f" in text:
        refused = _REFUSED.search(text)
        if refused is not None:
            raise UnhashableSpec(
                path, f"the character U+{ord(refused[0]):04X} cannot be part of a rendered config: take it out"
            )
    return text


# Styles.


def _literal(text: str, column: int) -> str:
    """Write a text of several lines as it stands, each line that is not empty from `column` on."""
    hint = "2" if text[0] in f" {_BREAKS}" else ""
    if text[-1] not in _BREAKS:
        chomp = "-"
    elif len(text) == 1 or text[-2] in _BREAKS:
        chomp = "+"
    else:
        chomp = ""
    return f"|{hint}{chomp}\n" + re.sub(rf"(?:\A|(?<=[{_BREAKS}]))(?=[^{_BREAKS}])", " " * column, text)


def _inline(text: str, written: int, column: int) -> str:
    """Write a text in the plain, single or double style; lines that it is wrapped into begin at `column`."""
    if _MUST_BE_DOUBLE.search(text) is not None or _reads_as_other(text):
        return _double(text, written, column)
    if _NOT_PLAIN.search(text) is None:
        return _wrapped(text, written, column)
    pieces = re.split(f"([{_BREAKS}])", text.replace("'", "''"))
    parts: list[str] = []
    for index, piece in enumerate(pieces):
        if index % 2:  # a break: it stands as it is, and the indentation follows before the next character
            parts.append(piece)
            if index + 1 < len(pieces) and pieces[index + 1]:
                parts.append(" " * column)
        else:
            at = written + 1 if index == 0 else column
            parts.append(_wrapped(piece, at, column))
    return "'" + "".join(parts) + "'"


_WIDTH = 80


def _wrapped(text: str, written: int, column: int) -> str:
    """Replace the single spaces that come beyond the width by a line feed and the indentation."""
    if written + len(text) <= _WIDTH:
        return text
    return "".join(_lines(text, written, column, escape_spaces=False))


def _lines(text: str, written: int, column: int, escape_spaces: bool) -> Iterator[str]:
    start = 0
    last = len(text) - 1
    at = text.find(" ", max(_WIDTH - written, 0) + 1)
    while 0 < at < last:
        following = text[at + 1] == " "
        if text[at - 1] != " " and (escape_spaces or not following):
            yield text[start:at]
            yield "\n" + " " * column + ("\\" if following else "")
            start = at + 1
            written = column + (1 if following else 0)
            at = text.find(" ", start + max(_WIDTH - written, 0) + 1)
        else:
            at = text.find(" ", at + 1)
    yield text[start:]


_ESCAPES = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
    "\xa0": "\\_",
    "\u2028": "\\L",
    "\u2029": "\\P",
}
_ESCAPED = re.compile(rf"""["\\{_BREAKS}]|{_NOT_PRINTABLE}""")
_BYTE_ORDER_MARK = "\ufeff"


def _double(text: str, written: int, column: int) -> str:
    # The emitter looks for a byte order mark at the text's first character, whichever it is about to write.
    pattern = _EVERYTHING if text.startswith(_BYTE_ORDER_MARK) else _ESCAPED
    escaped = pattern.sub(lambda match: _escape(match[0]), text)
    return '"' + "".join(_lines(escaped, written + 1, column, escape_spaces=True)) + '"'


_EVERYTHING = re.compile(".", re.DOTALL)


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


# What the reader of the text would take for something else than a string.

_WORDS = frozenset(
    (
        *("", "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "true", "True", "TRUE", "false", "False"),
        *("FALSE", "on", "On", "ON", "off", "Off", "OFF", "~", "null", "Null", "NULL", ".nan", ".NaN", ".NAN"),
        *(sign + infinity for sign in ("", "+", "-") for infinity in (".inf", ".Inf", ".INF")),
    )
)
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|0[oO]?(?P<octal>[0-7]+)|(?P<decimal>0|[1-9][0-9]*))"
)
_SIGNED_BINARY = re.compile(r"0b(?P<digits>[-+][01]+)")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_FRACTION = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_TIMESTAMP = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?:(?P<separator>[Tt]|\x20+)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2})(?:[.,][0-9]+)?"
    r"(?P<zone>Z|[-+](?P<zone_hour>[0-9]{2}):(?P<zone_minute>[0-9]{2}))?)?"
)
_BASES = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}


@lru_cache(maxsize=4096)
def _reads_as_other(text: str) -> bool:
    if text in _WORDS:
        return True
    first = text[0]
    if first == ".":
        return _FRACTION.fullmatch(text) is not None and _is_finite(text.replace("_", ""))
    if first not in "+-0123456789":
        return False
    digits = text.replace("_", "")
    return (
        _is_integer(digits)
        or (_DECIMAL.fullmatch(digits) is not None and _is_finite(digits))
        or _SEXAGESIMAL.fullmatch(text) is not None
        or _is_timestamp(text)
    )


def _is_finite(text: str) -> bool:
    return float(text) not in (float("inf"), float("-inf"))


def _is_integer(text: str) -> bool:
    """Tell whether the text is an integer of 64 bits: unsigned without a sign, else signed."""
    match = _INTEGER.fullmatch(text)
    if match is not None:
        base = match.lastgroup
        assert base is not None  # every branch of the pattern has a name
        return _fits(match["sign"], match[base], _BASES[base])
    signed = _SIGNED_BINARY.fullmatch(text)
    return signed is not None and _fits(signed["digits"][0], signed["digits"][1:], 2)


def _fits(sign: str, digits: str, base: int) -> bool:
    significant = digits.lstrip("0")
    if len(significant) > 64:  # also keeps int() from texts that it refuses
        return False
    value = int(significant or "0", base)
    return value < {"": 2**64, "+": 2**63, "-": 2**63 + 1}[sign]


def _is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return False
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    if not (1 <= month <= 12 and 1 <= day <= _days_in(year, month)):
        return False
    if match["separator"] is None:
        return True
    # A zone stands exactly where a T separates.
    if (match["separator"] in "Tt") != (match["zone"] is not None):
        return False
    if int(match["hour"]) > 23 or int(match["minute"]) > 59 or int(match["second"]) > 59:
        return False
    return int(match["zone_hour"] or "0") <= 24 and int(match["zone_minute"] or "0") <= 60


def _days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
