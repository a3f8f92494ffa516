"""Hypothesis strategies of specs of rendered configs, with every kind of character in them."""

from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject

__all__ = ["SPECS", "TEXTS"]

# All that a name can be made of: U+0085 and other controls have none.
_CHARACTERS = st.characters(
    exclude_categories=["Cs"], exclude_characters=["\ufffe", "\uffff", *map(chr, range(0x7F, 0xA0))]
)
# What decides over the style of a text, and where it is wrapped.
_AWKWARD = st.sampled_from(
    [
        *("yes", "no", "~", "null", "0x1f", "012", "1e3", ".5", "1_0", "1:30", "2026-01-31", "<<", "=", "---", "..."),
        *(" ", "  ", "\t", "\n", "\n\n", "\r", ": ", " #", "- ", "? ", "'", '"', "\\", "%", "@", "`", "|", ">", "\0"),
        *("\u2028", "\u2029", "\xa0", "\ufeff", "\U0001f600", "a" * 90, "word " * 20, "é" * 85, " \n", "\n "),
    ]
)
TEXTS = st.one_of(
    st.text(_CHARACTERS, max_size=12),
    _AWKWARD,
    st.lists(st.one_of(_AWKWARD, st.text(_CHARACTERS, max_size=4)), max_size=6).map("".join),
)
_INTEGERS = st.integers(-(2**63), 2**63 - 1)


def _items(key: str, members: dict[str, st.SearchStrategy[JSON]]) -> st.SearchStrategy[list[JSON]]:
    item = st.fixed_dictionaries({key: TEXTS}, optional=members)
    return st.lists(item.map(dict[str, JSON]), max_size=2).map(list[JSON])


def _section(**lists: st.SearchStrategy[list[JSON]]) -> st.SearchStrategy[JSON]:
    return st.fixed_dictionaries({}, optional=lists).map(dict[str, JSON])


_FILES = _items(
    "path", {"mode": _INTEGERS, "overwrite": st.booleans(), "contents": st.builds(lambda a: {"source": a}, TEXTS)}
)
_UNITS = _items("name", {"enabled": st.booleans(), "contents": TEXTS})
_CONFIGS: st.SearchStrategy[JSON] = st.builds(
    lambda storage, systemd: {"ignition": {"version": "3.5.0"}, "storage": storage, "systemd": systemd},
    _section(files=_FILES),
    _section(units=_UNITS),
)

SPECS: st.SearchStrategy[JSONObject] = st.builds(
    lambda config, arguments, extensions, fips, image: {
        "baseOSExtensionsContainerImage": "",
        "config": config,
        "extensions": list[JSON](extensions),
        "fips": fips,
        "kernelArguments": list[JSON](arguments),
        "kernelType": "default",
        "osImageURL": image,
    },
    _CONFIGS,
    st.lists(TEXTS, max_size=3),
    st.lists(TEXTS, max_size=1),
    st.booleans(),
    TEXTS,
)
