"""The host's clocks, read for those who are handed time."""

import time
from collections.abc import Callable
from typing import TypeAlias

from mcs.boot.clock import Reading

__all__ = ["Clock", "boot_seconds", "read_clock"]

Clock: TypeAlias = Callable[[], Reading]


def boot_seconds() -> float:
    """Return the seconds since the host started, suspend included: for deadlines of connections."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def read_clock() -> Reading:
    """Return both clocks of this host now."""
    return Reading(wall=time.time(), boot=boot_seconds())
