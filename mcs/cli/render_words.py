"""What `mcs render` says of rendered configs, as lines for people: what would change, and where something is from."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import unified_diff

from mcs.cli.options import printable
from mcs.jsondata import JSON, compact, text_at
from mcs.machineconfig.comparing import Change, Difference, Leaf
from mcs.machineconfig.contents import Contents, contents_of
from mcs.machineconfig.explaining import Contribution, Explanation
from mcs.machineconfig.masking import is_secret, masked, without_secrets
from mcs.machineconfig.subjects import ARGUMENTS, Subject

__all__ = ["difference_lines", "explanation_lines", "order_line", "summary"]

_MOST_COMPARED = 20_000  # lines of both texts together: beyond, finding what differs takes too long
_MOST_SHOWN = 40  # lines of contents that are new or gone as a whole
_CONTENTS = ("contents", "append")
_WITH_TEXT = ("unit", "drop-in")


def summary(differences: Sequence[Difference]) -> str:
    """Return how much would change.

    >>> summary([])
    '0 added, 0 changed, 0 removed'
    """
    order = (Change.ADDED, Change.CHANGED, Change.REMOVED)
    return ", ".join(f"{sum(each.change is change for each in differences)} {change.value}" for change in order)


def difference_lines(difference: Difference, *, show_secrets: bool) -> Iterator[str]:
    """Yield the lines for one subject. show_secrets: as they are, instead of digits of a hash."""
    words = _Words(difference, show_secrets)
    yield _safe(f"{difference.change.value} {words.subject}")
    if difference.subject.kind in ARGUMENTS.values():
        if difference.change is Change.CHANGED:
            yield f"  {_times(difference.before)} -> {_times(difference.after)}"
        return
    for leaf in sorted(difference.leaves, key=lambda leaf: leaf.path.startswith(_CONTENTS)):  # what is short first
        for line in words.leaf(leaf):
            yield "  " + _safe(line)


def order_line(leaf: Leaf, *, show_secrets: bool) -> str:
    """Return the line for a list that is in another order."""
    texts = [
        ", ".join(text_at(item, "source") or compact(item) if isinstance(item, dict) else str(item) for item in said)
        for said in (leaf.before, leaf.after)
        if isinstance(said, list)
    ]
    line = f"{leaf.path}: in another order: {' -> '.join(texts)}"
    return _safe(line if show_secrets else without_secrets(line))


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Yield the lines for one subject: which MachineConfig says what of it, in the order of merging."""
    yield _safe(_named(explanation.subject, without_secrets(explanation.subject.name)))
    if not explanation.contributions:
        yield "  no MachineConfig says it: it is the renderer's default"
        return
    width = max(len(each.machine_config) for each in explanation.contributions)
    for each in explanation.contributions:
        yield "  " + _safe(f"{each.machine_config:{width}}  {_contribution(each, explanation.subject)}")


def _contribution(said: Contribution, subject: Subject) -> str:
    words = []
    if said.instead_of is not None:
        other, holder = said.instead_of
        words.append(f"makes it a {said.kind} instead of the {other.kind} of {holder}")
    if said.new:
        words.append(f"gives {_members(said.new)}")
    if said.added:
        once_more = "gives it once more" if subject.kind in ARGUMENTS.values() else f"adds to {_members(said.added)}"
        words.append(once_more)
    words += [f"replaces {without_secrets(path) or 'that'} of {holder}" for path, holder in said.replaced]
    if said.repeated:
        words.append(f"repeats {_members(said.repeated)}")
    return "; ".join(words) or "names it"


def _members(paths: tuple[str, ...]) -> str:
    return "it" if paths == ("",) else ", ".join(map(without_secrets, paths))


def _named(subject: Subject, name: str) -> str:
    if name.startswith("data:"):
        name = contents_of({"source": name}).digest
    return name if subject.kind == "member" else f"{subject.kind} {name}"


class _Words:
    """The words for one difference."""

    def __init__(self, difference: Difference, show_secrets: bool) -> None:
        self._difference = difference
        self._show = show_secrets

    @property
    def subject(self) -> str:
        """What it is about."""
        subject = self._difference.subject
        return _named(subject, self._plain(subject.name))

    def leaf(self, leaf: Leaf) -> Iterator[str]:
        """Yield the lines for one member of it."""
        difference = self._difference
        hidden = not self._show and is_secret(difference.subject, leaf.path, difference.before, difference.after)
        leaf = replace(leaf, path=self._plain(leaf.path))  # items are called by their sources, which may be secrets
        if self._is_contents(leaf):
            yield from self._contents(leaf, hidden)
        elif hidden:
            before, after = (None if value is None else masked(compact(value)) for value in (leaf.before, leaf.after))
            yield _turned(leaf.path, before, after)
        elif isinstance(leaf.before, list) or isinstance(leaf.after, list):
            yield from self._items(leaf)
        else:
            before, after = (self._value(leaf.path, value) for value in (leaf.before, leaf.after))
            yield _turned(leaf.path, before, after)

    def _is_contents(self, leaf: Leaf) -> bool:
        if self._difference.subject.kind in _WITH_TEXT:
            return leaf.path == "contents"
        return leaf.path.startswith(_CONTENTS) and all(
            isinstance(each, (dict, type(None))) for each in (leaf.before, leaf.after)
        )

    def _contents(self, leaf: Leaf, hidden: bool) -> Iterator[str]:
        old, new = (None if value is None else contents_of(value) for value in (leaf.before, leaf.after))
        if hidden:
            yield _turned(leaf.path, _hidden(old), _hidden(new))
        elif old is not None and new is not None and old.is_same_as(new):
            yield f"{leaf.path}: the same bytes, said in another way"
        else:
            yield _turned(
                leaf.path,
                None if old is None else self._plain(old.what),
                None if new is None else self._plain(new.what),
            )
            if all(each is None or each.text is not None for each in (old, new)):
                yield from self._text_difference(old, new)
        yield from self._described(leaf)

    def _described(self, leaf: Leaf) -> Iterator[str]:
        """Say what else a resource has: a hash, headers."""
        if not (isinstance(leaf.before, dict) or isinstance(leaf.after, dict)):
            return
        old, new = (value if isinstance(value, dict) else {} for value in (leaf.before, leaf.after))
        for name in ("compression", "verification", "httpHeaders"):
            if old.get(name) != new.get(name):
                secret = name == "httpHeaders" and not self._show
                values = [
                    None if value is None else masked(compact(value)) if secret else compact(value)
                    for value in (old.get(name), new.get(name))
                ]
                yield _turned(f"{leaf.path}.{name}", *values)

    def _text_difference(self, old: Contents | None, new: Contents | None) -> Iterator[str]:
        if sum(each.text.count("\n") for each in (old, new) if each is not None and each.text) > _MOST_COMPARED:
            yield "  too long to be compared line by line"
            return
        before, after = (self._lines(each) for each in (old, new))
        if old is None or new is None:
            sign, lines = ("+", after) if old is None else ("-", before)
            yield from (f"  {sign}{line}" for line in lines[:_MOST_SHOWN])
            if len(lines) > _MOST_SHOWN:
                yield f"  ... and {len(lines) - _MOST_SHOWN} more lines"
            return
        compared = unified_diff(before, after, lineterm="", n=3)
        yield from (f"  {line}" for line in list(compared)[2:])  # the first two would name files

    def _lines(self, contents: Contents | None) -> list[str]:
        if contents is None or not contents.text:
            return []
        lines = contents.text.split("\n")
        if lines[-1]:
            lines[-1] += " (no line feed at the end)"
        else:
            lines.pop()
        return [self._plain(line) for line in lines]

    def _items(self, leaf: Leaf) -> Iterator[str]:
        old, new = (value if isinstance(value, list) else [] for value in (leaf.before, leaf.after))
        gone, added = ([item for item in one if item not in other] for one, other in ((old, new), (new, old)))
        yield f"{leaf.path}:" if gone or added else f"{leaf.path}: in another order"
        yield from (f"  -{self._value(leaf.path, item)}" for item in gone)
        yield from (f"  +{self._value(leaf.path, item)}" for item in added)

    def _value(self, path: str, value: JSON) -> str | None:
        if value is None:
            return None
        if path.endswith("mode") and isinstance(value, int):
            return f"{value:04o}"
        text = value if isinstance(value, str) else compact(value)
        return f"{self._plain(text)}" if text else '""'

    def _plain(self, text: str) -> str:
        return text if self._show else without_secrets(text)


def _times(count: JSON) -> str:
    return "once" if count == 1 else f"{count} times"


def _turned(path: str, before: str | None, after: str | None) -> str:
    """Return one line for a value that was another one.

    >>> _turned("mode", "0644", "0600"), _turned("", None, "a"), _turned("user", "b", None)
    ('mode: 0644 -> 0600', 'a', 'user: b -> nothing')
    """
    value = after if before is None else f"{before} -> {'nothing' if after is None else after}"
    return f"{path}: {value}" if path else str(value)


def _hidden(contents: Contents | None) -> str | None:
    if contents is None:
        return None
    size = "" if contents.size is None else f" of {contents.size} bytes"
    return masked(contents.said if contents.data is None else contents.data) + size


def _safe(line: str) -> str:
    """Keep a terminal from obeying a line; tabs stay."""
    return "\t".join(printable(piece) for piece in line.split("\t"))
