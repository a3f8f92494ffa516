"""What the contents of a file or unit are to a person: text, bytes, or something that is elsewhere. Pure."""

import hashlib
import zlib
from dataclasses import dataclass

from mcs.ignition import InvalidDataURL, dataurl
from mcs.jsondata import JSON, text_at

__all__ = ["LIMIT", "Contents", "contents_of", "fingerprint"]

LIMIT = 4 * 1024 * 1024  # bytes that are unpacked of one content
_GZIP = 16 + zlib.MAX_WBITS  # zlib's way to say that the input has a gzip header


@dataclass(frozen=True, slots=True)
class Contents:
    """Decoded contents. text: None where they are none. what: what they are then, in words, with size and hash."""

    text: str | None
    what: str
    size: int | None
    fingerprint: str


def fingerprint(data: bytes | str) -> str:
    """Return eight digits that show whether something changed, and not what it is.

    >>> fingerprint("a")
    'ca978112'
    """
    raw = data.encode(errors="surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()[:8]


def contents_of(said: JSON) -> Contents:
    """Return what a unit's text or a file's resource (source, compression) holds; what cannot be read is said in words.

    >>> contents_of({"source": "data:,a%20b"}).text
    'a b'
    >>> contents_of({"source": "https://example.net/a"}).what
    'fetched from https://example.net/a'
    """
    if isinstance(said, str):
        return _text(said, len(said.encode(errors="surrogatepass")))
    source = text_at(said, "source") or ""
    if not source:
        return Contents("", "empty", 0, fingerprint(""))
    if not source.startswith("data:"):
        return Contents(None, f"fetched from {source}", None, fingerprint(source))
    try:
        data = dataurl.decode(source)
        if text_at(said, "compression") == "gzip":
            data = _unpacked(data)
    except InvalidDataURL as error:
        return Contents(None, f"unreadable: {error}", None, fingerprint(source))
    except (zlib.error, EOFError):
        return Contents(None, "unreadable: no whole gzip data", None, fingerprint(source))
    except OverflowError:
        return Contents(None, f"more than {LIMIT} bytes, packed", None, fingerprint(source))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        return Contents(None, f"binary, {len(data)} bytes, {fingerprint(data)}", len(data), fingerprint(data))
    return _text(text, len(data))


def _text(text: str, size: int) -> Contents:
    return Contents(text, f"{size} bytes", size, fingerprint(text))


def _unpacked(packed: bytes) -> bytes:
    """Unpack all members of gzip data, as Go does; raises zlib.error, EOFError, OverflowError."""
    parts: list[bytes] = []
    left = LIMIT
    while packed or not parts:
        member = zlib.decompressobj(_GZIP)
        part = member.decompress(packed, left + 1)
        if len(part) > left:
            raise OverflowError
        if not member.eof:
            raise EOFError
        parts.append(part)
        left -= len(part)
        packed = member.unused_data
    return b"".join(parts)
