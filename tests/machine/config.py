"""What the machines of these tests are given: the example fleet's worker config, and what makes it tell of itself."""

import hashlib

from mcs.ignition import dataurl
from mcs.jsondata import JSONObject, encode, list_at, object_at
from tests.end_to_end.fleet import pool, served_config
from tests.machine.report import REPORT_FILE, REPORT_UNIT

__all__ = ["OPERATOR", "WATCH_FILE", "machine_config", "worker_pool"]

OPERATOR = "ada"
# Where the unit that runs as the operator has written who it is.
WATCH_FILE = "/run/watch/id"

_OWNED_FILE: JSONObject = {
    "path": "/etc/watch/secret",
    "mode": 0o640,
    "user": {"id": 4711},
    "group": {"id": 0},
    "contents": {"source": dataurl.encode("Größe: 1 %\n".encode())},
}
_USER: JSONObject = {
    "name": OPERATOR,
    "uid": 4711,
    "shell": "/bin/bash",
    "groups": ["adm", "systemd-journal"],
    "sshAuthorizedKeys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g ada"],
}
_WATCH = f"""[Service]
Type=exec
User={OPERATOR}
RuntimeDirectory=watch
ExecStartPre=/bin/sh -c 'id -un >{WATCH_FILE}'
ExecStart=/bin/sleep infinity

[Install]
WantedBy=multi-user.target
"""
_WATCH_UNIT: JSONObject = {
    "name": "watch.service",
    "enabled": True,
    "contents": _WATCH,
    "dropins": [{"name": "10-memory.conf", "contents": "[Service]\nMemoryMax=64M\n"}],
}


_ADDITIONS: tuple[tuple[str, str, list[JSONObject]], ...] = (
    ("storage", "files", [REPORT_FILE, _OWNED_FILE]),
    ("systemd", "units", [REPORT_UNIT, _WATCH_UNIT]),
    ("passwd", "users", [_USER]),
)


def machine_config() -> JSONObject:
    """Return the rendered config. Its name depends on what is in it."""
    rendered = served_config("worker")
    config = object_at(rendered, "spec", "config")
    for section, key, entries in _ADDITIONS:
        config = {**config, section: {**object_at(config, section), key: [*list_at(config, section, key), *entries]}}
    name = f"rendered-worker-{hashlib.md5(encode(config)).hexdigest()}"
    metadata: JSONObject = {**object_at(rendered, "metadata"), "name": name}
    spec: JSONObject = {**object_at(rendered, "spec"), "config": config}
    return {**rendered, "metadata": metadata, "spec": spec}


def worker_pool(config_name: str) -> JSONObject:
    """Return the pool `worker` as new, naming that config."""
    known = pool("worker")
    spec: JSONObject = {**object_at(known, "spec"), "configuration": {"name": config_name}}
    return {**{key: value for key, value in known.items() if key != "status"}, "spec": spec}
