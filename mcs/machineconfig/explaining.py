"""Which MachineConfig something in a rendered config comes from, and which it overrode, in the order of merging.

Pure: it knows the MachineConfigs as `component` read them, and what was rendered of them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from mcs.ignition.fields import Struct, Type
from mcs.ignition.schema import CONFIG
from mcs.jsondata import JSON, JSONObject, compact, lookup, object_at
from mcs.machineconfig.components import DEFAULT_KERNEL, Component
from mcs.machineconfig.subjects import ARGUMENTS, Subject, leaves, place_of, subjects

__all__ = ["Contribution", "Explanation", "ForeignHeader", "explain", "is_known", "near"]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one MachineConfig says of a subject, by the paths of members.

    new: said by nobody before it; added: to a list; repeated: as somebody before it said, so that it adds nothing.
    replaced, removed: with the MachineConfig that said it before. instead_of: a subject of another kind at the same
    path, which it takes away.
    """

    machine_config: str
    kind: str
    new: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    removed: tuple[tuple[str, str], ...] = ()
    instead_of: tuple[Subject, str] | None = None


@dataclass(frozen=True, slots=True)
class ForeignHeader:
    """An HTTP header of one MachineConfig that is sent to where another one says the source is."""

    path: str
    said_by: str
    source_of: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a subject comes from. contributions: in the order of merging; none where the renderer's default stands.

    foreign_headers: what nobody may have meant. dropins: of a unit, as they are asked for; they are no part of it.
    """

    subject: Subject
    contributions: tuple[Contribution, ...]
    foreign_headers: tuple[ForeignHeader, ...] = ()
    dropins: tuple[str, ...] = ()


# One path on a machine: what comes later takes away what is there, whatever kind it is.
_ONE_PLACE = ("file", "directory", "link")

_MOST_NAME = 200  # characters of a name that is looked for among others
_CONFIG = "config"
_MEMBERS = ("osImageURL", "baseOSExtensionsContainerImage", "kernelArguments", "extensions", "fips", "kernelType")


def explain(what: str, parts: Sequence[Component], spec: JSONObject) -> list[Explanation]:
    """Return where everything of a name comes from. parts: in the order of merging; spec: what was rendered from them.

    what: a path, a unit, UNIT/DROP-IN, a user or group, a device, an argument or an extension; or a member such as
    osImageURL, extensions, config.ignition.timeouts or config.storage.files, for all that is in it.
    Empty where the rendered config has nothing of that name.
    """
    said = [(part.name, subjects(_said(part, spec))) for part in parts]
    rendered = subjects(spec)
    dropins: dict[Subject, list[str]] = defaultdict(list)
    for subject in rendered:
        if subject.kind == "drop-in":
            dropins[Subject("unit", subject.name.partition("/")[0])].append(subject.name)
    return [
        Explanation(
            subject,
            tuple(_contributions(subject, said, rendered[subject])),
            tuple(_foreign_headers(subject, said, rendered)),
            tuple(dropins[subject]),
        )
        for subject in rendered
        if _is(what, subject)
    ]


def near(what: str, spec: JSONObject) -> str | None:
    """Return the name in a rendered spec that is most like one that is not there."""
    if len(what) > _MOST_NAME:
        return None
    names = [subject.name for subject in subjects(spec) if len(subject.name) <= _MOST_NAME]
    return next(iter(get_close_matches(what, names, n=1)), None)


def is_known(what: str) -> bool:
    """Tell whether this is a member that a rendered spec may have, by its path.

    >>> is_known("config.ignition.timeouts.httpTotal"), is_known("config.ignition.timeout")
    (True, False)
    """
    first, *steps = what.split(".")
    if first != _CONFIG:
        return what in _MEMBERS
    kind: Type = CONFIG
    for step in steps:
        if not isinstance(kind, Struct) or step not in kind.fields:
            return False
        kind = kind.fields[step].type
    return True


def _is(what: str, subject: Subject) -> bool:
    path = tuple(what.split("."))
    return subject.name == what or place_of(subject)[: len(path)] == path


def _said(part: Component, rendered: JSONObject) -> JSONObject:
    """Return what a MachineConfig says that counts, in the shape of a spec."""
    config = part.config or {}
    ignition = {name: value for name, value in object_at(config, "ignition").items() if name != "version"}
    spec: JSONObject = {
        _CONFIG: {**config, "ignition": ignition},
        "kernelArguments": list(part.kernel_arguments),
        "extensions": list(part.extensions),
    }
    fips = lookup(part.manifest, "fips")
    if isinstance(fips, bool) and fips is rendered.get("fips"):  # one that says true outweighs all that say false
        spec["fips"] = fips
    if part.kernel_type not in ("", DEFAULT_KERNEL):
        spec["kernelType"] = part.kernel_type
    for name, image in (("osImageURL", part.os_image), ("baseOSExtensionsContainerImage", part.extensions_image)):
        if image and not part.generated:
            spec[name] = image
    return spec


_Said = Sequence[tuple[str, Mapping[Subject, JSON]]]  # by each MachineConfig, in the order of merging


# ---- who says what


def _contributions(subject: Subject, said: _Said, rendered: JSON) -> Iterator[Contribution]:
    places = [Subject(kind, subject.name) for kind in _ONE_PLACE] if subject.kind in _ONE_PLACE else [subject]
    story = _Story(leaves(rendered, apart=True))
    holder: tuple[Subject, str] | None = None
    for name, about in said:
        for place in places:
            if place not in about:
                continue
            instead_of = holder if holder is not None and holder[0] != place else None
            if instead_of is not None:
                story.holders.clear()
            yield story.contribution(name, place, leaves(about[place], apart=True), instead_of)
            holder = (place, name)


# What describes a file's source goes with it when another one comes.
_SOURCE = "contents.source"
_COMPRESSION = "contents.compression"
_OF_SOURCE = (_COMPRESSION, "contents.verification.hash")


@dataclass(slots=True)
class _Story:
    """What has been said of a subject so far. rendered: what came of it in the end; holders: who said what last."""

    rendered: Mapping[str, JSON]
    holders: dict[str, tuple[str, JSON]] = field(default_factory=dict)

    def contribution(
        self, name: str, place: Subject, said: Mapping[str, JSON], instead_of: tuple[Subject, str] | None
    ) -> Contribution:
        """Sort what is said by what it does to what was said before, and take it in."""
        new: list[str] = []
        added: list[str] = []
        repeated: list[str] = []
        replaced: list[tuple[str, str]] = []
        removed = tuple((path, self.holders.pop(path)[0]) for path in self._removed_by(said))
        for path, value in said.items():
            if self._does_nothing(path, value):
                continue
            earlier = self.holders.get(path)
            stays = value
            if earlier is None:
                new.append(path)
            elif isinstance(value, list) or place.kind in ARGUMENTS.values():
                (added if self._adds(path, value) else repeated).append(path)
                stays = _together(earlier[1], value)
            elif earlier[1] == value:
                repeated.append(path)
                continue  # whoever said it first goes on being the one it is from
            else:
                replaced.append((path, earlier[0]))
            self.holders[path] = (name, stays)
        return Contribution(
            name, place.kind, tuple(new), tuple(added), tuple(repeated), tuple(replaced), removed, instead_of
        )

    def _removed_by(self, said: Mapping[str, JSON]) -> list[str]:
        gone = [path for path in _OF_SOURCE if not said.get(path)] if _SOURCE in said else []
        gone += [path for path, value in said.items() if _takes_away(path, value)]
        return [path for path in gone if path in self.holders]

    def _does_nothing(self, path: str, value: JSON) -> bool:
        """Tell whether a value gives nothing: of a header that is taken away, or a packing that merging leaves out."""
        return _takes_away(path, value) or (path == _COMPRESSION and value == "" and self.rendered.get(path) != "")

    def _adds(self, path: str, value: JSON) -> bool:
        """Tell whether the rendered config has more by this: something for the first time, or once more."""
        rendered = self.rendered.get(path)
        if not isinstance(value, list):
            return rendered != 1
        before = self.holders[path][1]
        known = {compact(item) for item in before} if isinstance(before, list) else set()
        counts = Counter(compact(item) for item in rendered) if isinstance(rendered, list) else Counter()
        return any(compact(item) not in known or counts[compact(item)] > 1 for item in value)


def _together(earlier: JSON, value: JSON) -> JSON:
    return [*earlier, *value] if isinstance(earlier, list) and isinstance(value, list) else value


# ---- HTTP headers

_HEADER = re.compile(r"(?P<resource>(?:.*\.)?)httpHeaders\[.*\]", re.DOTALL)


def _takes_away(path: str, value: JSON) -> bool:
    """Tell whether this is an HTTP header without a value."""
    return isinstance(value, dict) and value.get("value") is None and _HEADER.fullmatch(path) is not None


def _foreign_headers(subject: Subject, said: _Said, rendered: Mapping[Subject, JSON]) -> Iterator[ForeignHeader]:
    """Yield the HTTP headers that no MachineConfig says together with the source that they are sent to."""
    final = _with_source(subject, rendered)
    headers = {path: header for path in final if (header := _HEADER.fullmatch(path)) is not None}
    parts = [(name, _with_source(subject, about)) for name, about in said] if headers else []
    for path, header in headers.items():
        source = f"{header['resource']}source"
        senders = [name for name, about in parts if about.get(path) == final[path]]
        places = [name for name, about in parts if source in about and about[source] == final.get(source)]
        if senders and places and not {*senders} & {*places}:
            yield ForeignHeader(path, senders[-1], places[-1])


def _with_source(subject: Subject, about: Mapping[Subject, JSON]) -> Mapping[str, JSON]:
    """Return the leaves of a subject; a member that is the headers of a source has that beside it."""
    resource, _, member = subject.name.rpartition(".")
    if subject.kind != "member" or member != "httpHeaders":
        return leaves(about.get(subject), apart=True)
    source = about.get(Subject("member", f"{resource}.source"))
    return leaves({member: about.get(subject), "source": source}, apart=True)
