"""A store that fails when it is told to: a real one behind it, and a list of calls that raise StoreUnavailable.

    broken = BrokenStore(EmbeddedStore(path))
    broken.fail("put_hold")                    # refused, nothing is written
    broken.fail("put_hold", done=True)         # the write is done, but its acknowledgement is lost
    broken.fail("metadata", times=2)           # twice, then well again
    broken.heal()

`calls` lists the names of all calls, in their order, those that failed included.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from mcs.store.forwarding import OPERATIONS, ForwardingStore
from mcs.store.interface import Store, StoreUnavailable

__all__ = ["BrokenStore"]

T = TypeVar("T")


@dataclass
class _Failure:
    error: Exception
    done: bool
    times: float


class BrokenStore(ForwardingStore):
    """A Store of which chosen calls fail. Not for use while another thread calls `fail` or `heal`."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._failures: dict[str, _Failure] = {}
        self.calls: list[str] = []

    def fail(
        self, *names: str, done: bool = False, times: float = float("inf"), error: Exception | None = None
    ) -> None:
        """Make the named methods fail, all of them if none is named, `times` times each.

        done: what they do is done before they fail. error: what they raise, else StoreUnavailable.
        """
        for name in names or OPERATIONS:
            if name not in OPERATIONS:
                raise ValueError(f"a store has no method {name}")
            self._failures[name] = _Failure(error or StoreUnavailable(f"{name} fails in this test"), done, times)

    def heal(self) -> None:
        """Make all calls succeed again."""
        self._failures.clear()

    def _call(self, operation: str, call: Callable[[], T]) -> T:
        self.calls.append(operation)
        failure = self._failures.get(operation)
        if failure is None or failure.times <= 0:
            return call()
        failure.times -= 1
        if failure.done:
            call()
        raise failure.error
