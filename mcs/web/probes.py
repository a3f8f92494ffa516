"""What probes ask: whether the process answers, and whether machines had better be sent elsewhere."""

from collections.abc import Callable

from flask import Flask, Response

from mcs.boot.reasons import Refusal
from mcs.web.problems import problem

__all__ = ["PATHS", "add_probes"]

PATHS = ("/healthz", "/readyz")


def add_probes(
    app: Flask, readiness: Callable[[], Refusal | None], refused: Callable[[Refusal], Response] = problem
) -> None:
    """Add `/healthz` and `/readyz`. readiness: why no machine should come here, or None."""

    def healthz() -> Response:
        return _text("alive\n")

    def readyz() -> Response:
        refusal = readiness()
        return _text("ready\n") if refusal is None else refused(refusal)

    for path, view in zip(PATHS, (healthz, readyz), strict=True):
        app.add_url_rule(path, view_func=view, methods=["GET"], provide_automatic_options=False)


def _text(text: str) -> Response:
    return Response(text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})
