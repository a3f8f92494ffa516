import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.boot.identity import BOOT_ID_BYTES, boot_id, network_of, normal_address


@given(st.binary(min_size=BOOT_ID_BYTES, max_size=BOOT_ID_BYTES))
def test_a_boot_id_is_26_characters_that_labels_and_data_urls_take_as_they_are(random: bytes) -> None:
    assert re.fullmatch(r"[a-z2-7]{26}", boot_id(random))


@given(st.integers(0, 2**130 - 1), st.integers(0, 2**130 - 1))
def test_130_random_bits_are_all_told_apart(one: int, other: int) -> None:
    ids = [boot_id((bits << 6).to_bytes(BOOT_ID_BYTES, "big")) for bits in (one, other)]
    assert (ids[0] == ids[1]) == (one == other)


def test_too_few_random_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="17 bytes, not 16"):
        boot_id(bytes(16))


@pytest.mark.parametrize(
    ("address", "normal", "network"),
    [
        pytest.param("192.0.2.77", "192.0.2.77", "192.0.2.0/24", id="IPv4"),
        pytest.param("::ffff:192.0.2.77", "192.0.2.77", "192.0.2.0/24", id="IPv4 on an IPv6 socket"),
        pytest.param("2001:DB8:0:1::9", "2001:db8:0:1::9", "2001:db8:0:1::/64", id="IPv6"),
        pytest.param("fe80::1%eth0", "fe80::1", "fe80::/64", id="with a zone"),
        pytest.param("", "", "unknown", id="none (a Unix socket)"),
    ],
)
def test_addresses(address: str, normal: str, network: str) -> None:
    assert normal_address(address) == normal
    assert network_of(address) == network
