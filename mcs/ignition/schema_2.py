"""The fields of the Ignition specs 2.0 to 2.4: one table, made of what the table of spec 3 is made of."""

from mcs.ignition.fields import Struct

__all__ = ["CONFIG"]

CONFIG = Struct("config", {})
