"""systemd unit files, read as Ignition's parser (go-systemd) reads them: which options stand in which section.

systemd itself reads more of them and less: this says what a client accepts, not what systemd makes of it.
"""

import re
from typing import NamedTuple

__all__ = ["InvalidUnit", "Option", "options", "quoted", "sections", "without_effect"]


class Option(NamedTuple):
    """A line `name=value` of a section; the value with its continuation lines."""

    section: str
    name: str
    value: str


class InvalidUnit(ValueError):
    """The text is no unit file. message: why, in the parser's words; str() is Ignition's message. Never leaves this
    package.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return f"invalid unit content: {self.message}"


# The parser reads through a buffer, and complains of a long line only where it begins a token while the buffer holds
# that much of it: whether a line is too long depends on where it stands.
_BUFFER = 4096
_LONGEST_LINE = 2048
_END_OF_LINE = re.compile(rb"[\r\n]")
# What most files are made of. No option or comment among these goes on in the next line.
_SIMPLE_LINES = re.compile(rb"(?:[A-Za-z][^=\r\n]*+=[^\n\\]*+\n|[#;][^\n\\]*+\n|[\t\n\r ]++)*+")

_SPACES = (  # Unicode's, as Go has them
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_SPACE = f"(?:[\t-\r ]|{'|'.join(sign for sign in _SPACES if sign > '~')})".encode()
_NAME = re.compile(rb"[^=\r\n]*")
_CHARACTER = re.compile(rb"[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*")


class _Skipped(NamedTuple):
    """Characters to be skipped: a single one, and all of them at once."""

    one: re.Pattern[bytes]
    run: re.Pattern[bytes]


_BEFORE_SECTIONS = _Skipped(re.compile(rb"[^\[#;\x80-\xff]|[\xc0-\xff][\x80-\xbf]*"), re.compile(rb"[^\[#;]+"))
_SPACE_IN_SECTION = _Skipped(re.compile(_SPACE), re.compile(_SPACE + b"+"))


def options(text: str) -> tuple[Option, ...]:
    """Return the options of a unit file in their order; a section without any leaves no trace.

    >>> options("[Install]\\nWantedBy = a.target\\n")
    (Option(section='Install', name='WantedBy', value='a.target'),)

    Whatever stands before the first section is skipped. Raises InvalidUnit.
    """
    return tuple(_Reader(text).read())


def sections(text: str) -> frozenset[str]:
    """Return the names of the sections that hold an option, in much less time than the options themselves take.

    >>> sections("[Unit]\\n[Install]\\nWantedBy=a.target\\n")
    frozenset({'Install'})

    Raises InvalidUnit where options() does.
    """
    reader = _Reader(text, one_of_each_section=True)
    return frozenset(option.section for option in reader.read())


class _Reader:
    """One pass over a unit file. position: of what is read next; buffered: up to where the parser's buffer is filled;
    end_of_line: of the line that was looked at last for its length.

    The buffer is followed only through files that have a long line at all. one_of_each_section: options after the first
    of a section may be left out.
    """

    def __init__(self, text: str, *, one_of_each_section: bool = False) -> None:
        self.data = text.encode(errors="surrogatepass")
        self.position = 0
        self.buffered = 0
        self.end_of_line = 0
        self.has_long_line = max(map(len, _END_OF_LINE.split(self.data))) >= _LONGEST_LINE
        self.skips_simple_lines = one_of_each_section and not self.has_long_line

    def read(self) -> list[Option]:
        found: list[Option] = []
        section: str | None = None
        while True:
            self._skip(_BEFORE_SECTIONS if section is None else _SPACE_IN_SECTION)
            self._begin_token()
            sign = self.data[self.position : self.position + 1]
            if not sign:
                return found
            if sign == b"[":
                self._advance(1)
                section = self._section()
            elif sign in (b"#", b";"):
                self._advance(1)
                self._begin_token()
                self._comment()
            else:
                assert section is not None  # nothing else stops the search for the first one
                self._fill_for_character()
                found.append(self._option(section))
                if self.skips_simple_lines and (match := _SIMPLE_LINES.match(self.data, self.position)) is not None:
                    self.position = match.end()

    def _section(self) -> str:
        self._begin_token()
        name = self._up_to(b"]")
        if not name.endswith(b"]"):
            raise InvalidUnit("unable to find end of section")
        self._begin_token()
        garbage = _text(self._line()).strip(_SPACES)
        if garbage:
            raise InvalidUnit(f"found garbage after section name : {quoted(garbage)}")
        return _text(name[:-1])

    def _comment(self) -> None:
        while self._line().removesuffix(b" ").endswith(b"\\"):
            pass

    def _option(self, section: str) -> Option:
        self._begin_token()
        match = _NAME.match(self.data, self.position)
        assert match is not None  # it matches nothing as well
        end = match.end()
        if end == len(self.data):
            raise InvalidUnit("EOF")
        if self.data[end] != ord("="):
            raise InvalidUnit("unexpected newline encountered while parsing option name")
        self._advance(end + 1 - self.position)
        return Option(section, _text(match[0]).strip(_SPACES), self._value())

    def _value(self) -> str:
        lines: list[bytes] = []
        while True:
            self._begin_token()
            line = self._line()
            if not _text(line).strip(_SPACES):
                break
            lines.append(line)
            if not line.endswith(b"\\"):
                break
            if self.position < len(self.data) or self.data.endswith(b"\n"):
                lines.append(b"\n")
        value = _text(b"".join(lines))
        return value.strip(_SPACES) + ("\n" if value.endswith("\n") else "")

    def _line(self) -> bytes:
        """Read up to the end of the line, which is a newline, or the end of the text with or without a return."""
        line = self._up_to(b"\n")
        return line[:-1] if line.endswith(b"\n") else line.removesuffix(b"\r")

    # The buffer

    def _begin_token(self) -> None:
        if not self.has_long_line or self.buffered - self.position < _LONGEST_LINE:
            return
        if self.end_of_line < self.position:
            match = _END_OF_LINE.search(self.data, self.position)
            self.end_of_line = len(self.data) if match is None else match.start()
        if self.end_of_line - self.position >= _LONGEST_LINE:
            raise InvalidUnit(f"line too long (max {_LONGEST_LINE} bytes)")

    def _skip(self, skipped: _Skipped) -> None:
        """Skip characters, each of which is a token to the parser."""
        pattern = skipped.one if self.has_long_line else skipped.run
        while (match := pattern.match(self.data, self.position)) is not None:
            self._begin_token()
            self._advance(match.end() - self.position)

    def _advance(self, length: int) -> None:
        """Step over characters, read one by one."""
        end = self.position + length
        if self.has_long_line:
            while self.position < end:
                self._fill_for_character()
                match = _CHARACTER.match(self.data, self.position)
                self.position = end if match is None else match.end()
        self.position = end

    def _fill_for_character(self) -> None:
        """Fill the buffer where it does not hold all of the next character."""
        match = _CHARACTER.match(self.data, self.position)
        if match is not None and match.end() > self.buffered:
            self.buffered = min(len(self.data), self.position + _BUFFER)

    def _up_to(self, delimiter: bytes) -> bytes:
        """Read up to and with a delimiter, or to the end; the buffer slides along, full windows at a time."""
        start = self.position
        found = self.data.find(delimiter, start)
        end = len(self.data) if found < 0 else found + 1
        window = start
        while self.has_long_line and self.buffered < end:
            if self.buffered - window >= _BUFFER:
                window = self.buffered
            self.buffered = min(len(self.data), window + _BUFFER)
        self.position = end
        return self.data[start:end]


def _text(data: bytes) -> str:
    return data.decode(errors="surrogatepass")


_ESCAPES = {
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
    '"': r"\"",
    "\\": r"\\",
}


def without_effect(name: str) -> str:
    """Return the warning that a unit is enabled in vain, in Ignition's words."""
    return f"unit {quoted(name)} is enabled, but has no install section so enable does nothing"


def quoted(text: str) -> str:
    """Return the text in quotation marks, as Go's %q writes it in messages.

    >>> print(quoted('a"\\n'))
    "a\\"\\n"
    """
    return '"' + "".join(_ESCAPES.get(sign) or _as_it_is_or_by_number(sign) for sign in text) + '"'


def _as_it_is_or_by_number(sign: str) -> str:
    if sign.isprintable():
        return sign
    number = ord(sign)
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
