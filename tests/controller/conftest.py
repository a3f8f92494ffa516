"""Fixtures of the controller's tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.controller.scene import Scene, scene


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Scene]]:
    """Makes scenes that are closed at the end."""
    made: list[Scene] = []

    def make(**changed: object) -> Scene:
        made.append(scene(tmp_path, **changed))  # type: ignore[arg-type]  # the tests name parameters
        return made[-1]

    yield make
    for one in made:
        one.store.close()
        one.others.close()


@pytest.fixture
def running(make: Callable[..., Scene]) -> Scene:
    """A controller with the usual quiet period, and an empty store."""
    return make()
