"""Has the parts of a machine that a test can boot: a kernel, an initramfs with Ignition, a root disk.

Made once, as root, from Debian's packages, into one cache folder for each version of the recipe: whole, or not at all.
Writes nowhere else. `make tools` and `make boot` run it; the tests read from here where the parts are.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from tools.ignition_clients import Unavailable, cache, install_debian

__all__ = ["PACKAGES", "RECIPE", "Parts", "main", "missing", "parts", "prepare"]

RECIPE = Path(__file__).resolve().parent / "machine_recipe.sh"
RECIPE_SECONDS = 1500.0
NICENESS = 5
SCRATCH_PREFIX = ".machine-scratch-"

# Debian packages of this machine, and where each shows that it is installed. What the machine consists of is in RECIPE.
PACKAGES = (
    ("qemu-system-x86", "/usr/bin/qemu-system-x86_64"),
    ("debootstrap", "/usr/sbin/debootstrap"),
    ("socat", "/usr/bin/socat"),
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The files that a machine boots from. root: a disk image; boot from a copy."""

    kernel: Path
    initramfs: Path
    root: Path


def parts(environment: Mapping[str, str], recipe: Path = RECIPE) -> Parts:
    """Return where the parts are, or will be: in a folder that the recipe's own text names."""
    digest = hashlib.sha256(recipe.read_bytes()).hexdigest()[:16]
    folder = cache(environment) / f"machine-{digest}"
    return Parts(kernel=folder / "vmlinuz", initramfs=folder / "initrd.img", root=folder / "root.img")


def missing(wanted: Parts) -> tuple[str, ...]:
    """Return what is not on this machine of all that a boot needs: packages by name, parts by path."""
    return (*(package for package, shown in PACKAGES if not Path(shown).exists()), *_missing_parts(wanted))


def _missing_parts(wanted: Parts) -> list[str]:
    return [str(path) for path in (wanted.kernel, wanted.initramfs, wanted.root) if not path.is_file()]


def main() -> int:
    """Prepare the parts unless they are there. Returns 0 when they are, else 1 after a message that says what to do."""
    wanted = parts(os.environ)
    try:
        if missing(wanted):
            _require_amd64()
            _require_root_for_parts(wanted)
            install_debian(PACKAGES)
            prepare(wanted)
    except Unavailable as unavailable:
        print(f"tools/machine.py: {unavailable}", file=sys.stderr)
        return 1
    print(f"The machine that boots is in {wanted.root.parent}.")
    return 0


def prepare(wanted: Parts, recipe: Path = RECIPE) -> None:
    """Make the parts that are missing, all anew; raises Unavailable, with the end of what was said, if that fails."""
    folder = wanted.root.parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent):
        if not _missing_parts(wanted):
            return  # made before, or by another run for which this one has waited
        print(f"Making a machine that boots, in {folder}: one to five minutes and 0.9 GB, this once.", flush=True)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=SCRATCH_PREFIX) as scratch:
            _run_recipe(recipe, Path(scratch), _mirror())
            made = Path(scratch) / "made"
            made.mkdir(mode=0o755)
            for part in (wanted.kernel, wanted.initramfs, wanted.root):
                built = Path(scratch) / part.name
                built.chmod(0o644)
                built.rename(made / part.name)
            shutil.rmtree(folder, ignore_errors=True)  # it lacks a part
            made.rename(folder)
        print(f"  made in {time.monotonic() - began:.0f} s", flush=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other runs out meanwhile; clear away what a run that was killed has left."""
    with (folder / ".machine-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in folder.glob(f"{SCRATCH_PREFIX}*"):
            shutil.rmtree(left)
        yield


def _run_recipe(recipe: Path, scratch: Path, mirror: str) -> None:
    # Its mounts are its own: whatever happens, none is left behind for the scratch folder's removal to walk into.
    command = ["nice", "-n", str(NICENESS), "unshare", "--mount", "--propagation", "private", str(recipe)]
    log = scratch / "log"
    with log.open("wb") as output:
        try:
            done = subprocess.run(
                [*command, str(scratch), mirror],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | _proxy(),
                timeout=RECIPE_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise Unavailable(f"the machine is not made after {RECIPE_SECONDS:.0f} s:\n{_end_of(log)}") from error
    if done.returncode != 0:
        raise Unavailable(f"the machine cannot be made ({recipe.name} ended with {done.returncode}):\n{_end_of(log)}")


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-4000:]


def _mirror() -> str:
    """Return the address that this machine takes Debian's main packages from."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)"]
    done = subprocess.run([*command, "Created-By: Packages"], check=False, capture_output=True, text=True)
    rows = [line.split("|") for line in done.stdout.splitlines()]
    # A release with a dash is one of updates. Without lists apt knows no origin; debootstrap checks signatures anyway.
    found = [
        (origin != "Debian", address)
        for address, release, component, origin in rows
        if address.startswith("http") and "-" not in release and component == "main"
    ]
    if not found:
        raise Unavailable("apt knows no Debian mirror: name one in /etc/apt/sources.list.d and run apt-get update")
    return min(found, key=itemgetter(0))[1]


def _proxy() -> dict[str, str]:
    """Return the proxy that apt is told to use as other programs are told, if there is one."""
    command = ["apt-config", "shell", "PROXY", "Acquire::http::Proxy"]
    said = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    proxy = said.strip().removeprefix("PROXY=").strip("'")
    return {"http_proxy": proxy} if proxy and proxy != "DIRECT" else {}


def _require_amd64() -> None:
    if platform.machine() not in {"x86_64", "AMD64"}:
        raise Unavailable(f"the machine that boots is amd64, and is made on amd64 only; this is {platform.machine()}")


def _require_root_for_parts(wanted: Parts) -> None:
    if os.geteuid() == 0 or not _missing_parts(wanted):
        return
    tree, caches = Path(__file__).resolve().parent.parent, wanted.root.parent.parent.parent
    command = f"cd {tree} && XDG_CACHE_HOME={caches} {sys.executable} -B -m tools.machine"
    raise Unavailable(f"only root can make the machine that boots; as root, run: {command}")


if __name__ == "__main__":
    sys.exit(main())
