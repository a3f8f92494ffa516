"""`mcs tls`: a CA and a server certificate for people who have none, and the CA as a stub needs it.

It never prints a key, and never replaces a CA: stubs of machines that have yet to boot hold it.
"""

import base64
import os
import stat
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv6Address
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from mcs.cli.groups import Group
from mcs.cli.options import one_line, printable
from mcs.jsondata import JSONObject, compact

if TYPE_CHECKING:
    from mcs.certificates import Authority, Host  # slow to import, and of use to one command only

__all__ = ["NewFile", "place", "tls"]

_CA = ("ca.crt", "ca.key")
_SERVER = ("tls.crt", "tls.key")
_MODES = {"ca.crt": 0o644, "ca.key": 0o600, "tls.crt": 0o644, "tls.key": 0o600}
_LONGEST = 36_500  # days; a certificate cannot name a date after the year 9999


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be. mode: its permission bits, unless it replaces a file, whose bits and owner it takes over."""

    name: str
    content: bytes = field(repr=False)
    mode: int


@click.group(cls=Group)
def tls() -> None:
    """Make what a server needs to speak TLS."""


def _parse_hosts(_context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]) -> "tuple[Host, ...]":
    from mcs.certificates import InvalidHost, parse_host

    hosts = []
    for text in texts:
        try:
            hosts.append(parse_host(text))
        except InvalidHost as error:
            raise click.BadParameter(f"{text!r}: {error}") from error
    return tuple(dict.fromkeys(hosts))


def _named(_context: click.Context, _parameter: click.Parameter, directory: Path) -> Path:
    if directory == Path():  # an empty text, such as a variable that is not set, reads as the current directory
        raise click.BadParameter("name a directory; for the current one write it out, such as $PWD")
    return directory


@tls.command(short_help="Make a CA and a server certificate, or renew the latter.")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), callback=_named)
@click.option(
    "--host",
    "hosts",
    metavar="NAME",
    multiple=True,
    required=True,
    callback=_parse_hosts,
    help="A name or address that stubs have in their URL; once for each.",
)
@click.option(
    "--days",
    type=click.IntRange(1, _LONGEST),
    default=397,
    show_default=True,
    help="How long the server certificate is valid; never longer than its CA.",
)
@click.option(
    "--ca-days",
    type=click.IntRange(1, _LONGEST),
    default=3650,
    show_default=True,
    help="How long a new CA is valid.",
)
@click.option("--force", is_flag=True, help="Replace tls.crt and tls.key; the CA of DIR stays, and signs the new ones.")
@click.pass_context
def init(
    context: click.Context, directory: Path, hosts: "tuple[Host, ...]", days: int, ca_days: int, force: bool
) -> None:
    """Make a CA (ca.crt, ca.key) and a server certificate that it signed (tls.crt, tls.key) in DIR.

    DIR is made, for its owner alone, if it is not there. Either all files are written or none is.

    Standard output has JSON, a line each: the CA as a stub needs it, then an example stub for each host. Use
    tls.crt and tls.key with mcs serve; keep ca.key where nobody but you can read it.

    With --force the server certificate is renewed, for the hosts that are named now, and the CA that is in DIR signs
    it, so that stubs stay as they are. The CA itself is never replaced. For a new one take a new directory, and put
    both CAs into the stubs before the server changes its certificate.
    """
    from mcs import certificates

    now = datetime.now(UTC)
    if not directory.absolute().parent.is_dir():
        raise click.ClickException(f"{printable(str(directory))}: the directory above it does not exist")
    try:
        authority = _find_authority(directory, now, force=force)
        if authority is not None and context.get_parameter_source("ca_days") is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--ca-days is for a new CA, but that of {directory} stays as it is")
        files: list[NewFile] = []
        if authority is None:
            if days > ca_days:
                raise click.UsageError(f"--days {days}: the certificate would outlive its CA (--ca-days {ca_days})")
            authority = certificates.new_authority(now, ca_days)
            files += _files(_CA, authority.certificate_pem, authority.key_pem)
        issued = certificates.issue(authority, hosts, now, days)
        files += _files(_SERVER, issued.certificate_pem, issued.key_pem)
        place(directory, files)
    except certificates.UnusableAuthority as error:
        raise click.ClickException(f"the CA in {printable(str(directory))} cannot be used: {error}") from error
    except OSError as error:
        name = printable(str(error.filename or directory))
        raise click.ClickException(f"{name}: {one_line(error.strerror or str(error))}; nothing was changed") from error
    _report(directory, files, authority, issued.ends)
    for line in (_trust(authority), *(_stub(host, authority) for host in hosts)):
        click.echo(compact(line))


def _find_authority(directory: Path, now: datetime, *, force: bool) -> "Authority | None":
    """Return the CA that stays, or None where a new one is to be made; refuses what would lose something."""
    from mcs import certificates

    present = [name for name in _MODES if os.path.lexists(directory / name)]
    if not present:
        return None
    shown = printable(str(directory))
    if not force:
        raise click.ClickException(
            f"{shown} already has {', '.join(present)}: --force renews the server certificate and keeps the CA; "
            "for a new CA take a new directory"
        )
    for name in present:
        if not stat.S_ISREG((directory / name).lstat().st_mode):
            raise click.ClickException(f"{shown}/{name} is no regular file, and is not replaced")
    absent = [name for name in _CA if name not in present]
    if absent:
        raise click.ClickException(
            f"{shown} has {', '.join(present)}, but no {' and no '.join(absent)}: put the CA back that stubs hold; "
            "for a new CA take a new directory"
        )
    certificate, key = ((directory / name).read_bytes() for name in _CA)
    return certificates.read_authority(certificate, key, now)


def _files(names: tuple[str, str], certificate: bytes, key: bytes) -> list[NewFile]:
    return [NewFile(name, content, _MODES[name]) for name, content in zip(names, (certificate, key), strict=True)]


def _report(directory: Path, files: Sequence[NewFile], authority: "Authority", ends: datetime) -> None:
    ca_ends = authority.certificate.not_valid_after_utc
    wrote = ", ".join(file.name for file in files)
    kept = "" if len(files) == len(_MODES) else "; the CA stayed as it was"
    capped = ", as its CA does" if ends == ca_ends else ""
    click.echo(f"wrote {wrote} in {printable(str(directory))}{kept}", err=True)
    click.echo(f"the CA ends on {ca_ends:%Y-%m-%d}, the server certificate on {ends:%Y-%m-%d}{capped}", err=True)
    click.echo("what a stub needs to trust the server, then a stub for each host:", err=True)


def _trust(authority: "Authority") -> JSONObject:
    """Return the members of a stub that have its machine trust the CA."""
    encoded = base64.b64encode(authority.certificate_pem).decode()
    source = f"data:text/plain;charset=utf-8;base64,{encoded}"
    return {"ignition": {"security": {"tls": {"certificateAuthorities": [{"source": source}]}}}}


def _stub(host: "Host", authority: "Authority") -> JSONObject:
    """Return a whole stub for the pool `worker`, in the oldest spec that has what it needs: every client reads it."""
    name = f"[{host}]" if isinstance(host, IPv6Address) else str(host)
    trust = _trust(authority)["ignition"]
    assert isinstance(trust, dict)
    merge: JSONObject = {"merge": [{"source": f"https://{name}:22623/config/worker"}]}
    return {"ignition": {"version": "3.0.0", "config": merge, **trust}}


def place(
    directory: Path,
    files: Sequence[NewFile],
    *,
    sync: Callable[[int], None] = os.fsync,
    move: Callable[[Path, Path], None] = os.replace,
) -> None:
    """Write the files into the directory, all or none; one that is there keeps its owner and permission bits.

    Makes the directory, for its owner alone, if it is not there. Raises OSError, and then everything is as it was. A
    process that is killed between two moves leaves some files new and some old, each of them whole. sync and move are
    what the operating system does, for tests to fail.
    """
    backups: list[Path] = []
    moves: list[tuple[Path, Path]] = []
    with ExitStack() as undo:  # runs backwards: every file as it was, temporary ones gone, the directory last
        if not directory.is_dir():
            directory.mkdir(mode=0o700)
            undo.callback(directory.rmdir)
        for file in files:
            target = directory / file.name
            replaced = target.stat() if target.exists() else None
            moves.append((_stage(target, file.content, file.mode, replaced, undo, sync), target))
            if replaced is None:
                undo.callback(target.unlink, missing_ok=True)
            else:
                backups.append(_stage(target, target.read_bytes(), file.mode, replaced, undo, sync))
                undo.callback(os.replace, backups[-1], target)
        for new, target in moves:
            move(new, target)
        _sync_directory(directory, sync)
        undo.pop_all()
    for backup in backups:
        backup.unlink()


def _stage(
    target: Path,
    content: bytes,
    mode: int,
    replaced: os.stat_result | None,
    undo: ExitStack,
    sync: Callable[[int], None],
) -> Path:
    """Write the content to a new file beside the target, for certain on the disk; undo gets what removes it."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    staged = Path(name)
    undo.callback(staged.unlink, missing_ok=True)
    with os.fdopen(descriptor, "wb") as stream:
        if replaced is not None:
            mode = stat.S_IMODE(replaced.st_mode)
            if (replaced.st_uid, replaced.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(descriptor, replaced.st_uid, replaced.st_gid)
        os.fchmod(descriptor, mode)
        stream.write(content)
        stream.flush()
        sync(descriptor)
    return staged


def _sync_directory(directory: Path, sync: Callable[[int], None]) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)
