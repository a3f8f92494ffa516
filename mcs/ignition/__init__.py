"""Ignition configs of every spec: parse, validate, convert, merge; data URLs; negotiation. Pure, and of use on its own.

A config is plain JSON data (dicts and lists). Errors are the classes below IgnitionError and nothing else. Everything
that others may use is here; docs/ignition.md describes it.
"""

from mcs.ignition import dataurl
from mcs.ignition.conversion import convert, unknown_members
from mcs.ignition.errors import (
    DuplicateDropin,
    DuplicateInode,
    DuplicateMount,
    DuplicateUnit,
    EmptyConfig,
    IgnitionError,
    InvalidConfig,
    InvalidDataURL,
    InvalidVersion,
    NetworkdUsed,
    NoFilesystem,
    NotJSON,
    Problem,
    SectorsUsed,
    UnknownVersion,
    Unsayable,
    Unsupported,
    UnsupportedFeatures,
    Untranslatable,
    UsesOwnLink,
)
from mcs.ignition.merging import merge
from mcs.ignition.negotiation import (
    MEDIA_TYPE,
    Asking22,
    Malformed,
    Negotiated,
    NotSpoken,
    Serve,
    ServeStored,
    negotiate,
)
from mcs.ignition.parsing import Parsed, parse
from mcs.ignition.report import Entry, Kind, Position, Report
from mcs.ignition.validation import validate
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
    "Asking22",
    "DuplicateDropin",
    "DuplicateInode",
    "DuplicateMount",
    "DuplicateUnit",
    "EmptyConfig",
    "Entry",
    "IgnitionError",
    "InvalidConfig",
    "InvalidDataURL",
    "InvalidVersion",
    "Kind",
    "Malformed",
    "Negotiated",
    "NetworkdUsed",
    "NoFilesystem",
    "NotJSON",
    "NotSpoken",
    "Parsed",
    "Position",
    "Problem",
    "Report",
    "SectorsUsed",
    "Serve",
    "ServeStored",
    "SpecVersion",
    "UnknownVersion",
    "Unsayable",
    "Unsupported",
    "UnsupportedFeatures",
    "Untranslatable",
    "UsesOwnLink",
    "convert",
    "dataurl",
    "declared_version",
    "merge",
    "negotiate",
    "parse",
    "parse_version",
    "unknown_members",
    "validate",
]
