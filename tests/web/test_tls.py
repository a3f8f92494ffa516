"""The server's certificate: what is agreed on with a client, and what happens while its files change."""

import logging
import os
import resource
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from mcs.boot.clock import Reading
from mcs.certificates import ServerCertificate
from mcs.web.tls import CertificateError, Certificates, make_context
from tests.web.handshake import client_context, handshake, made, write_pair

HOST = "mcs.example.com"
AUTHORITY, FIRST = made(HOST)
# Of other sizes than the first, key included: tests rewrite files faster than some clocks of file systems tick.
_, _made = made(HOST, "second.example.com", authority=AUTHORITY)
SECOND = replace(_made, key_pem=_made.key_pem + b"\n")


def der(pair: ServerCertificate) -> bytes:
    return ssl.PEM_cert_to_DER_cert(pair.certificate_pem.decode())


# ---- what is agreed on


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    return make_context(*write_pair(tmp_path_factory.mktemp("pair"), FIRST))


def old_client(version: ssl.TLSVersion | int, suites: str) -> ssl.SSLContext:
    """A client that speaks no newer version, and these suites below TLS 1.3."""
    client = client_context(AUTHORITY.certificate_pem)
    client.set_ciphers(f"{suites}:@SECLEVEL=0")
    client.minimum_version = client.maximum_version = ssl.TLSVersion(version)
    return client


def lax_server(directory: Path) -> ssl.SSLContext:
    """A server that agrees to anything the library can do: shows that a client could have had what it asks for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*write_pair(directory, FIRST))
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_alpn_protocols(["h2"])
    return context


@pytest.mark.parametrize("suite", ["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES256-CCM"])
def test_suites_beyond_gcm_and_chacha_are_refused(server: ssl.SSLContext, tmp_path: Path, suite: str) -> None:
    client = old_client(ssl.TLSVersion.TLSv1_2, suite)
    assert handshake(lax_server(tmp_path), client, HOST).suite == suite
    with pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
        handshake(server, client, HOST)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1], ids=lambda one: str(one.name))
def test_versions_before_1_2_are_refused(server: ssl.SSLContext, tmp_path: Path, version: ssl.TLSVersion) -> None:
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        client = old_client(version, "ALL")
    assert handshake(lax_server(tmp_path), client, HOST).version == version.name.replace("_", ".")
    with pytest.raises(ssl.SSLError, match="PROTOCOL_VERSION"):
        handshake(server, client, HOST)


@pytest.mark.parametrize(
    ("version", "suite"),
    [
        pytest.param(ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-AES128-GCM-SHA256", id="1.2, AES 128"),
        pytest.param(ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-AES256-GCM-SHA384", id="1.2, AES 256"),
        pytest.param(ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-CHACHA20-POLY1305", id="1.2, ChaCha20"),
    ],
)
def test_authenticated_suites_of_1_2_are_spoken(server: ssl.SSLContext, version: ssl.TLSVersion, suite: str) -> None:
    agreed = handshake(server, old_client(version, suite), HOST)
    assert (agreed.version, agreed.suite) == ("TLSv1.2", suite)


def test_a_current_client_gets_1_3(server: ssl.SSLContext) -> None:
    assert handshake(server, client_context(AUTHORITY.certificate_pem), HOST).version == "TLSv1.3"


def test_no_session_is_resumed(server: ssl.SSLContext) -> None:
    assert server.num_tickets == 0
    assert server.options & ssl.OP_NO_TICKET


def test_every_suite_is_authenticated_and_forward_secret(server: ssl.SSLContext) -> None:
    suites = server.get_ciphers()
    assert suites
    assert [suite["name"] for suite in suites if not suite["aead"]] == []
    exchanges = {"kx-ecdhe", "kx-any"}  # any: TLS 1.3, where the exchange is no part of the suite
    assert [suite["name"] for suite in suites if suite["kea"] not in exchanges] == []


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [
        pytest.param([], None, id="none"),
        pytest.param(["http/1.1"], "http/1.1", id="1.1"),
        pytest.param(["h2", "http/1.1"], "http/1.1", id="both"),
        pytest.param(["h2"], None, id="h2 only"),
    ],
)
def test_http_1_1_is_the_only_protocol(server: ssl.SSLContext, offered: list[str], agreed: str | None) -> None:
    client = client_context(AUTHORITY.certificate_pem, protocols=offered)
    assert handshake(server, client, HOST).protocol == agreed


def test_a_client_that_offers_h2_only_could_have_had_it(tmp_path: Path) -> None:
    client = client_context(AUTHORITY.certificate_pem, protocols=["h2"])
    assert handshake(lax_server(tmp_path), client, HOST).protocol == "h2"


# ---- files that cannot be used


def encrypted(pair: ServerCertificate) -> bytes:
    key = load_pem_private_key(pair.key_pem, None)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"swordfish"))


FAULTS: list[object] = [
    pytest.param("tls.crt", None, "{tls.crt}: No such file or directory", id="no certificate"),
    pytest.param("tls.key", None, "{tls.key}: No such file or directory", id="no key"),
    pytest.param("tls.crt", b"garbage", "no certificate and key in PEM", id="garbage for a certificate"),
    pytest.param("tls.key", b"garbage", "no certificate and key in PEM", id="garbage for a key"),
    pytest.param("tls.crt", b"", "no certificate and key in PEM", id="empty certificate"),
    pytest.param("tls.key", b"", "no certificate and key in PEM", id="empty key"),
    pytest.param("tls.crt", FIRST.certificate_pem[:200], "no certificate and key in PEM", id="half a certificate"),
    pytest.param("tls.key", FIRST.key_pem[:100], "no certificate and key in PEM", id="half a key"),
    pytest.param("tls.key", SECOND.key_pem, "the key is not that of the first certificate", id="another's key"),
    pytest.param("tls.key", encrypted(FIRST), "{tls.key} is protected by a passphrase", id="passphrase"),
]


def spoil(directory: Path, name: str, content: bytes | None) -> None:
    if content is None:
        (directory / name).unlink()
    else:
        (directory / name).write_bytes(content)


def said(text: str, directory: Path) -> str:
    for name in ("tls.crt", "tls.key"):
        text = text.replace(f"{{{name}}}", str(directory / name))
    return text


@pytest.mark.parametrize(("name", "content", "says"), FAULTS)
def test_a_start_with_unusable_files_says_which_and_why(
    tmp_path: Path, name: str, content: bytes | None, says: str
) -> None:
    files = write_pair(tmp_path, FIRST)
    spoil(tmp_path, name, content)
    with pytest.raises(CertificateError) as raised:
        Certificates(*files, Hand())
    assert said(says, tmp_path) in str(raised.value)
    assert str(tmp_path / name) in str(raised.value)


@pytest.mark.parametrize(
    "name", [pytest.param("", id="a directory"), pytest.param("x" * 300, id="a name that no file can have")]
)
@pytest.mark.parametrize("spoilt", ["certificate", "key"])
def test_what_is_no_file_is_named(tmp_path: Path, name: str, spoilt: str) -> None:
    certificate, key = write_pair(tmp_path, FIRST)
    odd = tmp_path / name
    with pytest.raises(CertificateError) as raised:
        make_context(*((odd, key) if spoilt == "certificate" else (certificate, odd)))
    assert str(raised.value).startswith(f"{odd}: ")


# ---- files that change


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = Reading(wall=1_800_000_000.0, boot=1000.0)

    def __call__(self) -> Reading:
        return self.now

    def pass_by(self, *, wall: float = 0.0, boot: float = 0.0) -> None:
        self.now = Reading(wall=self.now.wall + wall, boot=self.now.boot + boot)


class Served:
    """Certificates of a directory, and what a client that connects to them is shown."""

    def __init__(self, directory: Path) -> None:
        self.clock = Hand()
        self.directory = directory
        self.certificates = Certificates(directory / "tls.crt", directory / "tls.key", self.clock)

    def shown(self) -> bytes:
        """Shake hands as they are."""
        return handshake(self.certificates.context(), client_context(AUTHORITY.certificate_pem), HOST).certificate

    def shown_later(self) -> bytes:
        """Shake hands after the files are due to be looked at."""
        self.clock.pass_by(wall=2.0, boot=2.0)
        return self.shown()


@pytest.fixture
def served(tmp_path: Path) -> Served:
    write_pair(tmp_path, FIRST)
    return Served(tmp_path)


def replace_in_place(directory: Path) -> None:
    write_pair(directory, SECOND)


def rename_over(directory: Path) -> None:
    for file in write_pair(directory / "new", SECOND):
        file.replace(directory / file.name)


def rename_with_old_times(directory: Path) -> None:
    """As `cp -p` and archives do: newer content, older time."""
    for file in write_pair(directory / "new", SECOND):
        os.utime(file, (1, 1))
        file.replace(directory / file.name)


@pytest.mark.parametrize("change", [replace_in_place, rename_over, rename_with_old_times], ids=lambda one: one.__name__)
def test_a_changed_pair_is_served_to_the_next_client(served: Served, change: Callable[[Path], None]) -> None:
    assert served.shown_later() == der(FIRST)
    change(served.directory)
    assert served.shown_later() == der(SECOND)


def test_an_unchanged_pair_keeps_its_context(served: Served) -> None:
    context = served.certificates.context()
    served.clock.pass_by(wall=3600.0, boot=3600.0)
    assert served.certificates.context() is context


@pytest.mark.parametrize(
    ("wall", "boot", "looks"),
    [
        pytest.param(0.0, 0.0, False, id="at once"),
        pytest.param(0.9, 0.9, False, id="within a second"),
        pytest.param(1.0, 1.0, True, id="after a second"),
        pytest.param(-3600.0, 0.9, False, id="wall clock set back, within a second"),
        pytest.param(-3600.0, 1.0, True, id="wall clock set back, after a second"),
        pytest.param(3600.0, 0.0, True, id="wall clock set ahead"),
    ],
)
def test_files_are_looked_at_once_a_second(served: Served, wall: float, boot: float, looks: bool) -> None:
    write_pair(served.directory, SECOND)
    served.clock.pass_by(wall=wall, boot=boot)
    assert served.shown() == der(SECOND if looks else FIRST)


def test_a_look_starts_the_second_anew(served: Served) -> None:
    served.clock.pass_by(boot=1.0)
    served.shown()
    write_pair(served.directory, SECOND)
    served.clock.pass_by(boot=0.9)
    assert served.shown() == der(FIRST)


@pytest.mark.parametrize("first", ["tls.crt", "tls.key"])
def test_a_half_written_pair_leaves_the_old_one_until_it_is_whole(
    served: Served, caplog: pytest.LogCaptureFixture, first: str
) -> None:
    caplog.set_level(logging.INFO)
    contents = {"tls.crt": SECOND.certificate_pem, "tls.key": SECOND.key_pem}
    spoil(served.directory, first, contents.pop(first))
    assert [served.shown_later() for _ in range(3)] == [der(FIRST)] * 3
    ((second, content),) = contents.items()
    spoil(served.directory, second, content)
    assert [served.shown_later() for _ in range(2)] == [der(SECOND)] * 2
    assert [(record.levelname, record.name) for record in caplog.records] == [
        ("ERROR", "mcs.web.tls"),
        ("INFO", "mcs.web.tls"),
    ]
    assert "the key is not that of the first certificate" in caplog.messages[0]


@pytest.mark.parametrize(("name", "content", "says"), FAULTS)
def test_files_that_become_unusable_leave_the_old_pair_and_are_logged_once(
    served: Served, caplog: pytest.LogCaptureFixture, name: str, content: bytes | None, says: str
) -> None:
    spoil(served.directory, name, content)
    assert [served.shown_later() for _ in range(3)] == [der(FIRST)] * 3
    (message,) = caplog.messages
    assert message.startswith("the old certificate stays in use: ")
    assert said(says, served.directory) in message
    write_pair(served.directory, SECOND)
    assert served.shown_later() == der(SECOND)


def test_another_fault_is_logged_too(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    for content in (b"garbage", b"more garbage", SECOND.key_pem, None):
        spoil(served.directory, "tls.key", content)
        served.shown_later()
    assert len(caplog.messages) == 3  # garbage stays garbage


def test_no_log_line_holds_what_is_in_the_key(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    spoil(served.directory, "tls.key", SECOND.key_pem)
    served.shown_later()
    assert caplog.messages
    assert SECOND.key_pem.splitlines()[1].decode() not in caplog.text


@contextmanager
def no_more_files() -> Iterator[None]:
    """Leave this process without a free file descriptor."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_pair_that_failed_for_a_passing_reason_is_tried_again(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    write_pair(served.directory, SECOND)
    served.clock.pass_by(boot=2.0)
    with no_more_files():
        served.certificates.context()
    assert "Too many open files" in caplog.text
    assert served.shown() == der(FIRST)
    assert served.shown_later() == der(SECOND)


def test_a_change_that_leaves_size_and_time_is_seen(served: Served) -> None:
    pairs = (made(HOST, authority=AUTHORITY)[1] for _ in range(1000))
    alike = next(pair for pair in pairs if len(pair.certificate_pem) == len(FIRST.certificate_pem))
    before = {file: file.stat() for file in served.directory.iterdir()}
    while any(file.stat().st_ctime_ns == status.st_ctime_ns for file, status in before.items()):
        write_pair(served.directory, alike)  # until the file system's clock has ticked
        for file, status in before.items():
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    for file, status in before.items():
        assert (file.stat().st_size, file.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert served.shown_later() == der(alike)


def kubernetes_secret(directory: Path, version: str, pair: ServerCertificate) -> None:
    """Write as a kubelet writes a mounted Secret: a new directory, then one rename of a link to it."""
    write_pair(directory / version, pair)
    link = directory / "..data_tmp"
    link.symlink_to(version)
    link.replace(directory / "..data")
    for name in ("tls.crt", "tls.key"):
        if not (directory / name).is_symlink():
            (directory / name).symlink_to(f"..data/{name}")


def test_a_mounted_secret_changes_by_a_renamed_link(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kubernetes_secret(tmp_path, "..2026_01_01", FIRST)
    served = Served(tmp_path)
    assert served.shown_later() == der(FIRST)
    kubernetes_secret(tmp_path, "..2026_02_02", SECOND)
    assert served.shown_later() == der(SECOND)
    kubernetes_secret(tmp_path, "..2026_03_03", FIRST)
    assert served.shown_later() == der(FIRST)
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_a_connection_outlives_the_certificate_it_began_with(served: Served) -> None:
    old = served.certificates.context()
    write_pair(served.directory, SECOND)
    assert served.shown_later() == der(SECOND)
    assert handshake(old, client_context(AUTHORITY.certificate_pem), HOST).certificate == der(FIRST)


def test_a_thread_that_looks_holds_up_no_other(served: Served) -> None:
    before = served.certificates.context()
    write_pair(served.directory, SECOND)
    served.clock.pass_by(boot=2.0)
    with served.certificates._lock:  # as if another thread's look took long
        assert served.certificates.context() is before
    assert served.shown() == der(SECOND)
