"""What can be wrong with a config, a version or a data URL. Nothing else is raised by this package."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeAlias

from mcs.ignition.report import Entry, Kind, Path, Report, path_text

if TYPE_CHECKING:
    from mcs.ignition.versions import SpecVersion

__all__ = [
    "DuplicateDropin",
    "DuplicateInode",
    "DuplicateMount",
    "DuplicateUnit",
    "EmptyConfig",
    "IgnitionError",
    "InvalidConfig",
    "InvalidDataURL",
    "InvalidVersion",
    "NetworkdUsed",
    "NoFilesystem",
    "NotJSON",
    "Problem",
    "SectorsUsed",
    "UnknownVersion",
    "Unsayable",
    "Unsupported",
    "UnsupportedFeatures",
    "Untranslatable",
    "UsesOwnLink",
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


@dataclass(frozen=True, slots=True)
class NetworkdUsed:
    """Spec 3 has no networkd section. path: the section's units."""

    path: str

    def __str__(self) -> str:
        return f"{self.path}: spec 3 has no networkd section, its units are files of it"


@dataclass(frozen=True, slots=True)
class SectorsUsed:
    """A partition's size or start is in sectors, which spec 3 does not know. In 2.0 to 2.2 they always are."""

    path: str

    def __str__(self) -> str:
        return f"{self.path}: size and start are in sectors, spec 3 has MiB only"


@dataclass(frozen=True, slots=True)
class NoFilesystem:
    """No mount point is known for a filesystem. path: the filesystem, or the file, directory or link in it."""

    path: str
    name: str

    def __str__(self) -> str:
        return f'{self.path}: no mount point is given for the filesystem "{self.name}"'


@dataclass(frozen=True, slots=True)
class DuplicateInode:
    """Two files, directories or links have one path. old, new: what each is, and the path: `File: /a`."""

    path: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}: {self.new} is there already as {self.old}"


@dataclass(frozen=True, slots=True)
class DuplicateMount:
    """Two filesystems are mounted at one place. path: the later one; mount: where; old, new: their names, maybe one."""

    path: str
    mount: str
    old: str
    new: str

    def __str__(self) -> str:
        return f'{self.path}: the filesystem "{self.new}" is mounted at {self.mount}, where "{self.old}" is already'


@dataclass(frozen=True, slots=True)
class UsesOwnLink:
    """A file, directory or link lies below a link of the same config. name: `File: /a/b`; link: `/a`."""

    path: str
    name: str
    link: str

    def __str__(self) -> str:
        return f"{self.path}: {self.name} lies below the link {self.link}"


@dataclass(frozen=True, slots=True)
class DuplicateUnit:
    """Two systemd units have one name. path: the later one."""

    path: str
    name: str

    def __str__(self) -> str:
        return f'{self.path}: the unit "{self.name}" is there already'


@dataclass(frozen=True, slots=True)
class DuplicateDropin:
    """Two drop-ins of a unit have one name. path: the later one."""

    path: str
    unit: str
    name: str

    def __str__(self) -> str:
        return f'{self.path}: the drop-in "{self.name}" of the unit "{self.unit}" is there already'


@dataclass(frozen=True, slots=True)
class Unsayable:
    """Spec 2 says something that no spec 3 can say. field: what it is, in words."""

    path: str
    field: str

    def __str__(self) -> str:
        return f"{self.path}: spec 3 has no {self.field}"


Problem: TypeAlias = (
    SectorsUsed
    | NetworkdUsed
    | NoFilesystem
    | DuplicateInode
    | DuplicateMount
    | UsesOwnLink
    | DuplicateUnit
    | DuplicateDropin
    | Unsayable
    | Unsupported
)


class Untranslatable(IgnitionError):
    """The config of spec 2 cannot be said in spec `to`, one of 3.x.

    problems: every reason, never empty; sectors first, then networkd, filesystems, files, directories, links, units,
    and last what is not said in any spec 3 (Unsayable) or only in a later one (Unsupported).
    """

    def __init__(self, to: "SpecVersion", problems: tuple[Problem, ...]) -> None:
        super().__init__(to, problems)
        self.to = to
        self.problems = problems

    def __str__(self) -> str:
        return f"not to be said in spec {self.to}: " + "; ".join(map(str, self.problems))


class InvalidDataURL(IgnitionError):
    """The text is no data URL. message: why, in Ignition's words; detail: more, in ours. Neither shows the data."""

    def __init__(self, message: str, detail: str) -> None:
        super().__init__(message, detail)
        self.message = message
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.message} ({self.detail})"
