"""Runs a protocol's generator: performs what it asks for, and sends it the answers."""

from collections.abc import Callable
from typing import Any, TypeVar

from mcs.boot.protocol import Ask, Run

__all__ = ["drive"]

T = TypeVar("T")


def drive(run: Run[T], perform: Callable[[Ask[Any]], object]) -> T:
    """Return what the run returns. perform: does one request and returns its answer; what it raises ends the run."""
    try:
        request = next(run)
        while True:
            request = run.send(perform(request))
    except StopIteration as stop:
        result: T = stop.value
        return result
