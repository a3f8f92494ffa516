"""Fixtures of the command's tests."""

from pathlib import Path

import pytest

from tests.cli.commands import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A directory of its own, with no store in it yet."""
    return Place(tmp_path)
