"""One connection, never blocking: PROXY header, TLS handshake, request heads, answers, each with a deadline.

Rule 1: the time from accepting a connection to the end of its first request's head is bounded as a whole, whatever
trickles in. A further request's head is bounded from its first byte.
Rule 2: an answer is given up only when its peer has taken nothing for a while, or at the body deadline: a body that is
cut short is final for an Ignition client. Taken is what the peer's kernel acknowledged, not what ours has buffered.
Rule 3: at the body deadline the connection is reset, so that nothing arrives after the boot protocol's bound.
"""

import fcntl
import socket
import ssl
import struct
import termios
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import ClassVar

from mcs.boot.reasons import Reason, Refusal
from mcs.web.exchange import Outgoing, Peer, refuse
from mcs.web.proxy_protocol import ProxyProtocolError, parse

__all__ = ["Connection", "Limits", "Phase", "Wants", "is_from"]

_HEAD_LONGEST = 64 * 1024  # bytes of a request's head; gunicorn's parser is stricter about its parts
_READ = 64 * 1024
_PEEK = 8192
_TURN = 1024 * 1024  # bytes that one connection sends before others have their turn
_RECORD = 16 * 1024  # bytes of a TLS record
_LINGER = 2.0  # seconds that a peer has to close after the last answer
_END_OF_HEAD = b"\r\n\r\n"

Network = IPv4Network | IPv6Network


class Phase(Enum):
    """What a connection is about."""

    PROXY = "proxy header"
    HANDSHAKE = "TLS handshake"
    HEAD = "request head"
    ANSWERING = "being answered"
    SENDING = "sending"
    LINGERING = "waiting for the peer to close"
    ENDING = "waiting for the peer to take the rest"
    CLOSED = "closed"


_BOUNDED = frozenset({Phase.PROXY, Phase.HANDSHAKE, Phase.HEAD, Phase.LINGERING, Phase.ENDING})


class Wants(Enum):
    """What is to be watched for."""

    READ = 1
    WRITE = 2
    NOTHING = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """In seconds. body: from the request for an answer to its last byte. progress: between two bytes that are taken."""

    head: float
    keep_alive: float
    body: float
    progress: float


@dataclass(slots=True)
class _Sent:
    """An answer under way. left: bytes that are not acknowledged yet, when that was last looked at."""

    outgoing: Outgoing
    length: int
    since: float
    left: int
    moved: float


class Connection:
    """Driven from one thread: `ready` when its socket is, `look` now and then, `send` when it has an answer."""

    def __init__(
        self,
        sock: socket.socket,
        client: tuple[str, int],
        server: tuple[str, int],
        limits: Limits,
        now: float,
        *,
        tls: Callable[[], ssl.SSLContext] | None,
        proxied: bool,
        on_head: Callable[["Connection", bytes], None],
    ) -> None:
        """tls: returns the context, None for plain HTTP. proxied: a PROXY header must come first.

        on_head: is given each request's head; it is answered by `send`, later or at once. now: seconds since the host
        started, suspend included, as everywhere here.
        """
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = sock
        self.descriptor = sock.fileno()
        self.wants = Wants.READ
        self._peer = Peer(client, server)
        self._limits = limits
        self._tls = tls
        self._on_head = on_head
        self._deadline = now + limits.head
        self._received = bytearray()
        self._pieces: deque[memoryview] = deque()
        self._sent: _Sent | None = None
        self._idle = False
        self.again = False
        self._is_tls = tls is not None
        self.phase = Phase.PROXY if proxied else Phase.HANDSHAKE if tls is not None else Phase.HEAD

    @property
    def peer(self) -> Peer:
        """Who asks: the address in the PROXY header, where there is one."""
        return self._peer

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way: a keep-alive connection between two requests."""
        return self.phase is Phase.HEAD and self._idle and not self._received and self._sent is None

    # ---- events

    def ready(self, now: float) -> None:
        """Go on as far as that is possible without waiting, but for no more than one answer: others have their turn."""
        self.again = False
        try:
            while self._STEPS[self.phase](self, now):
                pass
        except (ssl.SSLWantReadError, BlockingIOError):
            self.wants = Wants.WRITE if self.phase is Phase.SENDING and not self._is_tls else Wants.READ
        except ssl.SSLWantWriteError:
            self.wants = Wants.WRITE
        except OSError:  # TLS errors too
            self.close()

    def send(self, outgoing: Outgoing, now: float) -> None:
        """Take the answer to the request whose head was handed out; `ready` sends it."""
        if self.phase is Phase.CLOSED:
            if outgoing.finished is not None:
                outgoing.finished(0, False, 0.0)
            return
        since = outgoing.made
        if self._sent is not None:
            if self._unacknowledged() > 0:  # it asks before it has what it asked for: the bound of that goes on
                since = min(since, self._sent.since)
            self._finish(now, whole=True)
        pieces = [memoryview(piece) for piece in outgoing.pieces if piece]
        length = sum(map(len, pieces))
        self._pieces.extend(pieces)
        self._sent = _Sent(outgoing, length, since, length, now)
        self.phase = Phase.SENDING

    def look(self, now: float) -> None:
        """See what has been taken, and end what is past its deadline."""
        if self.phase is Phase.PROXY:
            self.wants = Wants.READ
        sent = self._sent
        if sent is not None:
            if self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self.close()
                return
            left = self._unacknowledged() + sum(map(len, self._pieces))
            if left != sent.left:
                sent.left, sent.moved = left, now
            if left == 0:
                self._finish(now, whole=True)
                if self.phase is Phase.ENDING:
                    self.close()
                elif self._idle:
                    self._deadline = now + self._limits.keep_alive
            elif now - sent.since >= self._limits.body or now - sent.moved >= self._limits.progress:
                self.reset()
        elif self.phase in _BOUNDED and now >= self._deadline:
            self.close()

    # ---- ends

    def close(self) -> None:
        """End the connection; what our kernel still holds goes on its way."""
        if self.phase is Phase.CLOSED:
            return
        self.phase = Phase.CLOSED
        self.wants = Wants.NOTHING
        self.again = False
        self.socket.close()
        if self._sent is not None:
            self._finish(self._sent.moved, whole=False)

    def reset(self) -> None:
        """End the connection so that nothing more arrives."""
        if self.phase is not Phase.CLOSED:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close()

    # ---- steps: each returns whether the next one may follow at once

    def _read_proxy_header(self, _now: float) -> bool:
        data = self.socket.recv(_PEEK, socket.MSG_PEEK)
        try:
            header = parse(data) if data else None
        except ProxyProtocolError:
            data = b""
        if not data:
            self.close()
            return False
        if header is None:
            # What was peeked at stays readable, so that waiting for more would not wait: `look` asks for it again.
            self.wants = Wants.NOTHING
            return False
        self.socket.recv(header.length)
        if header.source is not None:
            self._peer = Peer(header.source, self._peer.server)
        self.phase = Phase.HANDSHAKE if self._tls is not None else Phase.HEAD
        return True

    def _shake_hands(self, _now: float) -> bool:
        if not isinstance(self.socket, ssl.SSLSocket):
            assert self._tls is not None, "a handshake is for TLS"
            self.socket = self._tls().wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.socket.do_handshake()
        self.phase = Phase.HEAD
        return True

    def _read_head(self, now: float) -> bool:
        end = self._received.find(_END_OF_HEAD)
        while end < 0 and len(self._received) <= _HEAD_LONGEST:
            self.wants = Wants.READ
            data = self.socket.recv(_READ)
            if not data:
                self._end_of_input(now)
                return False
            if self._idle:
                self._idle = False
                self._deadline = now + self._limits.head
            self._received += data
            end = self._received.find(_END_OF_HEAD)
        self.phase = Phase.ANSWERING
        self.wants = Wants.NOTHING
        if end < 0 or end > _HEAD_LONGEST:
            self.send(refuse(Refusal(Reason.REQUEST_TOO_LARGE)), now)
        else:
            head = bytes(self._received[: end + len(_END_OF_HEAD)])
            del self._received[: len(head)]
            self._on_head(self, head)
        return True

    def _wait_for_answer(self, _now: float) -> bool:
        self.wants = Wants.NOTHING
        return False

    def _write(self, now: float) -> bool:
        assert self._sent is not None
        if now - self._sent.since >= self._limits.body:  # this process may have been stopped since
            self.reset()
            return False
        turn = _TURN
        while self._pieces and turn > 0:
            taken = self._send_some()
            turn -= taken
            while taken > 0:
                first = self._pieces[0]
                if taken < len(first):
                    self._pieces[0] = first[taken:]
                    break
                taken -= len(first)
                self._pieces.popleft()
        if self._pieces:
            self.wants = Wants.WRITE
            return False
        if self._sent.outgoing.closes:
            self._begin_to_linger(now)
        else:
            self.phase = Phase.HEAD
            self._idle = True
            self._deadline = now + self._limits.keep_alive
        # The next request may be here already, in our own buffer or in that of TLS, where nobody else looks.
        self.again = True
        return False

    def _send_some(self) -> int:
        if not isinstance(self.socket, ssl.SSLSocket):
            return self.socket.sendmsg(self._pieces)
        first = self._pieces[0]
        if len(self._pieces) > 1:
            # A record each for the head, a boot id and what is between two of them would cost a packet each. A write
            # that would wait is made again with the same bytes, as the library asks: what is joined stays joined.
            first = self._join_a_record() if len(first) < _RECORD else first[: len(first) - len(first) % _RECORD]
        return self.socket.send(first)

    def _join_a_record(self) -> memoryview:
        """Make the first pieces one, as long as a record if there is so much, and return it."""
        joined = bytearray()
        while self._pieces and len(joined) < _RECORD:
            piece = self._pieces.popleft()
            fitting = _RECORD - len(joined)
            joined += piece[:fitting]
            if len(piece) > fitting:
                self._pieces.appendleft(piece[fitting:])
        first = memoryview(joined)
        self._pieces.appendleft(first)
        return first

    def _begin_to_linger(self, now: float) -> None:
        """Say that nothing more comes, and let the peer close first: what it still sends would reset the connection."""
        self.phase = Phase.LINGERING
        self._deadline = now + _LINGER
        self._say_goodbye()

    def _say_goodbye(self) -> None:
        if isinstance(self.socket, ssl.SSLSocket):
            with suppress(OSError):
                self.socket.unwrap()  # the peer's own goodbye is not waited for
        self.socket.shutdown(socket.SHUT_WR)

    def _discard(self, now: float) -> bool:
        self.wants = Wants.READ
        # past TLS: what comes now is nobody's business
        if socket.socket.recv(self.socket, _READ):
            return True
        self._end_of_input(now)
        return False

    def _end_of_input(self, now: float) -> None:
        """The peer sends nothing more; it may still be taking an answer."""
        if self._sent is None:
            self.close()
        else:
            if self.phase is Phase.HEAD:
                self._say_goodbye()  # our kernel has all of the answer; a peer that waits for its end sees it at once
            self.phase = Phase.ENDING
            self.wants = Wants.NOTHING
            self._deadline = now + _LINGER

    def _finish(self, now: float, *, whole: bool) -> None:
        sent, self._sent = self._sent, None
        assert sent is not None
        if sent.outgoing.finished is not None:
            # What is left is counted as it travels: in TLS that is more than what it says.
            taken = sent.length if whole else max(0, sent.length - sent.left)
            sent.outgoing.finished(taken, whole, now - sent.since)

    def _unacknowledged(self) -> int:
        """Return how many bytes our kernel holds that the peer's has not acknowledged."""
        (count,) = struct.unpack("i", fcntl.ioctl(self.socket.fileno(), termios.TIOCOUTQ, bytes(4)))
        return int(count)

    _STEPS: ClassVar[dict[Phase, Callable[["Connection", float], bool]]] = {
        Phase.PROXY: _read_proxy_header,
        Phase.HANDSHAKE: _shake_hands,
        Phase.HEAD: _read_head,
        Phase.ANSWERING: _wait_for_answer,
        Phase.SENDING: _write,
        Phase.LINGERING: _discard,
        Phase.ENDING: _wait_for_answer,
        Phase.CLOSED: _wait_for_answer,
    }


def is_from(networks: tuple[Network, ...], client: str) -> bool:
    """Tell whether an address is in one of the networks; an IPv4-mapped one counts as IPv4."""
    if not networks:
        return False
    try:
        address = ip_address(client.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return any((mapped or address) in network for network in networks)
