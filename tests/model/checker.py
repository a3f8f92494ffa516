"""Breadth-first search over all interleavings of any world, for a shortest trace to a bad state. Knows no protocol."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Outcome", "Trace", "explore"]

S = TypeVar("S", bound=Hashable)
E = TypeVar("E")

Moves = Callable[[S], Iterable[tuple[E, S]]]


@dataclass(frozen=True)
class Trace(Generic[S, E]):
    """A run of the world: `states` is one longer than `events`; event i leads from state i to state i + 1."""

    events: tuple[E, ...]
    states: tuple[S, ...]


@dataclass(frozen=True)
class Outcome(Generic[S, E]):
    """What a search found.

    states: how many distinct ones were seen. transitions: how many steps were tried between them. depth: how many steps
    it is to the farthest state.
    trace: a shortest run to a state that is bad; None: there is none.
    """

    states: int
    transitions: int
    depth: int
    trace: Trace[S, E] | None


def explore(
    initial: S,
    moves: Moves[S, E],
    is_bad: Callable[[S], bool],
    canonical: Callable[[S], S] = lambda state: state,
    visit: Callable[[S], None] | None = None,
) -> Outcome[S, E]:
    """Visit every state that can be reached from `initial`, nearest first, until one is bad.

    canonical: maps a state to the one that stands for all that behave alike; it must keep `is_bad` and commute with
    `moves`, and then no bad state is missed and no shorter trace exists. visit: called once with each state.
    """
    first = canonical(initial)
    parents: dict[S, S | None] = {first: None}
    if is_bad(first):
        return Outcome(1, 0, 0, Trace((), (initial,)))
    frontier, transitions, depth = [first], 0, 0
    while frontier:
        following: list[S] = []
        for state in frontier:
            if visit is not None:
                visit(state)
            for _, successor in moves(state):
                transitions += 1
                found = canonical(successor)
                if found in parents:
                    continue
                parents[found] = state
                if is_bad(found):
                    trace = _lift(initial, _path(parents, found), moves, canonical)
                    return Outcome(len(parents), transitions, depth + 1, trace)
                following.append(found)
        depth += bool(following)
        frontier = following
    return Outcome(len(parents), transitions, depth, None)


def _path(parents: dict[S, S | None], last: S) -> list[S]:
    path = [last]
    while (parent := parents[path[-1]]) is not None:
        path.append(parent)
    return path[::-1]


def _lift(initial: S, path: list[S], moves: Moves[S, E], canonical: Callable[[S], S]) -> Trace[S, E]:
    """Turn a path of representatives into one run of the world: events and actors keep their names along it."""
    states, events = [initial], []
    for representative in path[1:]:
        event, state = next(move for move in moves(states[-1]) if canonical(move[1]) == representative)
        events.append(event)
        states.append(state)
    return Trace(tuple(events), tuple(states))
