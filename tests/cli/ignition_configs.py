"""Configs that the tests of `mcs ignition` share, as texts, and what the command says of them."""

import json

from mcs.cli.ignition_files import MOST
from mcs.jsondata import JSON
from tests.cli.commands import Outcome

__all__ = ["FINE", "MANY", "REPEATED", "TWO_ERRORS", "UNKNOWN", "WARNING", "config", "told"]


def config(version: str = "3.4.0", *others: str, **members: JSON) -> str:
    """Return the text of a config, on one line. others: names of members that are 1."""
    return json.dumps({"ignition": {"version": version}, **members, **dict.fromkeys(others, 1)})


def told(outcome: Outcome) -> tuple[int, list[str], list[str]]:
    """Return all that a command left: its exit status, its output and its errors."""
    return outcome.status, outcome.out, outcome.err


FINE = config()
WARNING = '{\n  "ignition": {"version": "3.4.0"},\n  "storage": {\n    "disk": []\n  }\n}\n'
TWO_ERRORS = """{
  "ignition": {"version": "3.4.0"},
  "systemd": {"units": [{"name": "a.sevice"}]},
  "storage": {"files": [{"path": "etc/motd", "mode": 8192}]},
  "extra": 1
}
"""

REPEATED = "repeated: the later one counts; two objects become one"
UNKNOWN = "Ignition spec 3.9.0 is not known here: specs 2.0.0 to 2.4.0 and 3.0.0 to 3.6.0 are"
MANY = config("3.4.0", *(f"member-{number}" for number in range(MOST)), storage={"files": [{"path": "a"}]}, more=1)
