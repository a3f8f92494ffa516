"""Tables: plain when piped, laid out on a terminal; nothing is cut short and nothing steers the terminal."""

import re

from hypothesis import given
from hypothesis import strategies as st

from mcs.cli.options import one_line, printable
from mcs.cli.tables import Table, plain, rich_text

cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[cells] * width), max_size=5).map(
        lambda rows: Table(tuple(f"T{number}" for number in range(width)), tuple(rows))
    )
)


@given(tables)
def test_a_plain_table_has_a_line_for_each_row(table: Table) -> None:
    lines = plain(table).split("\n")
    assert len(lines) == len(table.rows) + 2
    assert all(line.isprintable() for line in lines)


def test_a_long_cell_is_not_cut_on_a_terminal() -> None:
    name = "rendered-worker-" + "0123456789abcdef" * 2
    text = rich_text(Table(("NAME", "WHY"), ((name, "a reason that takes more room than there is"),)), width=40)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", text)
    first_column = "".join(
        line[: line.index("  ")] if "  " in line.rstrip() else line for line in shown.splitlines()[1:]
    )
    assert "".join(first_column.split()).startswith(name[:16])
    assert all(part in shown for part in ("reason", "room"))
    assert "…" not in shown


def test_markup_in_a_cell_is_shown_as_it_is() -> None:
    assert "[bold red]x[/]" in rich_text(Table(("A",), (("[bold red]x[/]",),)), width=80)


@given(st.text())
def test_what_is_printed_is_printable(text: str) -> None:
    assert printable(text).isprintable()
    assert "\n" not in one_line(text)
    assert printable(printable(text)) == printable(text)
