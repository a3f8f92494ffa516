"""The PROXY protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt): where a connection really comes from. Pure.

It is read before anything else of a connection, also before a TLS handshake, and only from peers that are configured:
from others it would be a forgery, and from those its absence is one.
"""

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

__all__ = ["ProxyHeader", "ProxyProtocolError", "parse"]

_SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"
_V1_LONGEST = 107  # bytes, its line end included (section 2.1)
_V2_HEAD = 16
_V2_LONGEST = 4096  # what follows the head: addresses and extensions; the protocol would allow 65,535
_V2_ADDRESSES = {0x11: (4, 12), 0x12: (4, 12), 0x21: (16, 36), 0x22: (16, 36)}  # family: address and block length


class ProxyProtocolError(ValueError):
    """What stands at the beginning of the connection is no PROXY header. The text holds nothing of it."""


@dataclass(frozen=True, slots=True)
class ProxyHeader:
    """length: how many bytes it takes. source: the client's address and port, None if the proxy speaks for itself."""

    length: int
    source: tuple[str, int] | None


def parse(data: bytes) -> ProxyHeader | None:
    r"""Return the header at the beginning of a connection, or None while it is not whole.

    >>> parse(b"PROXY TCP4 192.0.2.7 192.0.2.1 4711 22623\r\nGET /")
    ProxyHeader(length=43, source=('192.0.2.7', 4711))

    Raises ProxyProtocolError as soon as it cannot become one.
    """
    if data[: len(_SIGNATURE)] == _SIGNATURE[: len(data)]:
        return _parse_v2(data)
    if data[:6] == b"PROXY "[: len(data)]:
        return _parse_v1(data)
    raise ProxyProtocolError("the connection does not begin with a PROXY header")


def _parse_v1(data: bytes) -> ProxyHeader | None:
    end = data.find(b"\r\n", 0, _V1_LONGEST)
    if end < 0:
        if len(data) >= _V1_LONGEST:
            raise ProxyProtocolError("the PROXY line does not end")
        return None
    try:
        words = data[:end].decode("ascii").split(" ")
    except UnicodeDecodeError as error:
        raise ProxyProtocolError("the PROXY line is not ASCII") from error
    if words[1] == "UNKNOWN":
        return ProxyHeader(end + 2, None)
    versions = {"TCP4": 4, "TCP6": 6}
    if len(words) != 6 or words[1] not in versions:
        raise ProxyProtocolError("the PROXY line is neither TCP4, TCP6 nor UNKNOWN")
    try:
        source = ip_address(words[2])
    except ValueError as error:
        raise ProxyProtocolError("the PROXY line's source is no address") from error
    if source.version != versions[words[1]] or not words[4].isdecimal() or int(words[4]) > 65535:
        raise ProxyProtocolError("the PROXY line's source does not fit its protocol")
    return ProxyHeader(end + 2, (str(source), int(words[4])))


def _parse_v2(data: bytes) -> ProxyHeader | None:
    if len(data) < _V2_HEAD:
        return None
    command, family, following = struct.unpack_from("!BBH", data, len(_SIGNATURE))
    if command not in {0x20, 0x21}:
        raise ProxyProtocolError("the PROXY header is of another version, or its command is unknown")
    if following > _V2_LONGEST:
        raise ProxyProtocolError("the PROXY header is too long")
    length = _V2_HEAD + following
    if len(data) < length:
        return None
    if command == 0x20 or family not in _V2_ADDRESSES:
        return ProxyHeader(length, None)
    size, block = _V2_ADDRESSES[family]
    if following < block:
        raise ProxyProtocolError("the PROXY header is too short for its addresses")
    raw = data[_V2_HEAD : _V2_HEAD + size]
    address = IPv4Address(raw) if size == 4 else IPv6Address(raw)
    (port,) = struct.unpack_from("!H", data, _V2_HEAD + 2 * size)
    return ProxyHeader(length, (str(address), port))
