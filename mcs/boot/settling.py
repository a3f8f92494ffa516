"""The stability gate: whether what a pool's rendered config is made of has come to rest, as one process saw it. Pure.

Rule 1: nothing counts but what this process saw itself. Age says nothing: a name stands for content, and is used again
after a revert.
Rule 2: any change starts the wait anew, and so does a process.
Rule 3: a pool has settled once its inputs have stayed the same for the quiet period and spec.configuration.source names
exactly the MachineConfigs that are selected. A pool without such a list is not gated: nobody says what it is made of.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mcs.boot.clock import Reading, elapsed
from mcs.jsondata import JSONObject, lookup, text_at
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.selectors import InvalidSelector, selecting

__all__ = ["Inputs", "Part", "Seen", "inputs_of", "is_gated", "mismatch", "observed", "unsettled", "waiting"]

_CONFIGURATION = "spec.configuration"
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A MachineConfig that a pool selects, as it is: a change of its spec is another generation."""

    name: str
    uid: str
    generation: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """What decides over a pool's rendered config. configuration: the name in spec.configuration.

    source: the names in spec.configuration.source, None where there is no such list. problem: why it cannot be told
    which MachineConfigs are selected.
    """

    configuration: str | None
    source: tuple[str, ...] | None
    selected: frozenset[Part] = frozenset()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What a process has seen of a pool's inputs. since: when it first saw them as they are; until: when it last did.

    changed: what was different before `since`; nothing where the process has seen no change.
    """

    inputs: Inputs
    since: Reading
    until: Reading
    changed: tuple[str, ...] = ()

    @property
    def quiet(self) -> float:
        """For how many seconds the inputs were seen unchanged: up to the last look, not up to now."""
        return elapsed(self.since, self.until)


def is_gated(pool: JSONObject) -> bool:
    """Tell whether a pool says what its rendered config was made of."""
    return isinstance(lookup(pool, "spec", "configuration", "source"), list)


def inputs_of(pool: JSONObject, configs: Iterable[Metadata]) -> Inputs:
    """Return a pool's inputs. configs: of all MachineConfigs; rendered ones are never selected."""
    source = lookup(pool, "spec", "configuration", "source")
    names = tuple(text_at(each, "name") or "" for each in source) if isinstance(source, list) else None
    configuration = text_at(pool, "spec", "configuration", "name")
    try:
        selects = selecting(lookup(pool, "spec", "machineConfigSelector"))
    except InvalidSelector as error:
        return Inputs(configuration, names, problem=f"spec.machineConfigSelector: {error}")
    chosen = (each for each in configs if not each.rendered and selects(each.labels))
    return Inputs(configuration, names, frozenset(Part(each.name, each.uid, each.generation) for each in chosen))


def observed(seen: Seen | None, inputs: Inputs, asked: Reading, answered: Reading) -> Seen:
    """Return what has been seen after one more look. seen: before it, None at first.

    asked, answered: the inputs were as they are at some time between the two. The wait begins at the latter and is
    proven up to the former, so that a slow look shortens nothing. A look that was asked for before the last one (a
    cache that grows old) proves nothing, unless it shows a change.
    """
    if seen is None:
        return Seen(inputs, answered, answered)
    if seen.inputs != inputs:
        return Seen(inputs, answered, answered, tuple(_differences(seen.inputs, inputs)))
    return replace(seen, until=asked) if elapsed(seen.until, asked) > 0 else seen


def mismatch(inputs: Inputs) -> str | None:
    """Return in words how spec.configuration.source differs from what is selected; None if it does not, or is absent.

    >>> mismatch(Inputs("rendered-worker-a", ("00-worker",), frozenset({Part("99-ssh", "u", 1)})))
    'spec.configuration.source lacks 99-ssh and has 00-worker that is not selected'
    """
    if inputs.source is None:
        return None
    if inputs.problem is not None:
        return inputs.problem
    source, selected = set(inputs.source), {part.name for part in inputs.selected}
    lacking, extra = sorted(selected - source), sorted(source - selected)
    differences = []
    if lacking:
        differences.append(f"lacks {_list(lacking)}")
    if extra:
        differences.append(f"has {_list(extra)} that {'is' if len(extra) == 1 else 'are'} not selected")
    return f"{_CONFIGURATION}.source {' and '.join(differences)}" if differences else None


def unsettled(seen: Seen, quiet: float) -> str | None:
    """Return in words why a pool has not settled, the same until something happens; None if it has, or is not gated.

    quiet: the quiet period in seconds; 0 gates nothing.
    """
    if quiet <= 0 or seen.inputs.source is None:
        return None
    why = mismatch(seen.inputs)
    if why is None and seen.quiet < quiet:
        what = f"{_list(seen.changed)} changed" if seen.changed else "this server has just begun to look at it"
        why = f"{what}, and it has to stay the same for {quiet:g} s"
    return why


def waiting(seen: Seen, now: Reading, quiet: float) -> str | None:
    """Return why a pool has not settled with how long ago that began, for people who look now; None if it has."""
    if unsettled(seen, quiet) is None:
        return None
    ago = max(0.0, elapsed(seen.since, now))
    what = f"{_list(seen.changed)} changed" if seen.changed else "first looked at"
    why = mismatch(seen.inputs)
    return f"waiting: {what} {ago:.0f} s ago" + (f"; {why}" if why is not None else "")


def _differences(before: Inputs, after: Inputs) -> Iterable[str]:
    """Yield the names of what differs: the pool's own first, then the MachineConfigs by name."""
    if (before.configuration, before.source) != (after.configuration, after.source):
        yield _CONFIGURATION
    if before.problem != after.problem:
        yield "spec.machineConfigSelector"
    yield from sorted({part.name for part in before.selected ^ after.selected})


def _list(names: Sequence[str]) -> str:
    """Write some names, not all of very many."""
    listed = ", ".join(name or "an entry without a name" for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{listed} and {more} more" if more > 0 else listed
