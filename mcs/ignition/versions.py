"""The versions of the Ignition config spec, and how their text is read. The list is closed: others are refused."""

import re
from typing import NamedTuple

from mcs.ignition.errors import InvalidConfig, InvalidVersion, UnknownVersion
from mcs.ignition.report import Path
from mcs.ignition.words import expected
from mcs.jsondata import JSON, JSONObject, object_at

__all__ = [
    "NEWEST",
    "SPEC_2",
    "SPEC_3",
    "SUPPORTED",
    "TARGETS",
    "V2_0",
    "V2_1",
    "V2_2",
    "V2_3",
    "V2_4",
    "V3_0",
    "V3_1",
    "V3_2",
    "V3_3",
    "V3_4",
    "V3_5",
    "V3_6",
    "SemanticVersion",
    "SpecVersion",
    "declared_version",
    "declaring",
    "parse_semantic",
    "parse_version",
]


class SpecVersion(NamedTuple):
    """A version of the spec; ordered. Every stable spec has patch level 0.

    >>> str(SpecVersion(3, 4)), SpecVersion(3, 4) < SpecVersion(3, 10)
    ('3.4.0', True)
    """

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.0"


V2_0 = SpecVersion(2, 0)
V2_1 = SpecVersion(2, 1)
V2_2 = SpecVersion(2, 2)
V2_3 = SpecVersion(2, 3)
V2_4 = SpecVersion(2, 4)
V3_0 = SpecVersion(3, 0)
V3_1 = SpecVersion(3, 1)
V3_2 = SpecVersion(3, 2)
V3_3 = SpecVersion(3, 3)
V3_4 = SpecVersion(3, 4)
V3_5 = SpecVersion(3, 5)
V3_6 = SpecVersion(3, 6)

SPEC_2: tuple[SpecVersion, ...] = (V2_0, V2_1, V2_2, V2_3, V2_4)
SPEC_3: tuple[SpecVersion, ...] = (V3_0, V3_1, V3_2, V3_3, V3_4, V3_5, V3_6)
SUPPORTED = SPEC_2 + SPEC_3  # what can be read
TARGETS = (V2_2, V2_4, *SPEC_3)  # what can be written
NEWEST = SPEC_3[-1]


class SemanticVersion(NamedTuple):
    """A version text taken apart. pre_release, metadata: without their `-` and `+`, empty where absent."""

    major: int
    minor: int
    patch: int
    pre_release: str
    metadata: str


# A number of up to 19 digits may still exceed 64 bits; that is checked after the match.  The limit keeps int() cheap.
_NUMBER = r"0*(\d{1,19})"
_SEMANTIC = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-([0-9A-Za-z.-]*))?(?:\+([0-9A-Za-z.-]*))?", re.ASCII)
_LARGEST = 2**63 - 1


def parse_semantic(text: str) -> SemanticVersion:
    """Take a version text apart as Ignition's parser does: leading zeros are fine, other than three numbers is not.

    >>> parse_semantic("3.7.0-experimental")
    SemanticVersion(major=3, minor=7, patch=0, pre_release='experimental', metadata='')

    Raises InvalidVersion.
    """
    match = _SEMANTIC.fullmatch(text)
    if match is None:
        raise InvalidVersion(text)
    major, minor, patch = int(match[1]), int(match[2]), int(match[3])
    if max(major, minor, patch) > _LARGEST:
        raise InvalidVersion(text)
    return SemanticVersion(major, minor, patch, match[4] or "", match[5] or "")


def parse_version(text: str) -> SpecVersion:
    """Read the text of `ignition.version`.

    >>> parse_version("3.2.0")
    SpecVersion(major=3, minor=2)

    Raises InvalidVersion if it is no semantic version, UnknownVersion if it names no spec in SUPPORTED (a patch level,
    a pre-release or build metadata never does).
    """
    semantic = parse_semantic(text)
    version = SpecVersion(semantic.major, semantic.minor)
    if version not in SUPPORTED or semantic.patch or semantic.pre_release or semantic.metadata:
        raise UnknownVersion(text)
    return version


def declared_version(config: JSON) -> SpecVersion:
    """Return the spec that a config declares itself to be written in.

    Raises InvalidVersion (also where the version is absent), UnknownVersion, and InvalidConfig where the config, its
    `ignition` or its `ignition.version` has the wrong type.
    """
    ignition = _member(config, "ignition", ())
    text = None if ignition is None else _member(ignition, "version", ("ignition",))
    if text is None:
        raise InvalidVersion("")
    if not isinstance(text, str):
        raise InvalidConfig.at(("ignition", "version"), expected(str, text))
    return parse_version(text)


def declaring(config: JSONObject, version: SpecVersion) -> JSONObject:
    """Return a config, in the table's spelling, that declares this version; what is around it is the config's own.

    >>> declaring({"ignition": {"version": "3.4.0"}, "storage": {}}, SpecVersion(3, 1))
    {'ignition': {'version': '3.1.0'}, 'storage': {}}
    """
    return config | {"ignition": object_at(config, "ignition") | {"version": str(version)}}


def _member(value: JSON, name: str, path: Path) -> JSON:
    """Return a member, whatever the case of its name: Ignition's JSON decoder looks at that no closer."""
    if not isinstance(value, dict):
        raise InvalidConfig.at(path, expected(dict, value))
    if name in value:
        return value[name]
    return next((member for key, member in value.items() if str(key).casefold() == name), None)
