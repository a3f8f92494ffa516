"""A machine's way from power-on to its Node, step by step."""

import json
import time
from collections.abc import Callable

from mcs.jsondata import JSONObject, text_at, texts_at
from tests.end_to_end.cluster import Cluster
from tests.end_to_end.machines import NODE_ANNOTATIONS
from tests.machine.config import machine_config, worker_pool
from tests.machine.guest import Guest
from tests.machine.report import Report, Reports

__all__ = ["load", "node_of", "wait_for_report", "wait_until"]

_PATIENCE = 240.0  # seconds; a boot takes 20 on an idle machine
_STEP = 0.1


def load(cluster: Cluster) -> JSONObject:
    """Fill a cluster with a pool `worker` and its config; return the config."""
    config = machine_config()
    cluster.apply(config, worker_pool(text_at(config, "metadata", "name") or ""))
    return config


def wait_for_report(guest: Guest, reports: Reports, server_log: Callable[[], str]) -> Report:
    """Wait until a machine reports from its root. If it does not, the error says what was on its console."""
    found: list[Report] = []

    def has_reported() -> bool:
        found.extend(report for report in [reports.next(_STEP)] if report is not None)
        return bool(found)

    wait_until(guest, has_reported, "it reports", server_log)
    return found[0]


def wait_until(
    guest: Guest,
    condition: Callable[[], bool],
    what: str,
    server_log: Callable[[], str] = str,
    patience: float = _PATIENCE,
) -> None:
    """Wait until something holds while a machine boots; fail with its console where that cannot be any more."""
    end = time.monotonic() + patience
    while (failure := guest.failure()) is None and time.monotonic() < end:
        if condition():
            return
        time.sleep(_STEP)
    raise AssertionError(
        f"in vain waited until {what}: {failure or f'not so after {patience:.0f} s'}.\n"
        f"---- its console:\n{guest.console()}\n---- the server's log:\n{server_log()}"
    )


def node_of(report: Report, name: str) -> JSONObject:
    """Return the Node of a machine: its annotations are those that the machine has on its disk."""
    annotations = texts_at(json.loads(report.files[NODE_ANNOTATIONS].contents))
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": {**annotations}}}
