"""The admin application: metrics, status and probes, for those who run the server. Never on the machines' port.

It only reads, shows no secret and no config, and answers without the store too. One worker answers: pools, holds and
queue are its own; metrics and the list of workers are those of all.
"""

from dataclasses import asdict

from flask import Flask, Response
from prometheus_client import CONTENT_TYPE_LATEST

import mcs
from mcs.boot.durations import Durations
from mcs.boot.reasons import Reason, Refusal
from mcs.jsondata import JSON, JSONObject, encode
from mcs.web.app import Server
from mcs.web.keeper import PoolState
from mcs.web.metrics import exposition
from mcs.web.probes import add_probes
from mcs.web.problems import answer_errors, problem
from mcs.web.worker import Worker

__all__ = ["create_admin_app"]

_STORE_TIMEOUT = 1.5  # seconds that a status waits for the store


def create_admin_app(server: Server) -> Flask:
    """Make the application that looks at a server: `/metrics`, `/status`, `/healthz` and `/readyz`."""
    app = Flask("mcs-admin", static_folder=None)

    def metrics() -> Response:
        worker = server.worker
        if worker is None:
            return problem(Refusal(Reason.STARTING))
        text = exposition(worker.metrics, worker.clock().wall)
        return Response(text, content_type=CONTENT_TYPE_LATEST, headers=_FRESH)

    def status() -> Response:
        worker = server.worker
        if worker is None:
            return problem(Refusal(Reason.STARTING))
        body = encode(_status(server, worker), indent=2) + b"\n"
        return Response(body, content_type="application/json", headers=_FRESH)

    answer_errors(app)
    add_probes(app, server.readiness)
    for path, view in (("/metrics", metrics), ("/status", status)):
        app.add_url_rule(path, view_func=view, methods=["GET"], provide_automatic_options=False)
    return app


_FRESH = {"Cache-Control": "no-store"}


# ---- the status, as documented in docs/operate.md; times in seconds since 1970, durations in seconds


def _status(server: Server, worker: Worker) -> JSONObject:
    keeper, recorder = worker.keeper, worker.recorder
    workers, unknown = _workers(worker)
    states = keeper.states
    return {
        "server": worker.identity.server,
        "version": mcs.__version__,
        "worker": worker.identity.worker,
        "time": worker.clock().wall,
        "store": worker.store.address,
        "refusal": _refusal(server.readiness()),
        "trouble": keeper.trouble,
        "staleness": keeper.staleness(),
        "pools": {name: _pool(worker, state) for name, state in sorted(states.items())},
        "holds": _holds(worker),
        "queue": {
            "waiting": recorder.queued,
            "recorded": recorder.recorded,
            "dropped": recorder.dropped,
            "aggregated": recorder.aggregated,
            "attempts_dropped": worker.attempts.dropped,
        },
        "durations": _durations(worker.durations),
        "workers": workers,
        "workers_unknown": unknown,
    }


def _pool(worker: Worker, state: PoolState) -> JSONObject:
    left = worker.keeper.claims.sending_left(state.sending) if state.sending is not None else None
    return {
        "serves": state.serving.config,
        "why": state.serving.why,
        "notes": list(state.serving.notes),
        "settling": worker.keeper.gates.waiting(state.uid, worker.clock()),
        "sends": state.sending,
        "sending_left": left,
        "refusal": _refusal(state.refusal),
        "durations": _durations(state.durations),
    }


def _holds(worker: Worker) -> JSONObject:
    """Return this worker's claims on what pools serve or are sent, by config."""
    keeper = worker.keeper
    states = keeper.states.values()
    configs = {state.serving.config for state in states} | {state.sending for state in states}
    holds: JSONObject = {}
    for config in sorted(name for name in configs if name is not None):
        claim = keeper.claims.current(config)
        if claim is not None:
            holds[config] = {
                "uid": claim.uid,
                "pools": list(keeper.pools_of(config)),
                "renewed": claim.since.wall,
                "duration": claim.hold,
                "sending_left": keeper.claims.sending_left(config),
            }
    return holds


def _workers(worker: Worker) -> tuple[JSON, JSON]:
    """Return the workers of all servers that are alive, or why they are not known."""
    beats = worker.keeper.heartbeats.alive(_STORE_TIMEOUT)
    if isinstance(beats, Refusal):
        return None, _refusal(beats)
    return [{**asdict(beat)} for beat in sorted(beats, key=lambda beat: (beat.server, beat.started))], None


def _durations(durations: Durations) -> JSONObject:
    return {**asdict(durations)}


def _refusal(refusal: Refusal | None) -> JSON:
    return {"reason": refusal.reason.code, "detail": refusal.detail} if refusal is not None else None
