"""What the checker has to say, as Markdown, and its places in docs/protocol.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.model.boot import DURATIONS
from tests.model.mutants import MUTANTS, Mutant
from tests.model.rendering_mutants import RENDERING_MUTANTS
from tests.model.searches import RENDERING_SEARCHES, SEARCHES, Search, result, story

__all__ = ["PAGE", "SECTIONS", "Section", "quoted", "with_quote", "written_out"]

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"


@dataclass(frozen=True)
class Section:
    """A part of the page that the checker writes. name: in the comments around it. start: how every story begins.

    verdict: what is claimed of the searches, and failure: what a search says of itself that shows the contrary.
    """

    name: str
    start: str
    mutants: tuple[Mutant, ...]
    verdict: str
    failure: str
    searches: tuple[Search, ...]


SECTIONS = (
    Section(
        "stories",
        f"In these stories time is counted in whole steps; a hold lasts {DURATIONS.hold:g} of them, a body at most"
        f" {DURATIONS.body:g}, a boot at most {DURATIONS.boot:g}. At t=0 the config N is stored, no pool names it any"
        " more (though a server may believe so), and server A and server B have just started. Every story is a shortest"
        " one.",
        MUTANTS,
        "No machine lacks its config in any state that can be reached. The collector is free in every world: it may"
        " mark, adopt a mark, read, take the mark off, delete, die, and leave a delete in flight, without limit. A"
        " server has to do with one machine at a time. Beyond these bounds nothing is claimed.",
        "A MACHINE IS LOST",
        SEARCHES,
    ),
    Section(
        "rendering",
        "At t=0 the config N is stored, from long ago, and the pool names another config. Durations are as above.",
        RENDERING_MUTANTS,
        "In no state that can be reached does the pool name a config that is gone, or name again what older"
        " MachineConfigs render to, or a machine lack its config. The collector is as free as above; a renderer makes"
        " one attempt at a time, and where it has no limit it makes any number of them, dies and begins anew.",
        "A CONFIG IS LOST",
        RENDERING_SEARCHES,
    ),
)


def quoted(page: str, name: str) -> str:
    """Return what a page holds between the two comments of this name; raises ValueError where they are missing."""
    begin, end = _comments(name)
    start = page.index(begin) + len(begin)
    return page[start : page.index(end, start)]


def with_quote(page: str, name: str, text: str) -> str:
    """Return the page with the text between the two comments of this name."""
    begin, end = _comments(name)
    before, after = page.split(begin)[0], page.split(end)[1]
    return f"{before}{begin}{text}{end}{after}"


def written_out(section: Section) -> str:
    """Return the stories and the table of what was searched, without a line end at the end."""
    return "\n".join(_lines(section))


def _comments(name: str) -> tuple[str, str]:
    return f"<!-- {name}:begin -->\n", f"\n<!-- {name}:end -->"


def _lines(section: Section) -> Iterator[str]:
    yield section.start
    for mutant in section.mutants:
        yield from ("", f"### {mutant.title}", "", f"The rule that is broken: {mutant.rule}", "")
        steps, lines = story(mutant)
        yield from (f"{number}. {line}" for number, line in enumerate(lines, start=1))
        yield from ("", f"({steps} steps, those of time included.)")
    yield from ("", "### With every rule in place", "")
    yield section.verdict
    yield from ("", "| world | until | states | steps between them |", "|---|---:|---:|---:|")
    for search in section.searches:
        outcome = result(search)
        verdict = "" if outcome.trace is None else f" **{section.failure}**"
        until = f"t={search.world.horizon}"
        yield f"| {search.title}{verdict} | {until} | {outcome.states:,} | {outcome.transitions:,} |"
