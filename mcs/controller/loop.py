"""The controller: looks every so often, and lets each loop do what it has to. One process, one thread.

Two controllers of one store are safe beside each other, for all they write has preconditions; they should have the
same settings, or each will correct the other.
"""

import logging
from collections.abc import Callable
from threading import Event

from mcs.boot.durations import Durations
from mcs.clock import Clock
from mcs.controller.backoff import Random, Retry
from mcs.controller.boots import Boots
from mcs.controller.driver import Publisher
from mcs.controller.first_boots import FirstBoots
from mcs.controller.marks import Marks
from mcs.controller.quiet import QuietPeriod
from mcs.controller.renderer import Renderer
from mcs.controller.watch import PollingWatch, Watch
from mcs.machineconfig.rendering import Origin
from mcs.store.interface import Store, StoreError

__all__ = ["EVERY", "Controller"]

_log = logging.getLogger(__name__)

EVERY = 0.2  # seconds between two looks; most of them read two numbers


class Controller:
    """Unmarks, renders, ends boot leases, and labels nodes if nobody else's controllers do, in this order."""

    def __init__(
        self,
        store: Store,
        *,
        worker: str,
        name: str,
        origin: Origin | None,
        period: QuietPeriod,
        durations: Durations,
        clock: Clock,
        random: Random,
        watch: Watch | None = None,
    ) -> None:
        """worker: 128 random bits in hex, drawn by this process. name: what records call it.

        origin: what rendering starts from; None: nothing is rendered. random: returns numbers from 0 to 1. watch: in
        place of one that polls the store.
        """
        self._clock = clock
        self._random = random
        self._watch = watch if watch is not None else PollingWatch(store)
        self._stop = Event()
        publisher = Publisher(store, worker=worker, server=name, clock=clock, skew=durations.skew)
        self._marks = Marks(publisher, clock)
        self._boots = Boots(store, clock, random)
        self._first_boots = FirstBoots(store, clock, random) if store.counts_machines else None
        self._renderer: Renderer | None = None
        if origin is not None:
            self._renderer = Renderer(
                store,
                self._watch,
                publisher,
                origin=origin,
                period=period,
                durations=durations,
                clock=clock,
                random=random,
                stopping=self._stop.is_set,
            )
        self._retry = Retry()

    def stop(self) -> None:
        """Have `run` return after the write that is under way, if any. May be called by a signal's handler."""
        self._stop.set()

    def run(self, started: Callable[[], None] = lambda: None) -> None:
        """Look until somebody stops it. started: called after the first look, whatever came of it."""
        self.look()
        started()
        while not self._stop.wait(EVERY):
            self.look()

    def look(self) -> None:
        """Look once, and do what is due; a trouble with the store is logged and made up for."""
        now = self._clock().boot
        if now < self._retry.at:
            return
        try:
            sight = self._watch.look()
        except StoreError as error:
            if self._retry.failures == 0:
                _log.error(
                    "the store cannot be read; nothing is rendered, unmarked, ended or labelled for now: %s", error
                )
            self._retry = self._retry.failed(now, self._random())
            return
        if self._retry.failures:
            _log.info("the store can be read again")
            self._retry = Retry()
        self._marks.look(sight)
        if self._renderer is not None:
            self._renderer.look(sight)
        if not self._stop.is_set():
            self._boots.look()
        if self._first_boots is not None and not self._stop.is_set():
            self._first_boots.look(sight)
