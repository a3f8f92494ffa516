"""What spec 3.1 can say and spec 2.2 or 2.4 cannot: one table, and the look-up in a config. Pure.

What is newer than 3.1 is not here; the walk along the table of fields finds it on the way down to 3.1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mcs.ignition.errors import Unsupported
from mcs.ignition.report import Path, path_text
from mcs.ignition.versions import V2_2, V2_3, V2_4, V3_0, V3_1, SpecVersion
from mcs.jsondata import JSON, JSONObject, lookup

__all__ = ["LACKS", "Lack", "lacking"]


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that the specs in `targets` cannot say.

    places: where it may be, `storage.files[].append[]`; words: what it is; since: the first spec, 2.x or 3.x, that has
    it; used_by: whether the value at such a place, null for none, says it.
    """

    places: tuple[str, ...]
    words: str
    since: SpecVersion
    used_by: Callable[[JSON], bool]
    targets: tuple[SpecVersion, ...] = (V2_2, V2_4)


def _is_given(value: JSON) -> bool:
    return value is not None


def _is_sha256(value: JSON) -> bool:
    return isinstance(value, str) and value.startswith("sha256-")


_REFERENCES = (
    "ignition.config.merge[]",
    "ignition.config.replace",
    "ignition.security.tls.certificateAuthorities[]",
)
_RESOURCES = (*_REFERENCES, "storage.files[].contents", "storage.files[].append[]")
_PROXIES = ("ignition.proxy.httpProxy", "ignition.proxy.httpsProxy", "ignition.proxy.noProxy")
_PARTITION = "storage.disks[].partitions[]"


def _in_each(objects: tuple[str, ...], member: str) -> tuple[str, ...]:
    return tuple(f"{place}.{member}" for place in objects)


# _is_given: the reference implementation refuses these where they are empty, too.
LACKS = (
    Lack(("ignition.config.merge[]",), "a config reference without a source", V3_0, lambda it: _none_at(it, "source")),
    Lack(_in_each(_REFERENCES, "compression"), "compression of a config or certificate", V3_1, _is_given),
    Lack(_in_each(_RESOURCES, "verification.hash"), "a sha256 hash", V3_1, _is_sha256),
    Lack(_in_each(_RESOURCES, "httpHeaders"), "HTTP headers", V2_4, _is_given, (V2_2,)),
    Lack(
        _in_each(_RESOURCES, "httpHeaders[]"), "an HTTP header without a value", V3_1, lambda it: _none_at(it, "value")
    ),
    Lack(_PROXIES, "a proxy", V2_4, _is_given, (V2_2,)),
    Lack((f"{_PARTITION}.sizeMiB", f"{_PARTITION}.startMiB"), "partition sizes in MiB", V2_3, _is_given, (V2_2,)),
    Lack((f"{_PARTITION}.shouldExist",), "removal of a partition", V2_3, lambda it: it is False, (V2_2,)),
    Lack((f"{_PARTITION}.wipePartitionEntry",), "wiping a partition entry", V2_3, lambda it: it is True, (V2_2,)),
    Lack(("storage.filesystems[]",), "a filesystem without a format", V3_0, lambda it: not lookup(it, "format")),
    Lack(("storage.filesystems[].mountOptions",), "mount options", V3_1, bool, (V2_4,)),
    Lack(("storage.filesystems[].mountOptions",), "mount options", V3_1, _is_given, (V2_2,)),
)


def _none_at(value: JSON, member: str) -> bool:
    return lookup(value, member) is None


def lacking(config: JSONObject, to: SpecVersion) -> Iterator[Unsupported]:
    """Yield everything in a config of spec 3.1 that spec `to` (2.2 or 2.4) cannot say. config: well-typed."""
    for lack in LACKS:
        if to in lack.targets:
            for place in lack.places:
                for path, value in _values_at(config, place.split(".")):
                    if lack.used_by(value):
                        yield Unsupported(path_text(path), lack.words, lack.since)


def _values_at(value: JSON, place: list[str], path: Path = ()) -> Iterator[tuple[Path, JSON]]:
    """Yield what is at each place that a pattern matches, with its path; nothing below what is absent."""
    if not place:
        yield path, value
    elif isinstance(value, dict):
        name = place[0].removesuffix("[]")
        member = value.get(name)
        if not place[0].endswith("[]"):
            yield from _values_at(member, place[1:], (*path, name))
        elif isinstance(member, list):
            for index, item in enumerate(member):
                yield from _values_at(item, place[1:], (*path, name, index))
