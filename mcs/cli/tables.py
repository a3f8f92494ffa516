"""Tables for people: fitted to a terminal, else plain columns, complete. No cell can steer a terminal."""

import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from mcs.cli.options import printable
from mcs.cli.streams import tell

__all__ = ["Table", "age", "laid_out", "moment", "plain", "show"]

_EMPTY = "-"
_SHORT = 16


@dataclass(frozen=True, slots=True)
class Table:
    """Column titles, and rows of as many cells.

    folding, shortened: titles of columns that on a terminal may go over several lines, or lose the end of their cells.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folding: frozenset[str] = frozenset()
    shortened: frozenset[str] = frozenset()


def show(table: Table) -> None:
    """Print a table the way that suits standard output."""
    if sys.stdout is not None and sys.stdout.isatty():
        console = Console()
        for line in laid_out(table, console.width):
            console.print(line, soft_wrap=True)
    else:
        tell(plain(table), nl=False)


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


def laid_out(table: Table, width: int) -> list[Text]:
    """Lay a table out for a terminal of a width, as lines; a cell is broken over lines only where its column folds.

    Columns for which there is no room beside the others stand in further lines of each row, indented.
    """
    rows = [tuple(Text(title, style="bold") for title in table.titles)]
    rows += [tuple(Text(cell) for cell in map(_cell, row)) for row in _shortened(table)]
    natural = [max(row[column].cell_len for row in rows) for column in range(len(table.titles))]
    least = [
        min(natural[column], max(_FOLDED, min(width, _longest_word(row[column] for row in rows))))
        if title in table.folding
        else natural[column]
        for column, title in enumerate(table.titles)
    ]
    strips = [_stretched(strip, natural, least, width) for strip in _strips(least, width)]
    return [line for row in rows for strip in strips for line in _lines(row, strip)]


_FOLDED = 20  # the least width of a column that folds
_GAP = 2


@dataclass(frozen=True, slots=True)
class _Strip:
    """Columns that stand side by side. widths: by the column's number."""

    indent: int
    widths: dict[int, int]

    @property
    def width(self) -> int:
        return self.indent + sum(self.widths.values()) + _GAP * (len(self.widths) - 1)


def _strips(least: Sequence[int], width: int) -> list[_Strip]:
    """Divide the columns, in their order, into as few strips as fit the width."""
    strips = [_Strip(0, {0: least[0]})]
    for column, needed in enumerate(least[1:], start=1):
        if strips[-1].width + _GAP + needed > width:
            strips.append(_Strip(_GAP, {column: needed}))
        else:
            strips[-1].widths[column] = needed
    return strips


def _stretched(strip: _Strip, natural: Sequence[int], least: Sequence[int], width: int) -> _Strip:
    """Give the room that is left to the columns that fold, one after the other."""
    room = max(0, width - strip.width)
    widths = {}
    for column in strip.widths:
        more = min(room, natural[column] - least[column])
        widths[column] = least[column] + more
        room -= more
    return _Strip(strip.indent, widths)


def _longest_word(cells: Iterable[Text]) -> int:
    return max((cell_len(word) for cell in cells for word in cell.plain.split()), default=0)


def _lines(row: Sequence[Text], strip: _Strip) -> Iterator[Text]:
    folded = [row[column].wrap(_FOLDER, width, overflow="fold") for column, width in strip.widths.items()]
    for pieces in zip_longest(*folded):
        line = Text(" " * strip.indent)
        for piece, width in zip(pieces, strip.widths.values(), strict=True):
            cell = piece if piece is not None else Text()
            line.append(cell).append(" " * (width - cell.cell_len + _GAP))
        line.rstrip()
        yield line


_FOLDER = Console(file=io.StringIO(), width=80)  # wrapping takes one for its defaults only


def _shortened(table: Table) -> Iterator[tuple[str, ...]]:
    for row in table.rows:
        yield tuple(
            f"{cell[: _SHORT - 1]}…" if title in table.shortened and len(cell) > _SHORT else cell
            for title, cell in zip(table.titles, row, strict=True)
        )


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
