"""Writes the lock files: every requirement pinned, with the hashes of all files of its release, and no index address.

One resolution serves all supported Pythons. The other locks are held to the versions that requirements.lock pins.
Run by `make lock`; with --upgrade it takes the newest versions that pyproject.toml allows.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
RESOLVER = "uv==0.13.9"
OLDEST_PYTHON = "3.11"

# lock file, what is resolved for it: the project's own requirements, dependency groups
LOCKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("requirements.lock", ("pyproject.toml", "--group", "dev")),
    ("requirements-run.lock", ("pyproject.toml", "--constraint", "requirements.lock")),
    ("requirements-build.lock", ("--group", "build", "--constraint", "requirements.lock")),
    ("requirements-load.lock", ("--group", "load", "--constraint", "requirements.lock")),
    ("requirements-go.lock", ("--group", "go")),
)
FORM = (
    "--universal",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-annotate",
    "--no-header",
)


def main(arguments: list[str]) -> None:
    """Resolve and write every lock file; raises CalledProcessError where a resolution fails."""
    # Wheels that lie about on this machine must not decide what others install.
    environment = {name: value for name, value in os.environ.items() if name not in {"PIP_FIND_LINKS", "UV_FIND_LINKS"}}
    with tempfile.TemporaryDirectory(prefix="mcs-lock-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, "install", RESOLVER], check=True, env=environment)
        for lock, resolved in LOCKS:
            command = [python, "-m", "uv", "--quiet", "pip", "compile", *resolved, *FORM]
            command += ["--python-version", OLDEST_PYTHON, "--output-file", lock, *arguments]
            subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
            print(f"{lock}: written")


if __name__ == "__main__":
    main(sys.argv[1:])
