"""The rules of spec 3 for systemd units and their drop-ins. Pure."""

import re
from collections.abc import Iterator
from types import MappingProxyType

from mcs.ignition.members import items, plain
from mcs.ignition.rules import Found, Rules, error, problem, warning
from mcs.ignition.unitfile import InvalidUnit, quoted, sections, without_effect
from mcs.ignition.values import dropin_name_problem, unit_name_problem
from mcs.ignition.versions import SpecVersion
from mcs.jsondata import JSONObject

__all__ = ["RULES"]

_INSTANCE = re.compile(r"(.[^@\n]*+)@.+\.service")  # the first @ that something stands before: nothing else is tried


def _units(systemd: JSONObject, _: SpecVersion) -> Iterator[Found]:
    """Check all units at once, so that the contents of each are read once."""
    units = items(systemd, "units")
    contents = [_Contents(plain(unit, "contents")) for unit in units]
    by_name = {plain(unit, "name"): index for index, unit in enumerate(units)}
    for index, unit in enumerate(units):
        name = plain(unit, "name")
        yield from problem(unit_name_problem(name), "units", index, "name")
        yield from problem(contents[index].problem, "units", index, "contents")
        if unit.get("enabled") is not True:
            continue
        if contents[index].lacks_install_section:
            yield warning(without_effect(name), "units", index, "contents")
        template = _template(name)
        if template is not None and template in by_name and contents[by_name[template]].lacks_install_section:
            message = f"template unit {quoted(template)} for {quoted(name)} doesn't have Install section"
            yield warning(message, "units", index, "contents")


class _Contents:
    """What is to be known of a unit's text. problem: why it cannot be read.

    lacks_install_section: it says something and can be read, but no option is in a section Install.
    """

    def __init__(self, text: str) -> None:
        self.problem: str | None = None
        self.lacks_install_section = False
        try:
            self.lacks_install_section = bool(text) and "Install" not in sections(text)
        except InvalidUnit as invalid:
            self.problem = str(invalid)


def _template(name: str) -> str | None:
    """Return the name of the template that a unit is an instance of, or None where it is none."""
    match = _INSTANCE.fullmatch(name)
    return None if match is None else f"{match[1]}@.service"


def _dropin(dropin: JSONObject, _: SpecVersion) -> Iterator[Found]:
    try:
        sections(plain(dropin, "contents"))
    except InvalidUnit as invalid:
        yield error(str(invalid), "contents")
    yield from problem(dropin_name_problem(plain(dropin, "name")), "name")


RULES: Rules = MappingProxyType({"systemd": (_units,), "drop-in": (_dropin,)})
