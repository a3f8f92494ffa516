"""The node-facing HTTP application. It only translates: requests into questions, what is given into answers."""

import logging
import re
import time

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from mcs.boot.identity import normal_address
from mcs.boot.reasons import Reason, Refusal
from mcs.ignition import SUPPORTED, Malformed, NotSpoken, Serve, negotiate
from mcs.machineconfig.names import is_dns_subdomain
from mcs.settings import Settings
from mcs.web.answers import Given, Question
from mcs.web.problems import problem, reason_for_status
from mcs.web.worker import Worker, read_appended, start_worker

__all__ = ["Server", "create_app"]

MEDIA_TYPE = "application/vnd.coreos.ignition+json"

_log = logging.getLogger("mcs.requests")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")


class Server:
    """The application's hold on its worker, which exists only after the fork."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.worker: Worker | None = None

    def start(self) -> Worker:
        """Start the worker in this process."""
        self.worker = start_worker(self.settings)
        return self.worker

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
    app.url_map.merge_slashes = False  # Flask would answer // with a redirect, which drops an Ignition client's Accept
    app.config["MAX_CONTENT_LENGTH"] = 0
    server = Server(settings)
    app.extensions["mcs"] = server

    def config(pool: str) -> Response:
        return _config(server, pool)

    def healthz() -> Response:
        return Response("alive\n", content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})

    def readyz() -> Response:
        worker = server.worker
        refusal = worker.keeper.readiness() if worker is not None else Refusal(Reason.STARTING)
        if refusal is not None:
            return _refused(refusal)
        return Response("ready\n", content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})

    for rule, view in (("/config/<pool>", config), ("/healthz", healthz), ("/readyz", readyz)):
        app.add_url_rule(rule, view_func=view, methods=["GET"], provide_automatic_options=False)
    app.before_request(_begin)
    app.after_request(_log_request)
    app.register_error_handler(HTTPException, _framework_error)
    app.register_error_handler(Exception, _own_error)
    return app


def _config(server: Server, pool: str) -> Response:
    if not is_dns_subdomain(pool):
        return _refused(Refusal(Reason.POOL_NAME_IMPOSSIBLE, "a pool's name is a DNS subdomain in lower case"))
    g.pool = pool
    worker = server.worker
    if worker is None:
        return _refused(Refusal(Reason.STARTING, "the worker has not started yet"))
    wanted = negotiate(request.headers.get("Accept"))
    if isinstance(wanted, Malformed):
        detail = f"{_printable(wanted.asked)} is no Ignition spec version; write it as 3.4.0"
        return _refused(Refusal(Reason.ACCEPT_MALFORMED, detail))
    g.asked = wanted.asked if isinstance(wanted, Serve | NotSpoken) else None
    if isinstance(wanted, NotSpoken):
        detail = f"{_printable(wanted.asked)} is asked for; this server speaks {SUPPORTED[0]} to {SUPPORTED[-1]}"
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
    response = Response(given.content or b"", 200)
    response.headers["Content-Type"] = f"{MEDIA_TYPE}; version={given.spec}"
    response.headers["Content-Length"] = str(given.length)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "Accept"
    response.headers["MCS-Config"] = given.config
    if given.boot_id is not None:
        response.headers["MCS-Boot-Id"] = given.boot_id
    response.automatically_set_content_length = False
    return response


def _refused(refusal: Refusal) -> Response:
    g.refusal = refusal
    return problem(refusal)


def _framework_error(error: HTTPException) -> Response:
    return _refused(Refusal(reason_for_status(error.code)))


def _own_error(error: Exception) -> Response:
    logging.getLogger(__name__).error("a request failed by a fault of the program", exc_info=error)
    return _refused(Refusal(Reason.INTERNAL, "the server's log has the details"))


# ---- one line a request: nothing secret, no body


def _begin() -> Response | None:
    g.began = time.monotonic()
    if request.method not in {"GET", "HEAD"}:
        return _refused(Refusal(Reason.METHOD_NOT_ALLOWED))
    return None


def _log_request(response: Response) -> Response:
    given: Given | None = g.get("given")
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
    level = logging.INFO
    if response.status_code >= 500:
        level = logging.WARNING
    elif given is None and response.status_code == 200:
        level = logging.DEBUG  # probes
    _log.log(level, "request", extra={"facts": {key: fact for key, fact in facts.items() if fact not in (None, "")}})
    return response


def _printable(text: str, most: int = 200) -> str:
    """Return foreign text as it may stand in a log line or a record: printable ASCII, cut short."""
    return _UNPRINTABLE.sub("?", text[: most + 1])[:most]
