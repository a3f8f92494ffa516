"""Documents as text: read back they are the same, and no terminal obeys them."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcs.cli.documents import json_text, yaml_text
from mcs.jsondata import JSON
from mcs.machineconfig.manifests import write_yaml
from tests.cli.commands import Place, attempt


def documents(texts: st.SearchStrategy[str]) -> st.SearchStrategy[JSON]:
    leaves: st.SearchStrategy[JSON] = st.none() | st.booleans() | st.integers() | texts
    return st.recursive(
        leaves, lambda below: st.lists(below, max_size=3) | st.dictionaries(texts, below, max_size=3), max_leaves=8
    )


UNPRINTABLE = st.sampled_from("\x00\x1b\x7f\x85\x9b\x9d\xa0\u200b\u202e\u2028\ufeff\U000e0001")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | UNPRINTABLE, max_size=10)
ANY_TEXTS = st.text(max_size=10) | st.text(st.sampled_from("a\ud800\udfff\u202e"), max_size=4)


@given(documents(TEXTS))
def test_both_are_read_back_as_the_same(document: JSON) -> None:
    assert json.loads(json_text(document)) == document
    assert yaml.safe_load(yaml_text(document)) == document


@given(documents(ANY_TEXTS))
def test_nothing_but_line_ends_is_unprintable(document: JSON) -> None:
    for text in (json_text(document), yaml_text(document)):
        assert text.replace("\n", "").isprintable()
        assert text.encode()


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udcff\u202e"], ids=ascii)
def test_a_lone_surrogate_is_an_escape(text: str) -> None:
    assert json.loads(json_text([text])) == [text]
    assert yaml.load(yaml_text([text]), Loader=yaml.SafeLoader) == [text]


@pytest.mark.parametrize("text", ["plain", "größer ≥ 1", "two\nlines", "0o7", "tab\there"])
def test_what_is_printable_stays_as_people_wrote_it(text: str) -> None:
    assert yaml_text({"a": text}) == write_yaml({"a": text})


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("char", ["\x9b", "\x9d", "\x7f", "\u202e"], ids=ascii)
def test_get_prints_nothing_that_a_terminal_obeys(place: Place, char: str, form: str) -> None:
    store = place.store()
    store.put_attempts([attempt("192.0.2.7", "no-such-path", last=0.0, client=f"x{char}2J")])
    store.close()
    printed = "\n".join(place.mcs("get", "attempts", "-o", form).out)
    assert printed.replace("\n", "").isprintable()
    assert yaml.safe_load(printed)[0]["client"] == f"x{char}2J"
