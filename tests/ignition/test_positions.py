"""Where members, items and names are found in a text."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.decoding import decode
from mcs.ignition.positions import locate
from mcs.ignition.report import Path, Position
from mcs.jsondata import JSON, JSONObject
from tests.ignition.strategies import anything

TEXT = """\
{"ignition": {"version": "3.2.0"},
 "storage" : {
   "files":[ {"päth": "/a", "mode"
     :
420 }, null,{ }] }
}
"""


@pytest.mark.parametrize(
    ("path", "position"),
    [
        pytest.param((), Position(1, 2), id="the document"),
        pytest.param(("ignition", "version"), Position(1, 26), id="a string begins with its quote"),
        pytest.param(("storage",), Position(2, 15), id="an object begins after its bracket"),
        pytest.param(("storage", "files"), Position(3, 13), id="so does a list"),
        pytest.param(("storage", "files", 0), Position(3, 15), id="an item"),
        pytest.param(("storage", "files", 0, "päth"), Position(3, 23), id="characters count, not bytes"),
        pytest.param(("storage", "files", 0, "mode"), Position(5, 1), id="on another line than its name"),
        pytest.param(("storage", "files", 1), Position(5, 8), id="null"),
        pytest.param(("storage", "files", 2), Position(5, 14), id="an empty object"),
        pytest.param(("storage", "files", 0, "user", "id"), Position(3, 15), id="absent: where it would be"),
        pytest.param(("storage", "files", 1, "path"), Position(5, 8), id="absent from null"),
        pytest.param(("storage", "files", 7, "path"), Position(3, 13), id="beyond the list"),
        pytest.param(("storage", 0), Position(2, 15), id="an index into an object"),
        pytest.param(("storage", "files", "0"), Position(3, 13), id="a name in a list"),
        pytest.param(("ignition", "version", "major"), Position(1, 26), id="inside a string"),
    ],
)
def test_a_value(path: Path, position: Position) -> None:
    assert locate(TEXT, [path]) == {path: position}


@pytest.mark.parametrize(
    ("path", "position"),
    [
        pytest.param(("storage",), Position(2, 2), id="a member of the document"),
        pytest.param(("storage", "files", 0, "mode"), Position(3, 29), id="deeper down"),
        pytest.param(("storage", "disks"), Position(2, 15), id="absent: where it would be"),
    ],
)
def test_a_name(path: Path, position: Position) -> None:
    assert locate(TEXT, [], [path]) == {path: position}


def test_ignitions_own_example() -> None:
    text = '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"a"}]}}'
    path = ("storage", "files", 0, "path")
    assert locate(text, [path]) == {path: Position(1, 61)}


@pytest.mark.parametrize(
    ("text", "path", "column"),
    [
        pytest.param('{"a": 1, "a": 2}', ("a",), 15, id="the later scalar"),
        pytest.param('{"a": {"b": 1}, "a": {"c": 2}}', ("a", "b"), 13, id="the first object's member"),
        pytest.param('{"a": {"b": 1}, "a": {"c": 2}}', ("a", "c"), 28, id="the second object's member"),
        pytest.param(r'{"\u0061": 1}', ("a",), 12, id="a name with escapes"),
        pytest.param(r'{"\ud800": 1}', ("\ufffd",), 12, id="a name that is no Unicode"),
        pytest.param('{"b": ' + "9" * 5000 + "}", ("b",), 7, id="an integer of any length"),
    ],
)
def test_what_decoding_makes_of_names(text: str, path: Path, column: int) -> None:
    assert locate(decode(text).text, [path]) == {path: Position(1, column)}


def test_a_text_that_is_almost_nested_too_deeply_gets_the_places_of_outer_values() -> None:
    depth = next(depth for depth in range(1200, 1, -1) if _decodes(depth))
    text = '{"x": ' + "[" * depth + "]" * depth + "}"
    inner: Path = ("x", *[0] * 30)
    assert locate(text, [("x",), inner])[("x",)] == Position(1, 8)


def _decodes(depth: int) -> bool:
    try:
        decode('{"x": ' + "[" * depth + "]" * depth + "}")
    except ValueError:
        return False
    return True


_SPACES = st.text(" \t\n\r", max_size=3)
_WRITTEN = anything.filter(lambda value: "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value))


@given(_WRITTEN, st.randoms(use_true_random=False), st.booleans())
def test_every_value_and_every_name_is_where_it_was_written(
    value: JSON, choices: random.Random, only_ascii: bool
) -> None:
    writer = _Writer(choices, only_ascii)
    writer.value(value, ())
    text = decode(writer.text).text
    assert locate(text, writer.values) == writer.values
    assert locate(text, [], writer.names) == writer.names


class _Writer:
    """Writes JSON with white space wherever it may be, and notes where what is."""

    def __init__(self, choices: random.Random, only_ascii: bool) -> None:
        self.choices = choices
        self.only_ascii = only_ascii
        self.text = ""
        self.values: dict[Path, Position] = {}
        self.names: dict[Path, Position] = {}

    def value(self, value: JSON, path: Path) -> None:
        self.space()
        if isinstance(value, (dict, list)):
            self.container(value, path)
        else:
            self.values[path] = self.here()
            self.scalar(value)
        self.space()

    def container(self, value: JSONObject | list[JSON], path: Path) -> None:
        self.text += "{" if isinstance(value, dict) else "["
        self.values[path] = self.here()
        if isinstance(value, dict):
            for number, (name, member) in enumerate(value.items()):
                self.text += "," if number else ""
                self.space()
                self.names[(*path, name)] = self.here()
                self.scalar(name)
                self.space()
                self.text += ":"
                self.value(member, (*path, name))
            self.space()
            self.text += "}"
        else:
            for index, item in enumerate(value):
                self.text += "," if index else ""
                self.value(item, (*path, index))
            self.space()
            self.text += "]"

    def scalar(self, value: JSON) -> None:
        self.text += json.dumps(value, ensure_ascii=self.only_ascii)

    def space(self) -> None:
        self.text += "".join(self.choices.choices(" \t\n\r", k=self.choices.randrange(3)))

    def here(self) -> Position:
        lines = self.text.split("\n")
        return Position(len(lines), len(lines[-1]) + 1)
