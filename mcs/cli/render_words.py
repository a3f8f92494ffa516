"""What `mcs render` says of rendered configs, as lines for people: what would change, and where something is from."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from functools import cached_property
from itertools import islice

from mcs.cli.options import printable
from mcs.jsondata import JSON, compact, text_at
from mcs.machineconfig.comparing import Change, Difference, Leaf
from mcs.machineconfig.contents import Contents, Reader, contents_of
from mcs.machineconfig.explaining import Contribution, Explanation, ForeignHeader
from mcs.machineconfig.masking import (
    has_secret_contents,
    is_secret,
    lines_without_secrets,
    masked,
    without_secrets,
)
from mcs.machineconfig.subjects import ARGUMENTS, Subject

__all__ = ["difference_lines", "explanation_lines", "foreign_header_line", "order_line", "summary"]

_MOST_COMPARED = 20_000  # lines of both texts together: beyond, finding what differs takes too long
_MOST_COMPARED_IN_ALL = 100_000  # lines of all texts of one comparison
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


@dataclass(slots=True)
class _Allowance:
    """What one comparison may still do, for its time is bounded. read: unpacks up to its own limit."""

    read: Reader = field(default_factory=Reader)
    lines: int = _MOST_COMPARED_IN_ALL


def difference_lines(differences: Iterable[Difference], *, show_secrets: bool) -> Iterator[str]:
    """Yield the lines for what differs, subject by subject. show_secrets: as they are, instead of digits of a hash.

    What is beyond the limits of one comparison is said in words: bytes that are unpacked, lines that are compared.
    """
    allowance = _Allowance()
    for difference in differences:
        yield from _Words(difference, show_secrets, allowance).lines()


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
    if explanation.dropins:
        listed = ", ".join(map(without_secrets, explanation.dropins))
        yield "  " + _safe(f"its drop-ins are explained by their names: {listed}")


def foreign_header_line(subject: Subject, header: ForeignHeader) -> str:
    """Return the warning for an HTTP header that is sent to another MachineConfig's source."""
    what = f"{_named(subject, without_secrets(subject.name))}: {without_secrets(header.path)}"
    return f"{what} is of {header.said_by}, and is sent to the source that {header.source_of} gives"


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
    words += [f"takes away {without_secrets(path)} of {holder}" for path, holder in said.removed]
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

    def __init__(self, difference: Difference, show_secrets: bool, allowance: _Allowance) -> None:
        self._difference = difference
        self._show = show_secrets
        self._allowance = allowance

    def lines(self) -> Iterator[str]:
        """Yield all lines."""
        difference = self._difference
        subject = difference.subject
        yield _safe(f"{difference.change.value} {_named(subject, self._plain(subject.name))}")
        if subject.kind in ARGUMENTS.values():
            if difference.change is Change.CHANGED:
                yield f"  {_times(difference.before)} -> {_times(difference.after)}"
            return
        for leaf in sorted(difference.leaves, key=lambda leaf: leaf.path.startswith(_CONTENTS)):  # what is short first
            for line in self._leaf(leaf):
                yield "  " + _safe(line)

    @cached_property
    def _has_secret_contents(self) -> bool:
        difference = self._difference
        said = (difference.before, difference.after)
        return has_secret_contents(difference.subject, *said, read=self._allowance.read)

    def _is_hidden(self, path: str) -> bool:
        if self._show:
            return False
        return is_secret(self._difference.subject, path) or (path.startswith(_CONTENTS) and self._has_secret_contents)

    def _leaf(self, leaf: Leaf) -> Iterator[str]:
        """Yield the lines for one member of it."""
        hidden = self._is_hidden(leaf.path)
        leaf = replace(leaf, path=self._plain(leaf.path))  # items are called by their sources, which may be secrets
        if self._is_contents(leaf):
            yield from self._contents(leaf, hidden)
        elif hidden:
            before, after = (None if value is None else masked(compact(value)) for value in (leaf.before, leaf.after))
            yield _turned(leaf.path, before, after)
        elif any(isinstance(each, list) and each for each in (leaf.before, leaf.after)):
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
        read = self._allowance.read
        old, new = (None if value is None else read(value) for value in (leaf.before, leaf.after))
        if hidden:
            yield _turned(leaf.path, _hidden(old), _hidden(new))
        elif old is not None and new is not None and old.is_same_as(new):
            yield f"{leaf.path}: the same bytes, said in another way"
        elif old is None or new is None or old.what != new.what or old.said != new.said:
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
        if old is None or new is None:
            sign, whole = ("-", old) if new is None else ("+", new)
            count = _count(whole)
            yield from (f"  {sign}{line}" for line in islice(self._lines(whole), _MOST_SHOWN))
            if count > _MOST_SHOWN:
                yield f"  ... and {count - _MOST_SHOWN} more lines"
            return
        count = _count(old) + _count(new)
        if count > _MOST_COMPARED:
            yield "  too long to be compared line by line"
        elif count > self._allowance.lines:
            yield f"  not compared line by line, beyond the {_MOST_COMPARED_IN_ALL} lines of all contents that are"
        else:
            self._allowance.lines -= count
            before, after = (list(self._lines(each)) for each in (old, new))
            compared = unified_diff(before, after, lineterm="", n=3)
            yield from (f"  {line}" for line in islice(compared, 2, None))  # the first two would name files

    def _lines(self, contents: Contents | None) -> Iterator[str]:
        if contents is None or not contents.text:
            return
        lines = contents.text.split("\n")
        ends = not lines[-1]
        if ends:
            lines.pop()
        for number, line in enumerate(lines if self._show else lines_without_secrets(lines), 1):
            yield line if ends or number < len(lines) else f"{line} (no line feed at the end)"

    def _items(self, leaf: Leaf) -> Iterator[str]:
        old, new = (value if isinstance(value, list) else [] for value in (leaf.before, leaf.after))
        gone, left = _apart(old, new)
        added, kept = _apart(new, old)
        order = "in another order" if [*map(compact, left)] != [*map(compact, kept)] else ""
        yield f"{leaf.path}: {order}" if order and not (gone or added) else f"{leaf.path}:"
        yield from (f"  -{self._value(leaf.path, item)}" for item in gone)
        yield from (f"  +{self._value(leaf.path, item)}" for item in added)
        if order and (gone or added):
            yield f"  the others {order}"

    def _value(self, path: str, value: JSON) -> str | None:
        if value is None:
            return None
        if path.endswith("mode") and isinstance(value, int):
            return f"{value:04o}"
        text = value if isinstance(value, str) else compact(value)
        return self._plain(text) if text else '""'

    def _plain(self, text: str) -> str:
        return text if self._show else without_secrets(text)


def _count(contents: Contents | None) -> int:
    """Return how many lines a text has."""
    text = contents.text if contents is not None else None
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _apart(items: Sequence[JSON], others: Sequence[JSON]) -> tuple[list[JSON], list[JSON]]:
    """Return the items that others have not, or not as often, and the rest.

    >>> _apart(["a", "b", "a"], ["a", "b"])
    (['a'], ['a', 'b'])
    """
    there = Counter(map(compact, others))
    apart: list[JSON] = []
    rest: list[JSON] = []
    for item in items:
        text = compact(item)
        (rest if there[text] else apart).append(item)
        there[text] -= bool(there[text])
    return apart, rest


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
    return "\t".join(piece if piece.isprintable() else printable(piece) for piece in line.split("\t"))
