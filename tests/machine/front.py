"""How machines reach the server: over TLS, with a CA that only their stub holds, both made by `mcs tls init`."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path

from tests.end_to_end.cluster import Cluster
from tests.machine.guest import ADDRESS
from tests.web.serving import Serving

__all__ = ["Front", "make_front"]

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Front:
    """What a server is given. stub: the user data of machines of the pool `worker`."""

    flags: tuple[str, ...]
    authority: Path
    stub: bytes

    @contextmanager
    def serve(self, cluster: Cluster, port: int | None = None) -> Iterator[Serving]:
        """Serve a cluster over TLS; begins once the server is ready."""
        with cluster.serve(*self.flags, port=port, ready=False) as server:
            server.wait_for(lambda: self._is_ready(server.port), "it is ready")
            yield server

    def _is_ready(self, port: int) -> bool:
        trust = ssl.create_default_context(cafile=self.authority)
        connection = HTTPSConnection(_LOOPBACK, port, timeout=10, context=trust)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        finally:
            connection.close()


def make_front(cluster: Cluster, folder: Path, *flags: str) -> Front:
    """Make a CA and a certificate in a new folder, and take the stub that `mcs` offers. flags: more for the server."""
    said = cluster.mcs("tls", "init", folder, "--host", ADDRESS, "--host", _LOOPBACK)
    _trust, stub, _for_loopback = said.splitlines()
    files = ("--tls-cert", str(folder / "tls.crt"), "--tls-key", str(folder / "tls.key"))
    return Front((*files, *flags), folder / "ca.crt", stub.encode())
