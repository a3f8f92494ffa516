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
