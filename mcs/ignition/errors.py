"""What can be wrong with a config, a version or a data URL. Nothing else is raised by this package."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from mcs.ignition.report import Entry, Kind, Path, Report, path_text

if TYPE_CHECKING:
    from mcs.ignition.versions import SpecVersion

__all__ = [
    "EmptyConfig",
    "IgnitionError",
    "InvalidConfig",
    "InvalidDataURL",
    "InvalidVersion",
    "NotJSON",
    "UnknownVersion",
    "Unsupported",
    "UnsupportedFeatures",
]


class IgnitionError(ValueError):
    """Any error of this package."""


class EmptyConfig(IgnitionError):
    """The text is empty. A client that gets it ends with no config at all."""

    def __str__(self) -> str:
        return "the config is empty"


class InvalidConfig(IgnitionError):
    """The document is no valid Ignition config. report: why, and whatever else is said of it; at least one error."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.report = report

    @classmethod
    def at(cls, path: Path, message: str) -> Self:
        """Make the error with a single entry."""
        return cls(Report((Entry(Kind.ERROR, path, message),)))

    @property
    def path(self) -> str:
        """Where the first error is, `$.storage.files.0.mode`."""
        return path_text(self.report.errors[0].path)

    @property
    def message(self) -> str:
        """What the first error says."""
        return self.report.errors[0].message

    def __str__(self) -> str:
        return "; ".join(f"{path_text(entry.path)}: {entry.message}" for entry in self.report.errors)


class NotJSON(InvalidConfig):
    """The text is no JSON document. The report's one entry says why and, at its position, where."""


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
