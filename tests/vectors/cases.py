"""What a file of vectors holds: cases, one a line, and lines that are none. Any bytes can be read."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mcs.ignition import SUPPORTED, SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["Broken", "Case", "Malformed", "read", "texts_in"]


class Malformed(Exception):
    """A case lacks what its kind needs; the text says what."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A line, or a whole file (line 0), that cannot be read. why: for people."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Case:
    """One case. name: its `id`. body: the whole object."""

    line: int
    name: str
    body: JSONObject

    @property
    def is_free(self) -> bool:
        """Whether it is an accident of the reference that nobody has to match."""
        return "-quirk-" in self.name

    def object(self, key: str) -> JSONObject:
        """Return a member that has to be an object. Raises Malformed."""
        value = self.body.get(key)
        if not isinstance(value, dict):
            raise Malformed(f"its {key!r} is no object")
        return value

    def spec(self, key: str) -> SpecVersion:
        """Return the version in a member such as "3.4". Raises Malformed."""
        text = self.body.get(key)
        found = [version for version in SUPPORTED if text == f"{version.major}.{version.minor}"]
        if not found:
            raise Malformed(f"its {key!r} is {text!r}, which is no spec")
        return found[0]

    @property
    def input(self) -> JSON:
        """The document, or its text. Raises Malformed."""
        if "input" not in self.body:
            raise Malformed("it has no 'input'")
        return self.body["input"]

    @property
    def wanted(self) -> JSONObject:
        """What has to come of it: what the reference does, or what it should do. Raises Malformed."""
        return self.object("expect" if "expect" in self.body else "suggest")


def read(file: Path) -> Iterator[Case | Broken]:
    """Return the cases of a file in its order; empty lines are none."""
    try:
        content = file.read_bytes()
    except OSError as error:
        yield Broken(0, error.strerror or str(error))
        return
    # Not splitlines(): a text in JSON may hold other line separators as they are.
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield _case(number, line)


def _case(number: int, line: bytes) -> Case | Broken:
    try:
        body = json.loads(line.decode())
    except UnicodeDecodeError:
        return Broken(number, "not in UTF-8")
    except json.JSONDecodeError as error:
        return Broken(number, f"no JSON: {error.msg} at character {error.pos + 1}")
    except (ValueError, RecursionError) as error:
        return Broken(number, f"no JSON that can be read: {error}")
    name = body.get("id") if isinstance(body, dict) else None
    if not isinstance(name, str):
        return Broken(number, "no object with an 'id'")
    return Case(number, name, body)


def texts_in(document: JSON) -> Iterator[str]:
    """Return every text that is a value in a document, in no order of note."""
    pending = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, (dict, list)):
            pending += value.values() if isinstance(value, dict) else value
