"""Tables: plain when piped, laid out on a terminal; nothing is cut short and nothing steers the terminal."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mcs.cli.options import one_line, printable
from mcs.cli.tables import Table, laid_out, plain

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


def shown(table: Table, width: int) -> list[str]:
    return [line.plain for line in laid_out(table, width)]


NAME = "rendered-worker-" + "0123456789abcdef" * 2
BOOT = "abcdefghijklmnopqrstuvwxyz"
BOOTS = Table(
    ("BOOT", "ADDRESS", "POOL", "FETCHED", "STATE", "CONFIG"),
    ((BOOT, "192.0.2.117", "worker", "2026-01-31T12:00:00Z", "fetched", NAME),),
)


def test_a_table_that_fits_has_a_line_for_each_row() -> None:
    assert shown(BOOTS, 140) == plain(BOOTS).splitlines()


def test_columns_for_which_there_is_no_room_stand_in_a_second_line() -> None:
    assert shown(BOOTS, 80) == [
        "BOOT                        ADDRESS      POOL    FETCHED               STATE",
        "  CONFIG",
        f"{BOOT}  192.0.2.117  worker  2026-01-31T12:00:00Z  fetched",
        f"  {NAME}",
    ]


def test_words_go_on_in_the_next_line_where_their_column_folds() -> None:
    why = "served last; its status does not speak of its current spec yet"
    table = Table(("NAME", "WHY"), (("a", why),), folding=frozenset({"WHY"}))
    assert shown(table, 40) == [
        "NAME  WHY",
        "a     served last; its status does not",
        "      speak of its current spec yet",
    ]


@given(tables, st.integers(1, 60))
def test_nothing_is_lost_on_a_terminal(table: Table, width: int) -> None:
    text = "".join("".join(shown(table, width)).split())
    assert all("".join(printable(cell).split()) in text for row in table.rows for cell in row)


@given(st.integers(1, 200), st.sampled_from([frozenset[str](), frozenset({"CONFIG"})]))
def test_an_id_is_never_broken_over_lines(width: int, folding: frozenset[str]) -> None:
    lines = shown(replace(BOOTS, folding=folding), max(width, len(NAME) + 2 if folding else 0))
    assert [sum(part in line for line in lines) for part in (BOOT, NAME)] == [1, 1]


def test_long_names_may_be_shortened_on_a_terminal_only() -> None:
    table = Table(("NAME", "SERVER"), ((BOOT, BOOT), ("short", "s")), shortened=frozenset({"NAME"}))
    assert [line.split()[0] for line in shown(table, 80)[1:]] == ["abcdefghijklmno…", "short"]
    assert shown(table, 80)[1].endswith(BOOT)
    assert BOOT in plain(table).split()


def test_markup_in_a_cell_is_shown_as_it_is() -> None:
    assert shown(Table(("A",), (("[bold red]x[/]",),)), 80)[1] == "[bold red]x[/]"


def test_titles_stand_out() -> None:
    assert laid_out(BOOTS, 140)[0].spans


@given(st.text())
def test_what_is_printed_is_printable(text: str) -> None:
    assert printable(text).isprintable()
    assert "\n" not in one_line(text)
    assert printable(printable(text)) == printable(text)
