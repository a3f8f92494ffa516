"""Real TLS handshakes in this process, over a pair of connected sockets, and pairs of files to shake hands with."""

import socket
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mcs.certificates import Authority, ServerCertificate, issue, new_authority, parse_host

__all__ = ["NOW", "Agreed", "client_context", "handshake", "made", "write_pair"]

NOW = datetime.now(UTC)  # the library checks a certificate's dates against the real clock
_HANG = 20.0  # seconds; only a fault takes that long


@dataclass(frozen=True, slots=True)
class Agreed:
    """What both ends agreed on. certificate: the server's, in DER."""

    version: str | None
    suite: str
    protocol: str | None
    certificate: bytes


def made(*hosts: str, authority: Authority | None = None) -> tuple[Authority, ServerCertificate]:
    """Return a CA (a new one, unless given) and a certificate that it signed."""
    signer = authority or new_authority(NOW, 10)
    return signer, issue(signer, [parse_host(host) for host in hosts or ("mcs.example.com",)], NOW, 5)


def write_pair(directory: Path, pair: ServerCertificate) -> tuple[Path, Path]:
    """Write certificate and key; return where."""
    directory.mkdir(exist_ok=True)
    files = directory / "tls.crt", directory / "tls.key"
    for file, content in zip(files, (pair.certificate_pem, pair.key_pem), strict=True):
        file.write_bytes(content)
    return files


def client_context(authority_pem: bytes, *, protocols: Sequence[str] = ()) -> ssl.SSLContext:
    """Return a client's context that trusts this CA and nobody else, and checks the host."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=authority_pem.decode())
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> Agreed:
    """Shake hands as a client that was told to reach this host. Raises the client's SSLError, else the server's."""
    ends = socket.socketpair()
    for end in ends:
        end.settimeout(_HANG)

    def serve() -> None:
        with server.wrap_socket(ends[0], server_side=True):
            pass

    with ThreadPoolExecutor(1) as pool, ends[0], ends[1]:
        served = pool.submit(serve)
        with client.wrap_socket(ends[1], server_hostname=host) as connection:
            served.result(_HANG)
            certificate = connection.getpeercert(binary_form=True)
            cipher = connection.cipher()
            assert certificate is not None
            assert cipher is not None
            return Agreed(connection.version(), cipher[0], connection.selected_alpn_protocol(), certificate)
