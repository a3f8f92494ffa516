"""A cluster served over TLS, with the CA, certificate and stubs that `mcs tls init` makes."""

import json
import random
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path

from mcs.jsondata import JSONObject
from tests.end_to_end.cluster import Cluster
from tests.web.serving import Answer, Serving

__all__ = ["STUB_PORT", "Secured", "loopback_address", "secured"]

STUB_PORT = 22623  # the one that printed stubs name


def loopback_address() -> str:
    """Return an address of the loopback that hardly anybody listens on, so that every port of it is free."""
    return "127.{}.{}.{}".format(*(random.randint(2, 250) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class Secured:
    """What `mcs tls init` made for one address. stub: as it was printed, for machines of the pool `worker`."""

    cluster: Cluster
    folder: Path
    address: str
    stub: JSONObject

    @property
    def flags(self) -> tuple[str, ...]:
        """What the server is to be given."""
        return ("--tls-cert", str(self.folder / "tls.crt"), "--tls-key", str(self.folder / "tls.key"))

    @property
    def certificate(self) -> bytes:
        """The server's certificate in its file, in DER."""
        return ssl.PEM_cert_to_DER_cert((self.folder / "tls.crt").read_text())

    def renew(self) -> None:
        """Renew certificate and key in place; the CA stays."""
        self.cluster.mcs("tls", "init", self.folder, "--host", self.address, "--force")

    def connect(self, port: int = STUB_PORT, source: str | None = None) -> HTTPSConnection:
        """Connect as who trusts the CA alone. source: the address to come from."""
        trust = ssl.create_default_context(cafile=self.folder / "ca.crt")
        origin = (source, 0) if source is not None else None
        connection = HTTPSConnection(self.address, port, timeout=10, context=trust, source_address=origin)
        connection.connect()
        return connection

    def shown(self, port: int = STUB_PORT) -> bytes:
        """Return the certificate that a new connection is shown, in DER."""
        connection = self.connect(port)
        try:
            certificate = connection.sock.getpeercert(binary_form=True)
            assert certificate is not None
            return certificate
        finally:
            connection.close()

    def ask(self, path: str, port: int = STUB_PORT, source: str | None = None) -> Answer:
        """Ask once, on a new connection."""
        connection = self.connect(port, source)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    @contextmanager
    def serve(self, *flags: str) -> Iterator[Serving]:
        """Serve where the stubs say; begins once the server is ready."""
        listen = ("--listen", f"{self.address}:{STUB_PORT}")
        with self.cluster.serve(*listen, *self.flags, *flags, ready=False) as server:
            server.wait_for(lambda: self.ask("/readyz").status == 200, "it is ready")
            yield server


def secured(cluster: Cluster, folder: Path, address: str | None = None) -> Secured:
    """Make a CA and a certificate in a new folder, for an address of the loopback."""
    address = address or loopback_address()
    _trust, stub = cluster.mcs("tls", "init", folder, "--host", address).splitlines()
    return Secured(cluster, folder, address, json.loads(stub))
