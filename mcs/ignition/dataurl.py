"""Data URLs (RFC 2397), written as the Machine Config Operator writes them and read as Ignition reads them."""

import base64
import re
from urllib.parse import unquote_to_bytes

from mcs.ignition.errors import InvalidDataURL

__all__ = ["decode", "encode"]

_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")
_ENCODED = tuple(chr(byte) if byte in _LITERAL else f"%{byte:02X}" for byte in range(256))

_WORD = r"[!#$%&'*+\-.0-9A-Z^_`a-z{|}~]+"
_MEDIA_TYPE = re.compile(rf"(?P<type>{_WORD})/{_WORD}", re.ASCII)
_KNOWN_TYPE = re.compile(r"text|image|audio|video|application|message|multipart|[xX]-", re.ASCII)
_PARAMETER = re.compile(rf';{_WORD}=(?:{_WORD}|"(?:[ !#-\[\]-~]|\\[ -~])*+")', re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}", re.ASCII)
_NOT_IN_DATA = re.compile(r"""[^!$%&'()*+,\-./0-9:;=?@A-Z_a-z~]""", re.ASCII)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})", re.ASCII)


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
    if not url.startswith("data:"):
        raise InvalidDataURL("it does not begin with data:")
    position = _after_media_type(url, len("data:"))
    while (parameter := _PARAMETER.match(url, position)) is not None:
        position = parameter.end()
    if url.startswith(";base64,", position):
        return _from_base64(url[position + len(";base64,") :])
    if url.startswith(",", position):
        return _from_percent(url[position + 1 :])
    if "," not in url:
        raise InvalidDataURL("there is no comma before the data")
    raise InvalidDataURL(
        f"what stands at character {position + 1} is neither a parameter, ;base64 nor the comma before the data"
    )


def _after_media_type(url: str, position: int) -> int:
    if url.startswith((";", ","), position):
        return position
    match = _MEDIA_TYPE.match(url, position)
    if match is None or _KNOWN_TYPE.match(match["type"]) is None:
        raise InvalidDataURL("what follows data: is no media type such as text/plain")
    return match.end()


def _from_base64(text: str) -> bytes:
    if _BASE64.fullmatch(text) is None or len(text) % 4:
        raise InvalidDataURL("the data is not in base64, or its padding is missing")
    return base64.b64decode(text)


def _from_percent(text: str) -> bytes:
    if (bad := _NOT_IN_DATA.search(text)) is not None:
        raise InvalidDataURL(f"character {bad.start() + 1} of the data must be percent-encoded")
    if (bad := _BAD_ESCAPE.search(text)) is not None:
        raise InvalidDataURL(
            f"the percent sign at character {bad.start() + 1} of the data is not followed by two hexadecimal digits"
        )
    return unquote_to_bytes(text)
