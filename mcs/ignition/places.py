"""Where a path leads: in a config, in the config's own spelling and order, and among mounted filesystems. Pure."""

import posixpath
from collections.abc import Iterator, Mapping

from mcs.jsondata import JSON, JSONObject

__all__ = ["Places", "full_path"]


def full_path(mount: str, path: str) -> str:
    """Return the path of a node of a filesystem from the root on, simplified.

    >>> full_path("/mnt/q/", "//a/../b/"), full_path("/", "/")
    ('/mnt/q/b', '/')
    """
    return "/" + posixpath.normpath(f"/{mount}/{path}").lstrip("/")


class Places:
    """The places in one config, for paths written in known names; clients take names in any case.

    Made once and asked often: the members of an object are looked through once. The config must not change meanwhile.
    """

    def __init__(self, config: JSONObject) -> None:
        self._config = config
        self._members: dict[int, Mapping[str, tuple[str, int]]] = {}  # by the object's identity

    def spelled(self, path: str) -> str:
        """Return a path as the config writes it.

        >>> Places({"Storage": {"files": [{"PATH": "/a"}]}}).spelled("$.storage.files.0.path")
        '$.Storage.files.0.PATH'
        """
        return ".".join(["$", *(name for name, _ in self._steps(path))])

    def order(self, path: str) -> list[int]:
        """Return a key that sorts paths by their place in the config, an object before what is in it.

        >>> places = Places({"b": [{}, {}], "a": 1})
        >>> sorted(["$.a", "$.b.1", "$.b"], key=places.order)
        ['$.b', '$.b.1', '$.a']
        """
        return [position for _, position in self._steps(path)]

    def _steps(self, path: str) -> Iterator[tuple[str, int]]:
        """Yield each step of a path that leads somewhere: its name or index, and its position among its siblings."""
        value: JSON = self._config
        for step in path.split(".")[1:]:
            if isinstance(value, dict):
                name, position = self._members_of(value)[step.casefold()]
                yield name, position
                value = value[name]
            elif isinstance(value, list):
                yield step, int(step)
                value = value[int(step)]

    def _members_of(self, value: JSONObject) -> Mapping[str, tuple[str, int]]:
        """Return the names and positions of an object's members, by what remains of a name where case does not count.

        No two spell one known name: a walk along the table refuses that.
        """
        if id(value) not in self._members:
            names = enumerate(value)
            self._members[id(value)] = {str(name).casefold(): (name, position) for position, name in names}
        return self._members[id(value)]
