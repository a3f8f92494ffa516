"""What a worker's own threads owe it: a worker without them must not go on as if nothing had happened."""

import logging
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ends_worker_unless"]

_log = logging.getLogger(__name__)


@contextmanager
def ends_worker_unless(stopping: Callable[[], bool]) -> Iterator[None]:
    """End this process if the thread's loop ends though nobody asked it to; the arbiter starts another worker.

    A worker whose holds are no longer renewed would refuse every machine, half a day later.
    """
    try:
        yield
    finally:
        if not stopping():
            _log.critical("a thread of this worker ended by a fault of the program; the worker ends")
            os.kill(os.getpid(), signal.SIGTERM)
