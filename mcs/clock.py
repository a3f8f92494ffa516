"""The host's clocks, read for those who are handed time."""

import time
from collections.abc import Callable
from typing import TypeAlias

from mcs.boot.clock import Reading

__all__ = ["Clock", "read_clock"]

Clock: TypeAlias = Callable[[], Reading]


def read_clock() -> Reading:
    """Return both clocks of this host now."""
    return Reading(wall=time.time(), boot=time.clock_gettime(time.CLOCK_BOOTTIME))
