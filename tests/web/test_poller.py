"""Our worker and its peers, with real sockets: slow ones, silent ones, malformed ones; nobody else notices."""

import json
import os
import re
import signal
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcs.certificates import issue, new_authority, parse_host
from mcs.jsondata import JSON
from mcs.store import open_store
from tests.web.serving import Serving, ask, free_port, serving
from tests.web.world import A, config, pool

pytestmark = pytest.mark.real

REQUEST = b"GET /config/worker HTTP/1.1\r\nHost: a\r\n\r\n"
LARGE = 6_000_000  # more than both kernels buffer


def fill(path: Path, size: int = 200_000) -> Path:
    """Make a store whose pool serves a config of about so many bytes."""
    file = path / "store.db"
    store = open_store(f"sqlite:///{file}")
    count = size // 50_000
    files: list[JSON] = [{"path": f"/etc/f{n}", "contents": {"source": "data:," + "x" * 50_000}} for n in range(count)]
    store.apply([config(A, {"ignition": {"version": "3.2.0"}, "storage": {"files": files}}), pool("worker", A)])
    store.close()
    return file


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(fill(tmp_path_factory.mktemp("poller")), "--workers", "1") as running:
        yield running


def connect(server: Serving, buffer: int | None = None) -> socket.socket:
    """Connect; buffer: about how many bytes our kernel takes before we read them."""
    sock = socket.socket()
    if buffer is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    sock.settimeout(20)
    sock.connect(("127.0.0.1", server.port))
    return sock


def read_all(sock: socket.socket) -> bytes:
    """Read until the peer closes, be it by a reset."""
    received = b""
    while True:
        try:
            data = sock.recv(1 << 20)
        except ConnectionResetError:
            return received
        if not data:
            return received
        received += data


def read_answer(sock: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Read one answer of known length from a connection that stays open."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += sock.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): text.strip() for name, _, text in (each.partition(":") for each in rest)}
    while len(body) < int(headers["content-length"]):
        body += sock.recv(1 << 20)
    return int(line.split()[1]), headers, body


@pytest.mark.parametrize(
    ("request_", "status", "reason"),
    [
        pytest.param(b"GET /config/worker\r\n\r\n", 400, "request-malformed", id="HTTP/0.9"),
        pytest.param(b"get /config/worker HTTP/1.1\r\nHost: a\r\n\r\n", 400, "request-malformed", id="lower case"),
        pytest.param(b"G\x00T / HTTP/1.1\r\n\r\n", 400, "request-malformed", id="a null byte in the method"),
        pytest.param(b"GET / HTTP/9.9\r\n\r\n", 400, "request-malformed", id="a version that is none"),
        pytest.param(b"GET / HTTP/1.1\r\nHost a\r\n\r\n", 400, "request-malformed", id="a header without a colon"),
        pytest.param(b"GET / HTTP/1.1\r\nA : b\r\n\r\n", 400, "request-malformed", id="a blank before the colon"),
        pytest.param(b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400, "request-malformed", id="a folded header"),
        pytest.param(b"GET / HTTP/1.1\r\nTransfer-Encoding: x\r\n\r\n", 400, "request-malformed", id="an odd encoding"),
        pytest.param(b"GET / HTTP/1.1\r\nExpect: foo\r\n\r\n", 400, "request-malformed", id="an odd expectation"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400, "request-malformed", id="a TLS handshake"),
        pytest.param(b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n", 431, "request-too-large", id="a path of 9 kB"),
        pytest.param(
            b"GET / HTTP/1.1\r\nAccept: " + b"a" * 9000 + b"\r\n\r\n", 431, "request-too-large", id="a header of 9 kB"
        ),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431, "request-too-large", id="200 headers"),
        pytest.param(b"GET / HTTP/1.1\r\nA: " + b"a" * 70_000, 431, "request-too-large", id="a head without an end"),
        pytest.param(
            b"GET /config/worker HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", 413, "body-refused", id="a body"
        ),
        pytest.param(
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 413, "body-refused", id="a chunked body"
        ),
        pytest.param(
            b"GET /config/worker HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
            413,
            "body-refused",
            id="a body that waits to be asked for",
        ),
        pytest.param(
            b"GET /config/none HTTP/1.1\r\nScript-Name: /config\r\nSCRIPT_NAME: /x\r\n\r\n",
            503,
            "pool-unknown",
            id="headers that mean something to gunicorn",
        ),
        pytest.param(b"GET http://other/config/none HTTP/1.1\r\n\r\n", 503, "pool-unknown", id="an absolute target"),
        pytest.param(b"OPTIONS * HTTP/1.1\r\n\r\n", 405, "method-not-allowed", id="a star"),
    ],
)
def test_requests_that_are_refused_get_problem_documents(
    server: Serving, request_: bytes, status: int, reason: str
) -> None:
    with connect(server) as sock:
        sock.sendall(request_)
        got, headers, body = read_answer(sock)
    assert (got, json.loads(body)["reason"]) == (status, reason)
    assert headers["content-type"] == "application/problem+json"
    assert server.ask().status == 200


def test_one_connection_serves_many_requests(server: Serving) -> None:
    with connect(server) as sock:
        ids = set()
        for _ in range(5):
            sock.sendall(REQUEST)
            status, headers, body = read_answer(sock)
            assert status == 200
            assert headers["mcs-boot-id"].encode() in body
            ids.add(headers["mcs-boot-id"])
    assert len(ids) == 5


def test_requests_that_come_at_once_are_answered_in_order(server: Serving) -> None:
    with connect(server) as sock:
        sock.sendall(b"".join(b"GET /config/none%d HTTP/1.1\r\n\r\n" % number for number in range(20)))
        sock.sendall(b"GET /config/worker HTTP/1.1\r\nConnection: close\r\n\r\n")
        received = read_all(sock)
    assert re.findall(rb"there is no pool none(\d+)", received) == [b"%d" % number for number in range(20)]
    assert received.count(b"HTTP/1.1 200 OK") == 1
    assert received.index(b"HTTP/1.1 200 OK") > received.index(b"none19")


def test_a_request_may_come_byte_by_byte(server: Serving) -> None:
    with connect(server) as sock:
        for byte in REQUEST:
            sock.sendall(bytes([byte]))
        assert read_answer(sock)[0] == 200


def test_a_client_that_wants_to_close_gets_all_first(server: Serving) -> None:
    with connect(server) as sock:
        sock.sendall(b"GET /config/worker HTTP/1.1\r\nConnection: close\r\n\r\n")
        sock.shutdown(socket.SHUT_WR)
        head, _, body = read_all(sock).partition(b"\r\n\r\n")
    assert b"Connection: close" in head
    assert f"Content-Length: {len(body)}".encode() in head


def test_what_a_client_sends_behind_its_last_request_does_not_cost_it_the_answer(server: Serving) -> None:
    with connect(server) as sock:
        sock.sendall(b"GET /config/worker HTTP/1.1\r\nConnection: close\r\n\r\n" + b"junk" * 10_000)
        head, _, body = read_all(sock).partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head


def test_hundreds_of_slow_peers_stop_nobody(tmp_path: Path) -> None:
    path = fill(tmp_path, LARGE)
    with serving(path, "--workers", "1", "--threads", "4") as server, ExitStack() as stack:
        silent = [stack.enter_context(connect(server)) for _ in range(100)]
        half = [stack.enter_context(connect(server)) for _ in range(100)]
        for sock in half:
            sock.sendall(REQUEST[:20])
        readers = [stack.enter_context(connect(server)) for _ in range(100)]
        for sock in readers:
            sock.sendall(REQUEST)
            assert sock.recv(1) == b"H"
        for _ in range(5):
            assert server.ask("/healthz").status == 200
            answer = server.ask()
            assert (answer.status, len(answer.body) > LARGE) == (200, True)
        for sock in readers[:3]:
            assert len(read_all_of(sock)) > LARGE
        assert len(silent) == 100


def read_all_of(sock: socket.socket) -> bytes:
    """Read the rest of an answer whose first byte was read."""
    received = b"H"
    while b"\r\n\r\n" not in received:
        received += sock.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    [length] = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    while len(body) < length:
        body += sock.recv(1 << 20)
    return body


def test_a_request_that_trickles_in_is_ended_by_the_deadline_for_all_of_it(tmp_path: Path) -> None:
    with serving(fill(tmp_path), "--workers", "1", "--head-deadline", "1s") as server, connect(server) as sock:
        sock.settimeout(0.1)
        sent = 0
        closed = False
        while not closed and sent < 1000:
            try:
                sock.sendall(b"GET /config/worker HTTP/1.1\r\n"[sent : sent + 1] or b"a")
                sent += 1
                closed = sock.recv(1) == b""
            except TimeoutError:
                continue
            except OSError:
                closed = True
        assert closed
        assert server.ask().status == 200


def test_a_client_that_takes_nothing_is_given_up(tmp_path: Path) -> None:
    path = fill(tmp_path, LARGE)
    flags = ("--workers", "1", "--body-progress", "1s")
    with serving(path, *flags) as server, connect(server, 4096) as sock:
        sock.sendall(REQUEST)
        server.wait_for(lambda: open_sockets(server) == 0, "it is given up")
        assert len(read_all(sock)) < LARGE


def test_a_client_that_goes_on_taking_is_not_given_up(tmp_path: Path) -> None:
    path = fill(tmp_path, LARGE)
    with serving(path, "--workers", "1", "--body-progress", "1s") as server, connect(server, 4096) as sock:
        sock.sendall(REQUEST)
        received = 0
        began = time.monotonic()
        while time.monotonic() - began < 3:  # three times as long as it may take nothing
            received += len(sock.recv(4096))
            time.sleep(0.02)
        while received < LARGE:
            received += len(sock.recv(1 << 20))


def test_nothing_arrives_after_the_body_deadline(tmp_path: Path) -> None:
    path = fill(tmp_path, LARGE)
    flags = ("--workers", "1", "--body-deadline", "2s", "--body-progress", "60s")
    with serving(path, *flags) as server, connect(server, 4096) as sock:
        sock.sendall(REQUEST)
        received = len(sock.recv(100))
        server.wait_for(lambda: open_sockets(server) == 0, "the deadline has come")
        received += len(read_all(sock))
        assert received < LARGE


def test_a_server_that_was_stopped_for_a_while_sends_nothing_after_the_deadline(tmp_path: Path) -> None:
    path = fill(tmp_path, LARGE)
    with serving(path, "--workers", "1", "--body-deadline", "2s") as server, connect(server, 4096) as sock:
        sock.sendall(REQUEST)
        asked = time.monotonic()
        received = len(sock.recv(100))
        server.wait_for(lambda: is_stuck(server), "the kernel takes no more")  # else one write could go on meanwhile
        [pid] = server.worker_pids()
        os.kill(pid, signal.SIGSTOP)
        sock.settimeout(0.2)
        while time.monotonic() - asked < 2.5:  # what the kernel has is taken meanwhile
            with suppress(TimeoutError):
                received += len(sock.recv(1 << 20))
        os.kill(pid, signal.SIGCONT)
        sock.settimeout(20)
        assert received + len(read_all(sock)) < LARGE
        assert server.ask("/healthz").status == 200


def is_stuck(server: Serving) -> bool:
    """Tell whether the only connection's peer has much to take, and the worker adds nothing to it for a while."""
    queued = [int(line[4].partition(":")[0], 16) for line in connections(server)]
    time.sleep(0.2)
    return queued == [int(line[4].partition(":")[0], 16) for line in connections(server)] and sum(queued) > 100_000


def open_sockets(server: Serving) -> int:
    """Return how many connections the only worker has open at its node-facing port."""
    return len(connections(server))


def connections(server: Serving) -> list[list[str]]:
    """Return what the kernel says of each established connection at the node-facing port, see proc(5)."""
    table = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [line for line in table if line[1].endswith(f":{server.port:04X}") and line[3] == "01"]


def test_idle_connections_are_closed(tmp_path: Path) -> None:
    with serving(fill(tmp_path), "--workers", "1", "--keep-alive", "500ms") as server, connect(server) as sock:
        sock.sendall(REQUEST)
        read_answer(sock)
        assert sock.recv(1) == b""


def test_more_connections_than_a_worker_takes_wait_their_turn(tmp_path: Path) -> None:
    flags = ("--workers", "1", "--connections", "5", "--head-deadline", "1s")
    with serving(fill(tmp_path), *flags) as server, ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(connect(server))
        assert server.ask(timeout=20).status == 200


def test_the_admin_port_is_another_application(tmp_path: Path) -> None:
    admin = free_port()
    with serving(fill(tmp_path), "--admin-listen", f"127.0.0.1:{admin}") as server:
        assert server.ask("/metrics").status == 404
        assert server.ask("/status").status == 404
        assert b"mcs_build_info" in ask(admin, "/metrics").body
        assert json.loads(ask(admin, "/status").body)["pools"]["worker"]["sends"] == A
        assert ask(admin, "/config/worker").status == 404


def test_a_proxy_tells_where_a_connection_comes_from(tmp_path: Path) -> None:
    with serving(fill(tmp_path), "--proxy-protocol-from", "127.0.0.0/8", ready=False) as server:
        server.wait_for(lambda: len(server.worker_ids()) == 2, "the workers have started")
        with connect(server) as sock:
            sock.sendall(b"PROXY TCP4 192.0.2.77 127.0.0.1 4711 22623\r\n" + REQUEST)
            assert read_answer(sock)[0] == 200
        with connect(server) as sock:
            for byte in b"PROXY TCP6 2001:db8::1 ::1 4711 22623\r\n" + REQUEST:
                sock.sendall(bytes([byte]))
            assert read_answer(sock)[0] == 200
        with connect(server) as sock:
            sock.sendall(REQUEST)
            assert read_all(sock) == b""
        assert server.stop() == 0
        assert "address=192.0.2.77" in server.log()
        assert "address=2001:db8::1" in server.log()


def test_a_forged_proxy_header_from_elsewhere_is_no_request(server: Serving) -> None:
    with connect(server) as sock:
        sock.sendall(b"PROXY TCP4 192.0.2.77 127.0.0.1 4711 22623\r\n" + REQUEST)
        assert read_answer(sock)[0] == 400


def test_half_a_handshake_is_ended_by_the_deadline_and_stops_nobody(tmp_path: Path) -> None:
    moment = datetime.now(UTC)
    authority = new_authority(moment, 10)
    pair = issue(authority, [parse_host("127.0.0.1")], moment, 5)
    (tmp_path / "tls.crt").write_bytes(pair.certificate_pem)
    (tmp_path / "tls.key").write_bytes(pair.key_pem)
    (tmp_path / "ca.crt").write_bytes(authority.certificate_pem)
    flags = ("--tls-cert", str(tmp_path / "tls.crt"), "--tls-key", str(tmp_path / "tls.key"), "--head-deadline", "1s")
    context = ssl.create_default_context(cafile=str(tmp_path / "ca.crt"))
    with serving(fill(tmp_path), *flags, "--workers", "1", ready=False) as server, ExitStack() as stack:
        server.wait_for(lambda: len(server.worker_ids()) == 1, "the worker has started")
        half = [stack.enter_context(connect(server)) for _ in range(300)]
        for sock in half:
            sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc")
        for _ in range(5):
            with context.wrap_socket(connect(server), server_hostname="127.0.0.1") as secured:
                secured.sendall(REQUEST)
                assert read_answer(secured)[0] == 200
        assert all(read_all(sock) is not None for sock in half)


def test_a_stopping_server_says_so_and_finishes_what_it_sends(tmp_path: Path) -> None:
    path = fill(tmp_path, LARGE)
    with serving(path, "--workers", "1", "--drain", "1s") as server, connect(server) as slow:
        slow.sendall(REQUEST)
        assert slow.recv(1) == b"H"
        server.process.terminate()
        server.wait_for(lambda: server.ask("/readyz").status == 503, "it is not ready any more")
        answer = server.ask()
        assert answer.status == 200
        assert answer.headers["Connection"] == "close"
        server.wait_for(lambda: "no longer accepting" in server.log(), "it has stopped to accept")
        assert server.process.poll() is None  # the slow one is not done
        assert len(read_all_of(slow)) > LARGE
        assert server.process.wait(30) == 0


def test_a_reload_takes_new_settings_or_keeps_the_old_ones_with_a_reason(tmp_path: Path) -> None:
    settings = tmp_path / "mcs.toml"
    settings.write_text("full-config = false\n")
    with serving(fill(tmp_path), "--workers", "1", "--settings", str(settings)) as server:
        plain = len(server.ask().body)
        settings.write_text("full-config = perhaps\n")
        server.reload()
        server.wait_for(lambda: "the old settings stay in use" in server.log(), "it says why")
        assert len(server.ask().body) == plain
        settings.write_text("full-config = true\n")
        server.reload()
        server.wait_for(lambda: len(server.ask().body) > plain, "the new settings are in use")


def test_workers_that_end_at_once_are_started_ever_more_slowly(tmp_path: Path) -> None:
    with serving(fill(tmp_path), "--workers", "1") as server:
        for number in range(1, 4):
            [pid] = server.worker_pids()
            os.kill(pid, signal.SIGKILL)
            server.wait_for(lambda: len(server.worker_ids()) > number, "its successor has started")  # noqa: B023
        assert server.log().count("a worker ended right after its start") >= 2
        assert server.ask().status == 200
