"""Which paths lie above another: what a look at every slash finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.above import Paths

paths = st.text("/ab", max_size=8)


@pytest.mark.parametrize(
    ("given_paths", "path", "expected"),
    [
        pytest.param({"/a", "/a/b"}, "/a/b/c", ["/a/b", "/a"], id="the nearest first"),
        pytest.param({"/a"}, "/ab", [], id="whole names count"),
        pytest.param({"/a"}, "/a", [], id="not itself"),
        pytest.param({"/a"}, "/a/", ["/a"], id="a slash at the end is one"),
        pytest.param({"", "/"}, "/a", [""], id="nothing stands before the first slash"),
        pytest.param(set(), "/a", [], id="none at all"),
    ],
)
def test_paths_above_another(given_paths: set[str], path: str, expected: list[str]) -> None:
    assert list(Paths(given_paths).above(path)) == expected


@given(st.sets(paths), paths)
def test_those_before_any_slash_are_found(given_paths: set[str], path: str) -> None:
    before_slashes = [path[:place] for place, sign in enumerate(path) if sign == "/"]
    assert list(Paths(given_paths).above(path)) == [before for before in before_slashes[::-1] if before in given_paths]
    assert (path in Paths(given_paths)) == (path in given_paths)
