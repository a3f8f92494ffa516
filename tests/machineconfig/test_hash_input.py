import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.hash_input import UnhashableSpec, hash_input

WORDS = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore"


def written(text: str) -> str:
    """Return a string as it stands after the key of one letter."""
    whole = hash_input({"k": text})
    assert whole.startswith("k: ")
    assert whole.endswith("\n")
    return whole.removeprefix("k: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        pytest.param({}, "", id="nothing"),
        pytest.param({"b": 1, "a": -2, "B": True}, "B: true\na: -2\nb: 1\n", id="members-by-byte-order"),
        pytest.param({"a": None, "b": {}, "c": [], "d": False}, "a: null\nb: {}\nc: []\nd: false\n", id="words"),
        pytest.param({"a": {"b": {"c": "d"}}}, "a:\n  b:\n    c: d\n", id="objects-are-indented-by-two"),
        pytest.param({"a": ["b", "c"]}, "a:\n- b\n- c\n", id="lists-are-not-indented"),
        pytest.param(
            {"a": [{"c": ["d"], "b": 1}, {}]}, "a:\n- b: 1\n  c:\n  - d\n- {}\n", id="an-object-begins-on-the-dash"
        ),
        pytest.param({"a": [{"b": {"c": 1}}]}, "a:\n- b:\n    c: 1\n", id="objects-in-an-item"),
        pytest.param(
            {"yes": 1, "a b": 2}, '"yes": 1\na b: 2\n'.replace('"yes": 1\na b: 2', 'a b: 2\n"yes": 1'), id="keys"
        ),
        pytest.param({"a": "x\ny\n", "b": "x\ny"}, "a: |\n  x\n  y\nb: |-\n  x\n  y\n", id="literals-in-a-row"),
    ],
)
def test_layout(spec: JSONObject, text: str) -> None:
    assert hash_input(spec) == text


PLAIN = [
    *("word", "two words", "a#b", "a:b", "-x", "?x", ":x", "<<", "=", "é", "\ue000", "\ufffd"),
    *("0x", "0x1p-2", "0b2", "--1", "1.5.", ".5_", "._5", "-.5_x", "1e400", "9" * 400, "12:60"),
    *("2024-2-30", "1900-2-29", "2024-1-2T3:4:5", "2024-1-2 3:4:5Z"),
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain(text: str) -> None:
    assert written(text) == text


SINGLE = [
    *(
        "# a",
        ", a",
        "[a",
        "]a",
        "{a",
        "}a",
        "&a",
        "*a",
        "!a",
        "|a",
        ">a",
        "%a",
        "@a",
        "`a",
        '"a',
        "- a",
        "-",
        "?",
        "? a",
    ),
    *("? a", ":", "a: b", "a:", "a #b", " a", "a ", "--- a", "---", "...", "a\u2028b"),
]


@pytest.mark.parametrize("text", SINGLE)
def test_single(text: str) -> None:
    assert written(text) == f"'{text}'" if "\u2028" not in text else f"'{text[:2]}  {text[2:]}'"


def test_a_quote_in_single_is_doubled() -> None:
    assert written("'a'") == "'''a'''"


NOT_STRINGS = [
    *("", "y", "N", "yes", "No", "TRUE", "off", "~", "Null", ".nan", "-.INF"),
    *("0", "-1", "+1", "1_000", "0x1F", "0o17", "017", "08", "0b101", "0b-1", "-0b1", "1.", "5.5", "-.5", ".5", ".5_5"),
    *("1e5", "1e-400", "18446744073709551615", "18446744073709551616", "-9223372036854775808", "9" * 300),
    *("1:2", "190:20:30.5", "2024-1-2", "2024-02-29T1:2:3Z", "2024-1-2t1:2:3+24:60", "2024-1-2   03:04:05.5"),
    *("0000-02-29", "2024-1-2 3:4:5,5"),
]


@pytest.mark.parametrize("text", NOT_STRINGS)
def test_what_reads_as_something_else_is_double(text: str) -> None:
    assert written(text) == f'"{text}"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\tb", r'"a\tb"', id="tab"),
        pytest.param("\0\a\b\v\f\r\x1b\x01", r'"\0\a\b\v\f\r\e\x01"', id="control-characters"),
        pytest.param("a \nb", r'"a \nb"', id="space-before-a-break"),
        pytest.param("a\nb ", r'"a\nb "', id="space-at-the-end-of-lines"),
        pytest.param('\t"\\', r'"\t\"\\"', id="quote-and-backslash"),
        pytest.param("\U0001f600", r'"\U0001F600"', id="beyond-the-first-plane"),
        pytest.param("\xa0\t", '"\xa0\\t"', id="a-no-break-space-is-printable"),
        pytest.param("a \u2028\u2029", r'"a \L\P"', id="separators-beside-a-space"),
        pytest.param("a\ufeff", r'"a\uFEFF"', id="byte-order-mark"),
        pytest.param("\ufeffa b", r'"\uFEFF\x61\x20\x62"', id="byte-order-mark-first-escapes-everything"),
    ],
)
def test_double(text: str, expected: str) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\n", "|\n  a", id="one-line"),
        pytest.param("a\nb", "|-\n  a\n  b", id="no-line-feed-at-the-end"),
        pytest.param("a\n\n", "|+\n  a\n\n", id="two-at-the-end"),
        pytest.param("\n", "|2+\n\n", id="only-one"),
        pytest.param(" a\nb", "|2-\n   a\n  b", id="space-first"),
        pytest.param("\na", "|2-\n\n  a", id="line-feed-first"),
        pytest.param("a\n\nb\n", "|\n  a\n\n  b", id="empty-lines-are-not-indented"),
        pytest.param("yes: 'a' #\n", "|\n  yes: 'a' #", id="nothing-is-quoted"),
        pytest.param(f"{WORDS} {WORDS}\n", f"|\n  {WORDS} {WORDS}", id="never-wrapped"),
        pytest.param("a\n\u2028b", "|-\n  a\n\u2028  b", id="a-separator-is-a-break"),
    ],
)
def test_literal(text: str, expected: str) -> None:
    whole = hash_input({"k": text})
    assert whole == f"k: {expected}" + ("" if expected.endswith("\n") else "\n")


BEYOND = "x" * 79  # after the key, the space that follows comes in column 82


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{BEYOND} a", f"{BEYOND}\n  a", id="plain"),
        pytest.param(f"{'x' * 77} a", f"{'x' * 77} a", id="the-space-in-column-80-stays"),
        pytest.param(f"{'x' * 78} a", f"{'x' * 78}\n  a", id="the-space-in-column-81-goes"),
        pytest.param(f"{BEYOND}  a", f"{BEYOND}  a", id="plain-two-spaces-stay"),
        pytest.param(f"'{BEYOND} a", f"'''{BEYOND}\n  a'", id="single"),
        pytest.param(f"'{BEYOND} ", f"'''{BEYOND} '", id="single-last-space-stays"),
        pytest.param(f"\t{BEYOND} a", f'"\\t{BEYOND}\n  a"', id="double"),
        pytest.param(f"\t{BEYOND}  a", f'"\\t{BEYOND}\n  \\ a"', id="double-escapes-the-second-space"),
        pytest.param(f"{'x ' * 41}{'y ' * 40}z", f"{'x ' * 39}x\n  x {'y ' * 38}y\n  y z", id="twice"),
    ],
)
def test_wrapping(text: str, expected: str) -> None:
    assert written(text) == expected


@pytest.mark.parametrize("character", ["\x7f", "\x80", "\x85", "\x9f", "\ufffe", "\uffff", "\ud800"], ids=ascii)
def test_a_character_that_cannot_be_held_is_named_with_its_place(character: str) -> None:
    with pytest.raises(UnhashableSpec) as caught:
        hash_input({"config": {"units": [{"contents": f"a{character}"}]}})

    assert caught.value.path == ("config", "units", 0, "contents")
    assert f"U+{ord(character):04X}" in str(caught.value)


@pytest.mark.parametrize(
    "spec", [pytest.param({"a": 1.5}, id="fraction"), pytest.param({"a": [["b"]]}, id="list-in-a-list")]
)
def test_what_no_spec_holds_is_refused(spec: JSONObject) -> None:
    with pytest.raises(UnhashableSpec):
        hash_input(spec)


_TEXTS = st.text(max_size=200) | st.text(st.sampled_from(" \n\t:#-'\"yes01.\u2028\xa0\ufeffé\U0001f600"), max_size=200)
_SCALARS: st.SearchStrategy[JSON] = st.none() | st.booleans() | st.integers() | _TEXTS


def _object(values: st.SearchStrategy[JSON]) -> st.SearchStrategy[JSONObject]:
    return st.dictionaries(_TEXTS, values, max_size=4)


# Everything that the text can hold: items of a list are no lists.
specs: st.SearchStrategy[JSONObject] = _object(
    st.recursive(
        _SCALARS,
        lambda inner: _object(inner) | st.lists(_object(inner) | _SCALARS, max_size=3),
        max_leaves=8,
    )
)


def attempt(spec: JSONObject) -> str | None:
    try:
        return hash_input(spec)
    except UnhashableSpec:
        return None


def shuffled(value: JSON) -> JSON:
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@given(specs)
def test_the_text_does_not_depend_on_order_of_members_or_on_json(spec: JSONObject) -> None:
    text = attempt(spec)
    reversed_spec = shuffled(spec)
    assert isinstance(reversed_spec, dict)
    assert attempt(reversed_spec) == text
    assert attempt(json.loads(json.dumps(spec))) == text


@given(st.lists(specs, min_size=2, max_size=6))
def test_two_specs_never_have_one_text(several: list[JSONObject]) -> None:
    texts: dict[str, str] = {}
    for spec in several:
        text = attempt(spec)
        if text is not None:
            assert texts.setdefault(text, json.dumps(spec, sort_keys=True)) == json.dumps(spec, sort_keys=True)
