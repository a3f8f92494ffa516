"""Asserts in the shared contract explain themselves as in test modules; an embedded store in a fresh file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcs.store.embedded import EmbeddedStore

pytest.register_assert_rewrite(*(f"tests.store.{part}_contract" for part in ("object", "apply", "record", "attempt")))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[EmbeddedStore]:
    embedded = EmbeddedStore(path)
    yield embedded
    embedded.close()
