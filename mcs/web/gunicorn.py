"""Runs the application under gunicorn. The arbiter opens nothing but the listening socket; workers do, once forked."""

import logging
import os
import sys
from typing import TYPE_CHECKING

from gunicorn.app.base import BaseApplication

from mcs.settings import Settings
from mcs.store import open_store
from mcs.store.interface import StoreError, StoreUnusable
from mcs.web.app import Server, create_app
from mcs.web.logs import log_config

if TYPE_CHECKING:
    from flask import Flask

__all__ = ["run"]

_log = logging.getLogger(__name__)

_READY_WAIT = 2.0  # seconds until a worker whose store is out of reach answers 503 rather than nothing


class _Application(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        super().__init__()

    def load_config(self) -> None:
        options: dict[str, object] = {
            "bind": [str(self._settings.listen)],
            "worker_class": "gthread",
            "workers": self._settings.workers,
            "threads": self._settings.threads,
            "preload_app": True,
            "post_worker_init": _start,
            "worker_exit": _stop,
            "keepalive": 5,
            "timeout": 60,
            "graceful_timeout": max(1, round(self._settings.body_deadline)),
            "control_socket_disable": True,
            "logconfig_dict": log_config(self._settings.log_format, self._settings.log_level),
            "proc_name": "mcs",
        }
        for key, option in options.items():
            self.cfg.set(key, option)

    def load(self) -> "Flask":
        return create_app(self._settings)


def _server(worker: object) -> Server | None:
    application = getattr(worker, "wsgi", None)
    server = application.extensions.get("mcs") if application is not None else None
    return server if isinstance(server, Server) else None


def _start(worker: object) -> None:
    server = _server(worker)
    assert server is not None, "gunicorn loads the application before it calls this"
    started = server.start()
    # A worker accepts connections only after this returns: while its siblings answer, it need not answer 503.
    started.keeper.ready.wait(_READY_WAIT)
    _log.info("worker %s serves from %s", started.identity.worker, started.store.address)


def _stop(_arbiter: object, worker: object) -> None:
    server = _server(worker)
    if server is not None:
        server.stop()


def _check_store(address: str) -> None:
    """End with a sentence if the store cannot be used at all; one that is out of reach for now is waited for.

    Looked at in a child of its own, since this process must open nothing that workers would inherit.
    """
    child = os.fork()
    if child == 0:
        try:
            open_store(address).pools()
        except StoreUnusable as error:
            print(f"mcs serve: {error}", file=sys.stderr, flush=True)  # noqa: T201  # before there are logs
            os._exit(1)
        except StoreError:
            os._exit(0)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) == 1:
        raise SystemExit(1)


def run(settings: Settings) -> None:
    """Serve until a signal ends it; leaves by SystemExit, with 1 if the store cannot be used."""
    _check_store(settings.store)
    _Application(settings).run()
