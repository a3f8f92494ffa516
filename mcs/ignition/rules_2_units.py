"""The rules of specs 2.1 to 2.4 for the units and drop-ins of systemd and networkd. Pure."""

from collections.abc import Iterator
from types import MappingProxyType

from mcs.ignition.rules import Found, Rules
from mcs.ignition.rules_2_shared import (
    contents,
    dropin_name,
    networkd_dropin_name,
    networkd_name,
    unit_contents,
    unit_name,
)
from mcs.ignition.versions import SpecVersion
from mcs.jsondata import JSONObject

__all__ = ["MEMBERS", "OWN"]


def _unit(unit: JSONObject, _: SpecVersion) -> Iterator[Found]:
    return unit_contents(unit, unit.get("enable") is True or unit.get("enabled") is True)


OWN: Rules = MappingProxyType(
    {
        "drop-in": (contents, dropin_name),
        "networkd unit": (contents, networkd_name),
        "networkd drop-in": (contents, networkd_dropin_name),
    }
)
MEMBERS: Rules = MappingProxyType({"unit": (_unit, unit_name)})
