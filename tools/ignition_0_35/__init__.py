"""Builds Ignition 0.35.0, the last client that reads spec 2, from its module's sources.

`go install` cannot: it was published before Go modules, without a go.mod, and two modules of its VMware provider are
gone. So its sources are copied, without that provider and with the go.mod and go.sum that stand beside this file.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from subprocess import PIPE, STDOUT

__all__ = ["VERSION", "BuildFailed", "build", "digest"]

VERSION = "0.35.0"
MODULE = "github.com/coreos/ignition"

HERE = Path(__file__).resolve().parent
SETTINGS = {
    "internal/version.Raw": VERSION,
    "internal/distro.chrootCmd": "chroot",  # looked up in PATH, as later releases do: a scratch root has no `id`
}
PROVIDER = "internal/providers/vmware"


class BuildFailed(Exception):
    """The client does not build; the text says why."""


def digest() -> str:
    """Name what the client is built from: another digest is another client."""
    sources = (HERE / "go.mod", HERE / "go.sum", Path(__file__))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def build(go: str, target: Path) -> None:
    """Build the client. It appears under its name only when it is whole and answers. Raises BuildFailed."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".building-") as scratch:
        tree, built = Path(scratch, "sources"), Path(scratch, "ignition")
        _lay_sources(go, scratch, tree)
        flags = " ".join(["-s", "-w", *(f"-X {MODULE}/{name}={value}" for name, value in SETTINGS.items())])
        _go(go, "build", "-mod=readonly", "-trimpath", "-ldflags", flags, "-o", str(built), "./internal", cwd=tree)
        said = subprocess.run([built, "--version"], check=False, stdout=PIPE, stderr=STDOUT, text=True).stdout.strip()
        if said != f"Ignition {VERSION}":
            raise BuildFailed(f"the ignition {VERSION} just built calls itself {said!r}")
        built.replace(target)


def _lay_sources(go: str, scratch: str, tree: Path) -> None:
    printed = _go(go, "mod", "download", "-json", f"{MODULE}@v{VERSION}", cwd=scratch)
    # Go's module cache is read-only, folders too; the copy must not be.
    shutil.copytree(json.loads(printed)["Dir"], tree, copy_function=shutil.copyfile)
    for folder in (tree, *(path for path in tree.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    for name in ("go.mod", "go.sum"):
        shutil.copyfile(HERE / name, tree / name)
    (tree / PROVIDER / "vmware_amd64.go").unlink()
    elsewhere = tree / PROVIDER / "vmware_unsupported.go"  # what other architectures have in its place
    elsewhere.write_text(elsewhere.read_text().replace("// +build !amd64\n", ""))


def _go(go: str, *arguments: str, cwd: str | Path) -> str:
    environment = os.environ | {"CGO_ENABLED": "1", "GOFLAGS": "", "GOWORK": "off"}
    done = subprocess.run([go, *arguments], check=False, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildFailed(f"ignition {VERSION} does not build:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout
