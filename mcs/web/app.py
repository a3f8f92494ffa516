"""The node-facing HTTP application. It only translates: requests into questions, what is given into answers."""

import logging
import re
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask, Response, g, request

from mcs.boot.identity import normal_address
from mcs.boot.reasons import Reason, Refusal
from mcs.boot.records import Attempt
from mcs.clock import read_clock
from mcs.ignition import MEDIA_TYPE, SPEC_3, TARGETS, Malformed, Negotiated, NotSpoken, Serve, negotiate
from mcs.ignition.versions import V2_2
from mcs.machineconfig.appended import AppendedSet
from mcs.machineconfig.names import is_dns_subdomain
from mcs.settings import Settings
from mcs.web.answers import Given, Question
from mcs.web.exchange import FINISHED
from mcs.web.metrics import NO_POOL, UNKNOWN_POOL
from mcs.web.probes import PATHS as PROBES
from mcs.web.probes import add_probes
from mcs.web.problems import answer_errors, problem
from mcs.web.tls import Certificates
from mcs.web.worker import Worker, read_appended, start_worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from ssl import SSLContext

    from _typeshed.wsgi import WSGIApplication

__all__ = ["Server", "create_app"]

_log = logging.getLogger("mcs.requests")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")

_SPOKEN = f"{', '.join(str(spec) for spec in TARGETS if spec not in SPEC_3)} and {SPEC_3[0]} to {SPEC_3[-1]}"

# Machines of a fleet ask alike. A header is at most 8 kB, so that this holds at most 2 MB.
_negotiate = lru_cache(maxsize=128)(negotiate)


class Server:
    """The application's hold on its worker, which exists only after the fork."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.worker: Worker | None = None
        self.admin: WSGIApplication | None = None
        self.draining = False
        self._certificates: Certificates | None = None

    def start(self) -> Worker:
        """Start the worker in this process. Raises CertificateError."""
        worker = start_worker(self.settings)
        if self.settings.tls_cert is not None and self.settings.tls_key is not None:

            def loaded(certificate: Path) -> None:
                from mcs.certificates import UnusableAuthority, ends_at  # slow to import, and only TLS needs it

                with suppress(OSError, UnusableAuthority):  # the next look at the files sees what became of them
                    worker.metrics.certificate_expires(ends_at(certificate.read_bytes()))

            self._certificates = Certificates(self.settings.tls_cert, self.settings.tls_key, read_clock, loaded)
        self.worker = worker
        return worker

    @property
    def tls_context(self) -> "Callable[[], SSLContext] | None":
        """Returns the context for a new connection; None where plain HTTP is spoken."""
        return self._certificates.context if self._certificates is not None else None

    def negotiated(self, accept: str | None, client: str | None) -> Negotiated:
        """Decide which spec a request with these headers, Accept and User-Agent, is served."""
        return _negotiate(
            accept,
            client,
            asking_2_2=self.settings.spec_for_2_2,
            unasked=V2_2 if self.settings.compat_mco else None,
        )

    def answers_at_once(self, path: str, accept: str | None, client: str | None) -> bool:
        """Whether a request for this path waits for nothing: neither the store nor a file.

        What is already held, verified and at hand need not be handed to another thread.
        """
        worker = self.worker
        prefix, _, pool = path.rpartition("/")
        if worker is None or prefix != "/config":
            return False
        wanted = self.negotiated(accept, client)
        if self.settings.reads_files or isinstance(wanted, Malformed | NotSpoken):
            return False
        appended = read_appended(self.settings)
        spec = wanted.version if isinstance(wanted, Serve) else None
        return isinstance(appended, AppendedSet) and worker.answers.at_hand(pool, spec, appended)

    def readiness(self) -> Refusal | None:
        """Tell why machines had better be sent elsewhere, or None."""
        if self.draining:
            return Refusal(Reason.STOPPING)
        return self.worker.keeper.readiness() if self.worker is not None else Refusal(Reason.STARTING)

    def stop(self) -> None:
        """Stop the worker; requests are refused from now on."""
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.stop()


def create_app(settings: Settings) -> Flask:
    """Make the application. Nothing is opened, started or drawn: that is for `Server.start`, after the fork.

    The server is in `app.extensions["mcs"]`.
    """
    app = Flask("mcs", static_folder=None)
    server = Server(settings)
    app.extensions["mcs"] = server

    def config(pool: str) -> Response:
        response = _config(server, pool)
        response.headers["Vary"] = "Accept, User-Agent"  # a refusal, too, may depend on them
        return response

    def account(response: Response) -> Response:
        worker = server.worker
        if worker is not None:
            _count(worker, response)
            _record_attempt(worker)
        return response

    app.add_url_rule("/config/<pool>", view_func=config, methods=["GET"], provide_automatic_options=False)
    app.before_request(_begin)
    answer_errors(app, _refused)
    add_probes(app, server.readiness, _refused)
    app.after_request(_log_request)
    app.after_request(account)
    return app


def _config(server: Server, pool: str) -> Response:
    if not is_dns_subdomain(pool):
        return _refused(Refusal(Reason.POOL_NAME_IMPOSSIBLE, "a pool's name is a DNS subdomain in lower case"))
    g.pool = pool
    worker = server.worker
    if worker is None:
        return _refused(Refusal(Reason.STARTING, "the worker has not started yet"))
    wanted = server.negotiated(request.headers.get("Accept"), request.headers.get("User-Agent"))
    if isinstance(wanted, Malformed):
        detail = f"{_printable(wanted.asked)} is no Ignition spec version; write it as 3.4.0"
        return _refused(Refusal(Reason.ACCEPT_MALFORMED, detail))
    g.asked = wanted.asked if isinstance(wanted, Serve | NotSpoken) else None
    if isinstance(wanted, NotSpoken):
        detail = f"{_printable(wanted.asked)} is asked for; this server speaks {_SPOKEN}"
        return _refused(Refusal(Reason.SPEC_NOT_SPOKEN, detail))
    appended = read_appended(server.settings)
    if isinstance(appended, Refusal):
        return _refused(appended)
    question = Question(
        pool=pool,
        spec=wanted.version if isinstance(wanted, Serve) else None,
        asked=g.asked,
        address=normal_address(request.remote_addr or ""),
        client=_printable(request.headers.get("User-Agent", "")),
        appended=appended,
    )
    given = worker.answers.look(question) if request.method == "HEAD" else worker.answers.get(question)
    return _refused(given) if isinstance(given, Refusal) else _given(given)


def _given(given: Given) -> Response:
    g.given = given
    headers = [
        ("Content-Type", f"{MEDIA_TYPE}; version={given.spec}"),
        ("Content-Length", str(given.length)),
        ("Cache-Control", "no-store"),
        ("MCS-Config", given.config),
    ]
    if given.boot_id is not None:
        headers.append(("MCS-Boot-Id", given.boot_id))
    response = Response(given.content or [], 200, headers)
    response.automatically_set_content_length = False
    return response


def _refused(refusal: Refusal) -> Response:
    g.refusal = refusal
    return problem(refusal)


# ---- what is kept of a request: figures, the refused ones, and one line; nothing secret, no body


def _begin() -> None:
    g.began = time.monotonic()


def _count(worker: Worker, response: Response) -> None:
    given: Given | None = g.get("given")
    refusal: Refusal | None = g.get("refusal")
    pool: str | None = g.get("pool")
    label = NO_POOL if pool is None else pool if pool in worker.keeper.states else UNKNOWN_POOL
    worker.metrics.count_request(
        pool=label,
        asked=g.get("asked"),
        served=given.spec if given is not None else None,
        status=response.status_code,
        reason=refusal.reason if refusal is not None else None,
    )
    request.environ[FINISHED] = worker.metrics.finished(label, time.monotonic() - g.began)


def _record_attempt(worker: Worker) -> None:
    refusal: Refusal | None = g.get("refusal")
    if refusal is None or request.path in PROBES:
        return
    now = worker.clock().wall
    attempt = Attempt(
        address=normal_address(request.remote_addr or ""),
        client=_printable(request.headers.get("User-Agent", "")),
        pool=_printable((request.view_args or {}).get("pool", "")),
        reason=refusal.reason.code,
        first=now,
        last=now,
    )
    worker.attempts.record(attempt)


def _log_request(response: Response) -> Response:
    given: Given | None = g.get("given")
    level = logging.INFO
    if response.status_code >= 500 or (response.status_code >= 400 and request.path.startswith("/config")):
        level = logging.WARNING
    elif given is None and response.status_code == 200:
        level = logging.DEBUG  # probes
    if _log.isEnabledFor(level):
        facts = {key: fact for key, fact in _facts(response, given).items() if fact not in (None, "")}
        _log.log(level, "request", extra={"facts": facts})
    return response


def _facts(response: Response, given: Given | None) -> dict[str, object]:
    refusal: Refusal | None = g.get("refusal")
    facts: dict[str, object] = {
        "method": _printable(request.method),
        "path": _printable(request.path),
        "status": response.status_code,
        "address": normal_address(request.remote_addr or ""),
        "client": _printable(request.headers.get("User-Agent", "")),
        "ms": round((time.monotonic() - g.began) * 1000, 1) if "began" in g else None,
        "pool": g.get("pool"),
        "asked": g.get("asked"),
    }
    if given is not None:
        facts |= {"config": given.config, "spec": str(given.spec), "boot": given.boot_id, "bytes": given.length}
    if refusal is not None:
        facts |= {"reason": refusal.reason.code, "detail": _printable(refusal.detail, 500)}
    return facts


def _printable(text: str, most: int = 200) -> str:
    """Return foreign text as it may stand in a log line or a record: printable ASCII, cut short."""
    return _UNPRINTABLE.sub("?", text[: most + 1])[:most]
