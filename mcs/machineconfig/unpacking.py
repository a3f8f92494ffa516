"""Compressed contents for clients that cannot unpack them.

Ignition up to 2.2, the clients that ask for spec 2 or 3.0, refuse `compression` together with a data URL, though these
specs have both; 2.3, the first that asks for 3.1, unpacks it. So below spec 3.1 such contents are sent unpacked. Hashes
stay right: they are of the unpacked bytes.
"""

import zlib
from base64 import b64encode

from mcs.ignition import InvalidConfig, InvalidDataURL, dataurl
from mcs.ignition.report import Path
from mcs.jsondata import JSON, JSONObject, list_at, lookup, object_at, text_at

__all__ = ["MAX_UNPACKED", "unpacked"]

MAX_UNPACKED = 16 * 1024 * 1024  # bytes of all files together; more than any config can usefully hold

_GZIP = 16 + zlib.MAX_WBITS  # zlib's way to say that the input has a gzip header


def unpacked(config: JSONObject) -> JSONObject:
    """Return the config with the gzip data URLs of its files unpacked; shares what it does not change.

    Raises InvalidConfig for contents that cannot be unpacked, or are too large together.
    """
    files = list_at(config, "storage", "files")
    if not any(
        _is_packed(content) for file in files for content in (lookup(file, "contents"), *list_at(file, "append"))
    ):
        return config
    unpacking = _Unpacking()
    storage = object_at(config, "storage")
    return {**config, "storage": {**storage, "files": [unpacking.file(file, at) for at, file in enumerate(files)]}}


def _is_packed(content: JSON) -> bool:
    return text_at(content, "compression") == "gzip" and (text_at(content, "source") or "").startswith("data:")


class _Unpacking:
    """Unpacks the contents of one config, all of them within one limit."""

    def __init__(self) -> None:
        self._left = MAX_UNPACKED

    def file(self, file: JSON, at: int) -> JSON:
        if not isinstance(file, dict):
            return file
        changed = dict(file)
        path: Path = ("storage", "files", at)
        if "contents" in file:
            changed["contents"] = self._content(file["contents"], (*path, "contents"))
        parts = list_at(file, "append")
        if parts:
            changed["append"] = [self._content(part, (*path, "append", number)) for number, part in enumerate(parts)]
        return changed

    def _content(self, content: JSON, path: Path) -> JSON:
        if not isinstance(content, dict) or not _is_packed(content):
            return content
        try:
            data = self._gunzip(dataurl.decode(text_at(content, "source") or ""))
        except InvalidDataURL as error:
            raise InvalidConfig.at((*path, "source"), str(error)) from error
        except (zlib.error, EOFError) as error:
            raise InvalidConfig.at(
                (*path, "source"), "it is to be unpacked with gzip, and is not whole gzip data"
            ) from error
        except OverflowError as error:
            large = f"unpacked for clients below spec 3.1, the files are larger than {MAX_UNPACKED} bytes together"
            raise InvalidConfig.at((*path, "source"), large) from error
        rest = {key: value for key, value in content.items() if key != "compression"}
        return {**rest, "source": "data:;base64," + b64encode(data).decode("ascii")}

    def _gunzip(self, packed: bytes) -> bytes:
        """Unpack all members of gzip data, as Go does; raises zlib.error, EOFError, OverflowError."""
        parts: list[bytes] = []
        while packed or not parts:
            member = zlib.decompressobj(_GZIP)
            part = member.decompress(packed, self._left + 1)
            if len(part) > self._left:
                raise OverflowError
            if not member.eof:
                raise EOFError
            parts.append(part)
            self._left -= len(part)
            packed = member.unused_data
        return b"".join(parts)
