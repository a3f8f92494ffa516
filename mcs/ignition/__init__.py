"""Ignition configs: their spec versions, conversion between them, negotiation, data URLs. Pure, and of use on its own.

A config is plain JSON data (dicts and lists). Errors are the classes below IgnitionError and nothing else.
"""

from mcs.ignition import dataurl
from mcs.ignition.conversion import convert, unknown_members
from mcs.ignition.errors import (
    EmptyConfig,
    IgnitionError,
    InvalidConfig,
    InvalidDataURL,
    InvalidVersion,
    NotJSON,
    UnknownVersion,
    Unsupported,
    UnsupportedFeatures,
)
from mcs.ignition.negotiation import MEDIA_TYPE, Malformed, Negotiated, NotSpoken, Serve, ServeStored, negotiate
from mcs.ignition.report import Entry, Kind, Position, Report
from mcs.ignition.versions import (
    NEWEST,
    SPEC_2,
    SPEC_3,
    SUPPORTED,
    TARGETS,
    SpecVersion,
    declared_version,
    parse_version,
)

__all__ = [
    "MEDIA_TYPE",
    "NEWEST",
    "SPEC_2",
    "SPEC_3",
    "SUPPORTED",
    "TARGETS",
    "EmptyConfig",
    "Entry",
    "IgnitionError",
    "InvalidConfig",
    "InvalidDataURL",
    "InvalidVersion",
    "Kind",
    "Malformed",
    "Negotiated",
    "NotJSON",
    "NotSpoken",
    "Position",
    "Report",
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
