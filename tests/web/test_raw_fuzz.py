"""Bytes of any kind at the sockets of a running server: answers are the table's, come in time, and nothing breaks."""

import errno
import json
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcs.boot.reasons import Reason
from mcs.store import open_store
from tests.web.handshake import client_context, made, write_pair
from tests.web.serving import Serving, free_port, serving
from tests.web.world import A, config, pool

pytestmark = [pytest.mark.real, pytest.mark.slow]

HANG = 15.0  # seconds; no deadline of these servers is longer than half of that
HOST = "127.0.0.1"
REASONS = {reason.code: reason.status for reason in Reason}
# What a healthy server with one pool may well refuse so that a machine retries.
EXPECTED = {Reason.POOL_UNKNOWN.code, Reason.SPEC_NOT_SPOKEN.code}

many = settings(max_examples=800, deadline=None, suppress_health_check=[HealthCheck.too_slow])
some = settings(many, max_examples=400)
few = settings(many, max_examples=3)


# ---- the servers


@dataclass(frozen=True, slots=True)
class Target:
    """A port of a running server. authority: the CA of one that speaks TLS, in PEM."""

    server: Serving
    port: int
    authority: bytes | None = None

    def connect(self) -> socket.socket:
        """Connect, without a word."""
        return socket.create_connection((HOST, self.port), HANG)

    def secure(self, sock: socket.socket) -> ssl.SSLSocket:
        """Shake hands."""
        assert self.authority is not None
        return client_context(self.authority).wrap_socket(sock, server_hostname=HOST)


FLAGS = ("--workers", "2", "--head-deadline", "3s", "--keep-alive", "1s")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("raw") / "store.db"
    store = open_store(f"sqlite:///{file}")
    store.apply([config(A), pool("worker", A)])
    store.close()
    return file


@pytest.fixture(scope="module")
def targets(path: Path) -> Iterator[dict[str, Target]]:
    """A server with both its ports, one that speaks TLS, and one behind a load balancer."""
    admin, secured, behind = free_port(), free_port(), free_port()
    authority, pair = made(HOST)
    files = write_pair(path.parent / "tls", pair)
    tls = ("--tls-cert", str(files[0]), "--tls-key", str(files[1]))
    proxied = ("--proxy-protocol-from", "127.0.0.0/8", "--head-deadline", "1s")
    with ExitStack() as stack:
        plain = stack.enter_context(serving(path, *FLAGS, "--admin-listen", f"{HOST}:{admin}"))
        over_tls = stack.enter_context(serving(path, *FLAGS, *tls, port=secured, ready=False))
        behind_proxy = stack.enter_context(serving(path, *FLAGS, *proxied, port=behind, ready=False))
        for server in (plain, over_tls, behind_proxy):
            server.wait_for(lambda server=server: len(server.worker_ids()) == 2, "all workers have started")  # type: ignore[misc]  # its default binds it
        yield {
            "machines": Target(plain, plain.port),
            "admin": Target(plain, admin),
            "tls": Target(over_tls, secured, authority.certificate_pem),
            "proxied": Target(behind_proxy, behind),
        }


def unharmed(target: Target, fuzz: Callable[[], None]) -> None:
    """Run a fuzz test; afterwards the same workers run, and nothing has surprised them."""
    before = target.server.worker_pids()
    fuzz()
    assert target.server.worker_pids() == before
    log = target.server.log()
    assert "Traceback" not in log
    assert "fault of the program" not in log


# ---- what is sent

line_end = st.sampled_from([b"\r\n", b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"", b"\r\n\r\n"])
method = st.sampled_from([b"GET", b"GET", b"GET", b"HEAD", b"POST", b"OPTIONS", b"PRI", b"get", b"G ET"]) | st.binary(
    max_size=8
)
segment = st.sampled_from(
    [b"config", b"worker", b"none", b"..", b".", b"", b"%2e%2e", b"%00", b"%", b"%ff", b"healthz", b"readyz", b"status"]
) | st.binary(max_size=8)
path_ = st.lists(segment, max_size=5).map(lambda parts: b"/" + b"/".join(parts))
target_ = st.one_of(
    st.sampled_from([b"/config/worker", b"/config/worker", b"/config/none", b"/healthz", b"/readyz", b"/metrics"]),
    st.sampled_from(
        [b"/status", b"*", b"/", b"//config/worker", b"http://a/config/worker", b"a:443", b"/config/" * 900]
    ),
    path_,
    st.binary(max_size=30),
)
version = st.sampled_from([b"HTTP/1.1"] * 6 + [b"HTTP/1.0", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.10", b"HTTP/1.", b""])
known = st.sampled_from(
    [
        b"Host: a",
        b"Host: ",
        b"Host: a:b:c\x01",
        b"Connection: close",
        b"Connection: keep-alive, upgrade",
        b"Upgrade: h2c",
        b"Content-Length: 0",
        b"Content-Length: 5",
        b"Content-Length: -1",
        b"Content-Length: 0, 0",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: identity",
        b"Expect: 100-continue",
        b"Accept: application/vnd.coreos.ignition+json;version=3.4.0, */*;q=0.1",
        b"Accept: application/vnd.coreos.ignition+json;version=9.9.9",
        b"Accept: application/vnd.coreos.ignition+json;version=x",
        b"Accept: " + b"*/*," * 3000,
        b"Script-Name: /x",
        b"X-Forwarded-For: 192.0.2.1",
        b"X-Forwarded-Proto: https",
        b"Proxy: http://a",
        b"Range: bytes=0-1",
        b"If-None-Match: *",
        b"Accept-Encoding: gzip",
        b"Cookie: a=b; c",
        b"Authorization: Basic =",
        b" folded: yes",
        b"no colon",
    ]
)
field = known | st.builds(lambda name, text: name + b": " + text, st.binary(max_size=12), st.binary(max_size=40))
head = st.builds(
    lambda words, blank, end, fields, ends, last: (
        blank.join(words) + end + b"".join(one + each for one, each in zip(fields, ends, strict=False)) + last
    ),
    st.tuples(method, target_, version),
    st.sampled_from([b" "] * 8 + [b"  ", b"\t", b""]),
    line_end,
    st.lists(field, max_size=6),
    st.lists(line_end, min_size=6, max_size=6),
    st.sampled_from([b"\r\n"] * 6 + [b"\n", b"", b"\r\n\r\n"]),
)
plausible = st.builds(
    lambda words, fields: b"\r\n".join([b" ".join(words), *fields, b"", b""]),
    st.tuples(
        st.sampled_from([b"GET", b"GET", b"HEAD", b"POST"]),
        st.just(b"/config/worker") | path_ | target_,
        st.just(b"HTTP/1.1"),
    ),
    st.lists(known, max_size=2),
)
sound = st.builds(
    lambda verb, where: verb + b" " + where + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    st.sampled_from([b"GET", b"HEAD"]),
    st.sampled_from([b"/config/worker", b"/config/none", b"/healthz", b"/readyz", b"/status", b"/metrics"]),
)


@st.composite
def mutated(draw: st.DrawFn, whole: st.SearchStrategy[bytes]) -> bytes:
    """Change, drop, double or insert some bytes."""
    data = bytearray(draw(whole))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        until = draw(st.integers(at, min(len(data), at + 8)))
        data[at:until] = draw(st.sampled_from([b"", bytes(data[at:until]) * 2]) | st.binary(max_size=6))
    return bytes(data)


request = st.one_of(sound, plausible, head, mutated(sound), mutated(head), st.binary(max_size=200))
pipeline = st.lists(request, min_size=1, max_size=5).map(b"".join)
plausible_pipeline = st.lists(plausible, min_size=1, max_size=5).map(b"".join)
cuts = st.lists(st.integers(0, 2000), max_size=4)

hello = st.just(b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + bytes(range(32)) + b"\x00\x00\x02\x13\x01\x01\x00")
record = st.builds(
    lambda kind, number, length, content: bytes([kind, 3, number]) + length.to_bytes(2) + content,
    st.integers(18, 26),
    st.integers(0, 4),
    st.integers(0, 65535),
    st.binary(max_size=100),
)
proxy_v1 = st.sampled_from(
    [
        b"PROXY TCP4 192.0.2.7 192.0.2.1 4711 22623\r\n",
        b"PROXY TCP6 2001:db8::1 ::1 4711 22623\r\n",
        b"PROXY UNKNOWN\r\n",
        b"PROXY UNKNOWN " + b"a" * 200,
    ]
)
proxy_v2 = st.builds(
    lambda command, family, length, rest: (
        b"\r\n\r\n\x00\r\nQUIT\n" + bytes([command, family]) + length.to_bytes(2) + rest
    ),
    st.sampled_from([0x20, 0x21, 0x21, 0x22, 0x11]),
    st.sampled_from([0x00, 0x11, 0x12, 0x21, 0x31, 0xFF]),
    st.sampled_from([0, 12, 12, 36, 4096, 65535]),
    st.binary(min_size=12, max_size=60),
)
proxied = st.tuples(st.one_of(proxy_v1, proxy_v2, mutated(proxy_v1), mutated(proxy_v2)), sound).map(b"".join)


# ---- what comes back


def say(sock: socket.socket, data: bytes, at: list[int]) -> None:
    """Send in pieces. Who is refused early may find the other end closed. Raises TimeoutError if it takes nothing."""
    edges = [0, *sorted(min(cut, len(data)) for cut in at), len(data)]
    with suppress(ConnectionError, ssl.SSLError):
        for begin, end in pairwise(edges):
            sock.sendall(data[begin:end])


def hush(sock: socket.socket) -> None:
    """Say that nothing more comes; inside TLS too, without its own goodbye, which would end both directions."""
    try:
        socket.socket.shutdown(sock, socket.SHUT_WR)
    except OSError as error:
        if error.errno != errno.ENOTCONN:  # the other end has closed already
            raise


def hear(sock: socket.socket) -> bytes:
    """Receive until the other end closes, with or without an alert. Raises TimeoutError if it never does."""
    received = bytearray()
    with suppress(ConnectionError, ssl.SSLError):
        while data := sock.recv(65536):
            received += data
    return bytes(received)


def converse(target: Target, data: bytes, at: list[int], *, bare: bool = False) -> bytes:
    """Say all there is to say, and listen until the end. bare: without shaking hands first."""
    with ExitStack() as stack:
        sock = stack.enter_context(target.connect())
        if target.authority is not None and not bare:
            sock = stack.enter_context(target.secure(sock))
        say(sock, data, at)
        hush(sock)
        return hear(sock)


_HEAD = re.compile(rb"HTTP/1\.\d (\d{3}) [^\r\n]*\r\n((?:[!-9;-~]+: [^\r\n]*\r\n)*)\r\n")


def assert_answers(received: bytes) -> None:
    """Every answer is whole and one of the table's; none is a fault of the program, none a redirect."""
    assert b"Traceback" not in received
    while received:
        found = _HEAD.match(received)
        assert found, received[:300]
        status, received = int(found[1]), received[found.end() :]
        headers = dict(line.lower().split(b": ", 1) for line in found[2].splitlines())
        # The answer to a HEAD request has none of the bytes that it counts.
        length = int(headers.get(b"content-length", b"0")) if received and not _HEAD.match(received) else 0
        assert len(received) >= length, "the body is cut short"
        body, received = received[:length], received[length:]
        assert_expected(status, headers, body)


def assert_expected(status: int, headers: dict[bytes, bytes], body: bytes) -> None:
    assert status in {100, 200, *REASONS.values()}
    assert b"location" not in headers
    assert b"content-encoding" not in headers
    if status < 400:
        return
    assert headers[b"content-type"] == b"application/problem+json"
    assert (status == 503) == (b"retry-after" in headers)
    assert status < 500 or status in {REASONS[code] for code in EXPECTED}
    if body:
        document = json.loads(body)
        assert REASONS[document["reason"]] == document["status"] == status
        assert status < 500 or document["reason"] in EXPECTED


# ---- the tests


@pytest.mark.parametrize("name", ["machines", "admin", "tls"])
@pytest.mark.parametrize(
    "said",
    [
        pytest.param(pipeline, id="junk among requests"),
        pytest.param(plausible_pipeline, id="odd requests, most of which reach the application"),
    ],
)
def test_whatever_is_sent_the_answers_are_of_the_table(
    said: st.SearchStrategy[bytes], name: str, targets: dict[str, Target]
) -> None:
    target = targets[name]

    @many
    @given(said, cuts)
    def fuzz(data: bytes, at: list[int]) -> None:
        assert_answers(converse(target, data, at))

    unharmed(target, fuzz)


@pytest.mark.parametrize("name", ["machines", "admin", "tls"])
def test_requests_that_are_sound_are_all_answered_in_whatever_pieces_they_come(
    name: str, targets: dict[str, Target]
) -> None:
    target = targets[name]

    @some
    @given(st.lists(sound, min_size=1, max_size=6), cuts)
    def fuzz(requests: list[bytes], at: list[int]) -> None:
        received = converse(target, b"".join(requests), at)
        assert_answers(received)
        assert len(_HEAD.findall(received)) == len(requests)

    unharmed(target, fuzz)


def test_who_does_not_speak_tls_hears_nothing_but_tls(targets: dict[str, Target]) -> None:
    target = targets["tls"]

    @many
    @given(
        st.one_of(record, mutated(record), hello, mutated(hello), st.tuples(hello, record).map(b"".join), pipeline),
        cuts,
    )
    def fuzz(data: bytes, at: list[int]) -> None:
        received = converse(target, data, at, bare=True)
        assert received[:1] in {b"", b"\x15", b"\x16"}, "neither an alert nor a handshake"
        assert b"HTTP/" not in received

    unharmed(target, fuzz)


def test_junk_inside_a_connection_of_tls_harms_nobody(targets: dict[str, Target]) -> None:
    target = targets["tls"]

    @some
    @given(st.one_of(record, mutated(record), st.binary(min_size=1, max_size=200)))
    def fuzz(data: bytes) -> None:
        with target.connect() as sock, target.secure(sock) as secured, socket.socket(fileno=secured.detach()) as bare:
            bare.settimeout(HANG)
            say(bare, data, [])
            hush(bare)
            assert b"HTTP/" not in hear(bare)

    unharmed(target, fuzz)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("machines", pipeline, id="machines"),
        pytest.param("admin", pipeline, id="admin"),
        pytest.param("tls", st.one_of(hello, record, pipeline), id="TLS"),
        pytest.param("proxied", proxied, id="PROXY headers"),
    ],
)
def test_connections_that_are_left_open_are_ended_by_the_server(
    name: str, said: st.SearchStrategy[bytes], targets: dict[str, Target]
) -> None:
    target = targets[name]

    @few
    @given(st.lists(said, min_size=50, max_size=50))
    def fuzz(conversations: list[bytes]) -> None:
        with ExitStack() as stack:
            opened = [stack.enter_context(target.connect()) for _ in conversations]
            for sock, data in zip(opened, conversations, strict=True):
                say(sock, data, [])
            for sock in opened:
                received = hear(sock)
                if target.authority is None:
                    assert_answers(received)

    unharmed(target, fuzz)
