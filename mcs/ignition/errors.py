"""What can be wrong with a config, a version or a data URL. Nothing else is raised by this package."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcs.ignition.versions import SpecVersion

__all__ = [
    "IgnitionError",
    "InvalidConfig",
    "InvalidDataURL",
    "InvalidVersion",
    "UnknownVersion",
    "Unsupported",
    "UnsupportedFeatures",
    "path_text",
]


def path_text(keys: Iterable[str | int]) -> str:
    """Return a path as people read it: `$`, then member names and list indexes, each after a dot.

    >>> path_text(["storage", "files", 0, "path"])
    '$.storage.files.0.path'
    """
    return ".".join(["$", *map(str, keys)])


class IgnitionError(ValueError):
    """Any error of this package."""


class InvalidConfig(IgnitionError):
    """The document is no Ignition config: a value has the wrong type. path: where, `$.storage.files.0.mode`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(path, message)
        self.path = path
        self.message = message

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class InvalidVersion(IgnitionError):
    """The version text is no semantic version."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"{self.text!r} is no version: three numbers are expected, such as 3.2.0"


class UnknownVersion(IgnitionError):
    """The version text is well-formed, but there is no such spec, or it is not spoken here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"Ignition spec {self.text} is not known here"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """One thing that a spec cannot say.

    path: where the config says it; field: what it is, in words; since: the first spec that can say it.
    """

    path: str
    field: str
    since: "SpecVersion"

    def __str__(self) -> str:
        return f"{self.path} ({self.field}, since {self.since})"


class UnsupportedFeatures(IgnitionError):
    """The config cannot be said in spec `to`. features: every reason, in the config's own order; never empty."""

    def __init__(self, to: "SpecVersion", features: tuple[Unsupported, ...]) -> None:
        super().__init__(to, features)
        self.to = to
        self.features = features

    def __str__(self) -> str:
        return f"spec {self.to} lacks " + "; ".join(map(str, self.features))


class InvalidDataURL(IgnitionError):
    """The text is no data URL."""
