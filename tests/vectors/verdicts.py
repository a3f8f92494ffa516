"""What comes of a case, and how two reports are compared."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from mcs.ignition import Entry, Report
from mcs.jsondata import JSON
from tests.vectors.cases import Malformed

__all__ = ["Said", "Verdict", "is_same", "said", "wanted_entries"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a case passes. expected, actual: JSON for people. deviation: by which listed one it passes, if by any."""

    passes: bool
    expected: JSON
    actual: JSON
    deviation: str | None = None


class Said(NamedTuple):
    """One entry of a report. path: None where the reference gives none. message: None where any will do."""

    kind: str
    path: tuple[str | int, ...] | None
    message: str | None

    def as_json(self) -> JSON:
        """Return it as the vectors write it."""
        members: dict[str, JSON] = {"kind": self.kind}
        if self.path is not None:
            members["path"] = list(self.path)
        return {**members, "message": self.message}


def said(report: Report, *, with_paths: bool = True) -> list[Said]:
    """Return what a report of ours says."""
    return [_said(entry, with_paths) for entry in report.entries]


def _said(entry: Entry, with_paths: bool) -> Said:
    return Said(str(entry.kind), entry.path if with_paths else None, entry.message)


def wanted_entries(entries: JSON, *, with_paths: bool = True) -> list[Said]:
    """Read a report of the vectors. Raises Malformed."""
    if not isinstance(entries, list):
        raise Malformed("a report of it is no list")
    found = []
    for entry in entries:
        if not isinstance(entry, dict):
            raise Malformed("an entry of its report is no object")
        kind, path, message = entry.get("kind"), entry.get("path"), entry.get("message")
        if not isinstance(kind, str) or not (message is None or isinstance(message, str)):
            raise Malformed("an entry of its report has no kind, or its message is no text")
        if with_paths and not isinstance(path, list):
            raise Malformed("an entry of its report has no path")
        keys = [key for key in path if isinstance(key, (str, int))] if isinstance(path, list) else []
        found.append(Said(kind, tuple(keys) if with_paths else None, message))
    return found


def is_same(wanted: Iterable[Said], actual: Iterable[Said], is_foreign: Callable[[Said], bool]) -> bool:
    """Compare two reports as multisets.

    is_foreign: whether the text of a wanted entry is a library's, so that only its kind and path count.
    """
    left, right = Counter(wanted), Counter(actual)
    missing, surplus = left - right, right - left
    loose = Counter[tuple[str, tuple[str | int, ...] | None]]()
    for entry, count in missing.items():
        if entry.message is not None and not is_foreign(entry):
            return False
        loose[entry.kind, entry.path] += count
    for entry, count in surplus.items():
        loose[entry.kind, entry.path] -= count
    return not any(loose.values())
