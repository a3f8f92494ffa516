"""A machine under qemu, without KVM: sealed, but for some ports of one address that lead to this host's loopback."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.machine import Parts, missing, parts

__all__ = ["ADDRESS", "CONFIG_PORT", "REPORT_PORT", "Guest", "PartsMissing", "find_parts", "powered_on"]

# Where the machine finds this host's services.
ADDRESS = "10.0.2.100"
CONFIG_PORT = 22623
REPORT_PORT = 9999

_KERNEL_ARGUMENTS = (
    "root=/dev/vda rw console=ttyS0 net.ifnames=0 rd.neednet=1 ip=dhcp quiet fsck.mode=skip",
    "ignition.firstboot=1 ignition.platform.id=qemu",
    # Without it a client that fails does so in silence.
    "systemd.journald.forward_to_console=1",
    # Units of the initramfs that have nothing to do here, and take seconds to do it.
    *(f"rd.systemd.mask=dracut-{unit}.service" for unit in ("cmdline-ask", "cmdline", "pre-udev")),
    *(f"rd.systemd.mask=dracut-{unit}.service" for unit in ("initqueue", "pre-pivot")),
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# What a machine says that has given up.
_FINAL = ("Kernel panic", "Ignition failed:", "Entering emergency mode")
_STOP_SECONDS = 10.0


class PartsMissing(Exception):
    """What a machine boots from, or runs in, is not here; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Guest:
    """A machine that is powered on."""

    process: "subprocess.Popen[bytes]"
    folder: Path

    def failure(self) -> str | None:
        """Say why it will not get any further, or return None."""
        if self.process.poll() is not None:
            return f"it has lost power (qemu ended with {self.process.returncode})"
        console = self.console()
        return next((f"its console says {text!r}" for text in _FINAL if text in console), None)

    def console(self) -> str:
        """Return what it has written to its console so far."""
        text = _console(self.folder).read_text(errors="replace")
        return _COLOUR.sub("", text).replace("\r", "")

    def connections(self, port: int) -> int:
        """Return how many connections it has made to one of its ports, whether or not somebody answered."""
        made = _connections(self.folder, port)
        return len(made.read_bytes()) if made.exists() else 0


def find_parts() -> Parts:
    """Return what a machine boots from; raises PartsMissing if anything is not on this machine."""
    found = parts(os.environ)
    if absent := missing(found):
        raise PartsMissing(f"missing: {', '.join(absent)}. Run, as root: make tools")
    return found


@contextmanager
def powered_on(
    found: Parts, stub: bytes, ports: Mapping[int, int], folder: Path, *, shown: bool = False
) -> Iterator[Guest]:
    """Power a new machine on for its first boot; at the end of the block its power is cut and its disk gone.

    stub: its user data. ports: where each of its ports at ADDRESS leads on our loopback. folder: for what it needs, an
    empty one whose path has no comma or space. shown: whether its console goes to standard output too.
    """
    disk = folder / "disk.img"
    subprocess.run(["cp", "--sparse=always", found.root, disk], check=True)
    (folder / "stub.ign").write_bytes(stub)
    _console(folder).touch()
    # Without a parent it must not run on: the kernel sees to it, whatever becomes of us.
    command = ["setpriv", "--pdeathsig", "KILL", *_qemu(found, ports, folder, shown)]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            yield Guest(process, folder)
        finally:
            _stop(process)
    finally:
        disk.unlink()


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _qemu(found: Parts, ports: Mapping[int, int], folder: Path, shown: bool) -> list[str]:
    forwards = [f"guestfwd=tcp:{ADDRESS}:{inner}-cmd:{_forward(folder, inner, ports[inner])}" for inner in ports]
    console = "stdio,signal=off,logfile=" if shown else "file,path="
    return [
        *("qemu-system-x86_64", "-M", "pc", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-chardev", f"{console}{_console(folder)},id=console", "-serial", "chardev:console"),
        *("-kernel", str(found.kernel), "-initrd", str(found.initramfs), "-append", " ".join(_KERNEL_ARGUMENTS)),
        *("-drive", f"if=none,id=disk,file={folder / 'disk.img'},format=raw,cache=unsafe"),
        *("-device", "virtio-blk-pci,drive=disk", "-device", "virtio-rng-pci"),
        *("-netdev", ",".join(["user,id=net,restrict=on", *forwards]), "-device", "virtio-net-pci,netdev=net,romfile="),
        *("-fw_cfg", f"name=opt/com.coreos/config,file={folder / 'stub.ign'}"),
    ]


def _forward(folder: Path, inner: int, port: int) -> Path:
    """Write the program that is run for each connection to one of the machine's ports."""
    program = folder / f"forward-{inner}"
    # What it says on standard error would become part of the connection.
    program.write_text(
        f"#!/bin/sh\nprintf x >>{_connections(folder, inner)}\nexec socat - TCP:127.0.0.1:{port} 2>/dev/null\n"
    )
    program.chmod(0o755)
    return program


def _console(folder: Path) -> Path:
    return folder / "console.log"


def _connections(folder: Path, inner: int) -> Path:
    return folder / f"connections-{inner}"
