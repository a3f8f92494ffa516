"""Refusals as HTTP answers: application/problem+json (RFC 9457), told apart by `reason`."""

from flask import Response

from mcs.boot.reasons import Reason, Refusal
from mcs.jsondata import JSONObject, encode

__all__ = ["problem", "reason_for_status"]

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
