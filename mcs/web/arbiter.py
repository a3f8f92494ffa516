"""The arbiter: starts workers, replaces those that end, and stops them so that no machine is cut off.

It differs from gunicorn's in what matters to machines that are being served: a worker that drains counts as gone, one
that cannot start ends nobody else, and nothing here waits while signals or workers do.
"""

import logging
import math
import signal
import time
from typing import Any

from gunicorn.arbiter import Arbiter

__all__ = ["ServerArbiter"]

_log = logging.getLogger(__name__)

_CRASH = 10.0  # a worker that ends by itself within so many seconds of its start counts as crashed
_WAVE = 0.5  # crashes within so many seconds are one: what ended one worker ended its siblings
_LONGEST_PAUSE = 5.0  # seconds between two starts in a crash loop
_LIFE_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT}


class ServerArbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """Runs the workers of an application that has `patience`: how long they may take to end, in seconds."""

    # gunicorn ends the whole server when one worker cannot start, with those that serve well.
    WORKER_BOOT_ERROR = APP_LOAD_ERROR = -1

    def __init__(self, application: Any) -> None:
        super().__init__(application)
        self._crashes = _Crashes()

    def manage_workers(self) -> None:
        """Have as many workers serve as there should be; those that drain do not count, and are left to it."""
        serving = sorted((worker.age, pid) for pid, worker in self.WORKERS.items() if not worker.is_ending)
        missing = self.num_workers - len(serving)
        if missing > 0 and self._crashes.may_start(time.monotonic()):
            for _ in range(missing):
                self.spawn_worker()
        for _, pid in serving[: max(0, -missing)]:
            self.kill_worker(pid, signal.SIGTERM)

    def spawn_worker(self) -> Any:
        """Start a worker. A signal that comes before it can listen for signals waits until it does."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _LIFE_SIGNALS)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _LIFE_SIGNALS)

    def kill_worker(self, pid: int, sig: int) -> None:
        """Send a worker a signal."""
        worker = self.WORKERS.get(pid)
        if worker is not None and sig != signal.SIGUSR1:
            worker.is_ending = True
        super().kill_worker(pid, sig)

    def ended(self, worker: Any) -> None:
        """Take in that a worker has ended and been waited for."""
        if not worker.is_ending:
            self._crashes.take_in(time.monotonic(), worker.born)

    def stop(self, graceful: bool = True) -> None:
        """Stop all workers, and wait for them as long as machines may need them.

        gunicorn's own limit serves a reload too, where it would wait for the old workers and be deaf meanwhile; so it
        is short until here. Old workers need no waiting for: they drain beside the new ones.
        """
        self.cfg.set("graceful_timeout", math.ceil(self.app.patience))
        super().stop(graceful)

    def handle_usr2(self) -> None:
        """Do nothing: a second arbiter beside this one could not listen. Restart the service instead."""
        _log.warning("SIGUSR2 is not heeded")


class _Crashes:
    """Slows down a crash loop: each wave of workers that end right after their start doubles the pause after it."""

    def __init__(self) -> None:
        self._waves = 0
        self._last = -math.inf
        self._not_before = -math.inf

    def may_start(self, now: float) -> bool:
        """Tell whether a worker may be started to replace one."""
        return now >= self._not_before

    def take_in(self, now: float, born: float) -> None:
        """Take in that a worker ended that nobody had asked to."""
        if now - born >= _CRASH:
            self._waves = 0
        elif now - self._last >= _WAVE:
            self._waves += 1
            pause = min(_LONGEST_PAUSE, 0.1 * 2**self._waves)
            self._not_before = now + pause
            _log.warning("a worker ended right after its start; the next one starts in %.1f s", pause)
        self._last = now
