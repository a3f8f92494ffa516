"""What the kernel says of a server: its connections, which process has accepted each, which process stands still."""

from contextlib import suppress
from pathlib import Path

__all__ = ["accepted_by", "is_stopped", "waiting"]

_ESTABLISHED = "01"


def waiting(port: int) -> int:
    """Return how many connections to a loopback port are made but not yet accepted."""
    return _inodes(port).count(0)


def accepted_by(pid: int, port: int) -> int:
    """Return how many connections to a loopback port a process has accepted and not closed."""
    sockets = {f"socket:[{inode}]" for inode in _inodes(port) if inode}
    opened = []
    with suppress(OSError):  # the process, or the descriptor, has gone meanwhile
        opened = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    return len(sockets.intersection(opened))


def is_stopped(pid: int) -> bool:
    """Tell whether a process has been stopped by a signal."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def _inodes(port: int) -> list[int]:
    """Return the socket of the server's end of each connection; 0 stands for one that nobody has accepted."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(row[9]) for row in rows if int(row[1].split(":")[1], 16) == port and row[3] == _ESTABLISHED]
