"""`mcs apply`: loads manifests, all or none."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import click

from mcs.cli.options import one_line, opened, printable, store_option
from mcs.cli.remarks import remarks
from mcs.cli.streams import read_input, reported, tell
from mcs.jsondata import JSONObject
from mcs.machineconfig.manifests import MAX_FILE, Manifest, ManifestError, decode, examine
from mcs.machineconfig.names import Kind
from mcs.store.interface import ObjectRefused, Store

__all__ = ["apply"]

_SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_STDIN = "-"


@click.command(short_help="Create or change objects from manifests.")
@click.option(
    "-f",
    "--filename",
    "filenames",
    metavar="FILE|DIR|-",
    required=True,
    multiple=True,
    help="A file, all *.yaml, *.yml and *.json of a directory, or - for standard input; may be given several times.",
)
@click.option("-R", "--recursive", is_flag=True, help="Directories below a given directory too.")
@store_option
def apply(filenames: tuple[str, ...], recursive: bool, address: str) -> None:
    """Create or change MachineConfigs, MachineConfigPools and Nodes from manifests.

    Everything is read first and then written in one transaction: if one object is refused, nothing is applied. A
    rendered config's spec never changes. What looks like a mistake is applied all the same, with a warning on standard
    error.
    """
    manifests = _read_all([*_sources(filenames, recursive)])
    if not manifests:
        places = ", ".join("standard input" if name == _STDIN else name for name in filenames)
        raise click.ClickException(f"no manifest was found in {printable(places)}; nothing was applied")
    with opened(address, create=True) as store:
        try:
            changes = store.apply([(manifest.kind, manifest.document) for manifest in manifests])
        except ObjectRefused as error:
            _refuse([_at(manifests[error.index], "", one_line(str(error)))])
        with reported("everything was applied"):
            for change in changes:
                tell(f"{change.kind.kind.lower()}/{change.name} {change.outcome}")
            for warning in _warnings(manifests, store):
                click.echo(printable(f"warning: {warning}"), err=True)


def _read_all(sources: Sequence[str]) -> list[Manifest]:
    """Read all files; if anything is wrong in any, print every error and exit."""
    manifests: list[Manifest] = []
    errors: list[ManifestError] = []
    for source in sources:
        try:
            name = "<stdin>" if source == _STDIN else source
            reading = examine(decode(_bytes(source), name), name)
        except ManifestError as error:
            errors.append(error)
        else:
            manifests.extend(reading.manifests)
            errors.extend(reading.errors)
    errors.extend(_repeated(manifests))
    if errors:
        _refuse(errors)
    return manifests


def _warnings(manifests: Sequence[Manifest], store: Store) -> Iterator[str]:
    def find_config(name: str) -> JSONObject | None:
        found = store.get(Kind.CONFIG, name)
        return found.value if found is not None else None

    for manifest in manifests:
        for problem in (*manifest.warnings, *remarks(manifest, find_config)):
            yield manifest.warning(problem)


def _repeated(manifests: Sequence[Manifest]) -> Iterator[ManifestError]:
    first: dict[tuple[str, str], Manifest] = {}
    for manifest in manifests:
        other = first.setdefault((manifest.kind.kind, manifest.name), manifest)
        if other is not manifest:
            place = f"{other.source}:{other.line} (document {other.index})"
            message = f"{manifest.kind.kind} {manifest.name} stands in {place} too: remove one of them"
            yield _at(manifest, "metadata.name", message)


def _at(manifest: Manifest, field: str, message: str) -> ManifestError:
    return ManifestError(manifest.source, manifest.index, manifest.line, field, message)


def _refuse(errors: Sequence[ManifestError]) -> NoReturn:
    for error in errors:
        click.echo(printable(str(error)), err=True)
    raise click.ClickException("nothing was applied")


# ---- files


def _sources(filenames: Sequence[str], recursive: bool) -> Iterator[str]:
    """Take directories apart: the names of all files, standard input as "-"."""
    if filenames.count(_STDIN) > 1:
        raise click.UsageError("standard input (-f -) can be read only once")
    if "" in filenames:
        raise click.UsageError("-f names no file: it is empty")
    for filename in filenames:
        if filename != _STDIN and os.path.isdir(filename):  # noqa: PTH112 - Path.is_dir raises for a name too long
            yield from _below(filename, recursive)
        else:
            yield filename


def _below(directory: str, recursive: bool) -> list[str]:
    """Return a directory's manifests by name; refuses what is there but cannot be read, lest a part be applied."""
    found: list[Path] = []
    try:
        for parent, directories, names in os.walk(directory, onerror=_raise):
            found += [Path(parent, name) for name in names if Path(name).suffix in _SUFFIXES]
            if not recursive:
                directories.clear()
        for file in found:
            if not stat.S_ISREG(file.stat().st_mode):  # reading a pipe would wait for a writer
                message = (
                    f"{printable(str(file))} is no regular file: remove it, or name it with -f; nothing was applied"
                )
                raise click.ClickException(message)
    except OSError as error:
        raise _unreadable(str(error.filename or directory), error) from error
    return [str(file) for file in sorted(found)]


def _raise(error: OSError) -> NoReturn:
    raise error


def _bytes(source: str) -> bytes:
    """Read a file, or of one that is too large just enough to know."""
    try:
        if source == _STDIN:
            return read_input(MAX_FILE + 1)
        with Path(source).open("rb") as file:
            return file.read(MAX_FILE + 1)
    except OSError as error:
        raise _unreadable("standard input" if source == _STDIN else source, error) from error
    except ValueError as error:  # a NUL in a file's name
        raise click.ClickException(f"{printable(source)}: {error}") from error


def _unreadable(name: str, error: OSError) -> click.ClickException:
    return click.ClickException(f"{printable(name)} cannot be read: {error.strerror or error}; nothing was applied")
