"""A slow link in front of a server: one answer stands still in the middle of its body until the test lets it go on."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf

__all__ = ["Relay", "relaying"]

_LOOPBACK = "127.0.0.1"
_CHUNK = 16384
_RECEIVE_BUFFER = 65536  # small: what is not taken here stays with the server, whose own buffers hold a few MB
_LONGEST_HALT = 300.0  # seconds; a test is over by then


class Relay:
    """The link. It halts once, after so many bytes of an answer."""

    def __init__(self, target: int, halt_after: int) -> None:
        self.halted = threading.Event()
        self._go_on = threading.Event()
        self._target = target
        self._halt_after = halt_after
        self._listener = socket.create_server((_LOOPBACK, 0))
        self._acceptor = threading.Thread(target=self._accept)
        self._pumps: list[threading.Thread] = []
        self._ends: list[socket.socket] = []

    @property
    def port(self) -> int:
        """Where machines connect to."""
        port: int = self._listener.getsockname()[1]
        return port

    def start(self) -> None:
        """Accept connections."""
        self._acceptor.start()

    def go_on(self) -> None:
        """Let the answer go on that stands still."""
        self._go_on.set()

    def close(self) -> None:
        """End all that goes on."""
        self.go_on()
        _shut(self._listener, socket.SHUT_RDWR)
        self._acceptor.join()  # from here on nothing is added to what there is to end
        for end in self._ends:
            _shut(end, socket.SHUT_RDWR)
        for pump in self._pumps:
            pump.join()
        for each in (self._listener, *self._ends):
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it has been shut down
            while True:
                self._connect(self._listener.accept()[0])

    def _connect(self, machine: socket.socket) -> None:
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
        self._ends += [machine, server]
        if server.connect_ex((_LOOPBACK, self._target)) != 0:
            _shut(machine, socket.SHUT_RDWR)  # nobody serves: the machine sees its connection closed
            return
        for pump in (
            threading.Thread(target=self._pump, args=(machine, server)),
            threading.Thread(target=self._pump, args=(server, machine, self._halt_after)),
        ):
            self._pumps.append(pump)
            pump.start()

    def _pump(self, source: socket.socket, sink: socket.socket, halt_after: float = inf) -> None:
        passed = 0
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                sink.sendall(data)
                passed += len(data)
                if passed >= halt_after and not self.halted.is_set():
                    self.halted.set()
                    self._go_on.wait(_LONGEST_HALT)
        _shut(sink, socket.SHUT_WR)
        _shut(source, socket.SHUT_RD)


def _shut(end: socket.socket, how: int) -> None:
    with suppress(OSError):  # it is shut already
        end.shutdown(how)


@contextmanager
def relaying(target: int, halt_after: int) -> Iterator[Relay]:
    """Run a link to a port of the loopback until the end of the block. halt_after: bytes of an answer."""
    relay = Relay(target, halt_after)
    relay.start()
    try:
        yield relay
    finally:
        relay.close()
