"""What of a MachineConfig is a secret."""

import pytest

from mcs.jsondata import JSON
from mcs.machineconfig.masking import is_secret, masked, without_secrets
from mcs.machineconfig.subjects import Subject

KEY = "data:,-----BEGIN%20RSA%20PRIVATE%20KEY-----"
AUTHS = "data:,%7B%22auths%22:%7B%22a%22:%7B%7D%7D%7D"


def about(path: str, source: str = "data:,a", **members: JSON) -> tuple[Subject, JSON]:
    return Subject("file", path), {"contents": {"source": source}, **members}


@pytest.mark.parametrize(
    ("subject", "member", "secret"),
    [
        pytest.param(about("/etc/a"), "contents", False, id="plain-file"),
        pytest.param(about("/etc/a", mode=0o755), "contents", False, id="read-by-all"),
        pytest.param(about("/etc/a", mode=0o600), "contents", True, id="mode-0600"),
        pytest.param(about("/etc/a", mode=0o640), "contents", True, id="mode-0640"),
        pytest.param(about("/etc/a", mode=0o600), "mode", False, id="the-mode-itself"),
        pytest.param(about("/etc/a", mode=0o600), "append[0]", True, id="appended"),
        pytest.param(about("/etc/shadow"), "contents", True, id="shadow"),
        pytest.param(about("/etc/passwd"), "contents", False, id="passwd"),
        pytest.param(about("/var/lib/kubelet/config.json"), "contents", True, id="pull-secret"),
        pytest.param(about("/var/lib/kubelet/config.yaml"), "contents", False, id="beside-the-pull-secret"),
        pytest.param(about("/etc/kubernetes/kubeconfig"), "contents", True, id="kubeconfig"),
        pytest.param(about("/root/.docker/config.json"), "contents", True, id="docker"),
        pytest.param(about("/home/core/.ssh/id_ed25519"), "contents", True, id="ssh-key"),
        pytest.param(about("/home/core/.ssh/id_ed25519.pub"), "contents", False, id="public-ssh-key"),
        pytest.param(about("/etc/ssl/private/web.key"), "contents", True, id="key"),
        pytest.param(about("/etc/ssl/certs/web.crt"), "contents", False, id="certificate"),
        pytest.param(about("/etc/app/api-token"), "contents", True, id="token"),
        pytest.param(about("/etc/wireguard/wg0.conf"), "contents", True, id="wireguard"),
        pytest.param(about("/etc/a.pem", KEY), "contents", True, id="private-key-in-it"),
        pytest.param(about("/etc/a.json", AUTHS), "contents", True, id="auths-in-it"),
        pytest.param((Subject("unit", "a.service"), {"contents": "A=b"}), "contents", False, id="unit"),
        pytest.param(
            (Subject("unit", "a.service"), {"contents": "-----BEGIN PRIVATE KEY-----"}),
            "contents",
            True,
            id="unit-with-a-key",
        ),
        pytest.param(
            (Subject("unit", "a.service"), {"contents": "auths:\n  a.example:\n    b: c\n"}),
            "contents",
            True,
            id="unit-with-registry-credentials",
        ),
        pytest.param((Subject("user", "core"), {}), "passwordHash", True, id="password-hash"),
        pytest.param((Subject("user", "core"), {}), "sshAuthorizedKeys", False, id="public-keys"),
        pytest.param((Subject("LUKS device", "a"), {}), "keyFile", True, id="luks-key"),
        pytest.param((Subject("merged config", "a"), {}), "httpHeaders[Authorization].value", True, id="header"),
        pytest.param((Subject("member", "osImageURL"), "x"), "", False, id="member"),
        pytest.param(
            (Subject("member", "config.ignition.config.replace.httpHeaders"), "x"),
            "[Authorization].value",
            True,
            id="header-of-a-member",
        ),
    ],
)
def test_secret_or_not(subject: tuple[Subject, JSON], member: str, secret: bool) -> None:
    assert is_secret(subject[0], member, subject[1]) is secret


def test_what_was_or_becomes_a_secret_is_one_on_both_sides() -> None:
    subject, private = about("/etc/a", mode=0o600)
    _, public = about("/etc/a")

    assert is_secret(subject, "contents", private, public)
    assert is_secret(subject, "contents", public, private)
    assert not is_secret(subject, "contents", None, public)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        pytest.param("Environment=API_TOKEN=abc", f"Environment=API_TOKEN={masked('abc')}", id="environment"),
        pytest.param("Authorization: Bearer abc", f"Authorization: {masked('Bearer abc')}", id="header"),
        pytest.param('  "password": "abc",', f'  "password": {masked(chr(34) + "abc" + chr(34) + ",")}', id="json"),
        pytest.param("proxy=http://me:pw@example.net:1/", f"proxy=http://{masked('me:pw')}@example.net:1/", id="url"),
        pytest.param(
            "https://me:p/w@x@a.example/b", f"https://{masked('me:p/w@x')}@a.example/b", id="url-odd-password"
        ),
        pytest.param("DB_PASS=abc", f"DB_PASS={masked('abc')}", id="short-word"),
        pytest.param("a --password abc -v", f"a --password {masked('abc')} -v", id="option"),
        pytest.param("curl -u me:pw x", f"curl -u {masked('me:pw')} x", id="option-user"),
        pytest.param("https://a/?x=1&sig=abc", f"https://a/?x=1&sig={masked('abc')}", id="query"),
        pytest.param("me:$6$salt$hash:1", f"me:{masked('$6$salt$hash:1')}", id="crypt"),
        pytest.param("bypass=1 compass: 2", "bypass=1 compass: 2", id="other-words"),
        pytest.param("rd.luks.key=/a", "rd.luks.key=/a", id="a-path"),
        pytest.param("PasswordAuthentication no", "PasswordAuthentication no", id="no-value"),
        pytest.param("https://example.net/a", "https://example.net/a", id="url-without-a-user"),
    ],
)
def test_lines(line: str, shown: str) -> None:
    assert without_secrets(line) == shown


def test_what_is_shown_tells_a_change_and_not_the_secret() -> None:
    assert masked("abc") == masked(b"abc") != masked("abd")
    assert "abc" not in masked("abc")


@pytest.mark.parametrize(
    "line",
    ["a." * 200_000, "token-" * 100_000, "://" * 200_000, "password " * 100_000, "-u " * 200_000, "a" * 500_000],
    ids=lambda line: line[:9],
)
def test_a_long_line_takes_no_longer_than_its_length(line: str) -> None:
    # With work that grows with the square of the length this would not end within the suite's time.
    assert without_secrets(line) == line
