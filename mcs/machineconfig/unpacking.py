"""Compressed contents for clients that cannot unpack them.

Ignition 2.1 and 2.2, the clients that ask for spec 3.0, refuse `compression` together with a data URL, though their
spec has both; 2.3, the first that asks for 3.1, unpacks it. So at spec 3.0 such contents are sent unpacked. Hashes stay
right: they are of the unpacked bytes.
"""

import zlib

from mcs.ignition import InvalidConfig, InvalidDataURL, dataurl
from mcs.jsondata import JSON, JSONObject, list_at, lookup, object_at, text_at

__all__ = ["MAX_UNPACKED", "unpacked"]

MAX_UNPACKED = 16 * 1024 * 1024  # bytes of one file; more than any config can usefully hold

_GZIP = 16 + zlib.MAX_WBITS  # zlib's way to say that the input has a gzip header


def unpacked(config: JSONObject) -> JSONObject:
    """Return the config with the gzip data URLs of its files unpacked; shares what it does not change.

    Raises InvalidConfig for contents that cannot be unpacked.
    """
    files = list_at(config, "storage", "files")
    if not any(
        _is_packed(content) for file in files for content in (lookup(file, "contents"), *list_at(file, "append"))
    ):
        return config
    storage = object_at(config, "storage")
    return {**config, "storage": {**storage, "files": [_unpacked_file(file, at) for at, file in enumerate(files)]}}


def _is_packed(content: JSON) -> bool:
    return text_at(content, "compression") == "gzip" and (text_at(content, "source") or "").startswith("data:")


def _unpacked_file(file: JSON, at: int) -> JSON:
    if not isinstance(file, dict):
        return file
    changed = dict(file)
    path = f"$.storage.files.{at}"
    if "contents" in file:
        changed["contents"] = _unpacked_content(file["contents"], f"{path}.contents")
    if list_at(file, "append"):
        changed["append"] = [
            _unpacked_content(content, f"{path}.append.{number}")
            for number, content in enumerate(list_at(file, "append"))
        ]
    return changed


def _unpacked_content(content: JSON, path: str) -> JSON:
    if not isinstance(content, dict) or not _is_packed(content):
        return content
    try:
        data = _gunzip(dataurl.decode(text_at(content, "source") or ""))
    except InvalidDataURL as error:
        raise InvalidConfig(f"{path}.source", str(error)) from error
    except (zlib.error, EOFError) as error:
        raise InvalidConfig(f"{path}.source", "it is to be unpacked with gzip, and is not whole gzip data") from error
    except OverflowError as error:
        raise InvalidConfig(f"{path}.source", f"unpacked it is larger than {MAX_UNPACKED} bytes") from error
    rest = {key: value for key, value in content.items() if key != "compression"}
    return {**rest, "source": dataurl.encode(data)}


def _gunzip(packed: bytes) -> bytes:
    """Unpack all members of gzip data, as Go does; raises zlib.error, EOFError, OverflowError."""
    unpacked_parts: list[bytes] = []
    left = MAX_UNPACKED
    while packed or not unpacked_parts:
        member = zlib.decompressobj(_GZIP)
        part = member.decompress(packed, left + 1)
        if len(part) > left:
            raise OverflowError
        if not member.eof:
            raise EOFError
        unpacked_parts.append(part)
        left -= len(part)
        packed = member.unused_data
    return b"".join(unpacked_parts)
