"""Which of many paths lie above one: links, or mount points, above files. Pure."""

from bisect import bisect_left
from collections.abc import Collection, Iterator

__all__ = ["Paths"]


class Paths:
    """Paths to be looked for above others; built once, asked often. Whole names count: /a is not above /ab."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        # Only what is as long as one of them is cut off a path: a long one may have very many elements.
        self._lengths = sorted({len(path) for path in paths})

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def above(self, path: str) -> Iterator[str]:
        """Yield those that stand before a slash of the path, the nearest first.

        >>> list(Paths({"/a", "/a/b/c", "/a/b", "/ab"}).above("/a/b/c"))
        ['/a/b', '/a']
        """
        for length in reversed(self._lengths[: bisect_left(self._lengths, len(path))]):
            if path.startswith("/", length) and path[:length] in self._paths:
                yield path[:length]
