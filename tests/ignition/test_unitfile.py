import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.unitfile import InvalidUnit, Option, options, quoted, sections

TOO_LONG = "line too long (max 2048 bytes)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("a=b\nc", [], id="no-section"),
        pytest.param("[Install]", [], id="section-without-options"),
        pytest.param("[A]\nb=c\n", [("A", "b", "c")], id="option"),
        pytest.param("[A]\nb=c", [("A", "b", "c")], id="no-newline-at-the-end"),
        pytest.param("[A]\nb=c\r", [("A", "b", "c")], id="return-at-the-end"),
        pytest.param("[A]\r\nb=c\r\n", [("A", "b", "c")], id="returns"),
        pytest.param("[A]\n\n b c\t=\t d = e \n", [("A", "b c", "d = e")], id="white-space"),
        pytest.param("[A]\n\u2003b\xa0=\u3000c\n", [("A", "b", "c")], id="other-white-space"),
        pytest.param("[A]\nb=\n=c\n", [("A", "b", ""), ("A", "", "c")], id="nothing-on-either-side"),
        pytest.param(
            "[A]\nb=c\n[B]\nd=e\n[A]\nf=g", [("A", "b", "c"), ("B", "d", "e"), ("A", "f", "g")], id="sections"
        ),
        pytest.param("[ A\nB ]\nb=c\n", [(" A\nB ", "b", "c")], id="any-name-of-a-section"),
        pytest.param("[A]b\n", 'found garbage after section name : "b"', id="garbage"),
        pytest.param('[A] "\\\t\x01ä\u200b\U000e0001', None, id="quoted-garbage"),
        pytest.param("[A]\n#b\n;c\nd=e\n", [("A", "d", "e")], id="comments"),
        pytest.param("[A]\n#b\\\nc=d\ne=f\n", [("A", "e", "f")], id="comment-goes-on"),
        pytest.param("[A]\n#b\\ \nc=d\ne=f\n", [("A", "e", "f")], id="comment-goes-on-before-one-space"),
        pytest.param("[A]\n#b\\", [], id="comment-ends-with-the-text"),
        pytest.param("# [\n; [\nx # [\n[A]\nb=c\n", [("A", "b", "c")], id="comments-before-sections"),
        pytest.param("x [A]\nb=c\n", [("A", "b", "c")], id="text-before-a-section"),
        pytest.param("[A]\nb=c\\\nd\n", [("A", "b", "c\\\nd")], id="value-goes-on"),
        pytest.param("[A]\nb=c\\\n\nd=e\n", [("A", "b", "c\\\n"), ("A", "d", "e")], id="value-goes-on-with-nothing"),
        pytest.param("[A]\nb=c\\", [("A", "b", "c\\")], id="value-ends-with-the-text"),
        pytest.param("[A]\nb=c\\ \nd=e", [("A", "b", "c\\"), ("A", "d", "e")], id="backslash-before-space"),
        pytest.param("[A]\nb=c\\\r\nd=e", [("A", "b", "c\\"), ("A", "d", "e")], id="backslash-before-return"),
        pytest.param("[A", "unable to find end of section", id="open-bracket"),
        pytest.param("[A]\nb\nc=d\n", "unexpected newline encountered while parsing option name", id="no-equals-sign"),
        pytest.param("[A]\nb\r", "unexpected newline encountered while parsing option name", id="return-in-a-name"),
        pytest.param("[A]\nb", "EOF", id="name-ends-with-the-text"),
        pytest.param("[A]\n\ud800=\udc00", [("A", "\ud800", "\udc00")], id="surrogates"),
    ],
)
def test_options(text: str, expected: list[tuple[str, str, str]] | str | None) -> None:
    if expected is None:
        expected = r'found garbage after section name : "\"\\\t\x01ä\u200b\U000e0001"'
    if isinstance(expected, str):
        with pytest.raises(InvalidUnit) as error:
            options(text)
        assert error.value.message == expected
    else:
        assert options(text) == tuple(Option(*option) for option in expected)


# Whether a line is too long depends on how much of it the reference's buffer of 4096 bytes holds where a token begins.
LONG = "[A]\nb="


@pytest.mark.parametrize(
    ("text", "is_too_long"),
    [
        pytest.param(LONG + "c" * 2045, False, id="2047-bytes"),
        pytest.param(LONG + "c" * 2046, True, id="2048-bytes"),
        pytest.param(LONG + "c" * 99 + "\n" + "d" * 2048, True, id="the-next-line"),
        pytest.param(LONG + "ä" * 1023, True, id="bytes-count"),
        pytest.param("[A]\n#" + "c" * 2048, True, id="comment"),
        pytest.param("[A]" + " " * 2048 + "\n", True, id="after-a-section"),
        pytest.param("x" * 2048 + "\n[A]\nb=c\n", False, id="before-anything-is-buffered"),
        pytest.param("\n" + "x" * 2048, True, id="before-sections"),
        pytest.param("[A]\n" + "a=b\n" * 600 + "c=" + "d" * 3000, False, id="at-the-end-of-the-buffer"),
        pytest.param("[A]\n" + "a=b\n" * 500 + "c=" + "d" * 3000, True, id="half-in-the-buffer"),
    ],
)
def test_a_line_may_be_too_long(text: str, is_too_long: bool) -> None:
    for read in (options, sections):
        if is_too_long:
            with pytest.raises(InvalidUnit) as error:
                read(text)
            assert error.value.message == TOO_LONG
        else:
            read(text)


PIECES = ["[Unit]", "[", "]", "\n", "\r\n", "a=b", "=", "a", "#", "; c", "\\", "\\\n", " ", "ä", "x" * 2048, "é" * 900]


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=12).map(lambda pieces: "[S]\n" + "".join(pieces)))
def test_sections_are_those_of_the_options(text: str) -> None:
    assert _sections_or_message(text) == _sections_of_options_or_message(text)


def _sections_or_message(text: str) -> frozenset[str] | str:
    try:
        return sections(text)
    except InvalidUnit as error:
        return error.message


def _sections_of_options_or_message(text: str) -> frozenset[str] | str:
    try:
        return frozenset(option.section for option in options(text))
    except InvalidUnit as error:
        return error.message


@pytest.mark.parametrize(
    ("text", "expected"), [("", '""'), ('a"\\\n\x00ä', r'"a\"\\\n\x00ä"'), ("\u200b", r'"\u200b"')]
)
def test_quotation_marks(text: str, expected: str) -> None:
    assert quoted(text) == expected
