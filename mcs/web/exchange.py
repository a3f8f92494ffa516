"""One request and its answer as bytes: gunicorn's strict parser on the one side, the WSGI application on the other.

Knows nothing of sockets: the head of a request comes in whole, the answer goes out as pieces.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gunicorn.http import wsgi
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from gunicorn.http.parser import RequestParser

from mcs.boot.reasons import Reason, Refusal
from mcs.clock import boot_seconds
from mcs.web.problems import problem

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

__all__ = ["FINISHED", "Outgoing", "Peer", "Request", "answer", "parse_head", "refuse"]

_log = logging.getLogger(__name__)

# An application may put a callable here that is told what became of its answer: bytes sent, whether all, seconds.
FINISHED = "mcs.finished"

Finished = Callable[[int, bool, float], None]


@dataclass(frozen=True, slots=True)
class Peer:
    """Who asks, and at which of our addresses: host and port of both."""

    client: tuple[str, int]
    server: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was understood. message: gunicorn's."""

    message: Any
    peer: Peer

    @property
    def accept(self) -> str | None:
        """What the Accept headers say, joined as the application sees them."""
        return self._header("ACCEPT")

    @property
    def client(self) -> str | None:
        """What the client calls itself, as the application sees it."""
        return self._header("USER-AGENT")

    @property
    def path(self) -> str:
        """The path as it was sent, still percent-encoded."""
        return str(self.message.path)

    def _header(self, wanted: str) -> str | None:
        found = [value for name, value in self.message.headers if name == wanted]
        return ",".join(found) if found else None


@dataclass(slots=True)
class Outgoing:
    """An answer: its pieces, whether the connection ends with it, and whom to tell what became of it.

    made: when the application was asked for it, in seconds since the host started: the body deadline counts from there.
    """

    pieces: list[bytes] = field(default_factory=list)
    closes: bool = True
    finished: Finished | None = None
    made: float = field(default_factory=boot_seconds)


def parse_head(head: bytes, peer: Peer, settings: Any) -> Request | Outgoing:  # gunicorn's Config
    """Return the request whose head this is, the empty line included, or the refusal that answers it.

    settings: gunicorn's. No request has a body here, so none is read.
    """
    try:
        message = next(RequestParser(settings, iter([head]), peer.client))
    except (LimitRequestLine, LimitRequestHeaders):
        return refuse(Refusal(Reason.REQUEST_TOO_LARGE))
    except (ParseException, StopIteration) as error:
        _log.debug("a malformed request from %s: %s", peer.client[0], type(error).__name__)
        return refuse(Refusal(Reason.REQUEST_MALFORMED))
    if any(
        name == "TRANSFER-ENCODING" or (name == "CONTENT-LENGTH" and value != "0") for name, value in message.headers
    ):
        return refuse(Refusal(Reason.BODY_REFUSED))
    return Request(message, peer)


def answer(request: Request, application: "WSGIApplication", settings: Any, *, closes: bool) -> Outgoing:
    """Ask the application and return its answer. closes: whether to end the connection whatever the client wants.

    settings: gunicorn's. What the application raises is logged and answered with 500.
    """
    began = boot_seconds()  # before anything is granted
    written = _Written()
    chunks: Iterable[bytes] = ()
    try:
        response, environ = wsgi.create(request.message, written, request.peer.client, request.peer.server, settings)
        environ["HTTP_HOST"] = "mcs"  # means nothing here, and the framework refuses odd ones with a final status
        if closes:
            response.force_close()
        chunks = application(environ, response.start_response)
        for chunk in chunks:
            response.write(chunk)
        response.close()
    except Exception:  # noqa: BLE001  # the boundary: whatever goes wrong, a machine gets an answer that it retries
        _log.exception("a request failed by a fault of the program")
        return refuse(Refusal(Reason.INTERNAL))
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            close()
    return Outgoing(written.pieces, response.should_close(), environ.get(FINISHED), began)


def refuse(refusal: Refusal) -> Outgoing:
    """Return the answer for a request that does not reach the application; the connection ends with it."""
    response = problem(refusal)
    headers = "".join(f"{name}: {value}\r\n" for name, value in response.headers.items())
    head = f"HTTP/1.1 {response.status}\r\n{headers}Connection: close\r\n\r\n"
    return Outgoing([head.encode("latin-1") + response.get_data()])


class _Written:
    """Stands where gunicorn writes to a socket, and keeps what is written."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def sendall(self, data: bytes) -> None:
        self.pieces.append(data)

    def send(self, data: bytes) -> int:
        self.pieces.append(data)
        return len(data)
