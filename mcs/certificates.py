"""Makes certificates for servers that have none: a CA, and certificates that it signs. It touches no file."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias, TypeVar

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

__all__ = [
    "Authority",
    "Host",
    "InvalidHost",
    "ServerCertificate",
    "UnusableAuthority",
    "ends_at",
    "issue",
    "new_authority",
    "parse_host",
    "read_authority",
]

Host: TypeAlias = str | IPv4Address | IPv6Address
_SigningKey: TypeAlias = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

_Extension = TypeVar("_Extension", bound=x509.ExtensionType)

_CLOCK_ALLOWANCE = timedelta(hours=1)  # a machine's clock may be behind ours when it boots

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.ASCII)
_PORT = re.compile(r"(\[.*\]|[^:]*):\d*", re.ASCII)


class InvalidHost(ValueError):
    """A text that is no host name and no address; the error says why, and what to write, without the text."""


class UnusableAuthority(ValueError):
    """A CA that cannot sign; the text says why, and never what is in the key."""


@dataclass(frozen=True, slots=True)
class Authority:
    """A CA: its certificate and its key, which fit each other."""

    certificate: x509.Certificate
    key: _SigningKey = field(repr=False, compare=False)  # the certificate tells which

    @property
    def certificate_pem(self) -> bytes:
        """The certificate in PEM. Nothing follows the last line's end: Ignition refuses a bundle with more."""
        return _certificate_pem(self.certificate)

    @property
    def key_pem(self) -> bytes:
        """The key in PEM, without a passphrase."""
        return _key_pem(self.key)


@dataclass(frozen=True, slots=True)
class ServerCertificate:
    """What a server needs, in PEM, and when it ends (UTC). The CA signed it directly, so it is its own chain."""

    certificate_pem: bytes
    key_pem: bytes = field(repr=False)
    ends: datetime


def parse_host(text: str) -> Host:
    """Return the address, or the name in lower case and without the last dot. Raises InvalidHost.

    >>> parse_host("MCS.example.com."), parse_host("[2001:db8::1]")
    ('mcs.example.com', IPv6Address('2001:db8::1'))

    No wildcards: a stub names one host, and such a key would stand for all other hosts of the domain as well.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        address = ip_address(bare)
    except ValueError:
        return _parse_name(text)
    if bare != text and isinstance(address, IPv4Address):
        raise InvalidHost("only an IPv6 address may stand in brackets")
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise InvalidHost("a certificate cannot name a zone (what follows %)")
    if address.is_unspecified or address.is_multicast:
        raise InvalidHost("no machine connects to this address: name the one that stubs have in their URL")
    return address


def _parse_name(text: str) -> str:
    name = text.removesuffix(".").lower()
    labels = name.split(".")
    # Each kind of mistake with what it is told, the first that applies; the order matters.
    mistakes = (
        (not name, "it is empty"),
        ("://" in name, "it is a URL: give the host alone, such as mcs.example.com"),
        ("/" in name, "it has a slash: give one host alone, such as mcs.example.com"),
        ("@" in name, "it has a user: give the host alone, such as mcs.example.com"),
        (_PORT.fullmatch(name) is not None, "it has a port: a certificate is for a host, whatever the port"),
        (":" in name or "[" in name, "it is no IPv6 address"),
        ("*" in name, "wildcards are not supported: give --host once for each name"),
        ("_" in name, "a host name has no underscore, only letters, digits, hyphens and dots"),
        (not text.isascii(), "it has letters beyond ASCII: write the name as DNS has it (xn--...)"),
        (_NUMBER.fullmatch(labels[-1]) is not None, "it ends in a number, but is no IPv4 address"),
        (len(name) > 253, "it is longer than 253 characters"),
        (any(len(label) > 63 for label in labels), "a part between dots is longer than 63 characters"),
        ("" in labels, "a part between dots is empty"),
        (
            not all(map(_LABEL.fullmatch, labels)),
            "a host name has letters, digits and dots only, and hyphens between letters or digits",
        ),
    )
    for applies, reason in mistakes:
        if applies:
            raise InvalidHost(reason)
    return name


def new_authority(now: datetime, days: int) -> Authority:
    """Return a new CA, valid for so many days from now (with a time zone). Its name is unlike any other CA's."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key()
    # Two CAs of one name would make a client that trusts both try the wrong key.
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"mcs CA {secrets.token_hex(4)}")])
    own_id = x509.SubjectKeyIdentifier.from_public_key(public)
    builder = (
        _builder(now, now + timedelta(days=days))
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(key_cert_sign=True, crl_sign=True), critical=True)
        .add_extension(own_id, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own_id), critical=False)
    )
    return Authority(builder.sign(key, hashes.SHA256()), key)


def read_authority(certificate: bytes, key: bytes, now: datetime) -> Authority:
    """Return the CA that these two PEM files hold. Raises UnusableAuthority if it cannot sign now."""
    found = _read_certificate(certificate)
    signing = _read_key(key)
    constraints = _extension(found, x509.BasicConstraints)
    usage = _extension(found, x509.KeyUsage)
    if constraints is None or not constraints.ca or (usage is not None and not usage.key_cert_sign):
        raise UnusableAuthority("the certificate is not that of a CA")
    if found.public_key() != signing.public_key():
        raise UnusableAuthority("the key is not the certificate's")
    if found.not_valid_after_utc <= now:
        raise UnusableAuthority(f"the certificate ended at {found.not_valid_after_utc:%Y-%m-%d %H:%M} UTC")
    return Authority(found, signing)


def ends_at(pem: bytes) -> float:
    """Return when the first certificate of a PEM ends, in seconds since 1970. Raises UnusableAuthority."""
    return _read_certificate(pem).not_valid_after_utc.timestamp()


def issue(authority: Authority, hosts: Sequence[Host], now: datetime, days: int) -> ServerCertificate:
    """Return a certificate with a new key for these hosts (at least one), in this order.

    It is valid for so many days from now (with a time zone), but never longer than its CA is.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key()
    ends = min(now + timedelta(days=days), authority.certificate.not_valid_after_utc)
    builder = (
        _builder(now, ends)
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mcs server")]))
        .issuer_name(authority.certificate.subject)
        .public_key(public)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_general_name(host) for host in hosts]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(_issuer_id(authority), critical=False)
    )
    certificate = builder.sign(authority.key, hashes.SHA256())
    return ServerCertificate(_certificate_pem(certificate), _key_pem(key), certificate.not_valid_after_utc)


def _builder(now: datetime, ends: datetime) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_ALLOWANCE)
        .not_valid_after(ends)
    )


def _key_usage(
    *, digital_signature: bool = False, key_cert_sign: bool = False, crl_sign: bool = False
) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(host: Host) -> x509.GeneralName:
    return x509.DNSName(host) if isinstance(host, str) else x509.IPAddress(host)


def _issuer_id(authority: Authority) -> x509.AuthorityKeyIdentifier:
    stated = _extension(authority.certificate, x509.SubjectKeyIdentifier)
    if stated is None:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(stated)


def _extension(certificate: x509.Certificate, kind: type[_Extension]) -> _Extension | None:
    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


def _read_certificate(pem: bytes) -> x509.Certificate:
    try:
        found = x509.load_pem_x509_certificates(pem)
        _ = found[0].extensions, found[0].public_key()  # both are parsed only when asked for
    except (ValueError, x509.DuplicateExtension, UnsupportedAlgorithm) as error:
        raise UnusableAuthority("the certificate cannot be read as PEM") from error
    if len(found) != 1:
        raise UnusableAuthority(f"there are {len(found)} certificates where that of the CA alone should be")
    return found[0]


def _read_key(pem: bytes) -> _SigningKey:
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except TypeError as error:  # how the library says that it wants a passphrase
        raise UnusableAuthority("the key is protected by a passphrase; store it without one") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UnusableAuthority("the key cannot be read as PEM") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey):
        raise UnusableAuthority("the key is neither an ECDSA nor an RSA key")
    return key


def _certificate_pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: _SigningKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
