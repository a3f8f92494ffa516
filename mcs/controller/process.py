"""`mcs controller` as a process: the store, the signals, the logs, and word to a service manager."""

import logging
import logging.config
import random
import secrets
import signal
import sys
from collections.abc import Iterator
from types import TracebackType

from gunicorn.systemd import sd_notify

from mcs.clock import read_clock
from mcs.controller.loop import Controller
from mcs.controller.quiet import QuietPeriod
from mcs.machineconfig.rendering import Origin
from mcs.settings import Settings
from mcs.store import open_store
from mcs.store.interface import Store, StoreError, StoreUnusable
from mcs.web.logs import log_config

__all__ = ["log_faults", "origin_of", "period_of", "run"]

_log = logging.getLogger(__name__)


def period_of(settings: Settings) -> QuietPeriod:
    """Return the quiet period; raises ValueError where its cap is shorter."""
    return QuietPeriod(quiet=settings.quiet_period, cap=settings.quiet_cap)


def origin_of(settings: Settings) -> Origin | None:
    """Return what rendering starts from, None if nothing is rendered."""
    if settings.no_render:
        return None
    return Origin(
        build=settings.build,
        release=settings.release,
        os_image=settings.os_image,
        extensions_image=settings.extensions_image,
    )


def log_faults() -> None:
    """Have a fault of the program that ends this process logged like all else, instead of printed."""

    def log(_kind: type[BaseException], fault: BaseException, _where: TracebackType | None) -> None:
        _log.critical("the controller ended by a fault of the program", exc_info=fault)

    sys.excepthook = log


def _tasks(settings: Settings, store: Store) -> Iterator[str]:
    """Yield what is done, in the words of docs/operate.md."""
    if not settings.no_render:
        yield "renders"
    yield from ("unmarks", "ends boots")
    if store.counts_machines:
        yield "labels nodes"


def run(settings: Settings) -> None:
    """Run until SIGTERM or SIGINT. Raises StoreUnusable where waiting would not help.

    A store that is not there is one: a mistyped address would else be an empty store with nothing to do, for ever.
    """
    logging.config.dictConfig(log_config(settings.log_format, settings.log_level))
    store = open_store(settings.store, create=False)
    try:
        store.pools()
    except StoreUnusable:
        raise
    except StoreError as error:
        _log.warning("the store is out of reach for now: %s", error)
    worker = secrets.token_hex(16)
    controller = Controller(
        store,
        worker=worker,
        name=settings.name,
        origin=origin_of(settings),
        period=period_of(settings),
        durations=settings.durations(),
        clock=read_clock,
        random=random.random,
    )
    log_faults()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: controller.stop())
    _log.info("controller %s in %s: %s", worker, store.address, ", ".join(_tasks(settings, store)))
    controller.run(lambda: sd_notify("READY=1", _log))
    store.close()
    _log.info("controller %s ends", worker)
