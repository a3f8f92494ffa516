from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.web.world import World, start_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Callable[..., World]]:
    """Return a function that starts a server; all are stopped at the end."""
    with ExitStack() as stack:

        def start(*objects: Any, **options: Any) -> World:
            started = start_world(tmp_path, *objects, **options)
            stack.callback(started.store.close)
            stack.callback(started.server.stop)
            return started

        yield start
