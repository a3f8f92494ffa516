"""Tables for people: on a terminal through rich, else plain columns. No cell is cut short or can steer a terminal."""

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import click
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from mcs.cli.options import printable

__all__ = ["Table", "age", "moment", "plain", "rich_text", "show"]

_EMPTY = "-"


@dataclass(frozen=True, slots=True)
class Table:
    """Column titles, and rows of as many cells."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def show(table: Table) -> None:
    """Print a table the way that suits standard output."""
    if sys.stdout.isatty():
        Console().print(_rich(table))
    else:
        click.echo(plain(table), nl=False)


def plain(table: Table) -> str:
    """Lay a table out in columns with at least two spaces between them; an empty cell is a dash.

    >>> print(plain(Table(("NAME", "SPEC"), (("a", ""), ("longer", "3.4.0")))), end="")
    NAME    SPEC
    a       -
    longer  3.4.0
    """
    lines = [table.titles, *(tuple(_cell(cell) for cell in row) for row in table.rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.titles))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines
    )


def rich_text(table: Table, width: int) -> str:
    """Lay a table out for a terminal of a width; cells that do not fit go on in the next line."""
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=True, color_system="standard").print(_rich(table))
    return stream.getvalue()


def _rich(table: Table) -> RichTable:
    laid_out = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in table.titles:
        laid_out.add_column(title, overflow="fold")
    for row in table.rows:
        laid_out.add_row(*(Text(_cell(cell)) for cell in row))  # a plain string would be read as markup
    return laid_out


def _cell(text: str) -> str:
    return printable(text) or _EMPTY


def moment(seconds: float) -> str:
    """Write a time, in seconds since 1970, in UTC; one that no calendar has as the number it is.

    >>> moment(0.0)
    '1970-01-01T00:00:00Z'
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"{seconds:g}"


_UNITS: Sequence[tuple[float, str]] = ((86400.0, "d"), (3600.0, "h"), (60.0, "m"))


def age(seconds: float) -> str:
    """Write an age in its largest whole unit; what lies in the future is 0s.

    >>> age(7200.0), age(59.9), age(-5.0)
    ('2h', '59s', '0s')
    """
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(0, int(seconds))}s"
