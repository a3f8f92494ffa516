"""`mcs ignition`: checks, converts and merges Ignition configs in files, without a store.

What is said of a config goes where it is in nobody's way: to standard output where it is what was asked for, otherwise
to standard error. A config is printed only where nothing is wrong with it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import click

from mcs.cli.documents import json_text, yaml_text
from mcs.cli.groups import Group
from mcs.cli.ignition_files import STDIN, Examined, examine, lines, placed, record, refusals
from mcs.cli.options import Word
from mcs.cli.streams import tell
from mcs.ignition.conversion import convert
from mcs.ignition.errors import IgnitionError
from mcs.ignition.merging import merge
from mcs.ignition.parsing import Parsed
from mcs.ignition.places import full_path
from mcs.ignition.report import Entry, Kind
from mcs.ignition.validation import validate
from mcs.ignition.versions import SPEC_3, TARGETS, SpecVersion
from mcs.jsondata import JSON, JSONObject, list_at, text_at

__all__ = ["ignition"]

F = TypeVar("F", bound=Callable[..., object])

_SPECS = {f"{spec.major}.{spec.minor}": spec for spec in TARGETS}
_SPEC = Word("spec", _SPECS | {str(spec): spec for spec in TARGETS}, tuple(_SPECS))


def _mounted(_context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    filesystems: dict[str, str] = {}
    for text in texts:
        name, sign, path = text.partition("=/")
        path = f"/{path}"
        if not name or not sign:
            raise click.BadParameter(f"{text!r} is not NAME=PATH with an absolute path")
        if name == "root":
            raise click.BadParameter("'root' is at / in any case")
        simplest = full_path("/", path)
        if path != simplest:
            raise click.BadParameter(f"{path!r} is not fully simplified, that is {simplest!r}")
        if filesystems.setdefault(name, path) != path:
            raise click.BadParameter(f"{name!r} is mounted at two paths")
    return filesystems


def _useless(parsed: Parsed, to: SpecVersion, filesystems: Mapping[str, str]) -> Iterator[Entry]:
    """Tell which mount points are for nothing: most likely, something else was meant."""
    if filesystems and not parsed.version.major < to.major:
        message = f"--filesystem is for conversions from spec 2 to spec 3, not from {parsed.version} to {to}"
        yield Entry(Kind.ERROR, (), message)
        return
    names = {text_at(item, "name") for item in list_at(parsed.config, "storage", "filesystems")}
    for section in ("files", "directories", "links"):
        names |= {text_at(node, "filesystem") for node in list_at(parsed.config, "storage", section)}
    known = ", ".join(sorted(name for name in names if name and name != "root")) or "none but root"
    for name, path in filesystems.items():
        if name not in names:
            message = f"--filesystem {name}={path}: the config names no such filesystem; it names {known}"
            yield Entry(Kind.ERROR, (), message)


def _named(_context: click.Context, _parameter: click.Parameter, file: str) -> str:
    if not file:
        raise click.UsageError("a file's name is empty")
    return file


def _readable(_context: click.Context, _parameter: click.Parameter, files: tuple[str, ...]) -> tuple[str, ...]:
    if "" in files:
        raise click.UsageError("a file's name is empty")
    if files.count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    return files


def _several(context: click.Context, parameter: click.Parameter, files: tuple[str, ...]) -> tuple[str, ...]:
    if len(files) < 2:
        raise click.UsageError("merge takes two files or more")
    return _readable(context, parameter, files)


_FORMATS: dict[str, Callable[[JSON], str]] = {"json": json_text, "yaml": yaml_text}


def _output_option(command: F) -> F:
    return click.option(
        "-o",
        "--output",
        type=click.Choice([*_FORMATS]),
        default="json",
        show_default=True,
        help="How the config is printed; YAML is for the spec.config of a MachineConfig.",
    )(command)


@click.group(cls=Group)
def ignition() -> None:
    """Check, convert and merge Ignition configs of the specs 2.0 to 2.4 and 3.0 to 3.6; no store is needed.

    What is wrong with a config is said as compilers do, FILE:LINE:COLUMN: KIND: PATH: MESSAGE.
    """


@ignition.command("validate", short_help="Check configs by all rules of their specs.")
@click.argument("files", metavar="[FILE]...", nargs=-1, callback=_readable)
@click.option("-o", "--output", type=click.Choice(["json"]), help="The report as JSON.")
def validate_command(files: tuple[str, ...], output: str | None) -> None:
    """Check each FILE, or standard input (- or none), by all rules of the spec that it declares.

    Prints a line for all there is to say, in the order of the file, and nothing if there is nothing to say; of more
    than 1000 lines for a file, only so many, errors before others. Kinds are error, warning and, of spec 2, info and
    deprecated. Exit status: 1 if any file has an error, otherwise 0.

    With -o json prints a list with an object for each file: file; valid (true or false); version, such as "3.4.0" (null
    if the file has no valid config); report, a list of objects with kind, path (a list of member names and indexes),
    message, line and column (from 1; null if the entry is about no place in the file).

    \b
    Examples:
      mcs ignition validate worker.ign master.ign
      jq .spec.config machineconfig.json | mcs ignition validate
      mcs ignition validate -o json worker.ign | jq -r '.[].report[].message'
    """
    examined = [examine(file) for file in files or (STDIN,)]
    if output == "json":
        tell(json_text([record(each) for each in examined]).encode(), nl=False)
    else:
        for each in examined:
            for line in lines(each.file, each.entries):
                tell(line)
    invalid = sum(each.parsed is None for each in examined)
    if invalid and len(examined) > 1 and output is None:
        raise click.ClickException(f"errors in {invalid} of {len(examined)} files")
    if invalid:
        raise click.exceptions.Exit(1)


@ignition.command("convert", short_help="Say a config in another spec, or say why that is impossible.")
@click.argument("file", metavar="[FILE]", default=STDIN, callback=_named)
@click.option("--to", type=_SPEC, required=True, help="The spec; 3.4.0 is 3.4.")
@click.option(
    "--filesystem",
    "filesystems",
    metavar="NAME=PATH",
    multiple=True,
    callback=_mounted,
    help="Where a named filesystem of a 2.x config is mounted; once for each. root is at / in any case.",
)
@_output_option
def convert_command(file: str, to: SpecVersion, filesystems: dict[str, str], output: str) -> None:
    """Print the config in FILE, or of standard input (- or none), as one of another spec.

    The config is checked before and after. What the other spec cannot say is refused, never dropped: each such field is
    named on standard error, with its place in the file and the first spec that has it. Nothing is printed then, and
    the exit status is 1.

    \b
    Examples:
      mcs ignition convert --to 3.1 worker.ign > worker-3.1.ign
      mcs ignition convert --to 3.4 --filesystem var=/var old.ign
      mcs ignition convert --to 2.2 -o yaml < worker.ign
    """
    ((source, parsed),) = _checked([file])
    if useless := tuple(_useless(parsed, to, filesystems)):
        _say(source.file, useless)
        raise click.exceptions.Exit(1)
    converted = _converted(source, parsed, to, filesystems, "add --filesystem {}=PATH")
    if converted is None:
        raise click.exceptions.Exit(1)
    said = {(entry.path, entry.message) for entry in source.entries}
    news = [
        replace(entry, message=f"in spec {to}: {entry.message}")
        for entry in validate(converted, to).entries
        if (entry.path, entry.message) not in said
    ]
    if to.major == parsed.version.major:  # then a path means the same in both
        _finish(source.file, placed(source, news), converted, output)
    else:
        _finish("<converted>", news, converted, output)


@ignition.command("merge", short_help="Lay configs over one another, as a client does.")
@click.argument("files", metavar="FILE...", nargs=-1, callback=_several)
@_output_option
def merge_command(files: tuple[str, ...], output: str) -> None:
    """Print the configs of two or more FILEs merged into one, each laid over those before it.

    So the last FILE wins, as what a client fetches by ignition.config.merge wins over what it was given. The result has
    the newest spec among them, which must be a 3.x; a config of 2.x is converted to it, unless that takes mount points:
    convert such a FILE first. Each config is checked, and so is the result; its errors are told with their paths in the
    result. If there are any, nothing is printed, and the exit status is 1. A FILE may be - for standard input.

    \b
    Examples:
      mcs ignition merge base.ign worker.ign > merged.ign
      mcs ignition convert --to 3.1 old.ign | mcs ignition merge base.ign -
    """
    sources = _checked(files)
    to = max(parsed.version for _, parsed in sources)
    if to not in SPEC_3:
        raise click.ClickException("configs of spec 2 cannot be merged: convert them to spec 3 (mcs ignition convert)")
    first = "convert this file first (mcs ignition convert --filesystem {}=PATH)"
    configs = [_converted(source, parsed, to, {}, first) for source, parsed in sources]
    present = [config for config in configs if config is not None]
    if len(present) < len(configs):
        raise click.exceptions.Exit(1)
    merged = merge(*present)
    _finish("<merged>", validate(merged, to).entries, merged, output)


def _checked(files: Sequence[str]) -> list[tuple[Examined, Parsed]]:
    """Read configs and say what there is to say of them; ends the command if any has an error."""
    examined = [examine(file) for file in files]
    for each in examined:
        _say(each.file, each.entries)
    sound = [(each, each.parsed) for each in examined if each.parsed is not None]
    if len(sound) < len(examined):
        raise click.exceptions.Exit(1)
    return sound


def _converted(
    source: Examined, parsed: Parsed, to: SpecVersion, filesystems: Mapping[str, str], mounting: str
) -> JSONObject | None:
    """Convert a file's config, or say why that is impossible. mounting: what to do if {} lacks a mount point."""
    try:
        return convert(parsed.config, to, filesystems)
    except IgnitionError as error:
        _say(source.file, refusals(source, error, mounting))
        return None


def _finish(file: str, entries: Sequence[Entry], config: JSONObject, output: str) -> None:
    """Say what there is to say of the result, and print it if it is valid."""
    _say(file, entries)
    if any(entry.kind is Kind.ERROR for entry in entries):
        raise click.exceptions.Exit(1)
    tell(_FORMATS[output](config).encode(), nl=False)


def _say(file: str, entries: Sequence[Entry]) -> None:
    for line in lines(file, entries):
        click.echo(line, err=True)
