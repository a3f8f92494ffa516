import base64
import string
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition import InvalidDataURL
from mcs.ignition.dataurl import decode, encode, problem_of

LITERAL = string.ascii_letters + string.digits + "-_.!~*'()"


def test_every_byte_is_written_as_the_machine_config_operator_writes_it() -> None:
    for byte in range(256):
        assert encode(bytes([byte])) == "data:," + (chr(byte) if chr(byte) in LITERAL else f"%{byte:02X}")


@pytest.mark.parametrize(
    ("data", "url"),
    [
        pytest.param(b"", "data:,", id="empty"),
        pytest.param(b"hello", "data:,hello", id="letters"),
        pytest.param(b'{"a": 1}\n', "data:,%7B%22a%22%3A%201%7D%0A", id="json"),
        pytest.param("Grüße".encode(), "data:,Gr%C3%BC%C3%9Fe", id="umlauts"),
    ],
)
def test_encode(data: bytes, url: str) -> None:
    assert encode(data) == url


@given(st.binary())
def test_what_is_encoded_is_decoded(data: bytes) -> None:
    assert decode(encode(data)) == data
    assert decode("data:;base64," + base64.b64encode(data).decode()) == data


def test_a_large_file_is_encoded_and_decoded() -> None:
    data = bytes(range(256)) * 1200

    assert decode(encode(data)) == data


@pytest.mark.parametrize(
    ("url", "data"),
    [
        pytest.param("data:,", b"", id="empty"),
        pytest.param("data:;base64,", b"", id="empty-base64"),
        pytest.param("data:;base64,QR==", b"A", id="bits-to-spare-in-base64"),
        pytest.param("data:text/,a", b"a", id="no-subtype"),
        pytest.param("data:textual/plain,a", b"a", id="type-that-begins-like-a-known-one"),
        pytest.param('data:;a="\\x41\\u00e4\\101";b="",d', b"d", id="escapes-in-quotes"),
        pytest.param("data:;base64,QUJDRA==", b"ABCD", id="base64"),
        pytest.param("data:;base64,/+8=", b"\xff\xef", id="base64-signs"),
        pytest.param("data:text/plain,a%20b", b"a b", id="media-type"),
        pytest.param("data:text/plain;charset=utf-8;base64,QUI=", b"AB", id="parameter-and-base64"),
        pytest.param('data:text/plain;a="b;base64,\\"c",d', b"d", id="quoted-parameter"),
        pytest.param("data:;charset=utf-8,a", b"a", id="parameter-alone"),
        pytest.param("data:x-own/type,a", b"a", id="x-type"),
        pytest.param("data:application/vnd.coreos.ignition+json,a", b"a", id="long-subtype"),
        pytest.param("data:,a,b;base64,c", b"a,b;base64,c", id="only-the-first-comma-counts"),
        pytest.param("data:,%e4+%E4", b"\xe4+\xe4", id="escapes-in-either-case-and-a-plus"),
        pytest.param("data:,!$&'()*+,-./:;=?@_~", b"!$&'()*+,-./:;=?@_~", id="signs-that-need-no-escape"),
    ],
)
def test_decode(url: str, data: bytes) -> None:
    assert decode(url) == data


@pytest.mark.parametrize(
    ("url", "message"),
    [
        pytest.param("data:,50%", "percent sign at character 3 of the data", id="percent"),
        pytest.param("data:,a b", "character 2 of the data must be percent-encoded", id="space"),
        pytest.param("data:;charset=a%zz,b", "percent sign at character 2 of the parameter", id="parameter"),
        pytest.param("data:;base64,QUJDRA", "padding", id="no-padding"),
        pytest.param("data:;charset=a", "no comma before the data", id="no-comma"),
        pytest.param("DATA:,a", "does not begin with data:", id="upper-case-scheme"),
        pytest.param("data:;base64;a=b,QUI=", "character 6", id="base64-before-a-parameter"),
        *(
            pytest.param(f"data:,ab{sign}", "character 3", id=f"U+{ord(sign):04X}")
            for sign in ' <>#"{}|\\^[]`\n\x00\x7fäß\udc80\U0001f980'
        ),
    ],
)
def test_an_error_says_where_it_is(url: str, message: str) -> None:
    with pytest.raises(InvalidDataURL, match=message):
        decode(url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        pytest.param("", "missing data prefix", id="empty"),
        pytest.param("https://a.example", "missing data prefix", id="other-scheme"),
        pytest.param("DATA:,a", "missing data prefix", id="upper-case-scheme"),
        pytest.param("data:", "missing comma before data", id="nothing"),
        pytest.param("data:/plain,a", "invalid character after data prefix", id="no-type"),
        pytest.param("data:ä/plain,a", "invalid character after data prefix", id="no-type-but-an-umlaut"),
        pytest.param("data:text,a", "invalid character for media type", id="no-slash"),
        pytest.param("data:text", "missing media type slash", id="only-a-type"),
        pytest.param("data:fruit/apple,a", "invalid media type", id="unknown-type"),
        pytest.param("data:x/y,a", "invalid character for media type", id="x-without-hyphen"),
        pytest.param("data:x/y/z,a", "invalid media type", id="x-without-hyphen-and-two-slashes"),
        pytest.param("data:x", "missing media type slash", id="x-alone"),
        pytest.param("data:x- /y,a", "invalid character for media type", id="x-hyphen-space"),
        pytest.param("data:text/plain", "incomplete media type", id="only-a-media-type"),
        pytest.param("data:text/pl ain,a", "invalid character for media subtype", id="space-in-subtype"),
        pytest.param("data:;", "unterminated parameter sequence", id="only-a-semicolon"),
        pytest.param("data:;,a", "unterminated parameter sequence", id="no-parameter"),
        pytest.param("data:;=b,a", "unterminated parameter sequence", id="no-name"),
        pytest.param("data:;charset", "unterminated parameter sequence", id="only-a-name"),
        pytest.param("data:;;a=b,c", "invalid character for parameter attribute", id="two-semicolons"),
        pytest.param("data:;a b=c,d", "invalid character for parameter attribute", id="space-in-name"),
        pytest.param("data:text/plain;charset,a", "expected base64, got charset", id="parameter-without-value"),
        pytest.param("data:;BASE64,QUJD", "expected base64, got BASE64", id="upper-case-base64"),
        pytest.param("data:;base64;a=b,QUJD", "invalid character for parameter attribute", id="base64-not-last"),
        pytest.param("data:;a=", "missing comma before data", id="no-value"),
        pytest.param("data:;a=b", "missing comma before data", id="no-comma-after-value"),
        pytest.param("data:;a=,b", "invalid character for parameter value", id="empty-value"),
        pytest.param("data:;a=b c,d", "invalid character for parameter value", id="space-in-value"),
        pytest.param("data:;a=%zz,d", "rfc2396: invalid char 0x25 in unescape sequence", id="bad-escape-in-value"),
        pytest.param("data:;a=b%4,d", "rfc2396: unexpected end of unescape sequence", id="half-an-escape-in-value"),
        pytest.param('data:;a="b', "unclosed quoted string", id="open-quotes"),
        pytest.param('data:;a="b\\', "unclosed quoted string", id="open-quotes-and-a-backslash"),
        pytest.param('data:;a="ä",b', "invalid character for parameter value", id="umlaut-in-quotes"),
        pytest.param('data:;a="\\ä",b', "invalid escaped character", id="escaped-umlaut"),
        pytest.param('data:;a="\\q",b', "invalid syntax", id="escape-that-means-nothing"),
        pytest.param('data:;a="b"', "missing comma before data", id="no-comma-after-quotes"),
        pytest.param('data:;a="b"c,d', "expected semicolon or comma", id="letter-after-quotes"),
        pytest.param("data:;base64,Q", "illegal base64 data at input byte 0", id="one-sign"),
        pytest.param("data:;base64,QUJDRA", "illegal base64 data at input byte 4", id="no-padding"),
        pytest.param("data:;base64,QUJDRA=", "illegal base64 data at input byte 7", id="half-a-padding"),
        pytest.param("data:;base64,QUJD=", "illegal base64 data at input byte 4", id="padding-too-much"),
        pytest.param("data:;base64,QUJD====", "illegal base64 data at input byte 4", id="four-signs-of-padding"),
        pytest.param("data:;base64,QU=A", "illegal base64 data at input byte 2", id="letter-after-padding"),
        pytest.param("data:;base64,QU==QUI=", "illegal base64 data at input byte 4", id="padding-inside"),
        pytest.param("data:;base64,QUI=A", "illegal base64 data at input byte 4", id="letter-after-short-padding"),
        pytest.param("data:;base64,QUJD RA==", "invalid data character", id="space-in-base64"),
        pytest.param("data:;base64,QUJD\nRA==", "invalid data character", id="newline-in-base64"),
        pytest.param("data:;base64,QUI%3D", "invalid data character", id="percent-in-base64"),
        pytest.param("data:;base64,Q-_=", "invalid data character", id="the-other-alphabet"),
        pytest.param("data:,50%", "rfc2396: unexpected end of unescape sequence", id="percent-at-the-end"),
        pytest.param("data:,50%2", "rfc2396: unexpected end of unescape sequence", id="one-digit"),
        pytest.param("data:,50%G", "rfc2396: invalid char 0x25 in unescape sequence", id="no-digit-at-the-end"),
        pytest.param("data:,a%4Gb", "rfc2396: invalid char 0x25 in unescape sequence", id="no-second-digit"),
        pytest.param("data:,a b%", "invalid data character", id="characters-before-escapes"),
    ],
)
def test_what_ignition_refuses_is_refused_in_its_words(url: str, message: str) -> None:
    with pytest.raises(InvalidDataURL) as error:
        decode(url)

    assert error.value.message == message
    assert problem_of(url) == message


def test_an_error_shows_nothing_of_the_data() -> None:
    with pytest.raises(InvalidDataURL) as error:
        decode("data:,pass word")

    assert "pass" not in str(error.value)


PIECES = ["data:", "text/plain", "x-a/b", ";a=b", ";base64", ",", "QUI=", "%41", "%", '"', "\\", " ", "ä"]


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_any_text_is_decoded_or_refused(text: str) -> None:
    problem = problem_of(text)
    try:
        data = decode(text)
    except InvalidDataURL:
        assert problem is not None
        return
    assert problem is None
    assert text.startswith("data:")
    tail = text.partition(",")[2] if '"' not in text else None
    if tail is not None and ";base64," not in text:
        assert data == unquote_to_bytes(tail)
