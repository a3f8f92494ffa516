"""A CA and what it signs: accepted by clients that hold the CA alone, for the hosts that were named, and no others."""

import ipaddress
import ssl
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from hypothesis import given
from hypothesis import strategies as st

from mcs.certificates import (
    Authority,
    Host,
    InvalidHost,
    UnusableAuthority,
    issue,
    new_authority,
    parse_host,
    read_authority,
)
from mcs.web.tls import make_context
from tests.web.handshake import NOW, client_context, handshake, made, write_pair

# ---- hosts

HOSTS: list[object] = [
    pytest.param("mcs.example.com", "mcs.example.com", id="name"),
    pytest.param("MCS.Example.Com", "mcs.example.com", id="capitals"),
    pytest.param("mcs.example.com.", "mcs.example.com", id="last dot"),
    pytest.param("localhost", "localhost", id="one label"),
    pytest.param("xn--bcher-kva.example", "xn--bcher-kva.example", id="international name"),
    pytest.param("1.2.3.example", "1.2.3.example", id="numbers before a name"),
    pytest.param("a" * 63 + ".example", "a" * 63 + ".example", id="longest label"),
    pytest.param("192.0.2.7", ipaddress.IPv4Address("192.0.2.7"), id="IPv4"),
    pytest.param("2001:DB8::1", ipaddress.IPv6Address("2001:db8::1"), id="IPv6"),
    pytest.param("[2001:db8::1]", ipaddress.IPv6Address("2001:db8::1"), id="IPv6 in brackets"),
    pytest.param("::1", ipaddress.IPv6Address("::1"), id="IPv6 loopback"),
    pytest.param("fe80::1", ipaddress.IPv6Address("fe80::1"), id="link-local"),
]
MISTAKES: list[object] = [
    pytest.param("", "empty", id="empty"),
    pytest.param(".", "empty", id="a dot"),
    pytest.param("https://mcs.example.com", "URL", id="URL"),
    pytest.param("https://mcs.example.com:22623/config/worker", "URL", id="whole URL"),
    pytest.param("mcs.example.com/config", "slash", id="path"),
    pytest.param("192.0.2.0/24", "slash", id="network"),
    pytest.param("me@mcs.example.com", "user", id="user"),
    pytest.param("mcs.example.com:22623", "port", id="name and port"),
    pytest.param("192.0.2.7:22623", "port", id="IPv4 and port"),
    pytest.param("[::1]:22623", "port", id="IPv6 and port"),
    pytest.param("mcs:", "port", id="name and colon"),
    pytest.param("2001:db8::g", "no IPv6 address", id="no IPv6 address"),
    pytest.param("[mcs]", "no IPv6 address", id="name in brackets"),
    pytest.param("[192.0.2.7]", "only an IPv6 address", id="IPv4 in brackets"),
    pytest.param("fe80::1%eth0", "zone", id="zone"),
    pytest.param("0.0.0.0", "no machine connects", id="any IPv4"),
    pytest.param("::", "no machine connects", id="any IPv6"),
    pytest.param("ff02::1", "no machine connects", id="multicast"),
    pytest.param("*.example.com", "wildcards", id="wildcard"),
    pytest.param("mcs_1.example.com", "underscore", id="underscore"),
    pytest.param("bücher.example", "xn--", id="umlaut"),
    pytest.param("\u212aube.example", "xn--", id="a letter that becomes k"),
    pytest.param("192.0.2", "no IPv4 address", id="short IPv4"),
    pytest.param("192.0.2.256", "no IPv4 address", id="IPv4 out of range"),
    pytest.param("192.0.2.07", "no IPv4 address", id="IPv4 with zeros"),
    pytest.param("mcs.0x10", "no IPv4 address", id="hexadecimal end"),
    pytest.param("a" * 64 + ".example", "63", id="long label"),
    pytest.param(".".join(["a" * 60] * 5), "253", id="long name"),
    pytest.param("mcs..example.com", "part between dots is empty", id="two dots"),
    pytest.param("-mcs.example.com", "hyphens", id="hyphen first"),
    pytest.param("mcs-.example.com", "hyphens", id="hyphen last"),
    pytest.param("mcs example", "letters, digits", id="space"),
    pytest.param("mcs.example.com\n", "letters, digits", id="line end"),
    pytest.param("mcs\x00", "letters, digits", id="NUL"),
]


@pytest.mark.parametrize(("text", "host"), HOSTS)
def test_a_host_is_an_address_or_a_name(text: str, host: Host) -> None:
    assert parse_host(text) == host


@pytest.mark.parametrize(("text", "says"), MISTAKES)
def test_a_mistake_is_told(text: str, says: str) -> None:
    with pytest.raises(InvalidHost, match=says):
        parse_host(text)


@given(st.one_of(st.text(max_size=20), st.text("ab-.:[]%*_/0129x", max_size=20), st.ip_addresses().map(str)))
def test_whatever_is_accepted_is_its_own_normal_form_and_fits_a_certificate(text: str) -> None:
    try:
        host = parse_host(text)
    except InvalidHost:
        return
    assert parse_host(str(host)) == host
    if isinstance(host, str):
        x509.DNSName(host)
    else:
        x509.IPAddress(host)


# ---- what is signed

ALL = ("mcs.example.com", "localhost", "192.0.2.7", "2001:db8::1", "::1")


def parsed(pem: bytes) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pem)


@pytest.mark.parametrize("host", ALL)
def test_a_client_with_the_ca_alone_trusts_every_host(tmp_path: Path, host: str) -> None:
    authority, pair = made(*ALL)
    server = make_context(*write_pair(tmp_path, pair))
    client = client_context(authority.certificate_pem)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    assert handshake(server, client, host).certificate == parsed(pair.certificate_pem).public_bytes(Encoding.DER)


@pytest.mark.parametrize("host", ["other.example.com", "192.0.2.8", "2001:db8::2", "mcs.example.com.evil.example"])
def test_no_other_host_is_trusted(tmp_path: Path, host: str) -> None:
    authority, pair = made(*ALL)
    server = make_context(*write_pair(tmp_path, pair))
    with pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
        handshake(server, client_context(authority.certificate_pem), host)


def test_another_ca_is_not_trusted(tmp_path: Path) -> None:
    _, pair = made(*ALL)
    stranger = new_authority(NOW, 10)
    with pytest.raises(ssl.SSLCertVerificationError, match="unable to get local issuer certificate"):
        handshake(make_context(*write_pair(tmp_path, pair)), client_context(stranger.certificate_pem), ALL[0])


def test_a_server_certificate_cannot_sign() -> None:
    authority, pair = made("mcs.example.com")
    with pytest.raises(UnusableAuthority, match="not that of a CA"):
        read_authority(pair.certificate_pem, pair.key_pem, NOW)
    assert read_authority(authority.certificate_pem, authority.key_pem, NOW) == authority


def test_the_ca_says_what_it_is_for() -> None:
    certificate = new_authority(NOW, 10).certificate
    extensions = certificate.extensions
    constraints = extensions.get_extension_for_class(x509.BasicConstraints)
    usage = extensions.get_extension_for_class(x509.KeyUsage)
    assert (constraints.critical, constraints.value) == (True, x509.BasicConstraints(ca=True, path_length=0))
    assert (usage.critical, usage.value.key_cert_sign, usage.value.crl_sign) == (True, True, True)
    assert not usage.value.digital_signature
    own = extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    assert extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier == own
    (name,) = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    assert str(name.value).startswith("mcs CA ")
    assert certificate.issuer == certificate.subject


def test_the_server_certificate_says_what_it_is_for() -> None:
    authority, pair = made(*ALL)
    certificate = parsed(pair.certificate_pem)
    extensions = certificate.extensions
    constraints = extensions.get_extension_for_class(x509.BasicConstraints).value
    usage = extensions.get_extension_for_class(x509.KeyUsage).value
    names = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert constraints == x509.BasicConstraints(ca=False, path_length=None)
    assert (usage.digital_signature, usage.key_cert_sign, usage.key_encipherment) == (True, False, False)
    assert list(extensions.get_extension_for_class(x509.ExtendedKeyUsage).value) == [ExtendedKeyUsageOID.SERVER_AUTH]
    assert names.get_values_for_type(x509.DNSName) == ["mcs.example.com", "localhost"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == list(ALL[2:])
    signer = authority.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    assert extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier == signer


def test_keys_are_on_p_256() -> None:
    authority, pair = made()
    for key in (authority.certificate.public_key(), parsed(pair.certificate_pem).public_key()):
        assert isinstance(key, ec.EllipticCurvePublicKey)
        assert isinstance(key.curve, ec.SECP256R1)


def test_validity_begins_an_hour_ago_for_machines_whose_clock_is_behind() -> None:
    authority = new_authority(NOW, 10)
    certificate = parsed(issue(authority, ["a"], NOW, 5).certificate_pem)
    start, second = NOW - timedelta(hours=1), timedelta(seconds=1)
    for one, days in ((authority.certificate, 10), (certificate, 5)):
        assert timedelta() <= start - one.not_valid_before_utc < second
        assert timedelta() <= NOW + timedelta(days=days) - one.not_valid_after_utc < second


def test_a_certificate_never_outlives_its_ca() -> None:
    authority = new_authority(NOW, 10)
    issued = issue(authority, ["a"], NOW, 11)
    assert issued.ends == authority.certificate.not_valid_after_utc
    assert issued.ends == parsed(issued.certificate_pem).not_valid_after_utc


def test_nothing_repeats() -> None:
    authorities = [new_authority(NOW, 10) for _ in range(8)]
    pairs = [issue(authorities[0], ["a"], NOW, 5) for _ in range(8)]
    certificates = [one.certificate for one in authorities] + [parsed(one.certificate_pem) for one in pairs]
    assert len({one.serial_number for one in certificates}) == 16
    assert len({one.certificate.subject for one in authorities}) == 8
    assert len({one.key_pem for one in authorities} | {one.key_pem for one in pairs}) == 16


def test_pem_ends_with_the_last_line() -> None:
    authority, pair = made()
    for pem in (authority.certificate_pem, pair.certificate_pem):
        assert pem.startswith(b"-----BEGIN CERTIFICATE-----\n")
        assert pem.endswith(b"\n-----END CERTIFICATE-----\n")
        assert pem.count(b"-----BEGIN") == 1


def test_keys_are_not_shown() -> None:
    authority, pair = made()
    for one in (authority, pair):
        assert "PRIVATE" not in repr(one)


def test_openssl_agrees(tmp_path: Path) -> None:
    authority, pair = made(*ALL)
    certificate, _ = write_pair(tmp_path, pair)
    (tmp_path / "ca.crt").write_bytes(authority.certificate_pem)
    for check in (["-verify_hostname", "mcs.example.com"], ["-verify_ip", "2001:db8::1"], ["-verify_ip", "192.0.2.7"]):
        command = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", str(tmp_path / "ca.crt")]
        done = subprocess.run([*command, *check, str(certificate)], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"{certificate}: OK\n"), done.stderr


# ---- a CA that is there already


def signed(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, *extensions: x509.ExtensionType) -> x509.Certificate:
    """Return a certificate that the key signed for itself, as other tools make them."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "site CA")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, NOW - timedelta(1), NOW + timedelta(9))
    for extension in extensions:
        builder = builder.add_extension(extension, critical=True)
    return builder.sign(key, hashes.SHA256())


CA = x509.BasicConstraints(ca=True, path_length=None)


@pytest.mark.parametrize(
    "make_key",
    [
        pytest.param(lambda: rsa.generate_private_key(65537, 2048), id="RSA"),
        pytest.param(lambda: ec.generate_private_key(ec.SECP384R1()), id="P-384"),
    ],
)
def test_a_ca_of_another_tool_can_sign(
    tmp_path: Path, make_key: Callable[[], rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey]
) -> None:
    key = make_key()
    own = Authority(signed(key, CA), key)
    commented = b"the CA of our site\n" + own.certificate_pem + b"\n\n"
    authority = read_authority(commented, own.key_pem, NOW)
    assert authority.certificate_pem == own.certificate_pem  # without what Ignition refuses
    pair = issue(authority, ["mcs.example.com"], NOW, 5)
    server = make_context(*write_pair(tmp_path, pair))
    assert handshake(server, client_context(authority.certificate_pem), "mcs.example.com").version == "TLSv1.3"


KEY = ec.generate_private_key(ec.SECP256R1())
OWN = Authority(signed(KEY, CA), KEY)
NO_SIGNING = x509.KeyUsage(True, False, False, False, False, False, False, False, False)


def ed25519_pem() -> bytes:
    key = ed25519.Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize(
    ("certificate", "key", "says"),
    [
        pytest.param(b"", OWN.key_pem, "certificate cannot be read", id="no certificate"),
        pytest.param(b"garbage", OWN.key_pem, "certificate cannot be read", id="garbage for a certificate"),
        pytest.param(OWN.certificate_pem[:300], OWN.key_pem, "certificate cannot be read", id="half a certificate"),
        pytest.param(OWN.certificate_pem * 2, OWN.key_pem, "there are 2 certificates", id="two certificates"),
        pytest.param(OWN.certificate_pem, b"garbage", "key cannot be read", id="garbage for a key"),
        pytest.param(OWN.certificate_pem, OWN.key_pem[:90], "key cannot be read", id="half a key"),
        pytest.param(
            OWN.certificate_pem,
            KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"swordfish")),
            "passphrase",
            id="passphrase",
        ),
        pytest.param(OWN.certificate_pem, ed25519_pem(), "neither an ECDSA nor an RSA key", id="Ed25519"),
        pytest.param(OWN.certificate_pem, made()[0].key_pem, "not the certificate's", id="another's key"),
        pytest.param(replace(OWN, certificate=signed(KEY)).certificate_pem, OWN.key_pem, "not that of a CA", id="v1"),
        pytest.param(
            replace(OWN, certificate=signed(KEY, CA, NO_SIGNING)).certificate_pem,
            OWN.key_pem,
            "not that of a CA",
            id="a CA that may not sign",
        ),
    ],
)
def test_a_ca_that_cannot_sign_says_why(certificate: bytes, key: bytes, says: str) -> None:
    with pytest.raises(UnusableAuthority, match=says):
        read_authority(certificate, key, NOW)


def test_a_ca_that_has_ended_cannot_sign() -> None:
    authority = new_authority(NOW, 10)
    end = authority.certificate.not_valid_after_utc
    assert read_authority(authority.certificate_pem, authority.key_pem, end - timedelta(seconds=1)) == authority
    with pytest.raises(UnusableAuthority, match=f"ended at {end:%Y-%m-%d}"):
        read_authority(authority.certificate_pem, authority.key_pem, end)
