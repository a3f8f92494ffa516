"""What is fuzzed: each target takes any bytes, and raises only where this library breaks its word.

An IgnitionError is an answer. Anything else that is raised is a finding, and so is a law that does not hold.
"""

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

from mcs.ignition import dataurl
from mcs.ignition.conversion import convert
from mcs.ignition.errors import EmptyConfig, IgnitionError, InvalidConfig, InvalidDataURL, NotJSON
from mcs.ignition.merging import merge
from mcs.ignition.negotiation import Malformed, NotSpoken, Serve, ServeStored, negotiate
from mcs.ignition.parsing import parse
from mcs.ignition.validation import validate
from mcs.ignition.versions import NEWEST, SUPPORTED, TARGETS, V2_4, SpecVersion, declared_version
from mcs.jsondata import JSON, JSONObject

__all__ = ["TARGETS_OF_FUZZING", "Broken", "Target"]

Target: TypeAlias = Callable[[bytes], None]


class Broken(Exception):
    """A law does not hold; the text says which."""


def fuzz_parse(data: bytes) -> None:
    """Parse the bytes at the spec that they declare, and then once more what came of it."""
    try:
        parsed = parse(data)
    except IgnitionError as error:
        _tell(error)
        return
    _require(parsed.report.is_valid, "what is parsed is valid")
    _require(declared_version(parsed.config) == parsed.version, "the config declares the version it was parsed at")
    _require(validate(parsed.config).is_valid, "what is parsed validates")
    again = parse(_encoded(parsed.config), parsed.version)
    _require(_encoded(again.config) == _encoded(parsed.config), "parsing what was parsed changes nothing")
    for version in (parsed.version, NEWEST, V2_4):
        _convert(parsed.config, version, {})


def fuzz_convert(data: bytes) -> None:
    """Convert any document to any spec: the first byte chooses it, JSON follows."""
    config = _document(data[1:])
    if isinstance(config, dict):
        _convert(config, TARGETS[data[0] % len(TARGETS)], {"root": "/", "var": "/var", "data": "/srv/data"})


def fuzz_merge(data: bytes) -> None:
    """Merge two documents that stand in a list."""
    configs = _document(data)
    if not (isinstance(configs, list) and len(configs) == 2):
        return
    parent, child = configs
    if not (isinstance(parent, dict) and isinstance(child, dict)):
        return
    before = _encoded(configs)
    try:
        merged = merge(parent, child)
    except IgnitionError as error:
        _tell(error)
        return
    finally:
        _require(_encoded(configs) == before, "merging leaves its inputs as they are")
    newest = max(declared_version(parent), declared_version(child))
    _require(declared_version(merged) == newest, "what is merged is of the newest spec")
    empty: JSONObject = {"ignition": {"version": str(newest)}}
    _require(_encoded(merge(merged, empty)) == _encoded(merged), "merging nothing into what was merged changes nothing")
    _reparse(merged, newest)


def fuzz_validate(data: bytes) -> None:
    """Validate a document at a spec, well-typed or not: the first byte chooses it, JSON follows."""
    config = _document(data[1:])
    if not isinstance(config, dict):
        return
    before = _encoded(config)
    try:
        str(validate(config, SUPPORTED[data[0] % len(SUPPORTED)]))
    except IgnitionError as error:
        _tell(error)
    _require(_encoded(config) == before, "validation leaves its input as it is")


def fuzz_negotiate(data: bytes) -> None:
    """Choose a spec for any header, and any name of a client after its first line."""
    accept, _, client = data.decode("latin-1").partition("\n")
    found = negotiate(accept, client)
    _require(isinstance(found, (Serve, ServeStored, NotSpoken, Malformed)), "there is an answer to every header")


def fuzz_dataurl(data: bytes) -> None:
    """Decode any text as a data URL, and what came of it once more."""
    try:
        content = dataurl.decode(data.decode("utf-8", "surrogateescape"))
    except InvalidDataURL as error:
        _tell(error)
        return
    _require(dataurl.decode(dataurl.encode(content)) == content, "what is encoded is decoded again")


def _convert(config: JSONObject, to: SpecVersion, filesystems: Mapping[str, str]) -> None:
    before = _encoded(config)
    try:
        converted = convert(config, to, filesystems)
    except IgnitionError as error:
        _tell(error)
        return
    finally:
        _require(_encoded(config) == before, "conversion leaves its input as it is")
    _require(declared_version(converted) == to, "what is converted declares the spec that was asked for")
    if declared_version(config) != to:
        _reparse(converted, to)


def _reparse(config: JSONObject, version: SpecVersion) -> None:
    """What comes out may be as invalid as what went in, but its types and names are those of its spec."""
    try:
        report = parse(_encoded(config), version).report
    except (NotJSON, EmptyConfig):
        raise
    except InvalidConfig as error:
        report = error.report
    unknown = [entry for entry in report.entries if entry.message.startswith(("unused key", "Config has unrecognized"))]
    _require(not unknown, f"what comes out is known to its spec: {unknown}")


def _tell(error: IgnitionError) -> None:
    _require(str(error) != "", "an error says something")
    if isinstance(error, InvalidConfig):
        _require(error.report.errors != (), "an invalid config has an error")


def _require(holds: bool, law: str) -> None:
    if not holds:
        raise Broken(law)


def _encoded(document: JSON) -> str:
    return json.dumps(document)


def _document(data: bytes) -> JSON:
    """Decode as Python does, which knows NaN and lone surrogates as well; None where it cannot."""
    try:
        document: JSON = json.loads(data.decode("utf-8", "surrogatepass"))
        json.dumps(document)
    except (ValueError, RecursionError):
        return None
    return document


TARGETS_OF_FUZZING: Mapping[str, Target] = {
    "parse": fuzz_parse,
    "convert": fuzz_convert,
    "merge": fuzz_merge,
    "validate": fuzz_validate,
    "negotiate": fuzz_negotiate,
    "dataurl": fuzz_dataurl,
}
