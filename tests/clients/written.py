"""What a client wrote into a scratch root, as data.

Run as a program it lists a root as JSON. It is run so in the user namespace that the client wrote in: outside of it
owners have other numbers, and files that only their owner may read cannot be read.
"""

import base64
import json
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Written", "read_root"]

KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


@dataclass(frozen=True, slots=True)
class Written:
    """One file, directory or link. mode: its permission bits; contents: of a file, or a link's target."""

    kind: str
    mode: int
    uid: int
    gid: int
    contents: bytes = b""

    @property
    def text(self) -> str:
        """The contents as text."""
        return self.contents.decode()


def read_root(root: Path, prefix: Sequence[str]) -> dict[str, Written]:
    """All that is in the root, by absolute path as the machine sees it ("/etc/passwd").

    prefix: what is put before a command to run it in the client's user namespace.
    """
    command = [*prefix, sys.executable, str(Path(__file__).resolve()), str(root)]
    listed = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return {
        path: Written(**entry | {"contents": base64.b64decode(entry["contents"])}) for path, entry in listed.items()
    }


def _look(path: Path) -> Written:
    found = path.lstat()
    kind = KINDS.get(stat.S_IFMT(found.st_mode), "other")
    contents = b""
    if kind == "file":
        contents = path.read_bytes()
    elif kind == "link":
        contents = os.fsencode(path.readlink())
    return Written(kind, stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid, contents)


def _main(root: Path) -> None:
    entries = {f"/{path.relative_to(root)}": asdict(_look(path)) for path in sorted(root.rglob("*"))}
    json.dump(entries, sys.stdout, default=lambda contents: base64.b64encode(contents).decode())


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
