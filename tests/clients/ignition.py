"""Drives real Ignition clients, each as a booting machine would run it: first the fetch stage, then the files stage.

The files stage writes files of several owners, sets passwords and becomes the users whose keys it writes, so it needs a
range of user ids. Root has one: it runs the client as it is. In a user namespace made with `unshare --map-root-user`
alone only one id exists, and every chown to another fails with "Invalid argument", for root too. So others run it under
`unshare --map-root-user --map-auto`, which takes further ids from /etc/subuid and /etc/subgid and needs `newuidmap`
(Debian's package uidmap). Where that is missing the harness says so; it never skips.

A client runs in a folder made by `scratch()`: open to other users all the way, because keys are written as the user.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mcs.jsondata import JSONObject
from tests.clients.written import Written, read_root
from tools import ignition_0_35
from tools.ignition_clients import Pins, binary, folder, missing, read_pins, spec_2_client

__all__ = [
    "NAMES",
    "Client",
    "ClientsMissing",
    "FetchResult",
    "StageFailed",
    "clients",
    "fetch",
    "find_clients",
    "scratch",
    "write_files",
]

FILES_STAGE_SECONDS = 60.0

NAMES = (ignition_0_35.VERSION, *read_pins().versions, "debian")  # of all clients, oldest first, Debian's last

# The first release that asks for each spec; a release asks for what the last line at or below it says.
ASKS_FOR: tuple[tuple[tuple[int, int, int], str], ...] = (
    ((0, 22, 0), "2.2.0"),
    ((2, 1, 0), "3.0.0"),
    ((2, 3, 0), "3.1.0"),
    ((2, 7, 0), "3.2.0"),
    ((2, 11, 0), "3.3.0"),
    ((2, 15, 0), "3.4.0"),
    ((2, 20, 0), "3.5.0"),
    ((2, 26, 0), "3.6.0"),
)
FIRST_OF_SPEC_3 = (2, 0, 0)
WITHOUT_FETCH_STAGE = (2, 0)
FIRST_WITH_STATE_FILE = (2, 12, 0)


class ClientsMissing(Exception):
    """Clients that the tests drive are not on this machine."""


class StageFailed(Exception):
    """A client's stage ended with an error; the text holds its log."""


@dataclass(frozen=True, slots=True)
class Client:
    """One Ignition binary. `version` is its release as three numbers; `name` tells Debian's from the one built here."""

    name: str
    version: tuple[int, int, int]
    path: Path

    @property
    def asks_for(self) -> str:
        """The spec version that its Accept header names."""
        return [spec for first, spec in ASKS_FOR if first <= self.version][-1]

    @property
    def reads(self) -> str:
        """The spec version that it is to be served: what it asks for, but for 2.0, which reads 3.0 alone."""
        return "3.0.0" if self.version[:2] == WITHOUT_FETCH_STAGE else self.asks_for

    @property
    def accept(self) -> str:
        """The Accept header that it sends with every request for a config."""
        kind = "application/vnd.coreos.ignition+json"
        if self.asks_for == "2.2.0":
            return f"{kind}; version=2.2.0, {kind}; version=1; q=0.5, */*; q=0.1"
        return f"{kind};version={self.asks_for}, */*;q=0.1"

    @property
    def has_fetch_stage(self) -> bool:
        """Whether it can fetch without writing. One that cannot fetches at the start of its files stage."""
        return self.version[:2] != WITHOUT_FETCH_STAGE

    @property
    def merging(self) -> str:
        """What its spec calls the member of `ignition.config` that lists configs to merge."""
        return "merge" if self.version >= FIRST_OF_SPEC_3 else "append"

    @property
    def platform_flag(self) -> str:
        """The flag that names the platform."""
        return "--platform" if self.version >= FIRST_OF_SPEC_3 else "--oem"


@dataclass(frozen=True, slots=True)
class FetchResult:
    """What a fetch came to: exit code, log, and the merged config (in the client's newest spec) if there is one."""

    rc: int
    log: str
    config: JSONObject | None


@cache
def clients() -> tuple[Client, ...]:
    """All clients of this machine, looked for once: in MCS_TOOLS, else in the cache. See find_clients."""
    pins = read_pins()
    return find_clients(pins, folder(pins, os.environ), spec_2_client(os.environ))


def find_clients(pins: Pins, bin_folder: Path, of_spec_2: Path) -> tuple[Client, ...]:
    """All clients, oldest first, Debian's last. Raises ClientsMissing, saying what to do, unless every one is there."""
    absent = [f"ignition {version} in {bin_folder}" for version in missing(pins, bin_folder)]
    if not of_spec_2.is_file():
        absent.insert(0, f"ignition {ignition_0_35.VERSION} at {of_spec_2}")
    if not pins.debian_client.is_file():
        absent.append(f"Debian's client at {pins.debian_client}")
    if absent:
        raise ClientsMissing(f"missing: {', '.join(absent)}. Run: make tools")
    built = [Client(version, _numbers(version), binary(bin_folder, version)) for version in pins.versions]
    oldest = Client(ignition_0_35.VERSION, _numbers(ignition_0_35.VERSION), of_spec_2)
    said = subprocess.run([pins.debian_client, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return (oldest, *built, Client("debian", _numbers(said), pins.debian_client))


def fetch(client: Client, stub: JSONObject, workdir: Path, timeout: float = 30.0) -> FetchResult:
    """Fetch what the stub names, as a machine's first boot does.

    Leaves stub and fetched config in workdir for write_files. The client gives up after `timeout` seconds if the stub
    sets no ignition.timeouts.httpTotal of its own; after ten more it is killed and TimeoutExpired is raised. A client
    without a fetch stage runs its files stage, which fetches first, into the scratch root.
    """
    ignition = stub["ignition"]
    assert isinstance(ignition, dict)
    bounded = stub | {"ignition": {"timeouts": {"httpTotal": max(1, int(timeout))}} | ignition}
    (workdir / "stub.ign").write_text(json.dumps(bounded))
    if client.has_fetch_stage:
        done = _run_stage(client, "fetch", workdir, timeout + 10)
    else:
        _lay_root(workdir / "root")
        done = _run_stage(client, "files", workdir, timeout + 10, prefix=_with_many_ids())
    cached = workdir / "cache.json"
    return FetchResult(done.returncode, done.stdout, json.loads(cached.read_bytes()) if cached.is_file() else None)


def write_files(client: Client, workdir: Path) -> dict[str, Written]:
    """Write what fetch() left in workdir into a scratch root; return all that is there, by absolute path.

    Raises StageFailed with the log. A client without a fetch stage has written in fetch() already, and refuses to
    write a file twice. Besides what the config asks for there are the few files of an empty root: see EMPTY_ROOT.
    """
    root = _lay_root(workdir / "root")
    if client.has_fetch_stage:
        done = _run_stage(client, "files", workdir, FILES_STAGE_SECONDS, prefix=_with_many_ids())
        if done.returncode != 0:
            raise StageFailed(f"ignition {client.name} files stage ended with {done.returncode}:\n{done.stdout}")
    return read_root(root, _with_many_ids())


@contextmanager
def scratch() -> Iterator[Path]:
    """A new folder that other users can enter; removed at the end with all that a client wrote, whoever owns it."""
    path = Path(tempfile.mkdtemp(prefix="mcs-client-", dir="/tmp"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        subprocess.run([*_with_many_ids(), "rm", "-rf", path], check=True)


def _run_stage(
    client: Client, stage: str, workdir: Path, timeout: float, prefix: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    command = [
        *prefix,
        str(client.path),
        f"{client.platform_flag}=file",
        f"--stage={stage}",
        f"--root={workdir / 'root'}",
        f"--config-cache={workdir / 'cache.json'}",
        "--log-to-stdout",
    ]
    if client.version >= FIRST_WITH_STATE_FILE:
        command += [f"--state-file={workdir / 'state'}", f"--neednet={workdir / 'neednet'}"]
    system_configs = workdir / "system-configs"  # else the host's own, under /usr/lib/ignition, would be merged
    system_configs.mkdir(exist_ok=True)
    environment = os.environ | {
        "IGNITION_CONFIG_FILE": str(workdir / "stub.ign"),
        "IGNITION_SYSTEM_CONFIG_DIR": str(system_configs),
        "PATH": f"{_stand_ins(workdir)}:{os.environ['PATH']}:/usr/sbin:/sbin",
    }
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout
    )


# What useradd needs to find in a root that has no users yet.
EMPTY_ROOT: tuple[tuple[str, int, str], ...] = (
    ("etc/passwd", 0o644, "root:x:0:0:root:/root:/bin/sh\n"),
    ("etc/group", 0o644, "root:x:0:\n"),
    ("etc/shadow", 0o640, "root:*:19000:0:99999:7:::\n"),
    ("etc/gshadow", 0o640, "root:*::\n"),
    ("etc/selinux/config", 0o644, "SELINUXTYPE=targeted\n"),
)


def _lay_root(root: Path) -> Path:
    for name, mode, text in EMPTY_ROOT:
        path = root / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(mode)
    for path in (root, root / "etc", root / "etc/selinux"):
        path.chmod(0o755)
    return root


# Programs that a client calls and a scratch root cannot satisfy, as scripts put first in its PATH.
STAND_INS: tuple[tuple[str, str], ...] = (
    # Debian's client labels what it wrote for SELinux; a scratch root has no policy to label with.
    ("setfiles", "#!/bin/sh\ncat >/dev/null\n"),
    # Clients ask it about units to disable, and differ by release in what they do without; 0 means that one is enabled.
    ("systemctl", "#!/bin/sh\nexit 0\n"),
    # 2.0 looks a user up with `chroot ROOT id NAME`; a scratch root has no id. 1 means there is no such user.
    ("chroot", '#!/bin/sh\nexec grep -q "^$3:" "$1/etc/passwd"\n'),
)


def _stand_ins(workdir: Path) -> Path:
    bin_folder = workdir / "bin"
    bin_folder.mkdir(exist_ok=True)
    for name, text in STAND_INS:
        (bin_folder / name).write_text(text)
        (bin_folder / name).chmod(0o755)
    return bin_folder


@cache
def _with_many_ids() -> tuple[str, ...]:
    """What to put before a command that changes owners: nothing for root, else a user namespace with a range of ids."""
    if os.geteuid() == 0:
        return ()
    prefix = ("unshare", "--user", "--map-root-user", "--map-auto")
    tried = subprocess.run([*prefix, "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if tried.returncode != 0:
        raise ClientsMissing(
            "the client's files stage needs root or a range of user ids: run as root, or install uidmap and give this "
            f"user a line in /etc/subuid and in /etc/subgid ({tried.stdout.strip()})"
        )
    return prefix


def _numbers(version: str) -> tuple[int, int, int]:
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", version)
    assert found, f"no release number in {version!r}"
    return int(found[1]), int(found[2]), int(found[3])
