"""The fleet, loaded and served once for all tests that only boot from it; and clusters of a test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.cluster import Cluster
from tests.web.serving import Serving


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """The example fleet, for tests that apply nothing."""
    cluster = Cluster(tmp_path_factory.mktemp("fleet"))
    cluster.load()
    return cluster


@pytest.fixture(scope="session")
def server(fleet: Cluster) -> Iterator[Serving]:
    """The server of the example fleet."""
    with fleet.serve() as running:
        yield running


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """An empty cluster of the test's own."""
    return Cluster(tmp_path)
