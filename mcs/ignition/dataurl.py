"""Data URLs (RFC 2397), written as the Machine Config Operator writes them and read as Ignition reads them."""

import base64
import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from mcs.ignition.errors import InvalidDataURL

__all__ = ["decode", "encode", "problem_of"]

_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")
_ENCODED = tuple(chr(byte) if byte in _LITERAL else f"%{byte:02X}" for byte in range(256))

_PREFIX = "data:"
_WORD = re.compile(r"[!#$%&'*+\-.0-9A-Z^_`a-z{|}~]*")
_KNOWN_TYPE = re.compile(r"text|image|audio|video|application|message|multipart|[xX]-")
_QUOTED = re.compile(r'"(?:[ !#-\[\]-~]|\\[ -~])*+(?P<backslash>\\?)')
_UNQUOTABLE = re.compile(  # what Go's strconv.Unquote takes
    r"""(?:[^\\]|\\(?:[abfnrtv\\"]|x[0-9A-Fa-f]{2}|[0-3][0-7]{2}
    |u(?![dD][89A-Fa-f])[0-9A-Fa-f]{4}|U00(?!00[dD][89A-Fa-f])(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4}))*+""",
    re.VERBOSE,
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_NOT_IN_BASE64 = re.compile(r"[^A-Za-z0-9+/=]")
_NOT_IN_DATA = re.compile(r"""[^!$%&'()*+,\-./0-9:;=?@A-Z_a-z~]""")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNFINISHED_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")


class _Layout(NamedTuple):
    """How the data of a URL is written, and where it begins."""

    in_base64: bool
    start: int


def encode(data: bytes) -> str:
    """Return a URL that holds the bytes: every byte but letters, digits and `-_.!~*'()` as %XX, in upper case.

    >>> encode("ä b\\n".encode())
    'data:,%C3%A4%20b%0A'
    """
    return "data:," + "".join(map(_ENCODED.__getitem__, data))


def decode(url: str) -> bytes:
    """Return the bytes that a data URL holds, be it in base64 or with percent-encoding.

    >>> decode("data:text/plain;charset=utf-8;base64,SGkh"), decode("data:,a%20b")
    (b'Hi!', b'a b')

    As strict as Ignition: the scheme in lower case, a media type of a known kind (text, image, audio, video,
    application, message, multipart, x-...), base64 complete with its padding, no character that must be encoded.
    Raises InvalidDataURL, whose text names no data: it may be a secret.
    """
    layout = _checked(url)
    data = url[layout.start :]
    return base64.b64decode(data) if layout.in_base64 else unquote_to_bytes(data)


def problem_of(url: str) -> str | None:
    """Return why the text is no data URL, in Ignition's words, or None. Nothing is decoded.

    >>> problem_of("data:,50%"), problem_of("data:,50%25") is None
    ('rfc2396: unexpected end of unescape sequence', True)
    """
    try:
        _checked(url)
    except InvalidDataURL as error:
        return error.message
    return None


def _checked(url: str) -> _Layout:
    if not url.startswith(_PREFIX):
        raise InvalidDataURL("missing data prefix", "it does not begin with data:")
    layout = _after_parameters(url, _after_media_type(url, len(_PREFIX)))
    if layout.in_base64:
        _check_base64(url, layout.start)
    else:
        _check_percent(url, layout.start)
    return layout


def _after_media_type(url: str, start: int) -> int:
    """Return where the media type ends, which may be where it would begin."""
    if start == len(url):
        raise InvalidDataURL("missing comma before data", "no media type and no comma follow data:")
    if url.startswith((";", ","), start):
        return start
    if _end_of_word(url, start) == start:
        raise InvalidDataURL("invalid character after data prefix", "no media type such as text/plain follows data:")
    # After an x without hyphen the parser looks at one character only to see that it is none.
    skipped = 2 if url.startswith(("x", "X"), start) and not url.startswith("-", start + 1) else 0
    slash = _end_of_word(url, min(start + skipped, len(url)))
    detail = "what follows data: is no media type such as text/plain"
    if slash == len(url):
        raise InvalidDataURL("missing media type slash", detail)
    if url[slash] != "/":
        raise InvalidDataURL("invalid character for media type", detail)
    if _KNOWN_TYPE.match(url, start, slash) is None:
        raise InvalidDataURL("invalid media type", f"{detail}, of a known kind")
    end = _end_of_word(url, slash + 1)
    if end == len(url):
        raise InvalidDataURL("incomplete media type", "there is no comma before the data")
    if not url.startswith((";", ","), end):
        raise InvalidDataURL("invalid character for media subtype", f"at character {end + 1}")
    return end


def _after_parameters(url: str, position: int) -> _Layout:
    while not url.startswith(",", position):
        if position == len(url):
            raise InvalidDataURL("missing comma before data", "there is no comma before the data")
        if url[position] != ";":
            raise InvalidDataURL("expected semicolon or comma", f"at character {position + 1}")
        start, end = position + 1, _end_of_word(url, position + 1)
        if end == len(url) or (end == start and url[end] in "=,"):
            raise InvalidDataURL("unterminated parameter sequence", f"there is no parameter at character {start + 1}")
        if url[end] == "=":
            position = _after_value(url, end + 1)
        elif url[end] != ",":
            detail = f"what stands at character {start} is neither a parameter, ;base64 nor the comma before the data"
            raise InvalidDataURL("invalid character for parameter attribute", detail)
        elif url[start:end] != "base64":
            raise InvalidDataURL(f"expected base64, got {url[start:end]}", f"at character {start + 1}")
        else:
            return _Layout(True, end + 1)
    return _Layout(False, position + 1)


def _after_value(url: str, start: int) -> int:
    if url.startswith('"', start):
        return _after_quoted_value(url, start)
    end = _end_of_word(url, start)
    if end == len(url):
        raise InvalidDataURL("missing comma before data", "there is no comma before the data")
    if end == start or url[end] not in ";,":
        raise InvalidDataURL("invalid character for parameter value", f"at character {end + 1}")
    _check_escapes(url[start:end], "parameter")
    return end


def _after_quoted_value(url: str, start: int) -> int:
    match = _QUOTED.match(url, start)
    assert match is not None  # a quotation mark is there
    end = match.end()
    if end == len(url):
        raise InvalidDataURL("unclosed quoted string", f"it begins at character {start + 1}")
    if url[end] != '"':
        message = "invalid escaped character" if match["backslash"] else "invalid character for parameter value"
        raise InvalidDataURL(message, f"at character {end + 1}")
    if _UNQUOTABLE.fullmatch(url, start + 1, end) is None:
        raise InvalidDataURL("invalid syntax", f"an escape in the quoted string at character {start + 1} means nothing")
    return end + 1


def _end_of_word(url: str, start: int) -> int:
    match = _WORD.match(url, start)
    assert match is not None  # it matches nothing as well
    return match.end()


def _check_base64(url: str, start: int) -> None:
    if _BASE64.fullmatch(url, start) is not None and (len(url) - start) % 4 == 0:
        return
    detail = "the data is not in base64, or its padding is missing"
    if _NOT_IN_BASE64.search(url, start) is not None:
        raise InvalidDataURL("invalid data character", detail)
    raise InvalidDataURL(f"illegal base64 data at input byte {_illegal_byte(url[start:])}", detail)


def _illegal_byte(data: str) -> int:
    """Return where Go's decoder finds that base64, of which every character is fine, is not."""
    length = len(data)
    padding = data.find("=")
    if padding < 0:
        return length - length % 4
    place = padding % 4
    if place < 2:
        return padding
    if place == 3:
        return padding + 1
    if padding + 1 == length:
        return length
    return padding + 2 if data[padding + 1] == "=" else padding


def _check_percent(url: str, start: int) -> None:
    if (bad := _NOT_IN_DATA.search(url, start)) is not None:
        detail = f"character {bad.start() - start + 1} of the data must be percent-encoded"
        raise InvalidDataURL("invalid data character", detail)
    if _BAD_ESCAPE.search(url, start) is not None:
        _check_escapes(url[start:], "data")


def _check_escapes(text: str, place: str) -> None:
    bad = _BAD_ESCAPE.search(text)
    if bad is None:
        return
    is_end = _UNFINISHED_ESCAPE.match(text, bad.start()) is not None
    raise InvalidDataURL(
        "rfc2396: unexpected end of unescape sequence" if is_end else "rfc2396: invalid char 0x25 in unescape sequence",
        f"the percent sign at character {bad.start() + 1} of the {place} is not followed by two hexadecimal digits",
    )
