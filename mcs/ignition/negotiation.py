"""Which spec a client is to be served, from its Accept and User-Agent headers. Pure; no header text makes it raise.

Accept is parsed here, not by the web framework: its parsers leave out what they cannot read (a q that is no
number, a parameter with a bad value), and a machine would then get a config of another spec than it asked for.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from mcs.ignition.errors import InvalidVersion
from mcs.ignition.versions import TARGETS, V2_2, V3_0, SpecVersion, parse_semantic

__all__ = ["MEDIA_TYPE", "Asking22", "Malformed", "Negotiated", "NotSpoken", "Serve", "ServeStored", "negotiate"]

MEDIA_TYPE = "application/vnd.coreos.ignition+json"


class Asking22(StrEnum):
    """What a client gets that asks for spec 2.2.

    Ignition 0.22 to 0.35 ask for it and read it. Ignition 2.0 asks for it too, word for word, though it reads spec 3.0
    and nothing else: only its name gives it away.
    """

    BY_NAME = "auto"
    ALWAYS_2_2 = "2.2"
    ALWAYS_3_0 = "3.0"


@dataclass(frozen=True, slots=True)
class Serve:
    """Serve this spec. asked: the version text of the range that was chosen; None: no version was asked for."""

    version: SpecVersion
    asked: str | None


@dataclass(frozen=True, slots=True)
class ServeStored:
    """Serve the config at the spec it is stored in: no version was asked for."""


@dataclass(frozen=True, slots=True)
class NotSpoken:
    """The client reads only specs that are not spoken here. asked: the version text that it likes best."""

    asked: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """The header asks for an Ignition config in a version that is none. asked: its text. No Ignition client does so."""

    asked: str


Negotiated: TypeAlias = Serve | ServeStored | NotSpoken | Malformed


def negotiate(
    accept: str | None,
    client: str | None = None,
    *,
    asking_2_2: Asking22 = Asking22.BY_NAME,
    unasked: SpecVersion | None = None,
    spoken: Collection[SpecVersion] = TARGETS,
) -> Negotiated:
    """Decide what to serve for an Accept header and a User-Agent header (None or empty: there is none).

    Only ranges of Ignition's media type with a version count where there are any: real clients send `*/*;q=0.1` beside
    theirs. Of these the first whose version is spoken is served, by falling q and then in the header's order. Patch
    level and pre-release of a version do not matter, and a version that is not spoken gets the newest older one of its
    major version that is. A range with q=0 is not there. Beside a good version a bad one is ignored. The client's name
    counts only where spec 2.2 is asked for. unasked: what is served where no version is asked for; None: the stored
    spec.

    >>> negotiate("application/vnd.coreos.ignition+json;version=3.4.0, */*;q=0.1")
    Serve(version=SpecVersion(major=3, minor=4), asked='3.4.0')
    >>> old = ("application/vnd.coreos.ignition+json; version=2.2.0, "
    ...        "application/vnd.coreos.ignition+json; version=1; q=0.5, */*; q=0.1")
    >>> negotiate(old, "Ignition/0.35.0").version, negotiate(old, "Ignition/2.0.1").version
    (SpecVersion(major=2, minor=2), SpecVersion(major=3, minor=0))
    >>> negotiate("*/*")
    ServeStored()
    """
    ranges = sorted(_ignition_ranges(accept or ""), key=lambda each: -each.q)
    asked: list[str] = []
    malformed: list[str] = []
    for each in ranges:
        if each.version is None:
            continue
        wanted = _wanted(each.version)
        if wanted is None:
            malformed.append(each.version)
            continue
        asked.append(each.version)
        if wanted == V2_2 and _means_3_0(client or "", asking_2_2):
            wanted = V3_0
        readable = [version for version in spoken if version.major == wanted.major and version <= wanted]
        if readable:
            return Serve(max(readable), each.version)
    if malformed and not asked:
        return Malformed(malformed[0])
    if asked and all(each.version is not None for each in ranges):
        return NotSpoken(asked[0])
    return ServeStored() if unasked is None else Serve(unasked, None)


# What the client calls itself, and nothing that merely mentions it. Builders choose what follows the version:
# `2.0.1`, `v2.0.1-3-gabcdef`.
_RELEASE_2_0 = re.compile(r"Ignition/v?2\.0\.\d", re.ASCII)


def _means_3_0(client: str, asking_2_2: Asking22) -> bool:
    """Tell whether spec 3.0 is meant where 2.2 is asked for."""
    if asking_2_2 is not Asking22.BY_NAME:
        return asking_2_2 is Asking22.ALWAYS_3_0
    return _RELEASE_2_0.match(client) is not None


@dataclass(frozen=True, slots=True)
class _Range:
    version: str | None
    q: float


# Quoted strings may hold the separators; one that is never closed reaches to the end.
_QUOTED = r'"(?:[^"\\]|\\.)*+"?'
_ITEM = re.compile(rf"(?:[^,\"]|{_QUOTED})++", re.DOTALL)
_PART = re.compile(rf"(?:[^;\"]|{_QUOTED})++", re.DOTALL)
_WEIGHT = re.compile(r"\d{1,3}(?:\.\d{0,9})?|\.\d{1,9}", re.ASCII)
_BLANK = " \t"


def _ignition_ranges(accept: str) -> list[_Range]:
    """Return the ranges of Ignition's media type that are acceptable at all."""
    found = []
    for item in _ITEM.findall(accept):
        media_type, *parts = [part.strip(_BLANK) for part in _PART.findall(item)] or [""]
        if media_type.lower() != MEDIA_TYPE:
            continue
        parameters: dict[str, str] = {}
        for part in parts:
            name, _, value = part.partition("=")
            parameters.setdefault(name.strip(_BLANK).lower(), _unquoted(value.strip(_BLANK)))
        q = _weight(parameters.get("q", "1"))
        if q > 0:
            found.append(_Range(parameters.get("version"), q))
    return found


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
    return value


def _weight(text: str) -> float:
    """A weight that is none counts as 1: better to serve what is asked for than what is not."""
    return min(float(text), 1.0) if _WEIGHT.fullmatch(text) else 1.0


def _wanted(text: str) -> SpecVersion | None:
    """Read a version as it stands in a header: old clients write spec 1, which had no minor versions, as `1`."""
    if text == "1":
        return SpecVersion(1, 0)
    try:
        semantic = parse_semantic(text)
    except InvalidVersion:
        return None
    return SpecVersion(semantic.major, semantic.minor)
