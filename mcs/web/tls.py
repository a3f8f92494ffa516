"""The server's certificate: one context for all connections of a worker, made anew when the files change."""

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from mcs.boot.clock import Reading, elapsed
from mcs.clock import Clock

__all__ = ["CertificateError", "Certificates", "make_context"]

_log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0  # seconds between two looks at the files

# Authenticated encryption only, with forward secrecy; TLS 1.3 has nothing else.
_TLS_1_2_SUITES = "ECDHE+AESGCM:ECDHE+CHACHA20"


class CertificateError(ValueError):
    """A certificate and key that cannot be used; the text names the files and never what is in the key."""


def make_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return a context for these files: TLS 1.2 and newer, HTTP/1.1. Raises CertificateError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(_TLS_1_2_SUITES)
    context.set_alpn_protocols(["http/1.1"])
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION | ssl.OP_CIPHER_SERVER_PREFERENCE
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except ssl.SSLError as error:
        reason = error.reason or "they are no certificate and key in PEM"
        raise CertificateError(f"{certificate} and {key} cannot be used together: {reason}") from error
    except OSError as error:
        name = certificate if not certificate.is_file() else key
        raise CertificateError(f"{name}: {error.strerror}") from error
    return context


def _no_password() -> str:
    # Without this a key with a passphrase would have the server ask for it on its terminal.
    raise CertificateError("the key is protected by a passphrase; store it without one")


@dataclass(frozen=True, slots=True)
class _Stamp:
    """What tells one version of the two files from another."""

    parts: tuple[tuple[int, int, int] | None, ...]


class Certificates:
    """Hands out the context. Safe for many threads."""

    def __init__(self, certificate: Path, key: Path, clock: Clock) -> None:
        """Load the files. Raises CertificateError."""
        self._files = (certificate, key)
        self._clock = clock
        self._lock = Lock()
        self._stamp = self._read_stamp()
        self._context = make_context(certificate, key)
        self._looked: Reading = clock()

    def context(self) -> ssl.SSLContext:
        """Return the context of the files as they are; a pair that cannot be used leaves the old one, and is logged."""
        now = self._clock()
        if elapsed(self._looked, now) < _LOOK_EVERY:
            return self._context
        with self._lock:
            self._looked = now
            stamp = self._read_stamp()
            if stamp != self._stamp:
                self._stamp = stamp
                self._reload()
            return self._context

    def _reload(self) -> None:
        try:
            self._context = make_context(*self._files)
        except CertificateError as error:
            _log.error("the old certificate stays in use: %s", error)
        else:
            _log.info("the certificate was loaded anew from %s", self._files[0])

    def _read_stamp(self) -> _Stamp:
        return _Stamp(tuple(_stamp_of(file) for file in self._files))


def _stamp_of(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
