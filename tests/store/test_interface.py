"""What the store's errors say: people read these."""

import pytest

from mcs.store.interface import Conflict, NotFound, ObjectRefused, StoreError, StoreUnavailable, StoreUnusable


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (NotFound("MachineConfigPool", "worker"), "MachineConfigPool worker does not exist"),
        (Conflict("Node", "n1", "uid", "a", "b"), "Node n1 has uid b, not a"),
        (Conflict("Node", "n1", "resourceVersion", 3, 5), "Node n1 has resourceVersion 5, not 3"),
        (ObjectRefused(2, "no"), "no"),
        (StoreUnavailable("locked"), "locked"),
        (StoreUnusable("newer"), "newer"),
    ],
)
def test_every_error_is_a_store_error_and_says_what(error: StoreError, text: str) -> None:
    assert str(error) == text


def test_unusable_is_not_unavailable() -> None:
    assert not issubclass(StoreUnusable, StoreUnavailable)
    assert not issubclass(StoreUnavailable, StoreUnusable)
