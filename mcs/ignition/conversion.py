"""A config of one spec said in another one, whichever of the two is older. Pure.

Nothing is lost silently: what the other spec cannot say is an error that names all of it. What the config's own spec
does not know means nothing to any client that reads it at that spec, and might mean something at another; so a
conversion leaves it out, and unknown_members() names it for whoever reports to people.
"""

from collections.abc import Mapping

from mcs.ignition.errors import UnknownVersion, UnsupportedFeatures
from mcs.ignition.from_2 import from_2
from mcs.ignition.tables import table
from mcs.ignition.to_2 import to_2
from mcs.ignition.versions import TARGETS, SpecVersion, declared_version, declaring
from mcs.ignition.walk import Walk
from mcs.ignition.within_2 import upgrade
from mcs.jsondata import JSON, JSONObject

__all__ = ["convert", "unknown_members"]


def convert(config: JSONObject, to: SpecVersion, filesystems: Mapping[str, str] | None = None) -> JSONObject:
    """Return the config in spec `to`; the input stays as it is, and shares no list or object with the result.

    Nothing is validated but types. A config already in that spec is returned as it is, unknown members included.
    Otherwise a member that the config's own spec does not know is left out (see unknown_members), a member whose name
    differs from a known one in case only gets the known name (clients read it so), and a value that says no more than
    its absence goes where `to` lacks its field. Upwards within 2.x or 3.x, valid configs always convert.

    to: one of TARGETS. filesystems: from 2.x to 3.x, the mount point of each filesystem by its name: spec 2 knows none,
    and spec 3 places files by them. An empty one is not mounted; `root` is always at `/`.

    >>> convert({"ignition": {"version": "3.5.0"}, "storage": {"luks": []}}, SpecVersion(3, 1))
    {'ignition': {'version': '3.1.0'}, 'storage': {}}
    >>> convert({"ignition": {"version": "3.3.0"}, "kernelArguments": {"shouldExist": ["quiet"]}}, SpecVersion(3, 1))
    Traceback (most recent call last):
    mcs.ignition.errors.UnsupportedFeatures: spec 3.1.0 lacks $.kernelArguments (kernel arguments, since 3.3.0)

    A file without content has to be there; spec 2 says that as appending nothing to it:

    >>> convert({"ignition": {"version": "3.6.0"}, "storage": {"files": [{"path": "/etc/a"}]}}, SpecVersion(2, 4))
    {'ignition': {'version': '2.4.0'}, 'storage': {'files': [{'path': '/etc/a', 'filesystem': 'root', \
'overwrite': False, 'append': True}]}}
    >>> link = {"filesystem": "data", "path": "/a", "target": "b"}
    >>> config = {"ignition": {"version": "2.4.0"}, "storage": {"links": [link]}}
    >>> convert(config, SpecVersion(3, 6), {"data": "/var/data"})
    {'ignition': {'version': '3.6.0'}, 'storage': {'links': [{'path': '/var/data/a', 'target': 'b'}]}}
    >>> convert(config, SpecVersion(3, 6))
    Traceback (most recent call last):
    mcs.ignition.errors.Untranslatable: not to be said in spec 3.6.0: $.storage.links.0: no mount point is given for \
the filesystem "data"

    Raises UnsupportedFeatures with every feature that `to` lacks; from 2.x to 3.x Untranslatable with every problem;
    InvalidConfig at the first value of a wrong type; InvalidVersion and UnknownVersion for the config's own version,
    UnknownVersion for `to`.
    """
    source = declared_version(config)
    if to not in TARGETS:
        raise UnknownVersion(str(to), f"no config is written in spec {to}, only in {', '.join(map(str, TARGETS))}")
    if source == to:
        return _with_own_containers(config)
    if to.major < source.major:
        return to_2(config, source, to)
    if source.major < to.major:
        return from_2(config, to, filesystems or {})
    if to.major == 2 and source < to:
        return upgrade(config, to)
    return _within(config, source, to)


def unknown_members(config: JSONObject) -> tuple[str, ...]:
    """Return the paths of all members that the config's own spec does not know: clients ignore them, with a warning.

    >>> unknown_members({"ignition": {"version": "3.2.0"}, "storage": {"file": []}, "kernelArguments": {}})
    ('$.storage.file', '$.kernelArguments')

    Raises InvalidConfig, InvalidVersion, UnknownVersion as convert() does.
    """
    source = declared_version(config)
    walk = Walk(source)
    walk.object(table(source), config, (), source)
    return tuple(walk.unknown)


def _within(config: JSONObject, source: SpecVersion, to: SpecVersion) -> JSONObject:
    """Return the config in another spec of the same major version."""
    walk = Walk(source)
    converted = walk.object(table(source), config, (), to)
    if walk.unsupported:
        raise UnsupportedFeatures(to, tuple(walk.unsupported))
    return declaring(converted, to)


def _with_own_containers(config: JSONObject) -> JSONObject:
    """Copy every object and list. No recursion: unknown members may be nested to any depth."""
    copied = dict(config)
    pending: list[JSONObject | list[JSON]] = [copied]
    while pending:
        container = pending.pop()
        if isinstance(container, dict):
            for key, value in container.items():
                if isinstance(value, (dict, list)):
                    container[key] = copy = value.copy()
                    pending.append(copy)
        else:
            for index, value in enumerate(container):
                if isinstance(value, (dict, list)):
                    container[index] = copy = value.copy()
                    pending.append(copy)
    return copied
