"""Which MachineConfig something in a rendered config comes from, and which it overrode, in the order of merging.

Pure: it knows the MachineConfigs as `component` read them, and what was rendered of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.components import DEFAULT_KERNEL, Component
from mcs.machineconfig.subjects import ARGUMENTS, Subject, leaves, subjects

__all__ = ["Contribution", "Explanation", "explain", "near"]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one MachineConfig says of a subject, by the paths of members.

    new: said by nobody before it; added: to a list; repeated: as somebody before it said. replaced: with the
    MachineConfig that said it before. instead_of: a subject of another kind at the same path, which it takes away.
    """

    machine_config: str
    kind: str
    new: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    instead_of: tuple[Subject, str] | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a subject comes from. contributions: in the order of merging; none where the renderer's default stands."""

    subject: Subject
    contributions: tuple[Contribution, ...]


# One path on a machine: what comes later takes away what is there, whatever kind it is.
_ONE_PLACE = ("file", "directory", "link")


def explain(what: str, parts: Sequence[Component], spec: JSONObject) -> list[Explanation]:
    """Return where everything of a name comes from. parts: in the order of merging; spec: what was rendered from them.

    what: a path, a unit, UNIT/DROP-IN, a user or group, a device, an argument or an extension; a member such as
    osImageURL or config.ignition.timeouts.httpTotal; or the list kernelArguments or extensions, for all in it.
    Empty where the rendered config has nothing of that name.
    """
    said = [(part.name, subjects(_said(part))) for part in parts]
    return [
        Explanation(subject, tuple(_contributions(subject, said))) for subject in subjects(spec) if _is(what, subject)
    ]


def near(what: str, spec: JSONObject) -> str | None:
    """Return the name in a rendered spec that is most like one that is not there."""
    return next(iter(get_close_matches(what, [subject.name for subject in subjects(spec)], n=1)), None)


def _is(what: str, subject: Subject) -> bool:
    return subject.name == what or ARGUMENTS.get(tuple(what.split("."))) == subject.kind


def _said(part: Component) -> JSONObject:
    """Return what a MachineConfig says that counts, in the shape of a spec."""
    spec: JSONObject = {
        "config": {**(part.config or {}), "ignition": _without_version(part.config)},
        "kernelArguments": list(part.kernel_arguments),
        "extensions": list(part.extensions),
    }
    if part.fips:
        spec["fips"] = True
    if part.kernel_type not in ("", DEFAULT_KERNEL):
        spec["kernelType"] = part.kernel_type
    for name, image in (("osImageURL", part.os_image), ("baseOSExtensionsContainerImage", part.extensions_image)):
        if image and not part.generated:
            spec[name] = image
    return spec


def _without_version(config: JSONObject | None) -> JSONObject:
    ignition = (config or {}).get("ignition")
    return {name: value for name, value in ignition.items() if name != "version"} if isinstance(ignition, dict) else {}


def _contributions(subject: Subject, said: Sequence[tuple[str, Mapping[Subject, JSON]]]) -> list[Contribution]:
    places = [Subject(kind, subject.name) for kind in _ONE_PLACE] if subject.kind in _ONE_PLACE else [subject]
    found: list[Contribution] = []
    holders: dict[str, tuple[str, JSON]] = {}
    holder: tuple[Subject, str] | None = None
    for name, about in said:
        for place in places:
            if place not in about:
                continue
            instead_of = holder if holder is not None and holder[0] != place else None
            if instead_of is not None:
                holders = {}
            found.append(_contribution(name, place, leaves(about[place]), holders, instead_of))
            holder = (place, name)
    return found


def _contribution(
    name: str,
    place: Subject,
    said: Mapping[str, JSON],
    holders: dict[str, tuple[str, JSON]],
    instead_of: tuple[Subject, str] | None,
) -> Contribution:
    """Sort what is said by what it does to what was said before, and remember who said it last."""
    new, added, repeated, replaced = [], [], [], []
    is_counted = place.kind in ARGUMENTS.values()
    for path, value in said.items():
        earlier = holders.get(path)
        if earlier is None:
            new.append(path)
        elif isinstance(value, list) or is_counted:
            added.append(path)
        elif earlier[1] == value:
            repeated.append(path)
            continue  # whoever said it first goes on being the one it is from
        else:
            replaced.append((path, earlier[0]))
        holders[path] = (name, value)
    return Contribution(
        name, place.kind, tuple(new), tuple(added), tuple(repeated), tuple(replaced), instead_of=instead_of
    )
