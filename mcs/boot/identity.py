"""Boot ids and the names of boot leases, made from random bytes that are handed in (drawn after the fork)."""

from base64 import b32encode
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from mcs.machineconfig.names import BOOT_ID_LENGTH

__all__ = ["BOOT_ID_BYTES", "boot_id", "network_of", "normal_address"]

BOOT_ID_BYTES = 17  # 26 characters of 5 bits are 130 bits


def boot_id(random: bytes) -> str:
    """Return 26 characters out of a-z and 2-7 for 17 random bytes: a valid label value, and safe in a data URL.

    >>> boot_id(bytes(17))
    'aaaaaaaaaaaaaaaaaaaaaaaaaa'
    """
    if len(random) != BOOT_ID_BYTES:
        raise ValueError(f"a boot id is made of {BOOT_ID_BYTES} bytes, not {len(random)}")
    return b32encode(random).decode("ascii").lower()[:BOOT_ID_LENGTH]


def normal_address(address: str) -> str:
    """Return the address as Nodes write it: without a zone, an IPv4-mapped one as IPv4; other text as it is.

    >>> normal_address("::ffff:192.0.2.7"), normal_address("fe80::1%eth0"), normal_address("")
    ('192.0.2.7', 'fe80::1', '')
    """
    parsed = _parse(address)
    return str(parsed) if parsed is not None else address


def network_of(address: str) -> str:
    """Return the /24 or /64 that an address is in: what an aggregate lease stands for.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1"), network_of("unix")
    ('192.0.2.0/24', '2001:db8::/64', 'unknown')
    """
    parsed = _parse(address)
    if parsed is None:
        return "unknown"
    return str(ip_network(f"{parsed}/{24 if parsed.version == 4 else 64}", strict=False))


def _parse(address: str) -> IPv4Address | IPv6Address | None:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed
