"""The server's certificate: one context for all connections of a worker, made anew when the files change."""

import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from mcs.boot.clock import Reading, elapsed
from mcs.clock import Clock

__all__ = ["CertificateError", "Certificates", "make_context"]

_log = logging.getLogger(__name__)

_LOOK_EVERY = 1.0  # seconds between two looks at the files

# Authenticated encryption only, with forward secrecy; TLS 1.3 has nothing else.
_TLS_1_2_SUITES = "ECDHE+AESGCM:ECDHE+CHACHA20"

# What the library calls the commonest mistakes, and what they are.
_REASONS: dict[str | None, str] = {
    None: "they are no certificate and key in PEM",
    "KEY_VALUES_MISMATCH": "the key is not that of the first certificate",
    "KEY_TYPE_MISMATCH": "the key is not that of the first certificate",
}


class CertificateError(ValueError):
    """A certificate and key that cannot be used; the text names the files and never what is in the key."""


def make_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return a context for these files: TLS 1.2 and newer, HTTP/1.1. Raises CertificateError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(_TLS_1_2_SUITES)
    context.set_alpn_protocols(["http/1.1"])
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION | ssl.OP_CIPHER_SERVER_PREFERENCE
    # A machine boots once and resumes nothing; tickets would only be made, encrypted and sent.
    context.options |= ssl.OP_NO_TICKET
    context.num_tickets = 0

    def no_password() -> str:
        # Without this a key with a passphrase would have the server ask for it on its terminal.
        raise CertificateError(f"{key} is protected by a passphrase; store it without one")

    _check_readable(certificate, key)  # the library does not say which file it could not read
    try:
        context.load_cert_chain(certificate, key, password=no_password)
    except ssl.SSLError as error:
        reason = _REASONS.get(error.reason, error.reason)
        raise CertificateError(f"{certificate} and {key} cannot be used together: {reason}") from error
    except OSError as error:  # it has changed since
        raise CertificateError(f"{certificate} or {key}: {error.strerror}") from error
    return context


def _check_readable(*files: Path) -> None:
    for file in files:
        try:
            file.read_bytes()
        except OSError as error:
            raise CertificateError(f"{file}: {error.strerror}") from error


# What tells one version of a file from another, or None for a file that cannot be looked at. The time of the last
# change of its status comes with every write, and also when only its owner or permission bits are put right.
_Stamp: TypeAlias = tuple[int, int, int] | None


class Certificates:
    """Hands out the context. Safe for many threads."""

    def __init__(
        self, certificate: Path, key: Path, clock: Clock, loaded: Callable[[Path], None] | None = None
    ) -> None:
        """Load the files. loaded: is told the certificate's file each time it is in use. Raises CertificateError."""
        self._files = (certificate, key)
        self._clock = clock
        self._lock = Lock()
        self._looked: Reading = clock()
        self._stamps = self._read_stamps()  # before the files themselves: a change in between is seen at the next look
        self._context = make_context(certificate, key)
        self._complaint: str | None = None
        self._loaded = loaded
        if loaded is not None:
            loaded(certificate)

    def context(self) -> ssl.SSLContext:
        """Return the context of the files as they were within the last second, as a rule.

        A pair that cannot be used leaves the old one in use, is logged once, and tried again at each look. One thread
        looks; the others go on with what there is.
        """
        if elapsed(self._looked, self._clock()) >= _LOOK_EVERY and self._lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._context

    def _look(self) -> None:
        self._looked = self._clock()
        stamps = self._read_stamps()
        # What failed may have failed for a passing reason, such as too many open files.
        if stamps == self._stamps and self._complaint is None:
            return
        self._stamps = stamps
        try:
            self._context = make_context(*self._files)
        except CertificateError as error:
            if str(error) != self._complaint:
                _log.error("the old certificate stays in use: %s", error)
            self._complaint = str(error)
        else:
            _log.info("the certificate was loaded anew from %s", self._files[0])
            self._complaint = None
            if self._loaded is not None:
                self._loaded(self._files[0])

    def _read_stamps(self) -> tuple[_Stamp, ...]:
        return tuple(_stamp_of(file) for file in self._files)


def _stamp_of(file: Path) -> _Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ctime_ns, status.st_size, status.st_ino
