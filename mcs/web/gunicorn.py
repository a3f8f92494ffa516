"""Runs the application under gunicorn. The arbiter opens nothing but the listening sockets; workers do, once forked."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gunicorn.app.base import BaseApplication

from mcs.settings import Settings, SettingsError
from mcs.store.interface import StoreUnusable
from mcs.web import metrics
from mcs.web.admin import create_admin_app
from mcs.web.app import Server, create_app
from mcs.web.arbiter import ServerArbiter
from mcs.web.logs import log_config, log_thread_faults
from mcs.web.poller import PollerWorker
from mcs.web.startup import check_addresses, usable_in_child

if TYPE_CHECKING:
    from flask import Flask

__all__ = ["run"]

_log = logging.getLogger(__name__)

_LAST_WRITES = 30.0  # seconds for boot leases that wait at the end
_READY_WAIT = 2.0  # seconds until a worker whose store is out of reach answers 503 rather than nothing


class _Application(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, read_settings: Callable[[], Settings]) -> None:
        self._read_settings = read_settings
        self.settings = read_settings()
        super().__init__()

    def load_config(self) -> None:
        options: dict[str, object] = {
            "bind": [str(self.settings.listen), str(self.settings.admin_listen)],
            "worker_class": PollerWorker,
            "workers": self.settings.workers,
            "preload_app": True,
            "post_worker_init": _start,
            "worker_exit": _stop,
            "child_exit": _after_exit,
            "on_exit": _at_the_end,
            "timeout": 60,
            "graceful_timeout": 1,  # see ServerArbiter.stop
            "forwarded_allow_ips": "",
            "forwarder_headers": "",
            "secure_scheme_headers": {},
            "control_socket_disable": True,
            "logconfig_dict": log_config(self.settings.log_format, self.settings.log_level),
            "proc_name": "mcs",
        }
        for key, option in options.items():
            self.cfg.set(key, option)

    def load(self) -> "Flask":
        application = create_app(self.settings)
        server = application.extensions["mcs"]
        server.admin = create_admin_app(server)
        return application

    def reload(self) -> None:
        """SIGHUP: read the settings anew, or keep the old ones with a reason."""
        try:
            settings = self._read_settings()
        except (SettingsError, StoreUnusable) as error:
            for problem in str(error).splitlines():
                _log.error("the old settings stay in use: %s", problem)
            return
        addresses = (settings.listen, settings.admin_listen)
        if addresses != (self.settings.listen, self.settings.admin_listen):
            _log.error("the old settings stay in use: --listen and --admin-listen change only with a restart")
        elif not usable_in_child(settings):
            _log.error("the old settings stay in use: see the line above")
        else:
            self.settings = settings
            self.callable = None
            super().reload()

    @property
    def patience(self) -> float:
        """How long a worker may take to end, in seconds: nothing that a machine is being sent is cut short."""
        settings = self.settings
        return settings.drain + settings.head_deadline + settings.body_deadline + _LAST_WRITES

    def run(self) -> None:
        ServerArbiter(self).run()


def _server(worker: object) -> Server | None:
    application = getattr(worker, "wsgi", None)
    server = application.extensions.get("mcs") if application is not None else None
    return server if isinstance(server, Server) else None


def _start(worker: object) -> None:
    server = _server(worker)
    assert server is not None, "gunicorn loads the application before it calls this"
    log_thread_faults()
    started = server.start()
    # A worker accepts connections only after this returns: while its siblings answer, it need not answer 503.
    if started.keeper.ready.wait(_READY_WAIT):
        _log.info("worker %s serves from %s", started.identity.worker, started.store.address)
    else:
        _log.warning("worker %s answers 503 for now: %s", started.identity.worker, started.keeper.trouble)


def _stop(_arbiter: object, worker: object) -> None:
    server = _server(worker)
    if server is not None:
        server.stop()


def _after_exit(arbiter: ServerArbiter, worker: Any) -> None:
    metrics.forget(worker.pid)
    arbiter.ended(worker)


def _at_the_end(_arbiter: object) -> None:
    metrics.clean()


def run(read_settings: Callable[[], Settings]) -> None:
    """Serve until a signal ends it; leaves by SystemExit, with 1 if it cannot start. Raises SettingsError.

    read_settings: reads the settings; called again at each SIGHUP.
    """
    application = _Application(read_settings)
    if not (check_addresses(application.settings) and usable_in_child(application.settings)):
        raise SystemExit(1)
    metrics.prepare()
    application.run()
