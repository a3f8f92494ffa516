"""What the tests of all worlds ask for: that a search finds nothing, and that a mutant is found, with its story."""

import sys

from tests.model.mutants import Mutant
from tests.model.searches import Search, result, story
from tests.model.story import told

__all__ = ["check_mutant", "check_search"]


def check_search(search: Search) -> None:
    """Fail with the story if the search finds something; print how far it went."""
    outcome = result(search)
    sys.stdout.write(f"\n{search.title}: {outcome.states:,} states, {outcome.transitions:,} steps\n")
    assert outcome.trace is None, "\n".join(told(outcome.trace))


def check_mutant(mutant: Mutant, ending: str) -> None:
    """Fail unless the mutant's shortest story is no longer than known, tells its points in their order, and ends so."""
    steps, lines = story(mutant)
    sys.stdout.write("\n  ".join([f"\n{mutant.title} ({steps} steps)", *lines]) + "\n")
    assert steps <= mutant.steps
    position = 0
    for telling in mutant.telling:
        position = next((n for n, line in enumerate(lines) if n >= position and telling in line), -1) + 1
        assert position, f"the story does not tell in its order: {telling}"
    assert ending in lines[-1]
