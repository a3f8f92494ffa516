"""Targets that break their word on purpose: what is found in them has to be told."""

import sys
import time

__all__ = ["crashing", "hanging"]


def crashing(data: bytes) -> None:
    """Raise for one input of the seeds."""
    if b"MARK" in data:
        raise IndexError("beyond the end")


def hanging(data: bytes) -> None:
    """Never return for one input of the seeds."""
    while b"MARK" in data:
        time.sleep(0.01)
        sys.stdout.flush()
