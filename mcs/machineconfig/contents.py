"""What the contents of a file or unit are to a person: text, bytes, or something that is elsewhere. Pure."""

import hashlib
import zlib
from dataclasses import dataclass

from mcs.ignition import InvalidDataURL, dataurl
from mcs.jsondata import JSON, text_at

__all__ = ["LIMIT", "Contents", "contents_of"]

LIMIT = 4 * 1024 * 1024  # bytes that are unpacked of one content
_GZIP = 16 + zlib.MAX_WBITS  # zlib's way to say that the input has a gzip header


@dataclass(frozen=True, slots=True)
class Contents:
    """Decoded contents. text: None where they are none. what: what they are then, in words, with size and hash.

    data: their bytes, None where they are elsewhere or cannot be had; said: how they were said.
    """

    text: str | None
    what: str
    size: int | None
    data: bytes | None
    said: str

    @property
    def digest(self) -> str:
        """The first sixteen digits of the SHA-256 of the bytes, or of how they are said where they cannot be had."""
        return _digest(self.said.encode(errors="surrogatepass") if self.data is None else self.data)

    def is_same_as(self, other: "Contents") -> bool:
        """Tell whether a machine gets the same bytes."""
        return self.data is not None and self.data == other.data


def contents_of(said: JSON) -> Contents:
    """Return what a unit's text or a file's resource (source, compression) holds; what cannot be read is said in words.

    >>> contents_of({"source": "data:,a%20b"}).text
    'a b'
    >>> contents_of({"source": "https://example.net/a"}).what
    'fetched from https://example.net/a'
    """
    if isinstance(said, str):
        return _of_bytes(said.encode(errors="surrogatepass"), said, said)
    source = text_at(said, "source") or ""
    if not source:
        return Contents("", "empty", 0, b"", source)
    if not source.startswith("data:"):
        return Contents(None, f"fetched from {source}", None, None, source)
    try:
        data = dataurl.decode(source)
        if text_at(said, "compression") == "gzip":
            data = _unpacked(data)
    except InvalidDataURL as error:
        return Contents(None, f"unreadable: {error}", None, None, source)
    except (zlib.error, EOFError):
        return Contents(None, "unreadable: no whole gzip data", None, None, source)
    except OverflowError:
        return Contents(
            None,
            f"more than {LIMIT} bytes, packed, SHA-256 {_digest(source.encode(errors='surrogatepass'))}",
            None,
            None,
            source,
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    return _of_bytes(data, text, source)


def _of_bytes(data: bytes, text: str, said: str) -> Contents:
    size = len(data)
    if "\0" in text:
        return Contents(None, f"binary, {size} bytes, SHA-256 {_digest(data)}", size, data, said)
    return Contents(text, f"{size} bytes", size, data, said)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


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
