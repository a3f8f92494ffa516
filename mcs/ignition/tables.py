"""Which table of fields a spec is described by."""

from mcs.ignition import schema, schema_2
from mcs.ignition.fields import Struct
from mcs.ignition.versions import SpecVersion

__all__ = ["table"]


def table(version: SpecVersion) -> Struct:
    """Return the table of a supported spec; a field whose `since` is later is not in that spec."""
    return schema_2.CONFIG if version.major == 2 else schema.CONFIG
