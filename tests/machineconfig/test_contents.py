"""What the contents of a file or unit are to a person."""

import base64
import gzip

import pytest

from mcs.jsondata import JSON
from mcs.machineconfig.contents import LIMIT, contents_of


def packed(data: bytes, *, cut: int = 0) -> JSON:
    raw = gzip.compress(data)
    return {"source": "data:;base64," + base64.b64encode(raw[: len(raw) - cut]).decode(), "compression": "gzip"}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param("[Unit]\n", "[Unit]\n", id="a-unit"),
        pytest.param({"source": "data:,a%20b"}, "a b", id="data-url"),
        pytest.param({"source": "data:;base64,w7w="}, "ü", id="base64"),
        pytest.param(packed(b"abc"), "abc", id="gzip"),
        pytest.param({}, "", id="nothing"),
        pytest.param({"source": ""}, "", id="empty"),
    ],
)
def test_text(said: JSON, text: str) -> None:
    found = contents_of(said)

    assert (found.text, found.size) == (text, len(text.encode()))


@pytest.mark.parametrize(
    ("said", "what"),
    [
        pytest.param({"source": "data:;base64,/w=="}, "binary, 1 bytes, SHA-256 a8100ae6", id="no-utf-8"),
        pytest.param({"source": "data:,a%00"}, "binary, 2 bytes", id="nul"),
        pytest.param({"source": "https://example.net/a"}, "fetched from https://example.net/a", id="elsewhere"),
        pytest.param({"source": "data:;base64,!"}, "unreadable: ", id="bad-data-url"),
        pytest.param(packed(b"abc", cut=4), "unreadable: no whole gzip data", id="cut-short"),
        pytest.param(
            {"source": "data:,abc", "compression": "gzip"}, "unreadable: no whole gzip data", id="not-packed-at-all"
        ),
        pytest.param(packed(bytes(LIMIT + 1)), f"more than {LIMIT} bytes, packed", id="a-bomb"),
    ],
)
def test_what_is_no_text_is_said_in_words(said: JSON, what: str) -> None:
    found = contents_of(said)

    assert found.text is None
    assert found.what.startswith(what)


def test_the_same_bytes_are_the_same_however_they_are_written() -> None:
    ways: list[JSON] = ["abc", {"source": "data:,abc"}, {"source": "data:;base64,YWJj"}, packed(b"abc")]

    assert all(contents_of(one).is_same_as(contents_of(other)) for one in ways for other in ways)
    assert not contents_of("abd").is_same_as(contents_of("abc"))


def test_what_is_fetched_is_never_the_same_as_a_text() -> None:
    address = "https://e.example/a"

    assert not contents_of({"source": address}).is_same_as(contents_of(address))
    assert not contents_of({"source": address}).is_same_as(contents_of({"source": address}))
