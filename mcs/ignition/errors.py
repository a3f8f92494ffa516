"""What can be wrong with a config, a version or a data URL. Nothing else is raised by this package."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

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
    """The version text is no semantic version. text: empty where there is none."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        if not self.text:
            return "the version is missing: it names the spec, such as 3.4.0"
        return f"{self.text!r} is no version: three numbers are expected, such as 3.2.0"


class UnknownVersion(IgnitionError):
    """The version text is well-formed, but names no spec that will do. message: why, if not because nobody knows it."""

    def __init__(self, text: str, message: str = "") -> None:
        super().__init__(text, message)
        self.text = text
        self.message = message or f"Ignition spec {text} is not known here"

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that keeps a config from being said in another spec. path: where the config says it.

    The kinds of problems are classes below this one, each with its words for people, in which {0} is the problem.
    """

    words: ClassVar[str]

    path: str

    @property
    def message(self) -> str:
        """What the problem is, in words."""
        return self.words.format(self)

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass(frozen=True, slots=True)
class Unsupported(Problem):
    """A spec lacks it. field: what it is, in words; since: the first spec that can say it."""

    words = "{0.field}, since {0.since}"

    field: str
    since: "SpecVersion"

    def __str__(self) -> str:
        return f"{self.path} ({self.message})"


class UnsupportedFeatures(IgnitionError):
    """The config cannot be said in spec `to`. features: every reason, in the config's own order; never empty."""

    def __init__(self, to: "SpecVersion", features: tuple[Unsupported, ...]) -> None:
        super().__init__(to, features)
        self.to = to
        self.features = features

    def __str__(self) -> str:
        return f"spec {self.to} lacks " + "; ".join(map(str, self.features))


@dataclass(frozen=True, slots=True)
class NetworkdUsed(Problem):
    """Spec 3 has no networkd section. path: the section's units."""

    words = "spec 3 has no networkd section, its units are files of it"


@dataclass(frozen=True, slots=True)
class SectorsUsed(Problem):
    """A partition's size or start is in sectors, which spec 3 does not know. In 2.0 to 2.2 they always are."""

    words = "size and start are in sectors, spec 3 has MiB only"


@dataclass(frozen=True, slots=True)
class NoFilesystem(Problem):
    """No mount point is known for a filesystem. path: the filesystem, or the file, directory or link in it."""

    words = 'no mount point is given for the filesystem "{0.name}"'

    name: str


@dataclass(frozen=True, slots=True)
class DuplicateInode(Problem):
    """Two files, directories or links have one path. old, new: what each is, and the path: `File: /a`."""

    words = "{0.new} is there already as {0.old}"

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class DuplicateMount(Problem):
    """Two filesystems are mounted at one place. path: the later one; mount: where; old, new: their names, maybe one."""

    words = 'the filesystem "{0.new}" is mounted at {0.mount}, where "{0.old}" is already'

    mount: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class UsesOwnLink(Problem):
    """A file, directory or link lies below a link of the same config. name: `File: /a/b`; link: `/a`."""

    words = "{0.name} lies below the link {0.link}"

    name: str
    link: str


@dataclass(frozen=True, slots=True)
class DuplicateUnit(Problem):
    """Two systemd units have one name. path: the later one."""

    words = 'the unit "{0.name}" is there already'

    name: str


@dataclass(frozen=True, slots=True)
class DuplicateDropin(Problem):
    """Two drop-ins of a unit have one name. path: the later one."""

    words = 'the drop-in "{0.name}" of the unit "{0.unit}" is there already'

    unit: str
    name: str


@dataclass(frozen=True, slots=True)
class Unsayable(Problem):
    """Spec 2 says something that no spec 3 can say. field: what it is, in words."""

    words = "spec 3 has no {0.field}"

    field: str


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
