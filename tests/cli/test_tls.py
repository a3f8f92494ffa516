"""`mcs tls init`: files that a server can use, a CA that stubs can hold, and nothing half done."""

import base64
import json
import os
import re
import resource
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from mcs.certificates import Authority, new_authority
from mcs.cli.command import mcs
from mcs.cli.tls import NewFile, place
from mcs.ignition import NEWEST
from mcs.ignition.conversion import unknown_members
from mcs.ignition.dataurl import decode
from mcs.ignition.versions import V3_0
from mcs.jsondata import JSON, list_at, lookup, object_at, text_at
from mcs.web.tls import make_context
from tests.cli.commands import Outcome
from tests.web.handshake import NOW, client_context, handshake, made

FILES = {"ca.crt": 0o644, "ca.key": 0o600, "tls.crt": 0o644, "tls.key": 0o600}
CA, SERVER = ("ca.crt", "ca.key"), ("tls.crt", "tls.key")
HOSTS = ("mcs.example.com", "192.0.2.7", "[2001:db8::1]")


def init(directory: Path, *arguments: str, hosts: tuple[str, ...] = HOSTS) -> Outcome:
    options = [option for host in hosts for option in ("--host", host)]
    result = CliRunner().invoke(mcs, ["tls", "init", str(directory), *options, *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Outcome(result.exit_code, result.stdout.splitlines(), result.stderr.splitlines())


def contents(directory: Path) -> dict[str, bytes]:
    """All that is in a directory, hidden files too."""
    return {file.name: file.read_bytes() for file in directory.iterdir()}


def modes(directory: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in directory.iterdir()}


def documents(outcome: Outcome) -> list[JSON]:
    return [json.loads(line) for line in outcome.out]


def trusted(document: JSON) -> bytes:
    """The CA that a stub holds."""
    (authority,) = list_at(document, "ignition", "security", "tls", "certificateAuthorities")
    assert isinstance(authority, dict)
    assert authority.keys() == {"source"}
    source = text_at(authority, "source")
    assert source is not None
    assert source.startswith("data:text/plain;charset=utf-8;base64,")
    return decode(source)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory in which all has been made."""
    made_here = tmp_path / "tls"
    assert init(made_here).status == 0
    return made_here


# ---- what is made


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids="{:03o}".format)
def test_files_are_readable_as_they_should_be_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        assert init(tmp_path / "tls").status == 0
    finally:
        os.umask(before)
    assert modes(tmp_path / "tls") == FILES
    assert modes(tmp_path) == {"tls": 0o700}


def test_a_directory_that_is_there_keeps_its_permissions_and_what_is_in_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    (tmp_path / "notes").write_text("mine")
    assert init(tmp_path).status == 0
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o750
    assert contents(tmp_path).keys() == {*FILES, "notes"}
    assert (tmp_path / "notes").read_text() == "mine"


@pytest.mark.parametrize("number", range(len(HOSTS)), ids=HOSTS)
def test_a_machine_with_the_stub_trusts_the_server_at_the_stubs_host(directory: Path, number: int) -> None:
    outcome = init(directory, "--force")
    stub = documents(outcome)[1 + number]
    server = make_context(directory / "tls.crt", directory / "tls.key")
    (merge,) = list_at(stub, "ignition", "config", "merge")
    source = text_at(merge, "source")
    assert source == f"https://{HOSTS[number]}:22623/config/worker"
    host = HOSTS[number].strip("[]")
    assert handshake(server, client_context(trusted(stub)), host).version == "TLSv1.3"


def test_standard_output_is_the_ca_as_a_stub_needs_it_and_a_stub_for_each_host(tmp_path: Path) -> None:
    outcome = init(tmp_path)
    fragment, *stubs = documents(outcome)
    assert len(stubs) == len(HOSTS)
    pem = (tmp_path / "ca.crt").read_bytes()
    assert all(trusted(document) == pem for document in (fragment, *stubs))
    assert object_at(fragment, "ignition").keys() == {"security"}
    assert pem.endswith(b"-----END CERTIFICATE-----\n")


def test_stubs_are_configs_of_every_spec_from_the_first_on(tmp_path: Path) -> None:
    for stub in documents(init(tmp_path))[1:]:
        assert isinstance(stub, dict)
        assert lookup(stub, "ignition", "version") == str(V3_0)
        for version in (V3_0, NEWEST):
            ignition = object_at(stub, "ignition") | {"version": str(version)}
            assert unknown_members({**stub, "ignition": ignition}) == ()


def test_a_host_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    outcome = init(tmp_path, hosts=("::1", "[::1]", "MCS", "mcs."))
    assert len(outcome.out) == 3


def ends(directory: Path, name: str) -> str:
    command = ["openssl", "x509", "-in", str(directory / name), "-noout", "-enddate", "-dateopt", "iso_8601"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.removeprefix("notAfter=")[:10]


@pytest.mark.parametrize(
    ("arguments", "days", "ca_days"),
    [
        pytest.param([], 397, 3650, id="default"),
        pytest.param(["--days", "30"], 30, 3650, id="days"),
        pytest.param(["--days", "30", "--ca-days", "30"], 30, 30, id="both"),
        pytest.param(["--days", "36500", "--ca-days", "36500"], 36500, 36500, id="longest"),
    ],
)
def test_what_ends_when_is_as_asked_and_told(tmp_path: Path, arguments: list[str], days: int, ca_days: int) -> None:
    outcome = init(tmp_path, *arguments)
    assert outcome.status == 0, outcome.err
    (told,) = (line for line in outcome.err if line.startswith("the CA ends on"))
    assert re.findall(r"\d{4}-\d\d-\d\d", told) == [ends(tmp_path, "ca.crt"), ends(tmp_path, "tls.crt")]
    # The day may have changed since NOW was read.
    for name, length in (("tls.crt", days), ("ca.crt", ca_days)):
        allowed = [NOW + timedelta(days=length + extra) for extra in (0, 1)]
        assert ends(tmp_path, name) in [f"{day:%Y-%m-%d}" for day in allowed]


# ---- wrong usage


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param([], "Missing option '--host'", id="no host"),
        pytest.param(["--host", ""], "'': it is empty", id="empty host"),
        pytest.param(["--host", "https://mcs:22623"], "'https://mcs:22623': it is a URL", id="URL"),
        pytest.param(["--host", "mcs:22623"], "'mcs:22623': it has a port", id="port"),
        pytest.param(["--host", "*.example.com"], "'*.example.com': wildcards", id="wildcard"),
        pytest.param(["--host", "a_b"], "'a_b': a host name has no underscore", id="underscore"),
        pytest.param(["--host", "mcs", "--host", "\x1b[2J"], r"'\x1b[2J': ", id="terminal codes"),
        pytest.param(["--host", "mcs", "--days", "0"], "--days", id="no days"),
        pytest.param(["--host", "mcs", "--days", "36501"], "--days", id="too many days"),
        pytest.param(["--host", "mcs", "--ca-days", "0"], "--ca-days", id="no days for the CA"),
        pytest.param(["--host", "mcs", "--days", "31", "--ca-days", "30"], "outlive its CA", id="outlives its CA"),
    ],
)
def test_wrong_usage_makes_nothing(tmp_path: Path, arguments: list[str], says: str) -> None:
    outcome = init(tmp_path / "tls", *arguments, hosts=())
    assert (outcome.status, outcome.out) == (2, [])
    assert says in " ".join(outcome.err)
    assert contents(tmp_path) == {}


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("mine")
    assert init(tmp_path / "tls").status == 2
    assert (tmp_path / "tls").read_text() == "mine"


def test_directories_above_are_not_made(tmp_path: Path) -> None:
    outcome = init(tmp_path / "a" / "b")
    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err == [f"mcs tls init: {tmp_path / 'a' / 'b'}: the directory above it does not exist"]
    assert contents(tmp_path) == {}


# ---- renewal


def authority_files(authority: Authority) -> dict[str, bytes]:
    return {"ca.crt": authority.certificate_pem, "ca.key": authority.key_pem}


def lay(directory: Path, files: dict[str, bytes]) -> Path:
    directory.mkdir()
    for name, content in files.items():
        (directory / name).write_bytes(content)
    return directory


@pytest.mark.parametrize("present", [*FILES, "all"])
def test_without_force_nothing_is_replaced(directory: Path, present: str) -> None:
    for name in FILES:
        if present not in ("all", name):
            (directory / name).unlink()
    before = contents(directory)
    outcome = init(directory)
    assert (outcome.status, outcome.out, len(outcome.err)) == (1, [], 1)
    assert f"{directory} already has {', '.join(before and sorted(before))}: --force" in outcome.err[0]
    assert contents(directory) == before


def test_a_renewal_changes_the_server_certificate_and_keeps_the_ca(directory: Path) -> None:
    before = contents(directory)
    outcome = init(directory, "--force", hosts=("new.example.com",))
    after = contents(directory)
    assert outcome.status == 0
    assert {name: after[name] == before[name] for name in FILES} == dict.fromkeys(CA, True) | dict.fromkeys(
        SERVER, False
    )
    assert modes(directory) == FILES
    server = make_context(directory / "tls.crt", directory / "tls.key")
    assert handshake(server, client_context(before["ca.crt"]), "new.example.com").version == "TLSv1.3"


def test_a_ca_alone_gets_its_first_server_certificate_by_force(tmp_path: Path) -> None:
    authority = new_authority(NOW, 100)
    directory = lay(tmp_path / "tls", authority_files(authority))
    assert init(directory, "--force", "--days", "50").status == 0
    assert modes(directory).keys() == FILES.keys()
    assert (directory / "ca.key").read_bytes() == authority.key_pem


def test_force_in_an_empty_directory_makes_all(tmp_path: Path) -> None:
    assert init(tmp_path, "--force").status == 0
    assert modes(tmp_path) == FILES


def test_a_renewed_certificate_ends_with_its_ca_and_that_is_told(tmp_path: Path) -> None:
    directory = lay(tmp_path / "tls", authority_files(new_authority(NOW, 100)))
    outcome = init(directory, "--force")
    assert outcome.status == 0
    assert ends(directory, "tls.crt") == ends(directory, "ca.crt")
    assert any(line.endswith("as its CA does") for line in outcome.err)


def test_a_pair_that_does_not_fit_is_put_right_by_a_renewal(directory: Path) -> None:
    """As after a process that was killed between its two moves."""
    (directory / "tls.key").write_bytes(made()[1].key_pem)
    assert init(directory, "--force").status == 0
    make_context(directory / "tls.crt", directory / "tls.key")


def test_replaced_files_keep_permissions_and_owner(directory: Path) -> None:
    (directory / "tls.key").chmod(0o640)
    owners = {"tls.key": os.getuid(), "tls.crt": os.getuid()}
    if os.geteuid() == 0:
        owners = {"tls.key": 1234, "tls.crt": 1235}
        for name, owner in owners.items():
            os.chown(directory / name, owner, owner)
    assert init(directory, "--force").status == 0
    assert modes(directory) == FILES | {"tls.key": 0o640}
    assert {name: (directory / name).stat().st_uid for name in owners} == owners


OLD = new_authority(NOW - timedelta(days=30), 10)
OTHER = new_authority(NOW, 10)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({"ca.crt": OTHER.certificate_pem}, "has ca.crt, but no ca.key", id="no CA key"),
        pytest.param({"ca.key": OTHER.key_pem}, "has ca.key, but no ca.crt", id="no CA certificate"),
        pytest.param({"tls.crt": b"x", "tls.key": b"y"}, "but no ca.crt and no ca.key", id="no CA"),
        pytest.param(authority_files(OLD), "cannot be used: the certificate ended at", id="CA has ended"),
        pytest.param(authority_files(OTHER) | {"ca.key": OLD.key_pem}, "key is not the certificate's", id="other key"),
        pytest.param(authority_files(OTHER) | {"ca.crt": b"x"}, "cannot be read as PEM", id="garbage"),
    ],
)
def test_force_never_makes_a_ca_beside_what_another_has_signed(
    tmp_path: Path, files: dict[str, bytes], says: str
) -> None:
    directory = lay(tmp_path / "tls", files)
    outcome = init(directory, "--force", "--days", "5")
    assert (outcome.status, outcome.out, len(outcome.err)) == (1, [], 1)
    assert says in outcome.err[0]
    assert contents(directory) == files


def test_days_for_a_ca_that_stays_are_refused(directory: Path) -> None:
    before = contents(directory)
    outcome = init(directory, "--force", "--ca-days", "5000")
    assert (outcome.status, outcome.out) == (2, [])
    assert "--ca-days is for a new CA" in outcome.err[-1]
    assert contents(directory) == before


@pytest.mark.parametrize("name", FILES)
def test_a_link_is_not_replaced(directory: Path, name: str) -> None:
    elsewhere = directory.parent / "elsewhere"
    (directory / name).rename(elsewhere)
    (directory / name).symlink_to(elsewhere)
    before = contents(directory)
    outcome = init(directory, "--force")
    message = f"mcs tls init: {directory}/{name} is no regular file, and is not replaced"
    assert (outcome.status, outcome.err) == (1, [message])
    assert contents(directory) == before
    assert (directory / name).is_symlink()


# ---- keys stay where they are


def secrets_of(directory: Path) -> list[str]:
    return [line for name in ("ca.key", "tls.key") for line in (directory / name).read_text().splitlines()[1:-1]]


def test_no_key_is_printed(directory: Path) -> None:
    outcomes = [init(directory, "--force"), init(directory)]
    before = secrets_of(directory)
    (directory / "ca.crt").write_bytes(OTHER.certificate_pem)
    outcomes.append(init(directory, "--force"))
    assert [outcome.status for outcome in outcomes] == [0, 1, 1]
    printed = "\n".join(line for outcome in outcomes for line in (*outcome.out, *outcome.err))
    decoded = "\n".join(base64.b64decode(text).decode() for text in re.findall(r"base64,([A-Za-z0-9+/=]+)", printed))
    assert "BEGIN CERTIFICATE" in decoded
    for secret in (*before, "PRIVATE KEY"):
        assert secret not in printed
        assert secret not in decoded


# ---- all or nothing


class Failing:
    """Does what it stands for, but fails the nth time it is called, as a disk does."""

    def __init__(self, does: Callable[..., object], nth: int) -> None:
        self.does = does
        self.nth = nth
        self.calls = 0

    def __call__(self, *arguments: object) -> None:
        self.calls += 1
        if self.calls == self.nth:
            raise OSError(28, "No space left on device")
        self.does(*arguments)


NEW = [NewFile(name, f"new {name}".encode(), mode) for name, mode in FILES.items()]
STATES: list[object] = [
    pytest.param(None, id="no directory"),
    pytest.param({}, id="empty"),
    pytest.param({"notes": b"mine"}, id="other files"),
    pytest.param({"tls.crt": b"old", "tls.key": b"old"}, id="pair"),
    pytest.param(dict.fromkeys(FILES, b"old"), id="all"),
]


def state(directory: Path) -> object:
    return (contents(directory), modes(directory)) if directory.exists() else None


@pytest.mark.parametrize("failing", ["sync", "move"])
@pytest.mark.parametrize("files", STATES)
def test_whichever_step_fails_all_is_as_it_was(tmp_path: Path, files: dict[str, bytes] | None, failing: str) -> None:
    directory = tmp_path / "tls"
    if files is not None:
        lay(directory, files)
        for name in files:
            (directory / name).chmod(0o640)
    before = state(directory)
    failures = 0
    while True:
        sync = Failing(os.fsync, failures + 1 if failing == "sync" else 0)
        move = Failing(os.replace, failures + 1 if failing == "move" else 0)
        try:
            place(directory, NEW, sync=sync, move=move)
        except OSError:
            failures += 1
            assert state(directory) == before
        else:
            break
    replaced = len(FILES.keys() & (files or {}).keys())
    assert failures == {"sync": len(NEW) + replaced + 1, "move": len(NEW)}[failing]
    assert contents(directory) == (files or {}) | {file.name: file.content for file in NEW}


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [0, 100, 300, 650], ids="{} bytes".format)
def test_a_disk_that_takes_no_more_leaves_the_old_pair(directory: Path, size: int) -> None:
    before = contents(directory)
    with no_file_longer_than(size):
        outcome = init(directory, "--force")
    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err == [f"mcs tls init: {directory}: File too large; nothing was changed"]
    assert contents(directory) == before
    make_context(directory / "tls.crt", directory / "tls.key")


def test_a_disk_that_takes_no_more_leaves_no_directory(tmp_path: Path) -> None:
    with no_file_longer_than(300):
        assert init(tmp_path / "tls").status == 1
    assert contents(tmp_path) == {}


# ---- what it costs others


def test_the_library_is_imported_only_when_it_is_used() -> None:
    program = "import sys, mcs.cli.tls; print('cryptography' in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout == "False\n"


def test_no_directory_is_not_taken_for_the_current_one() -> None:
    result = CliRunner().invoke(mcs, ["tls", "init", "", "--host", "a.example"])
    assert result.exit_code == 2
    assert "name a directory" in result.stderr
