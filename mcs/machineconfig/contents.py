"""What the contents of a file or unit are to a person: text, bytes, or something that is elsewhere. Pure."""

import hashlib
import zlib
from dataclasses import dataclass

from mcs.ignition import InvalidDataURL, dataurl
from mcs.jsondata import JSON, text_at

__all__ = ["LIMIT", "TOTAL", "Contents", "Reader", "contents_of"]

LIMIT = 4 * 1024 * 1024  # bytes that are unpacked of one content
TOTAL = 32 * 1024 * 1024  # and of all that a reader reads: a small config can hold hundreds that are large unpacked
_GZIP = 16 + zlib.MAX_WBITS  # zlib's way to say that the input has a gzip header
_PIECE = 16 * 1024  # bytes that are fed at once: what a member leaves of them is copied
_MOST_GROWTH = 1032  # bytes that one byte becomes: deflate's limit


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
    return _read(said, LIMIT)[0]


class Reader:
    """Reads contents as `contents_of` does, each once, and unpacks no more than some bytes of all of them together."""

    def __init__(self, total: int = TOTAL) -> None:
        self._total = total
        self._left = total
        self._known: dict[tuple[str, bool], Contents] = {}

    def __call__(self, said: JSON) -> Contents:
        """Return what a unit's text or a file's resource holds; beyond the limit it is told in words, not unpacked."""
        if isinstance(said, str):
            return contents_of(said)
        key = (text_at(said, "source") or "", _is_packed(said))
        if key not in self._known:
            self._known[key], unpacked = _read(said, min(LIMIT, self._left), self._total)
            self._left -= unpacked
        return self._known[key]


def _is_packed(said: JSON) -> bool:
    return text_at(said, "compression") == "gzip"


def _read(said: JSON, most: int, total: int = TOTAL) -> tuple[Contents, int]:
    """Read contents; return how many bytes were unpacked, too. most: of these; total: of all, to be said."""
    if isinstance(said, str):
        return _of_bytes(said.encode(errors="surrogatepass"), said, said), 0
    source = text_at(said, "source") or ""
    if not source:
        return Contents("", "empty", 0, b"", source), 0
    if not source.startswith("data:"):
        return Contents(None, f"fetched from {source}", None, None, source), 0
    try:
        data = dataurl.decode(source)
    except InvalidDataURL as error:
        return _unread(f"unreadable: {error}", source), 0
    unpacked = 0
    if _is_packed(said):
        try:
            data = _unpacked(data, most)
        except (zlib.error, EOFError):
            return _unread("unreadable: no whole gzip data", source), min(most, _MOST_GROWTH * len(data))
        except OverflowError:
            what = f"more than {LIMIT} bytes, packed"
            if most < LIMIT:
                what = f"packed, beyond the {total} bytes that are unpacked of all contents"
            return _unread(f"{what}, SHA-256 {_digest(source.encode(errors='surrogatepass'))}", source), most
        unpacked = len(data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    return _of_bytes(data, text, source), unpacked


def _unread(what: str, source: str) -> Contents:
    return Contents(None, what, None, None, source)


def _of_bytes(data: bytes, text: str, said: str) -> Contents:
    size = len(data)
    if "\0" in text:
        return Contents(None, f"binary, {size} bytes, SHA-256 {_digest(data)}", size, data, said)
    return Contents(text, f"{size} bytes", size, data, said)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _unpacked(packed: bytes, most: int) -> bytes:
    """Unpack all members of gzip data, as Go does; raises zlib.error, EOFError, OverflowError."""
    parts: list[bytes] = []
    left, at = most, 0
    while at < len(packed) or at == 0:
        member = zlib.decompressobj(_GZIP)
        while not member.eof:
            piece = packed[at : at + _PIECE]
            if not piece:
                raise EOFError
            part = member.decompress(piece, left + 1)
            if len(part) > left:
                raise OverflowError
            parts.append(part)
            left -= len(part)
            at += len(piece) - len(member.unused_data)
    return b"".join(parts)
