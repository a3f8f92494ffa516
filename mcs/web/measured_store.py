"""A store whose calls are counted and timed."""

import time
from collections.abc import Callable
from typing import TypeVar

from mcs.store.forwarding import ForwardingStore
from mcs.store.interface import Store, StoreUnavailable, StoreUnusable
from mcs.web.metrics import Metrics

__all__ = ["MeasuredStore"]

T = TypeVar("T")


class MeasuredStore(ForwardingStore):
    """A Store (see mcs.store.interface) in front of another. Safe for many threads, as far as the other is."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        super().__init__(store)
        self._metrics = metrics

    def _call(self, operation: str, call: Callable[[], T]) -> T:
        # What the store answers by an exception, as that an object is another version, is no error of the store.
        began = time.perf_counter()
        failed = False
        try:
            return call()
        except (StoreUnavailable, StoreUnusable):
            failed = True
            raise
        finally:
            self._metrics.count_store(operation, time.perf_counter() - began, failed=failed)
