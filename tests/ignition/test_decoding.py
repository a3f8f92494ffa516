"""What is read as a config's text, with what result, and where what is no JSON goes wrong."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.decoding import decode
from mcs.ignition.errors import EmptyConfig, IgnitionError, NotJSON
from mcs.ignition.report import Path, Position
from mcs.jsondata import JSON
from tests.ignition.strategies import anything

REPLACEMENT = "\ufffd"


@pytest.mark.parametrize(
    ("source", "value"),
    [
        pytest.param(" \t\r\n{}\n ", {}, id="white space around"),
        pytest.param("null", None, id="null"),
        pytest.param('{"a": 1, "a": 2}', {"a": 2}, id="the later scalar"),
        pytest.param('{"a": [1, 2], "a": [3]}', {"a": [3]}, id="the later list"),
        pytest.param('{"a": {"b": 1}, "a": {"c": 2}}', {"a": {"b": 1, "c": 2}}, id="both objects"),
        pytest.param('{"a": {"b": {"c": 1}}, "a": {"b": {"d": 2}}}', {"a": {"b": {"c": 1, "d": 2}}}, id="deeper down"),
        pytest.param('{"a": {"b": 1}, "a": {}, "a": {"b": 3}}', {"a": {"b": 3}}, id="three objects"),
        pytest.param('{"a": {"b": 1}, "a": null}', {"a": {"b": 1}}, id="null after an object changes nothing"),
        pytest.param('{"a": {"b": 1}, "a": 2}', {"a": 2}, id="a scalar after an object"),
        pytest.param(
            '{"a": {}, "a": {"b": 1, "c": {"d": 1}}, "a": {"c": {"e": 2}, "b": 2}}',
            {"a": {"b": 2, "c": {"d": 1, "e": 2}}},
            id="three objects, the earlier ones first",
        ),
        pytest.param('{"a": [1], "a": null}', {"a": None}, id="null after a list"),
        pytest.param('{"a": 1, "a": null}', {"a": None}, id="null after a scalar"),
        pytest.param('{"a": null, "a": {"b": 1}}', {"a": {"b": 1}}, id="an object after null"),
        pytest.param("[-0, 1e2, 1.0]", [0, 100.0, 1.0], id="numbers"),
        pytest.param("[9223372036854775807, -9223372036854775808]", [2**63 - 1, -(2**63)], id="64 bits"),
        pytest.param("[1e999]", [math.inf], id="a fraction out of range"),
        pytest.param(f"[{'9' * 10_000}, -{'9' * 10_000}]", [2**64, -(2**64)], id="integers of any length"),
        pytest.param(r'["\ud83e\udd9a"]', ["\U0001f99a"], id="a surrogate pair"),
        pytest.param(r'["a\ud800b\udc00c"]', [f"a{REPLACEMENT}b{REPLACEMENT}c"], id="lone surrogates"),
        pytest.param(r'["\ud800\ud83e\udd9a"]', [f"{REPLACEMENT}\U0001f99a"], id="a lone one before a pair"),
        pytest.param(r'["\\ud800"]', [r"\ud800"], id="an escaped backslash is no surrogate"),
        pytest.param(r'{"\udfffa": 1}', {f"{REPLACEMENT}a": 1}, id="a lone surrogate in a name"),
        pytest.param('["\ud800"]', [REPLACEMENT], id="a surrogate as it is"),
        pytest.param('["\x7f\u2028"]', ["\x7f\u2028"], id="odd characters that JSON allows"),
        pytest.param(b'["\xc3\xa9"]', ["é"], id="UTF-8"),
        pytest.param(b'["\xff"]', [REPLACEMENT], id="no UTF-8"),
        pytest.param(b'["\xe2\x82"]', [REPLACEMENT * 2], id="a character cut short, byte by byte"),
        pytest.param(b'["\xed\xa0\x80"]', [REPLACEMENT * 3], id="a surrogate in UTF-8, byte by byte"),
    ],
)
def test_what_is_read(source: str | bytes, value: JSON) -> None:
    assert decode(source).value == value


@pytest.mark.parametrize("nothing", [pytest.param("", id="text"), pytest.param(b"", id="bytes")])
def test_nothing_at_all_is_an_empty_config(nothing: str | bytes) -> None:
    with pytest.raises(EmptyConfig):
        decode(nothing)


@pytest.mark.parametrize(
    ("source", "repeated"),
    [
        pytest.param('{"a": {"b": 1}, "b": [{"a": 1}, {"a": 1}]}', [], id="nothing"),
        pytest.param('{"a": 1, "b": 2, "a": 3}', [("a",)], id="a scalar"),
        pytest.param('{"a": 1, "a": 1, "a": 1}', [("a",)], id="three times, told once"),
        pytest.param('{"b": 1, "a": 1, "a": 1, "b": 1}', [("b",), ("a",)], id="in the order of the value"),
        pytest.param('{"a": {"b": 1}, "a": {"c": 1}}', [("a",)], id="two objects of different members"),
        pytest.param('{"a": {"b": 1}, "a": {"b": 1}}', [("a",), ("a", "b")], id="what both objects have"),
        pytest.param('{"a": {"b": 1}, "a": {"c": 1, "c": 2}}', [("a",), ("a", "c")], id="within the later object"),
        pytest.param('{"a": {"c": 1, "c": 2}, "a": {}}', [("a",), ("a", "c")], id="within the earlier object"),
        pytest.param('{"a": [0, {"b": 1, "b": 2}]}', [("a", 1, "b")], id="within a list"),
        pytest.param('{"a": [{"b": 1, "b": 2}], "a": [{}]}', [("a",)], id="within a list that does not count"),
        pytest.param('{"a": {"b": 1}, "a": null}', [("a",)], id="null"),
        pytest.param('[{"a": 1, "a": 1}, {"a": 1}]', [(0, "a")], id="in one of two objects alike"),
        pytest.param('{"a": 1, "\\u0061": 1}', [("a",)], id="an escape"),
        pytest.param('{"a": 1, "A": 1}', [], id="names in another case"),
    ],
)
def test_repeated_members_are_told(source: str, repeated: list[Path]) -> None:
    assert decode(source).repeated == tuple(repeated)


@pytest.mark.parametrize(
    ("source", "position"),
    [
        pytest.param(" \n ", Position(2, 2), id="white space only"),
        pytest.param("{}\n {}", Position(2, 2), id="two documents"),
        pytest.param("{}\0", Position(1, 3), id="NUL after it"),
        pytest.param("{} // done", Position(1, 4), id="a comment"),
        pytest.param('{"a": 1,}', Position(1, 9), id="a trailing comma"),
        pytest.param('{"a": ["é",\n  NaN]}', Position(2, 3), id="NaN"),
        pytest.param('["NaN", -Infinity]', Position(1, 9), id="infinity, after a string that names NaN"),
        pytest.param('["a\tb"]', Position(1, 4), id="a control character"),
        pytest.param(r'["\x41"]', Position(1, 3), id="an escape that JSON lacks"),
        pytest.param("[01]", Position(1, 3), id="a leading zero"),
        pytest.param("\ufeff{}", Position(1, 1), id="a byte order mark"),
        pytest.param(b"\xef\xbb\xbf{}", Position(1, 1), id="a byte order mark in bytes"),
        pytest.param("{}".encode("utf-16-le"), Position(1, 2), id="UTF-16"),
        pytest.param("\u00a0{}", Position(1, 1), id="a space that is none in JSON"),
        pytest.param("[" * 3 + "{" * 2, Position(1, 5), id="a name is missing"),
        pytest.param('{"a]": ' + "[" * 100_000, Position(1, 907), id="nested too deeply, where it gets so"),
    ],
)
def test_what_is_no_json_says_where(source: str | bytes, position: Position) -> None:
    with pytest.raises(NotJSON) as caught:
        decode(source)
    (entry,) = caught.value.report.entries
    assert (entry.path, entry.position) == ((), position)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param("#cloud-config\nusers: []\n", "not a config (found coreos-cloudconfig)", id="cloud-config"),
        pytest.param("#cloud-config   \n{}", "not a config (found coreos-cloudconfig)", id="with spaces"),
        pytest.param(b"#cloud-config", "not a config (found coreos-cloudconfig)", id="nothing else"),
        pytest.param("#!/bin/sh\ntrue\n", "not a config (found coreos-cloudinit script)", id="a script"),
        pytest.param("#cloud-configs\n", "not JSON: Expecting value", id="any other comment"),
        pytest.param("\ufeff{}", "not JSON: a byte order mark", id="a byte order mark"),
        pytest.param("[-Infinity]", "not JSON: -Infinity is no number", id="infinity"),
        pytest.param("[" * 100_000, "nested too deeply", id="too deep"),
    ],
)
def test_what_is_no_json_is_named(source: str | bytes, message: str) -> None:
    with pytest.raises(NotJSON) as caught:
        decode(source)
    assert caught.value.message == message


@given(anything.filter(lambda value: "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value)))
def test_what_json_writes_is_read_as_it_was(value: JSON) -> None:
    bounded = json.loads(json.dumps(value), parse_int=lambda text: int(text) if len(text) <= 20 else _beyond(text))
    assert decode(json.dumps(value)).value == decode(json.dumps(value).encode()).value == bounded


def _beyond(text: str) -> int:
    return -(2**64) if text.startswith("-") else 2**64


_JSON_LIKE = st.text(st.sampled_from('{}[]:,"\\ud8cDC0123eE.+- \n\tNaInfity\ud800\udc00é'), max_size=40)
_ANY_SOURCE = st.text() | st.binary() | _JSON_LIKE | st.text(st.characters(codec=None, categories=["Cs", "Lu"]))


@given(_ANY_SOURCE)
def test_whatever_comes_in_only_the_documented_errors_come_out(source: str | bytes) -> None:
    try:
        decoded = decode(source)
    except IgnitionError:
        return
    decoded.text.encode()  # no surrogate is left
    json.dumps(decoded.value, ensure_ascii=False).encode()
