"""What the checker has to say, as Markdown, and its place in docs/protocol.md."""

from collections.abc import Iterator
from pathlib import Path

from tests.model.boot import DURATIONS
from tests.model.mutants import MUTANTS
from tests.model.searches import SEARCHES, result, story

__all__ = ["PAGE", "quoted", "with_quote", "written_out"]

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"

BEGIN, END = "<!-- stories:begin -->\n", "\n<!-- stories:end -->"


def quoted(page: str) -> str:
    """Return what a page holds between the two comments; raises ValueError where they are missing."""
    start = page.index(BEGIN) + len(BEGIN)
    return page[start : page.index(END, start)]


def with_quote(page: str, text: str) -> str:
    """Return the page with the text between the two comments."""
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    return f"{before}{BEGIN}{text}{END}{after}"


def written_out() -> str:
    """Return the stories and the table of what was searched, without a line end at the end."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    durations = DURATIONS
    yield (
        f"In these stories time is counted in whole steps; a hold lasts {durations.hold:g} of them, a body at most"
        f" {durations.body:g}, a boot at most {durations.boot:g}. At t=0 the config N is stored, no pool names it any"
        " more (though a server may believe so), and server A and server B have just started. Every story is a shortest"
        " one."
    )
    for mutant in MUTANTS:
        yield from ("", f"### {mutant.title}", "", f"The rule that is broken: {mutant.rule}", "")
        steps, lines = story(mutant)
        yield from (f"{number}. {line}" for number, line in enumerate(lines, start=1))
        yield from ("", f"({steps} steps, those of time included.)")
    yield from ("", "### With every rule in place", "")
    yield (
        "No machine lacks its config in any state that can be reached. The collector is free in every world: it may"
        " mark, adopt a mark, read, take the mark off, delete, die, and leave a delete in flight, without limit. A"
        " server has to do with one machine at a time. Beyond these bounds nothing is claimed."
    )
    yield from ("", "| world | until | states | steps between them |", "|---|---:|---:|---:|")
    for search in SEARCHES:
        outcome = result(search)
        verdict = "" if outcome.trace is None else " **A MACHINE IS LOST**"
        until = f"t={search.world.horizon}"
        yield f"| {search.title}{verdict} | {until} | {outcome.states:,} | {outcome.transitions:,} |"
