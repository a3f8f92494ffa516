"""What of a MachineConfig is a secret."""

from urllib.parse import quote

import pytest

from mcs.jsondata import JSON
from mcs.machineconfig.masking import (
    has_secret_contents,
    is_secret,
    lines_without_secrets,
    masked,
    without_secrets,
)
from mcs.machineconfig.subjects import Subject

# ---- members


@pytest.mark.parametrize(
    ("subject", "member", "secret"),
    [
        pytest.param(Subject("file", "/etc/a"), "mode", False, id="mode"),
        pytest.param(Subject("user", "core"), "passwordHash", True, id="password-hash"),
        pytest.param(Subject("user", "core"), "sshAuthorizedKeys", False, id="public-keys"),
        pytest.param(Subject("LUKS device", "a"), "keyFile", True, id="luks-key"),
        pytest.param(Subject("LUKS device", "a"), "clevis.custom.config", True, id="luks-pin"),
        pytest.param(Subject("LUKS device", "a"), "clevis.tang[https://a].advertisement", True, id="advertisement"),
        pytest.param(Subject("LUKS device", "a"), "label", False, id="luks-label"),
        pytest.param(Subject("merged config", "a"), "httpHeaders[Authorization]", True, id="header"),
        pytest.param(Subject("member", "osImageURL"), "", False, id="a-member-by-itself"),
        pytest.param(
            Subject("member", "config.ignition.config.replace.httpHeaders"),
            "[Authorization]",
            True,
            id="header-of-a-member",
        ),
    ],
)
def test_members(subject: Subject, member: str, secret: bool) -> None:
    assert is_secret(subject, member) is secret


# ---- contents


def resource(source: str = "data:,a", **members: JSON) -> JSON:
    return {"contents": {"source": source}, **members}


@pytest.mark.parametrize(
    ("mode", "secret"),
    [
        pytest.param(None, False, id="none"),
        pytest.param(0o755, False, id="0755"),
        pytest.param(0o640, True, id="0640"),
        pytest.param(0o600, True, id="0600"),
        pytest.param(0, True, id="0000"),
    ],
)
def test_what_others_may_not_read(mode: int | None, secret: bool) -> None:
    assert has_secret_contents(Subject("file", "/etc/a"), resource(mode=mode)) is secret


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"),
        *("/root/.dockerconfigjson", "/root/.netrc", "/root/.pgpass"),
        *("/root/.ssh/id_rsa", "/root/.ssh/id_dsa", "/root/.ssh/id_ecdsa", "/home/core/.ssh/id_ed25519"),
        *("/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ed25519_key"),
        "/var/lib/kubelet/config.json",
        *("/root/.docker/config.json", "/home/core/.docker/config.json"),
        *("/etc/kubernetes/kubeconfig", "/etc/kubernetes/admin.kubeconfig", "/root/kubeconfig.yaml"),
        *("/etc/a.key", "/etc/a-key.pem", "/etc/a_key.pem", "/etc/a.ppk", "/etc/a.p12", "/etc/a.pfx"),
        *("/etc/a.jks", "/etc/krb5.keytab"),
        "/etc/NetworkManager/system-connections/a.nmconnection",
        "/run/NetworkManager/system-connections/a.nmconnection",
        "/usr/lib/NetworkManager/system-connections/a.nmconnection",
        *("/etc/wireguard/wg0.conf", "/etc/luks/root"),
        *("/root/.config/containers/auth.json", "/run/user/1000/containers/auth.json", "/etc/ostree/auth.json"),
        "/run/containers/0/auth.json",
        "/etc/ssl/private/web.pem",
        *("/etc/iscsi/iscsid.conf", "/etc/chrony.keys", "/etc/app/apikey"),
        *("/etc/wpa_supplicant/wpa_supplicant-wlan0.conf", "/etc/wpa_supplicant.conf"),
        *("/etc/app/password", "/etc/app/db-passwd", "/etc/app/client-secret", "/etc/app/api-token"),
        *("/etc/app/credentials", "/etc/secrets/a", "/etc/app/token.txt", "/etc/SECRETS/A"),
    ],
)
def test_paths_that_hold_secrets(path: str) -> None:
    assert has_secret_contents(Subject("file", path), resource())


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/a", "/etc/passwd", "/etc/passwd-", "/etc/motd"),
        *("/home/core/.ssh/id_ed25519.pub", "/etc/ssh/ssh_host_rsa_key.pub", "/etc/ssl/certs/web.crt"),
        *("/var/lib/kubelet/config.yaml", "/etc/containers/policy.json", "/etc/containers/0/auth.json.d/a"),
        *("/etc/NetworkManager/conf.d/a.conf", "/etc/chrony.conf", "/etc/app/monkey", "/etc/iscsi/initiatorname.iscsi"),
    ],
)
def test_paths_that_hold_none(path: str) -> None:
    assert not has_secret_contents(Subject("file", path), resource())


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        pytest.param("A=b", False, id="plain"),
        pytest.param("-----BEGIN PRIVATE KEY-----", True, id="key"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----", True, id="rsa-key"),
        pytest.param("-----BEGIN OPENSSH PRIVATE KEY-----", True, id="openssh-key"),
        pytest.param("-----BEGIN PGP PRIVATE KEY BLOCK-----", True, id="pgp-key"),
        pytest.param("-----BEGIN PGP PUBLIC KEY BLOCK-----", False, id="pgp-public-key"),
        pytest.param("-----BEGIN CERTIFICATE-----", False, id="certificate"),
        pytest.param("# created\nAGE-SECRET-KEY-1ABC", True, id="age-key"),
        pytest.param('{"auths":{"a.example":{}}}', True, id="auths-json"),
        pytest.param('{"auth": "YTpi"}', True, id="auth-json"),
        pytest.param("auths:\n  a.example:\n    b: c\n", True, id="auths-yaml"),
        pytest.param("authors: a", False, id="another-word"),
        pytest.param("users:\n- user:\n    client-key-data: YTpi\n", True, id="kubeconfig"),
    ],
)
@pytest.mark.parametrize(
    "kind",
    ["file", "appended", "unit", "drop-in"],
)
def test_texts_that_are_secrets(kind: str, text: str, secret: bool) -> None:
    source: JSON = {"source": "data:," + quote(text)}
    ways: dict[str, tuple[Subject, JSON]] = {
        "file": (Subject("file", "/etc/a"), {"contents": source}),
        "appended": (Subject("file", "/etc/a"), {"append": [{"source": "data:,a"}, source]}),
        "unit": (Subject("unit", "a.service"), {"contents": text}),
        "drop-in": (Subject("drop-in", "a.service/1.conf"), {"contents": text}),
    }
    subject, said = ways[kind]

    assert has_secret_contents(subject, said) is secret


def test_only_files_and_units_have_contents() -> None:
    assert not has_secret_contents(Subject("directory", "/etc/wireguard/a"), {"mode": 0o700})


def test_what_was_or_becomes_a_secret_is_one_on_both_sides() -> None:
    subject, private, public = Subject("file", "/etc/a"), resource(mode=0o600), resource()

    assert has_secret_contents(subject, private, public)
    assert has_secret_contents(subject, public, private)
    assert not has_secret_contents(subject, None, public)


# ---- lines

QUOTED = "'abc'"


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
        pytest.param("netroot=iscsi:me:pw@a::3260::iqn", f"netroot=iscsi:{masked('me:pw')}@a::3260::iqn", id="iscsi"),
        pytest.param(
            "https://me:a-token:b@a.example/", f"https://{masked('me:a-token:b@a.example/')}", id="url-with-a-name"
        ),
        pytest.param("SITE_KEY=abc", f"SITE_KEY={masked('abc')}", id="name-key"),
        pytest.param("Environment=A_KEY2='abc'", f"Environment=A_KEY2={masked(QUOTED)}", id="name-key-number"),
        pytest.param('"A_KEY": abc', f'"A_KEY": {masked("abc")}', id="name-key-yaml"),
        pytest.param("SITE_TOKEN=abc", f"SITE_TOKEN={masked('abc')}", id="name-token"),
        pytest.param("DB_PW=abc", f"DB_PW={masked('abc')}", id="name-pw"),
        pytest.param("A_AUTH=abc", f"A_AUTH={masked('abc')}", id="name-auth"),
        pytest.param("A_CREDS=abc", f"A_CREDS={masked('abc')}", id="name-creds"),
        pytest.param("A_PIN=123", f"A_PIN={masked('123')}", id="name-pin"),
        pytest.param("A_PUBLIC_KEY=abc", "A_PUBLIC_KEY=abc", id="name-public-key"),
        pytest.param("SITE_KEY_FILE=/a", "SITE_KEY_FILE=/a", id="name-of-a-file"),
        pytest.param("psk=abc", f"psk={masked('abc')}", id="psk"),
        pytest.param("my-cookie: abc", f"my-cookie: {masked('abc')}", id="cookie"),
        pytest.param("ApiKey = abc", f"ApiKey = {masked('abc')}", id="api-key"),
        *(
            pytest.param(f"my-{name}: abc", f"my-{name}: {masked('abc')}", id=name)
            for name in (
                *("access-key", "account_key", "private-key", "signing_key", "encryption-key", "shared-key"),
                *("credential", "passphrase", "passwd", "pwd", "secret"),
            )
        ),
        pytest.param("x AGE-SECRET-KEY-1ABC y", f"x {masked('AGE-SECRET-KEY-1ABC')} y", id="age-key"),
        pytest.param("curl -H 'X: bearer abc'", f"curl -H 'X: bearer {masked('abc')}'", id="bearer"),
        pytest.param("a <password>abc</password>", f"a <password>{masked('abc')}</password>", id="xml"),
        pytest.param("me:$apr1$salt$hash", f"me:{masked('$apr1$salt$hash')}", id="apr1"),
        pytest.param("hash=$2b$05$abc", f"hash={masked('$2b$05$abc')}", id="bcrypt"),
        pytest.param("me $y$j9T$a$b", f"me {masked('$y$j9T$a$b')}", id="yescrypt"),
        pytest.param("$argon2id$v=19$a", masked("$argon2id$v=19$a"), id="argon2"),
        pytest.param("echo $1 $5", "echo $1 $5", id="arguments-of-a-shell"),
        pytest.param("bypass=1 compass: 2", "bypass=1 compass: 2", id="other-words"),
        pytest.param("rd.luks.key=/a", "rd.luks.key=/a", id="a-path"),
        pytest.param("PasswordAuthentication no", "PasswordAuthentication no", id="no-value"),
        pytest.param("https://example.net/a", "https://example.net/a", id="url-without-a-user"),
    ],
)
def test_lines(line: str, shown: str) -> None:
    assert without_secrets(line) == shown


@pytest.mark.parametrize(
    ("lines", "hidden"),
    [
        pytest.param(["password: |", "  a", "", "    b", "c: d"], {1: "a", 3: "b"}, id="literal"),
        pytest.param(["password: >-  # why", "  a", "c: d"], {1: "a"}, id="folded"),
        pytest.param(["password:", "  a", "c: d"], {1: "a"}, id="below-its-name"),
        pytest.param(["a:", "  password: |2", "    b", "  c: d"], {2: "b"}, id="indented"),
        pytest.param(["- password: |", "    a", "  c: d"], {1: "a"}, id="in-a-list"),
        pytest.param(['"token": !!binary |', "  YQ==", "c: d"], {1: "YQ=="}, id="quoted-and-tagged"),
        pytest.param(["secret: &a |", "  b", "c: d"], {1: "b"}, id="anchored"),
        pytest.param(["tokens:", "- a", "- b", "c:", "- d"], {1: "- a", 2: "- b"}, id="list"),
        pytest.param(["- token:", "  - a", "- b"], {1: "- a"}, id="list-in-a-list"),
        pytest.param(["- token:", "- a"], {}, id="the-next-item"),
        pytest.param(["tokens: |", "- a"], {}, id="text-is-no-list"),
        pytest.param(["SITE_KEY: |", "  a", "c: d"], {1: "a"}, id="name-key"),
        pytest.param(["authorization: |", "  a", "c: d"], {1: "a"}, id="header"),
        pytest.param(["authorization:", "  mode: Webhook"], {}, id="a-section"),
        pytest.param(["notes: |", "  a", "c: d"], {}, id="another-name"),
        pytest.param(["password:", "c: d"], {}, id="nothing-below-it"),
    ],
)
def test_blocks_of_yaml(lines: list[str], hidden: dict[int, str]) -> None:
    shown = [line.replace(hidden[at], masked(hidden[at])) if at in hidden else line for at, line in enumerate(lines)]

    assert list(lines_without_secrets(lines)) == shown


def test_a_secret_goes_on_after_a_backslash() -> None:
    lines = ["ExecStart=/bin/a --token=a \\", "  b \\", "  c", "d"]

    first, *rest = lines_without_secrets(lines)

    assert first.startswith("ExecStart=/bin/a --token=(secret ")
    assert rest == [f"  {masked('b ' + chr(92))}", f"  {masked('c')}", "d"]


def test_what_is_shown_tells_a_change_and_not_the_secret() -> None:
    assert masked("abc") == masked(b"abc") != masked("abd")
    assert "abc" not in masked("abc")


@pytest.mark.parametrize(
    "line",
    [
        *("a." * 200_000, "token-" * 100_000, "://" * 200_000, "iscsi:" * 100_000, "password " * 100_000),
        *("-u " * 200_000, "a" * 500_000, "A_KEY " * 100_000, "- " * 200_000, " " * 300_000, "!a " * 100_000),
    ],
    ids=lambda line: line[:9],
)
def test_a_long_line_takes_no_longer_than_its_length(line: str) -> None:
    # With work that grows with the square of the length this would not end within the suite's time.
    assert without_secrets(line) == line
    assert list(lines_without_secrets([line])) == [line]
