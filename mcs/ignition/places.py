"""Where a path leads: in a config, in the config's own spelling and order, and among mounted filesystems. Pure."""

import posixpath

from mcs.jsondata import JSON, JSONObject

__all__ = ["full_path", "order_at", "spelled"]


def full_path(mount: str, path: str) -> str:
    """Return the path of a node of a filesystem from the root on, simplified.

    >>> full_path("/mnt/q/", "//a/../b/"), full_path("/", "/")
    ('/mnt/q/b', '/')
    """
    return "/" + posixpath.normpath(f"/{mount}/{path}").lstrip("/")


def spelled(config: JSONObject, path: str) -> str:
    """Return a path written in known names as the config writes it; clients take names in any case.

    >>> spelled({"Storage": {"files": [{"PATH": "/a"}]}}, "$.storage.files.0.path")
    '$.Storage.files.0.PATH'
    """
    return ".".join(["$", *(name for name, _ in _steps(config, path))])


def order_at(config: JSONObject, path: str) -> list[int]:
    """Return a key that sorts paths by their place in the config, an object before what is in it."""
    return [position for _, position in _steps(config, path)]


def _steps(config: JSONObject, path: str) -> list[tuple[str, int]]:
    """Return each step of a path that leads somewhere: its name or index, and its position among its siblings."""
    steps: list[tuple[str, int]] = []
    value: JSON = config
    for step in path.split(".")[1:]:
        if isinstance(value, dict):
            names = list(value)
            name = step if step in value else next(name for name in names if name.casefold() == step.casefold())
            steps.append((name, names.index(name)))
            value = value[name]
        elif isinstance(value, list):
            steps.append((step, int(step)))
            value = value[int(step)]
    return steps
