"""What the contents of a file or unit are to a person."""

import base64
import gzip

import pytest

from mcs.jsondata import JSON
from mcs.machineconfig.contents import LIMIT, Reader, contents_of


def packed(*members: bytes, cut: int = 0) -> JSON:
    raw = b"".join(map(gzip.compress, members))
    return {"source": "data:;base64," + base64.b64encode(raw[: len(raw) - cut]).decode(), "compression": "gzip"}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param("[Unit]\n", "[Unit]\n", id="a-unit"),
        pytest.param({"source": "data:,a%20b"}, "a b", id="data-url"),
        pytest.param({"source": "data:;base64,w7w="}, "ü", id="base64"),
        pytest.param(packed(b"abc"), "abc", id="gzip"),
        pytest.param(packed(b"a" * LIMIT), "a" * LIMIT, id="gzip-at-the-limit"),
        pytest.param(packed(b"abc", b"", b"def" * 50_000), "abc" + "def" * 50_000, id="gzip-of-several-members"),
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
        pytest.param(
            {"source": "data:,", "compression": "gzip"}, "unreadable: no whole gzip data", id="not-even-a-member"
        ),
        pytest.param(packed(bytes(LIMIT), b"a"), f"more than {LIMIT} bytes, packed", id="a-bomb-of-two-members"),
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


# ---- of many contents


def test_no_more_is_unpacked_of_all_contents_than_the_limit() -> None:
    read = Reader(total=10)

    texts = [read(packed(data)).text for data in (b"abcd", b"efgh", b"ijk", b"lm", b"n")]

    assert texts == ["abcd", "efgh", None, None, None]
    assert read(packed(b"ijk")).what.startswith(
        "packed, beyond the 10 bytes that are unpacked of all contents, SHA-256 "
    )


def test_what_was_read_once_is_read_for_nothing() -> None:
    read = Reader(total=5)

    assert [read(packed(b"abcd")).text for _ in range(3)] == ["abcd"] * 3
    assert read(packed(b"e")).text == "e"


def test_what_is_not_packed_does_not_count() -> None:
    read = Reader(total=0)
    said: list[JSON] = ["abc", {"source": "data:,abc"}, {}]

    assert [read(each).text for each in said] == ["abc", "abc", ""]


def test_what_cannot_be_unpacked_counts_as_what_it_might_have_been() -> None:
    read = Reader(total=5000)

    assert read(packed(b"a", cut=4)).what == "unreadable: no whole gzip data"
    assert read(packed(b"b")).text is None


def test_one_source_packed_and_as_it_is_are_two_contents() -> None:
    read = Reader()
    said = packed(b"abc")
    assert isinstance(said, dict)

    assert read(said).text == "abc"
    assert read({"source": said["source"]}).text is None
