"""Configs as tests write them down: a version, and what the case is about."""

from collections.abc import Iterator

from mcs.jsondata import JSON, JSONObject, object_at

__all__ = [
    "RESOURCE",
    "config_2",
    "config_3",
    "config_of",
    "containers",
    "files_2",
    "files_3",
    "mounted",
    "node_2",
    "partitions_3",
]

RESOURCE: JSONObject = {"source": "https://a.example", "httpHeaders": [{"name": "a", "value": "b"}]}


def config_of(spec: str, *, ignition: JSON = None, **sections: JSON) -> JSONObject:
    """Return a config of a spec such as 3.1; ignition: what it says in this section beside the version."""
    return {"ignition": {"version": f"{spec}.0", **object_at(ignition)}, **sections}


def config_2(spec: str = "2.4", *, ignition: JSON = None, **sections: JSON) -> JSONObject:
    """Return a config of spec 2."""
    return config_of(spec, ignition=ignition, **sections)


def config_3(spec: str = "3.1", *, ignition: JSON = None, **sections: JSON) -> JSONObject:
    """Return a config of spec 3."""
    return config_of(spec, ignition=ignition, **sections)


def node_2(path: str, **members: JSON) -> JSONObject:
    """Return a file, directory or link of spec 2, in the root filesystem."""
    return {"filesystem": "root", "path": path, **members}


def files_2(*entries: JSON) -> JSONObject:
    """Return a config of spec 2 with these files."""
    return config_2(storage={"files": list(entries)})


def files_3(*entries: JSON) -> JSONObject:
    """Return a config of spec 3 with these files."""
    return config_3(storage={"files": list(entries)})


def mounted(*paths: str, **nodes: JSON) -> JSONObject:
    """Return a config of spec 3 with a filesystem at each of the paths; nodes: the other lists of its storage."""
    filesystems: list[JSON] = [
        {"device": f"/dev/{index}", "format": "xfs", "path": path} for index, path in enumerate(paths)
    ]
    return config_3(storage={"filesystems": filesystems, **nodes})


def partitions_3(**members: JSON) -> JSONObject:
    """Return a config of spec 3 with one partition, of number 1."""
    return config_3(storage={"disks": [{"device": "/dev/a", "partitions": [{"number": 1, **members}]}]})


def containers(document: JSON) -> Iterator[int]:
    """Yield the identity of every list and object of a document, itself included."""
    if isinstance(document, (dict, list)):
        yield id(document)
        for value in document.values() if isinstance(document, dict) else document:
            yield from containers(value)
