"""Our gunicorn worker: one thread does all that waits for peers, a pool of threads asks the application.

gunicorn's own workers do the handshake, the reading and the sending in a thread of the pool, so that a few slow peers
take all threads. Here a peer that does not read, write or shake hands costs a few kilobytes until its deadline.
"""

import logging
import math
import mmap
import os
import resource
import selectors
import signal
import socket
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from gunicorn.workers.base import Worker as GunicornWorker

from mcs.clock import boot_seconds
from mcs.web.connection import Connection, Limits, Phase, Wants, is_from
from mcs.web.exchange import Outgoing, Request, answer, parse_head
from mcs.web.probes import PATHS

if TYPE_CHECKING:
    from types import FrameType

    from mcs.web.app import Server

__all__ = ["PollerWorker"]

_log = logging.getLogger(__name__)

_LOOK_EVERY = 0.05  # seconds between two looks at deadlines and at what has been taken
_TICK = 0.5  # seconds that nothing happens at the most
_ACCEPTS = 16  # connections accepted in one go, before others have their turn
_SPARE_FILES = 256  # files that a worker has open besides its connections, at the most
_COMPLAIN_EVERY = 60.0  # seconds between two lines about connections that cannot be accepted
_MOST_ADMINS = 32  # connections of those who look after the server
_FEWEST = 16  # connections that are taken however few files may be open
_LAST_HEADS = 2.0  # seconds that idle connections stay after the server has stopped to accept

_EVENTS = {Wants.READ: selectors.EVENT_READ, Wants.WRITE: selectors.EVENT_WRITE}


class Stage(Enum):
    """The life of a worker."""

    SERVING = "serving"
    DRAINING = "not ready any more, and still accepting"
    FINISHING = "no longer accepting; answers under way are finished"


class PollerWorker(GunicornWorker):  # type: ignore[misc]  # gunicorn has no types
    """Serves the node-facing and the admin application, told apart by the listening socket."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._selector: selectors.BaseSelector
        self._threads: ThreadPoolExecutor
        self._limits: Limits
        self._server: Server
        self._connections: dict[int, Connection] = {}
        self._watched: dict[int, Wants] = {}
        self._answered: deque[tuple[Connection, Outgoing]] = deque()
        self._wake_read = self._wake_write = -1
        self._accepting: set[int] = set()
        self._admins: set[int] = set()
        self._again: list[Connection] = []
        self._most = 0
        self._refused = False
        self._complained = -math.inf
        self._stage = Stage.SERVING
        self._stage_began = 0.0
        self._terminated = False
        self.born = time.monotonic()
        self._ending = mmap.mmap(-1, 1)  # shared with the arbiter, which makes this object before the fork

    @property
    def is_ending(self) -> bool:
        """Whether this worker drains: it was told to end, or has told itself."""
        return self._ending[0] != 0

    @is_ending.setter
    def is_ending(self, ending: bool) -> None:
        self._ending[0] = int(ending)

    # ---- life

    def init_signals(self) -> None:
        """Listen for signals, those among them that came while there was nobody to listen."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT})

    def run(self) -> None:
        """Serve until told to stop, then finish what is under way."""
        self._prepare()
        looked = 0.0
        while self._live(boot_seconds()):
            timeout = 0 if self._again else _LOOK_EVERY if self._connections else _TICK
            for key, _ in self._selector.select(timeout):
                key.data()
            self._send_answers()
            again, self._again = self._again, []
            for connection in again:
                self._go_on(connection)
            now = boot_seconds()
            if now - looked >= _LOOK_EVERY:
                looked = now
                self.notify()
                self._look()
        self._end()

    def handle_exit(self, _signal: int, _frame: "FrameType | None") -> None:
        """SIGTERM: begin to drain."""
        self._terminated = True

    def _prepare(self) -> None:
        self._server = self.wsgi.extensions["mcs"]
        settings = self._server.settings
        self._limits = Limits(
            head=settings.head_deadline,
            keep_alive=settings.keep_alive,
            body=settings.body_deadline,
            progress=settings.body_progress,
        )
        self._most = _room_for(settings.connections)
        self._threads = ThreadPoolExecutor(settings.threads, thread_name_prefix="answer")
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = os.pipe()
        for end in (self._wake_read, self._wake_write):
            os.set_blocking(end, False)
        # The signal handler of the base class writes to its own pipe; ours wakes the loop from other threads.
        self._selector.register(self._wake_read, selectors.EVENT_READ, partial(self._drain_pipe, self._wake_read))
        self._selector.register(self.PIPE[0], selectors.EVENT_READ, partial(self._drain_pipe, self.PIPE[0]))
        for listener in self.sockets:
            listener.setblocking(False)
        self._accept_where_there_is_room()

    def _live(self, now: float) -> bool:
        """Go from stage to stage; return whether there is still something to do."""
        settings = self._server.settings
        if self.ppid != os.getppid() and not self._terminated:
            _log.error("the arbiter is gone; this worker ends")
            self._terminated = True
        if self._stage is Stage.SERVING and self._terminated:
            self._server.draining = self.is_ending = True
            self._stage, self._stage_began = Stage.DRAINING, now
            _log.info("stopping: not ready any more, and accepting for another %g s", settings.drain)
        if self._stage is Stage.DRAINING and now - self._stage_began >= settings.drain:
            self._stage, self._stage_began = Stage.FINISHING, now
            self._accept_where_there_is_room()
            for listener in self.sockets:  # else the kernel would go on accepting for nobody
                listener.close()
            _log.info("stopping: no longer accepting; %d connections are open", len(self._connections))
        if self._stage is not Stage.FINISHING:
            return True
        if now - self._stage_began >= _LAST_HEADS:
            for connection in [one for one in self._connections.values() if one.is_idle]:
                self._drop(connection)
        return bool(self._connections)

    def _end(self) -> None:
        self._threads.shutdown(wait=True)
        self._selector.close()
        for end in (self._wake_read, self._wake_write):
            os.close(end)

    # ---- connections

    def _accept_where_there_is_room(self) -> None:
        """Watch the listening sockets from which another connection may be taken, and no others."""
        for index, listener in enumerate(self.sockets):
            wanted = self._stage is not Stage.FINISHING and not self._refused and self._has_room(admin=index > 0)
            if wanted and index not in self._accepting:
                accept = partial(self._accept, listener, admin=index > 0)
                self._selector.register(listener, selectors.EVENT_READ, accept)
                self._accepting.add(index)
            elif not wanted and index in self._accepting:
                self._selector.unregister(listener)
                self._accepting.remove(index)

    def _has_room(self, *, admin: bool) -> bool:
        """Tell whether another connection may be taken; machines leave room for those who look after the server."""
        admins = len(self._admins)
        return admins < _MOST_ADMINS if admin else len(self._connections) - admins < self._most

    def _accept(self, listener: Any, *, admin: bool) -> None:
        now = boot_seconds()
        for _ in range(_ACCEPTS):
            try:
                accepted, client = listener.accept()
            except BlockingIOError:
                return
            except OSError as error:  # too many open files, say: it would fail again at once, and for long
                if now - self._complained >= _COMPLAIN_EVERY:
                    self._complained = now
                    _log.warning("connections cannot be accepted for now: %s", error)
                self._refused = True  # until the next look
                break
            self._take(accepted, client, admin=admin, now=now)
            if not self._has_room(admin=admin):
                break
        self._accept_where_there_is_room()

    def _take(self, accepted: socket.socket, client: Any, *, admin: bool, now: float) -> None:
        settings = self._server.settings
        try:
            server = accepted.getsockname()[:2]
        except OSError:  # gone already
            accepted.close()
            return
        connection = Connection(
            accepted,
            client[:2],
            server,
            self._limits,
            now,
            tls=self._server.tls_context if not admin else None,
            proxied=not admin and is_from(settings.proxy_protocol_from, client[0]),
            on_head=partial(self._on_head, admin=admin),
        )
        self._connections[connection.descriptor] = connection
        if admin:
            self._admins.add(connection.descriptor)
        self._go_on(connection)

    def _go_on(self, connection: Connection) -> None:
        self._guarded(connection, connection.ready)

    def _guarded(self, connection: Connection, step: Callable[[float], None]) -> None:
        """Take one step of a connection; a fault of the program ends this connection and no other."""
        try:
            step(boot_seconds())
        except Exception:  # noqa: BLE001  # the boundary between a connection and all others
            _log.exception("a connection failed by a fault of the program")
            connection.close()
        if connection.again:
            self._again.append(connection)
        self._watch(connection)

    def _watch(self, connection: Connection) -> None:
        """Have the selector watch for what a connection wants, or forget it if it is closed."""
        descriptor = connection.descriptor
        before = self._watched.get(descriptor, Wants.NOTHING)
        wants = connection.wants
        if wants is not before:
            if before is Wants.NOTHING:
                self._selector.register(descriptor, _EVENTS[wants], partial(self._go_on, connection))
            elif wants is Wants.NOTHING:
                self._selector.unregister(descriptor)
            else:
                self._selector.modify(descriptor, _EVENTS[wants], partial(self._go_on, connection))
            self._watched[descriptor] = wants
        if connection.phase is Phase.CLOSED:
            self._forget(connection)

    def _forget(self, connection: Connection) -> None:
        descriptor = connection.descriptor
        if self._connections.get(descriptor) is connection:
            del self._connections[descriptor]
            self._watched.pop(descriptor, None)
            self._admins.discard(descriptor)
            self._accept_where_there_is_room()

    def _drop(self, connection: Connection) -> None:
        connection.close()
        self._watch(connection)

    def _look(self) -> None:
        self._refused = False
        self._accept_where_there_is_room()
        for connection in list(self._connections.values()):
            self._guarded(connection, connection.look)

    # ---- requests

    def _on_head(self, connection: Connection, head: bytes, *, admin: bool) -> None:
        request = parse_head(head, connection.peer, self.cfg)
        if isinstance(request, Outgoing):
            connection.send(request, boot_seconds())
        elif request.path in PATHS or (not admin and self._answers_at_once(request)):
            connection.send(self._ask(request, admin=admin), boot_seconds())
        else:
            self._threads.submit(self._answer, connection, request, admin=admin)

    def _answers_at_once(self, request: Request) -> bool:
        return self._server.answers_at_once(request.path, request.accept, request.client)

    def _answer(self, connection: Connection, request: Request, *, admin: bool) -> None:
        """In a thread of the pool: ask the application, and hand the answer to the loop."""
        self._answered.append((connection, self._ask(request, admin=admin)))
        with suppress(BlockingIOError):  # a full pipe: the loop is awake
            os.write(self._wake_write, b"\0")

    def _ask(self, request: Request, *, admin: bool) -> Outgoing:
        application = self._server.admin if admin else self.wsgi
        assert application is not None, "both applications are made before the fork"
        return answer(request, application, self.cfg, closes=self._stage is not Stage.SERVING)

    def _send_answers(self) -> None:
        while self._answered:
            connection, outgoing = self._answered.popleft()
            self._guarded(connection, partial(connection.send, outgoing))
            self._go_on(connection)

    def _drain_pipe(self, descriptor: int) -> None:
        with suppress(BlockingIOError):
            os.read(descriptor, 4096)


def _room_for(connections: int) -> int:
    """Return how many connections this process can have open, so many at most; its limit of open files is raised."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + _SPARE_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    room = min(connections, max(_FEWEST, limit - _SPARE_FILES))
    if room < connections:
        _log.warning(
            "%d connections at most instead of %d: no more than %d files may be open; raise that limit (ulimit -Hn)",
            room,
            connections,
            limit,
        )
    return room
