import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.web.proxy_protocol import ProxyHeader, ProxyProtocolError, parse

SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"


def v2(command: int, family: int, body: bytes) -> bytes:
    return SIGNATURE + struct.pack("!BBH", command, family, len(body)) + body


def four(source: str = "192.0.2.7", port: int = 4711, more: bytes = b"") -> bytes:
    packed = socket.inet_aton(source) + socket.inet_aton("192.0.2.1") + struct.pack("!HH", port, 22623)
    return v2(0x21, 0x11, packed + more)


def six(source: str = "2001:db8::7", port: int = 4711) -> bytes:
    addresses = b"".join(socket.inet_pton(socket.AF_INET6, address) for address in (source, "2001:db8::1"))
    return v2(0x21, 0x21, addresses + struct.pack("!HH", port, 22623))


WHOLE = [
    pytest.param(b"PROXY TCP4 192.0.2.7 192.0.2.1 4711 22623\r\n", ("192.0.2.7", 4711), id="1, IPv4"),
    pytest.param(b"PROXY TCP6 2001:DB8::7 2001:db8::1 4711 22623\r\n", ("2001:db8::7", 4711), id="1, IPv6"),
    pytest.param(b"PROXY UNKNOWN\r\n", None, id="1, unknown"),
    pytest.param(b"PROXY UNKNOWN whatever stands here\r\n", None, id="1, unknown, with more"),
    pytest.param(four(), ("192.0.2.7", 4711), id="2, IPv4"),
    pytest.param(four(more=b"\x03\x00\x04abcd"), ("192.0.2.7", 4711), id="2, with an extension"),
    pytest.param(six(), ("2001:db8::7", 4711), id="2, IPv6"),
    pytest.param(v2(0x20, 0x00, b""), None, id="2, the proxy's own check"),
    pytest.param(v2(0x21, 0x31, b"x" * 216), None, id="2, Unix sockets"),
    pytest.param(v2(0x21, 0x00, b""), None, id="2, unspecified"),
]


@pytest.mark.parametrize(("header", "source"), WHOLE)
def test_headers(header: bytes, source: tuple[str, int] | None) -> None:
    assert parse(header) == ProxyHeader(len(header), source)
    assert parse(header + b"\x16\x03\x01 what follows") == ProxyHeader(len(header), source)


@pytest.mark.parametrize(("header", "source"), WHOLE)
def test_a_header_that_is_not_whole_is_waited_for(header: bytes, source: object) -> None:
    assert all(parse(header[:length]) is None for length in range(len(header)))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"GET /config/worker HTTP/1.1\r\n", id="a request"),
        pytest.param(b"\x16\x03\x01\x02\x00", id="a handshake"),
        pytest.param(b"PROXY TCP4 192.0.2.7 192.0.2.1 4711" + b" " * 80, id="1, without an end"),
        pytest.param(b"PROXY TCP4 192.0.2.7\r\n", id="1, too few words"),
        pytest.param(b"PROXY TCP5 a b 1 2\r\n", id="1, no such protocol"),
        pytest.param(b"PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n", id="1, the other family"),
        pytest.param(b"PROXY TCP4 host b 1 2\r\n", id="1, a name"),
        pytest.param(b"PROXY TCP4 192.0.2.7 192.0.2.1 99999 2\r\n", id="1, no such port"),
        pytest.param(b"PROXY TCP4 192.0.2.7 192.0.2.1 x 2\r\n", id="1, no port"),
        pytest.param(b"PROXY TCP4 \xff\r\n", id="1, not ASCII"),
        pytest.param(v2(0x11, 0x11, b"x" * 12), id="2, version 1 in it"),
        pytest.param(v2(0x22, 0x11, b"x" * 12), id="2, no such command"),
        pytest.param(v2(0x21, 0x11, b"x" * 11), id="2, too short"),
        pytest.param(SIGNATURE + b"\x21\x11\xff\xff", id="2, too long"),
    ],
)
def test_what_is_no_header(data: bytes) -> None:
    with pytest.raises(ProxyProtocolError):
        parse(data)


@given(st.one_of(st.binary(), st.binary().map(lambda rest: SIGNATURE + rest), st.binary().map(lambda r: b"PROXY " + r)))
def test_any_bytes_are_a_header_or_none_or_refused(data: bytes) -> None:
    try:
        header = parse(data)
    except ProxyProtocolError:
        return
    assert header is None or header.length <= len(data)


@given(st.ip_addresses(v=4).map(str), st.integers(0, 65535))
def test_both_versions_say_the_same(address: str, port: int) -> None:
    line = f"PROXY TCP4 {address} 192.0.2.1 {port} 22623\r\n".encode()
    one, two = parse(line), parse(four(address, port))
    assert one is not None
    assert two is not None
    assert one.source == two.source == (address, port)
