"""What is looked at before the server starts or takes new settings: mistakes get a sentence, not a traceback later.

Files are looked at in a child process that ends at once: the arbiter must open nothing that its workers would inherit.
"""

import os
import socket
import sys

from mcs.settings import Listen, Settings
from mcs.store import open_store
from mcs.store.interface import StoreError, StoreUnusable
from mcs.web.tls import CertificateError, make_context

__all__ = ["StartupError", "check", "check_addresses", "usable_in_child"]


class StartupError(Exception):
    """Why the server cannot start: what is wrong and what to do."""


def usable_in_child(settings: Settings) -> bool:
    """Check certificate, store and files in a child process, which says what is wrong on standard error."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for warning in check(settings):
                _say(f"warning: {warning}")
            status = 0
        except StartupError as error:
            _say(str(error))
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def check_addresses(settings: Settings) -> bool:
    """Tell whether both addresses can be listened on, and say what is wrong on standard error."""
    try:
        _require_free("--listen", settings.listen)
        _require_free("--admin-listen", settings.admin_listen)
    except StartupError as error:
        _say(str(error))
        return False
    return True


def check(settings: Settings) -> list[str]:
    """Look at certificate, store and files; make the store if there is none.

    Returns what does not keep the server from starting, but machines from being served. Raises StartupError.
    """
    if settings.tls_cert is not None and settings.tls_key is not None:
        try:
            make_context(settings.tls_cert, settings.tls_key)
        except CertificateError as error:
            raise StartupError(f"--tls-cert, --tls-key: {error}") from error
    warnings = []
    try:
        store = open_store(settings.store)
        store.pools()
        store.close()
    except StoreUnusable as error:
        raise StartupError(str(error)) from error
    except StoreError as error:
        warnings.append(f"the store is out of reach for now, and machines get 503: {error}")
    for flag, file in (
        *(("--kubeconfig", file) for file in (settings.kubeconfig,) if file is not None),
        *(("--ca-bundle", bundle.source) for bundle in settings.ca_bundle),
        *(("--extra-file", extra.source) for extra in settings.extra_file),
    ):
        try:
            file.read_bytes()
        except OSError as error:
            warnings.append(f"{flag}: {file}: {error.strerror}; machines get 503 until it can be read")
    return warnings


def _require_free(flag: str, listen: Listen) -> None:
    try:
        resolved = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, address = resolved[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise StartupError(
            f"{flag} {listen}: {error.strerror}; choose another address or port, or stop what listens there"
        ) from error


def _say(text: str) -> None:
    sys.stderr.write(f"mcs serve: {text}\n")
    sys.stderr.flush()
