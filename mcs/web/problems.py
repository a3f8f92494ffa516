"""Refusals as HTTP answers: application/problem+json (RFC 9457), told apart by `reason`."""

import logging
from collections.abc import Callable

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from mcs.boot.reasons import Reason, Refusal
from mcs.jsondata import JSONObject, encode

__all__ = ["answer_errors", "problem", "reason_for_status"]

_log = logging.getLogger(__name__)

RETRY_AFTER = 5  # seconds; Ignition's own longest wait between two tries

_STATUS = {
    400: Reason.REQUEST_MALFORMED,
    404: Reason.NO_SUCH_PATH,
    405: Reason.METHOD_NOT_ALLOWED,
}


def problem(refusal: Refusal) -> Response:
    """Return the answer for a refusal: its reason's status and code, and the detail for an operator."""
    reason = refusal.reason
    document: JSONObject = {
        "type": "about:blank",
        "title": reason.title,
        "status": reason.status,
        "reason": reason.code,
    }
    if refusal.detail:
        document["detail"] = refusal.detail
    response = Response(encode(document) + b"\n", reason.status, content_type="application/problem+json")
    response.headers["Cache-Control"] = "no-store"
    if reason.status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER)
    if reason is Reason.METHOD_NOT_ALLOWED:
        response.headers["Allow"] = "GET, HEAD"
    return response


def reason_for_status(status: int | None) -> Reason:
    """Return the reason for an error that the framework found."""
    return _STATUS.get(status or 500, Reason.REQUEST_MALFORMED if status and status < 500 else Reason.INTERNAL)


def answer_errors(app: Flask, refused: Callable[[Refusal], Response] = problem) -> None:
    """Have an application answer methods but GET and HEAD, unknown paths and its own faults with problem documents.

    Nothing that it raises reaches a client.
    """
    app.url_map.merge_slashes = False  # Flask would answer // with a redirect, which drops an Ignition client's Accept
    app.config["MAX_CONTENT_LENGTH"] = 0

    def method() -> Response | None:
        return None if request.method in {"GET", "HEAD"} else refused(Refusal(Reason.METHOD_NOT_ALLOWED))

    def framework(error: HTTPException) -> Response:
        return refused(Refusal(reason_for_status(error.code)))

    def own(error: Exception) -> Response:
        _log.error("a request failed by a fault of the program", exc_info=error)
        return refused(Refusal(Reason.INTERNAL, "the server's log has the details"))

    app.before_request(method)
    app.register_error_handler(HTTPException, framework)
    app.register_error_handler(Exception, own)
