"""Fixtures of the command's tests."""

from pathlib import Path

import pytest

from tests.cli.commands import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A directory of its own, with an empty store in it."""
    made = Place(tmp_path)
    store = made.store()
    store.pools()
    store.close()
    return made


@pytest.fixture
def here(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A directory that is the current one, so that files are named as people name them."""
    monkeypatch.chdir(place.directory)
    return place
