"""A loopback HTTP server that gives a fixed row of answers and remembers what it was asked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

__all__ = ["Answer", "Asked", "ScriptedServer", "serving"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: status and body."""

    status: int
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came: method, path, headers by their names in lower case."""

    method: str
    path: str
    headers: dict[str, str]


@dataclass(slots=True)
class ScriptedServer:
    """Answers to give, the last one over and over; `asked` grows with each request."""

    answers: Sequence[Answer]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)

    def take(self, asked: Asked) -> Answer:
        """Record a request and return its answer."""
        self.asked.append(asked)
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


@contextmanager
def serving(*answers: Answer) -> Iterator[ScriptedServer]:
    """Serve the answers on a free loopback port until the block ends."""
    script = ScriptedServer(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = script.take(Asked("GET", self.path, headers))
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name for it
            """Keep the test's output quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        script.url = f"http://127.0.0.1:{server.server_port}/config/worker"
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()
