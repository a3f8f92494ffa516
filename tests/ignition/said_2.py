"""What validation says of a part of a config of spec 2, as people read it: the vocabulary of the rules' tests."""

import copy

from mcs.ignition.report import Entry, path_text
from mcs.ignition.rules_2 import entries
from mcs.ignition.versions import SpecVersion
from mcs.jsondata import JSON, JSONObject

__all__ = ["at", "contents", "ignition", "mount", "partitions", "said", "storage", "told"]


def said(version: SpecVersion, **sections: JSON) -> list[str]:
    """All that is said of a config with these sections, as `kind path message`."""
    config: JSONObject = {"ignition": {"version": str(version)}, **sections}
    before = copy.deepcopy(config)
    found = [told(entry) for entry in entries(config, version)]
    assert config == before
    return found


def told(entry: Entry) -> str:
    return f"{entry.kind} {path_text(entry.path)} {entry.message}"


def ignition(version: SpecVersion, **members: JSON) -> list[str]:
    return said(version, ignition={"version": str(version), **members})


def storage(version: SpecVersion, **members: JSON) -> list[str]:
    return said(version, storage=members)


def contents(version: SpecVersion, **members: JSON) -> list[str]:
    file: JSON = {"filesystem": "root", "path": "/a", "mode": 420, "contents": members}
    return storage(version, files=[file])


def partitions(version: SpecVersion, *members: JSON) -> list[str]:
    return storage(version, disks=[{"device": "/dev/a", "partitions": list(members)}])


def mount(version: SpecVersion, **members: JSON) -> list[str]:
    return storage(version, filesystems=[{"name": "a", "mount": {"device": "/dev/a", "format": "ext4", **members}}])


def at(place: str, *messages: str) -> list[str]:
    """The expected entries, whose paths are given from a place on: `error .source message`."""
    return [message.replace(" .", f" $.{place}.", 1).replace(" @", f" $.{place}", 1) for message in messages]
