"""All rules of specs 3.0 to 3.6, by the object they are about. What a spec has of them, each rule knows itself."""

from mcs.ignition import rules_3_disks, rules_3_luks, rules_3_nodes, rules_3_resources, rules_3_systemd
from mcs.ignition.rules import Rule, Rules

__all__ = ["RULES"]

_SECTIONS = (rules_3_resources, rules_3_disks, rules_3_luks, rules_3_nodes, rules_3_systemd)


def _combined() -> Rules:
    combined: dict[str, tuple[Rule, ...]] = {}
    for section in _SECTIONS:
        for name, rules in section.RULES.items():
            combined[name] = combined.get(name, ()) + rules
    return combined


RULES: Rules = _combined()
