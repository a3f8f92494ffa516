"""Where in its text a config says something: paths to lines and columns. Pure.

Only what is asked for is looked at closely; the rest of the text is skipped by the standard library's scanner.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from json import JSONDecoder
from typing import TypeAlias

from mcs.ignition.report import Path, Position

__all__ = ["locate", "places"]

_Wanted: TypeAlias = "dict[str | int, _Wanted]"


def locate(text: str, values: Iterable[Path], keys: Iterable[Path] = ()) -> dict[Path, Position]:
    """Return where each path is.

    The places are those that Ignition's own report gives, but count characters, not bytes: of `values` the first
    character, or where that opens an object or list the next one; of `keys` the quote before the member's name. What
    the text does not have is where the innermost object or list is that would hold it. Of members that an object has
    twice the last one counts.

    text: one that decode() returned. A text nested almost too deeply to decode may get the places of outer values only.

    >>> text = '{"storage": {"files": [{"path": "a", "mod": 420}]}}'
    >>> locate(text, [("storage", "files", 0, "path"), ("storage", "disks")], [("storage", "files", 0, "mod")])
    {('storage', 'files', 0, 'path'): Position(line=1, column=33), ('storage', 'disks'): Position(line=1, column=14), \
('storage', 'files', 0, 'mod'): Position(line=1, column=38)}
    """
    values, keys = list(values), list(keys)
    search = _Search(text)
    with suppress(RecursionError):  # by then it has found the outer ones
        search.value(_after_space(text, 0), _tree([*values, *keys]), ())
    offsets = {path: search.offset_of_value(path) for path in values}
    offsets |= {path: search.offset_of_key(path) for path in keys}
    found = places(text, set(offsets.values()))
    return {path: found[offset] for path, offset in offsets.items()}


def places(text: str, offsets: Iterable[int]) -> dict[int, Position]:
    """Return line and column of characters; a line ends with a line feed.

    >>> places('{\\n  "a": 1}', [4])
    {4: Position(line=2, column=3)}
    """
    found: dict[int, Position] = {}
    line, start_of_line, counted = 1, 0, 0
    for offset in sorted(offsets):
        line += text.count("\n", counted, offset)
        start_of_line = max(start_of_line, text.rfind("\n", counted, offset) + 1)
        counted = offset
        found[offset] = Position(line, offset - start_of_line + 1)
    return found


class _Search:
    """One pass over a text. value_offsets, key_offsets: what it has found, by path."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.value_offsets: dict[Path, int] = {}
        self.key_offsets: dict[Path, int] = {}

    def value(self, start: int, wanted: _Wanted, path: Path) -> int:
        """Look at the value at `start` for what is wanted of it; return where it ends."""
        opening = self.text[start]
        self.value_offsets[path] = start + 1 if opening in "{[" else start
        if opening == "{" and wanted:
            return self._object(start, wanted, path)
        if opening == "[" and wanted:
            return self._list(start, wanted, path)
        return _end(self.text, start)

    def _object(self, start: int, wanted: _Wanted, path: Path) -> int:
        text = self.text
        place = _after_space(text, start + 1)
        while text[place] != "}":
            key_start = place
            key, place = _SCANNER.raw_decode(text, place)
            place = _after_space(text, _after_space(text, place) + len(":"))
            if key in wanted:
                self.key_offsets[(*path, key)] = key_start
                place = self.value(place, wanted[key], (*path, key))
            else:
                place = _end(text, place)
            place = _after_comma(text, place)
        return place + 1

    def _list(self, start: int, wanted: _Wanted, path: Path) -> int:
        text = self.text
        place = _after_space(text, start + 1)
        index = 0
        while text[place] != "]":
            place = self.value(place, wanted[index], (*path, index)) if index in wanted else _end(text, place)
            place = _after_comma(text, place)
            index += 1
        return place + 1

    def offset_of_value(self, path: Path) -> int:
        while path and path not in self.value_offsets:
            path = path[:-1]
        return self.value_offsets[path]

    def offset_of_key(self, path: Path) -> int:
        found = self.key_offsets.get(path)
        return self.offset_of_value(path) if found is None else found


def _tree(paths: Iterable[Path]) -> _Wanted:
    root: _Wanted = {}
    for path in paths:
        node = root
        for step in path:
            node = node.setdefault(step, {})
    return root


# Numbers stay text: nobody wants them, and some cannot be read.
_SCANNER = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_SPACE = re.compile(r"[ \t\n\r]*")


def _end(text: str, start: int) -> int:
    return _SCANNER.raw_decode(text, start)[1]


def _after_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    assert match is not None  # it matches nothing, too
    return match.end()


def _after_comma(text: str, start: int) -> int:
    """Return where the next member or item begins, or the closing bracket is."""
    place = _after_space(text, start)
    return _after_space(text, place + 1) if text[place] == "," else place
