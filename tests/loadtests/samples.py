"""What a server sends to a booting machine, for the tests of the load test: made by this project's own server."""

from loadtests.boot import CLIENTS, Client
from mcs.ignition import SpecVersion
from mcs.jsondata import JSONObject
from mcs.machineconfig.appended import AppendedSet, build_body

__all__ = ["BOOT_ID", "CONFIG", "NEWEST", "body"]

CONFIG = "rendered-worker-0123456789abcdef0123456789abcdef"
BOOT_ID = "abcdefghijklmnopqrstuvwxyz"
NEWEST = CLIENTS[-1]
RENDERED: JSONObject = {
    "metadata": {"name": CONFIG},
    "spec": {"config": {"ignition": {"version": "3.0.0"}, "storage": {"files": [{"path": "/etc/a"}]}}},
}


def body(client: Client = NEWEST, boot_id: str = BOOT_ID) -> bytes:
    """Return the response body for a client."""
    return b"".join(build_body(RENDERED, SpecVersion(3, client.minor), AppendedSet()).fill(boot_id))
