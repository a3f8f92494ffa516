"""What is said of a config: entries with kind, path, message and, where the input was text, line and column. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

__all__ = ["Entry", "Kind", "Path", "Position", "Report", "path_text"]

Path: TypeAlias = tuple[str | int, ...]


def path_text(keys: Iterable[str | int]) -> str:
    """Return a path as people read it: `$`, then member names and list indexes, each after a dot.

    >>> path_text(["storage", "files", 0, "path"])
    '$.storage.files.0.path'
    """
    return ".".join(["$", *map(str, keys)])


class Kind(StrEnum):
    """How grave an entry is. Only an error makes a config invalid; spec 2 alone knows info and deprecated."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text. line, column: from 1; the column counts characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing said of a config. path: member names and indexes from the root; position: None where there is no text.

    >>> print(Entry(Kind.ERROR, ("storage", "files", 0, "path"), "path not absolute", Position(1, 61)))
    error at $.storage.files.0.path, line 1 col 61: path not absolute
    """

    kind: Kind
    path: Path
    message: str
    position: Position | None = None

    def __str__(self) -> str:
        place = "" if self.position is None else f", line {self.position.line} col {self.position.column}"
        return f"{self.kind} at {path_text(self.path)}{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """All that is said of one config, in a stable order: types and rules first, then duplicates, then unknown members.

    True where anything is said at all.
    """

    entries: tuple[Entry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __str__(self) -> str:
        return "\n".join(map(str, self.entries))

    @property
    def errors(self) -> tuple[Entry, ...]:
        """The entries that make the config invalid."""
        return tuple(entry for entry in self.entries if entry.kind is Kind.ERROR)

    @property
    def is_valid(self) -> bool:
        """Whether a client accepts the config."""
        return not self.errors
