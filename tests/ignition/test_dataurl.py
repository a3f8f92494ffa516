import base64
import string
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition import InvalidDataURL
from mcs.ignition.dataurl import decode, encode

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
        pytest.param("", "it does not begin with data:", id="empty"),
        pytest.param("https://a.example", "it does not begin with data:", id="other-scheme"),
        pytest.param("DATA:,a", "it does not begin with data:", id="upper-case-scheme"),
        pytest.param("data:", "no media type", id="nothing"),
        pytest.param("data:text/plain", "no comma", id="no-comma"),
        pytest.param("data:text/plain;charset=utf-8", "no comma", id="no-comma-after-parameter"),
        pytest.param("data:text,a", "no media type", id="no-subtype"),
        pytest.param("data:fruit/apple,a", "no media type", id="unknown-type"),
        pytest.param("data:text/plain;charset,a", "character 16", id="parameter-without-value"),
        pytest.param("data:;base64;charset=utf-8,QUI=", "character 6", id="base64-before-a-parameter"),
        pytest.param("data:;BASE64,QUI=", "character 6", id="upper-case-base64"),
        pytest.param("data:;base64,QUJDRA", "padding", id="no-padding"),
        pytest.param("data:;base64,QUJDRA=", "padding", id="half-a-padding"),
        pytest.param("data:;base64,QUJD=", "padding", id="padding-too-much"),
        pytest.param("data:;base64,QUJD====", "not in base64", id="four-signs-of-padding"),
        pytest.param("data:;base64,QU==QUI=", "not in base64", id="padding-inside"),
        pytest.param("data:;base64,QUJD RA==", "not in base64", id="space-in-base64"),
        pytest.param("data:;base64,QUJD\nRA==", "not in base64", id="newline-in-base64"),
        pytest.param("data:;base64,QUI=\n", "not in base64", id="newline-after-base64"),
        pytest.param("data:;base64,QUI%3D", "not in base64", id="percent-in-base64"),
        pytest.param("data:;base64,Q-_=", "not in base64", id="the-other-alphabet"),
        pytest.param("data:,50%", "percent sign at character 3", id="percent-at-the-end"),
        pytest.param("data:,50%2", "percent sign at character 3", id="one-digit"),
        pytest.param("data:,a%GGb", "percent sign at character 2", id="no-digits"),
        *(
            pytest.param(f"data:,ab{sign}", "character 3", id=f"U+{ord(sign):04X}")
            for sign in ' <>#"{}|\\^[]`\n\x00\x7fäß\udc80\U0001f980'
        ),
    ],
)
def test_what_ignition_would_refuse_is_refused(url: str, message: str) -> None:
    with pytest.raises(InvalidDataURL, match=message):
        decode(url)


def test_an_error_shows_nothing_of_the_data() -> None:
    with pytest.raises(InvalidDataURL) as error:
        decode("data:,pass word")

    assert "pass" not in str(error.value)


PIECES = ["data:", "text/plain", "x-a/b", ";a=b", ";base64", ",", "QUI=", "%41", "%", '"', "\\", " ", "ä"]


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_any_text_is_decoded_or_refused(text: str) -> None:
    try:
        data = decode(text)
    except InvalidDataURL:
        return
    assert text.startswith("data:")
    tail = text.partition(",")[2] if '"' not in text else None
    if tail is not None and ";base64," not in text:
        assert data == unquote_to_bytes(tail)
