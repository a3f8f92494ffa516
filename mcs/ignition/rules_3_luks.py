"""The rules of specs 3.2 and later for LUKS volumes and what opens them. Pure."""

import math
from collections.abc import Iterator
from json import JSONDecoder
from types import MappingProxyType
from typing import Never

from mcs.ignition import urls
from mcs.ignition.members import is_set, items, plain
from mcs.ignition.rules import Found, Rules, error, problem
from mcs.ignition.values import byte_length, path_problem
from mcs.ignition.versions import V3_2, V3_4, V3_5, V3_6, SpecVersion
from mcs.jsondata import JSONObject, integer_at, object_at

__all__ = ["RULES"]

_LONGEST_LABEL = 47  # bytes; the header's field ends with a zero
_PINS_BEFORE_3_6 = ("tpm2", "tang", "sss")


def _luks(luks: JSONObject, version: SpecVersion) -> Iterator[Found]:
    if "/" in plain(luks, "name"):
        yield error("device names cannot contain slashes", "name")
    if byte_length(plain(luks, "label")) > _LONGEST_LABEL:
        yield error(f"luks device labels cannot be longer than {_LONGEST_LABEL} characters", "label")
    device = plain(luks, "device")
    yield from problem(path_problem(device) if device else "disk device is required", "device")
    clevis = object_at(luks, "clevis")
    if _has_custom_pin(clevis, version) and _has_known_pins(clevis):
        yield error("cannot use custom clevis config with tpm2, tang, or threshold", "clevis")
    key = plain(object_at(luks, "keyFile"), "source")
    if key and urls.problem_of(key, version) is not None:
        yield error("invalid key-file source", "keys")  # the reference's path: there is no such member
    if version >= V3_5 and object_at(luks, "cex").get("enabled") is True:
        if _has_custom_pin(clevis, version) or _has_known_pins(clevis):
            yield error("cannot use cex with clevis", "cex")
        if key:
            yield error("cannot use key file with cex", "cex")


def _has_custom_pin(clevis: JSONObject, version: SpecVersion) -> bool:
    """Tell whether there is a custom pin: in 3.2 an object that exists, even if nothing is in it."""
    if version == V3_2:
        return is_set(clevis, "custom")
    return bool(plain(object_at(clevis, "custom"), "pin"))


def _has_known_pins(clevis: JSONObject) -> bool:
    return bool(items(clevis, "tang")) or clevis.get("tpm2") is True or bool(integer_at(clevis, "threshold"))


def _custom_pin(custom: JSONObject, version: SpecVersion) -> Iterator[Found]:
    pin, config = plain(custom, "pin"), plain(custom, "config")
    needs_network = custom.get("needsNetwork") is True and version > V3_2
    if not (pin or config or needs_network):
        return
    if not pin and version > V3_2:
        yield error("missing required custom clevis pin", "pin")
    elif pin not in _PINS_BEFORE_3_6 and version < V3_6:
        yield error("unsupported clevis pin", "pin")
    if not config:
        yield error("missing required custom clevis config", "config")


def _tang(tang: JSONObject, version: SpecVersion) -> Iterator[Found]:
    yield from problem(urls.http_problem_of(plain(tang, "url"), urls.INVALID_SCHEME), "url")
    if not plain(tang, "thumbprint"):
        yield error("thumbprint is required", "thumbprint")
    advertisement = plain(tang, "advertisement")
    if advertisement and version >= V3_4 and not _is_json(advertisement):
        yield error("advertisement is not valid JSON", "advertisement")


def _is_json(text: str) -> bool:
    """Tell whether a text is a JSON value whose numbers all fit a 64-bit float (where Go keeps them)."""
    try:
        _JSON.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(text)
    return number


def _no_constant(name: str) -> Never:
    raise ValueError(name)


_JSON = JSONDecoder(parse_float=_number, parse_int=_number, parse_constant=_no_constant)

RULES: Rules = MappingProxyType(
    {
        "LUKS volume": (_luks,),
        "custom clevis pin": (_custom_pin,),
        "tang server": (_tang,),
    }
)
