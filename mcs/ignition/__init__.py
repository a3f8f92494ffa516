"""Ignition configs: their spec versions, conversion between them, negotiation, data URLs. Pure, and of use on its own.

A config is plain JSON data (dicts and lists). Errors are the classes below IgnitionError and nothing else.
"""

from mcs.ignition import dataurl
from mcs.ignition.conversion import convert, unknown_members
from mcs.ignition.errors import (
    IgnitionError,
    InvalidConfig,
    InvalidDataURL,
    InvalidVersion,
    UnknownVersion,
    Unsupported,
    UnsupportedFeatures,
)
from mcs.ignition.negotiation import MEDIA_TYPE, Malformed, Negotiated, NotSpoken, Serve, ServeStored, negotiate
from mcs.ignition.versions import NEWEST, OLDEST, SUPPORTED, SpecVersion, declared_version, parse_version

__all__ = [
    "MEDIA_TYPE",
    "NEWEST",
    "OLDEST",
    "SUPPORTED",
    "IgnitionError",
    "InvalidConfig",
    "InvalidDataURL",
    "InvalidVersion",
    "Malformed",
    "Negotiated",
    "NotSpoken",
    "Serve",
    "ServeStored",
    "SpecVersion",
    "UnknownVersion",
    "Unsupported",
    "UnsupportedFeatures",
    "convert",
    "dataurl",
    "declared_version",
    "negotiate",
    "parse_version",
    "unknown_members",
]
