"""A loopback HTTP server with every fault that loses a machine, and some that do not: GET /config/BEHAVIOUR."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Event, Thread

from loadtests.boot import CLIENTS, Client
from tests.loadtests.samples import BOOT_ID, CONFIG, body

__all__ = ["Misbehaving", "Request", "serving"]


@dataclass(frozen=True)
class Request:
    """One request as it came. peer: address and port of the connection."""

    pool: str
    version: str
    headers: list[tuple[str, str]]
    peer: tuple[str, int]


class Misbehaving(ThreadingHTTPServer):
    """Answers GET /config/BEHAVIOUR; keeps connections open, so that a client that used one twice could."""

    daemon_threads = False

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.ended = Event()
        self.numbers = count()
        self.seen = {"unready": count(), "hang-up": count()}
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Misbehaving

    def do_GET(self) -> None:
        pool = self.path.removeprefix("/config/")
        self.server.requests.append(
            Request(pool, self.request_version, self.headers.items(), (self.client_address[0], self.client_address[1]))
        )
        BEHAVIOURS[pool](self)

    def send(
        self, status: int, content: bytes, length: int | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        self.wfile.write(content)

    def whole(self, other: Mapping[str, str] | None = None) -> None:
        """Send a config, as a server should."""
        boot_id = f"{next(self.server.numbers):026}"
        minor = int(self.headers["Accept"].partition("version=3.")[2][0])
        content = body(Client(minor, ""), boot_id)
        self.send(200, content, headers={"MCS-Boot-Id": boot_id, "MCS-Config": CONFIG, **(other or {})})

    def unready(self) -> None:
        if next(self.server.seen["unready"]) < 3:
            self.send(503, b'{"reason":"starting"}')
        else:
            self.whole()

    def hang_up(self) -> None:
        if next(self.server.seen["hang-up"]) < 3:
            self.close_connection = True
        else:
            self.whole()

    def cut(self) -> None:
        self.send(200, b"{", length=100)
        self.close_connection = True

    def stall(self) -> None:
        self.send(200, b"{", length=100)
        self.silent()

    def silent(self) -> None:
        self.server.ended.wait()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name for it
        """Keep the test's output quiet."""


BEHAVIOURS: dict[str, Callable[[Handler], None]] = {
    "whole": Handler.whole,
    "unready": Handler.unready,
    "hang-up": Handler.hang_up,
    "redirect": lambda handler: handler.send(308, b"", headers={"Location": "/config/whole"}),
    "gone": lambda handler: handler.send(404, b""),
    "cut": Handler.cut,
    "stall": Handler.stall,
    "silent": Handler.silent,
    "encoded": lambda handler: handler.whole({"Content-Encoding": "gzip"}),
    "empty": lambda handler: handler.send(200, b""),
    "none": lambda handler: handler.send(204, b""),
    "page": lambda handler: handler.send(200, b"<html>"),
    "old": lambda handler: handler.send(200, body(CLIENTS[0])),
    "bare": lambda handler: handler.send(200, b'{"ignition":{"version":"3.6.0"}}'),
    "other": lambda handler: handler.whole({"MCS-Config": "rendered-other"}),
    "same": lambda handler: handler.send(200, body(), headers={"MCS-Boot-Id": BOOT_ID, "MCS-Config": CONFIG}),
}


@contextmanager
def serving() -> Iterator[Misbehaving]:
    """Serve on a free loopback port until the block ends."""
    with Misbehaving() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()
