"""The MachineConfigs that the example fleet's pools are rendered from, as they were in each generation."""

import base64
from collections.abc import Iterator
from urllib.parse import quote

from examples.fleet_texts import ROLE_FILES, files, ssh_key
from examples.fleet_units import kubelet_unit, units
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import LABEL_ROLE, Kind

__all__ = ["CONTROL_PLANE", "IGNITION", "machine_configs", "role_of", "source"]

CONTROL_PLANE = "master"
IGNITION = "3.5.0"
_OS_IMAGE = "registry.example.net/os/base@sha256:" + "1f" * 32

# Which part of a role's machines a file or unit belongs to, by how its path or name begins; the rest is in 00-ROLE.
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("01-{role}-container-runtime", ("/etc/crio/", "/etc/containers/", "/var/lib/kubelet/config.json", "crio.")),
    ("01-{role}-kubelet", ("/etc/kubernetes/kubelet", "kubelet.", "recover-kubelet.")),
)
_BASE = "00-{role}"
_ARGUMENTS: dict[str, tuple[tuple[str, ...], ...]] = {  # by generation
    "master": (("audit=1",), ("audit=1",), ("audit=1", "nosmt")),
    "worker": ((), ("audit=1",), ("audit=1", "nosmt")),
}


def machine_configs(generation: int) -> list[JSONObject]:
    """Return all MachineConfigs that there were in a generation: 1, 2 or 3, which is the present one."""
    return [
        *_of_all_machines(CONTROL_PLANE, generation),
        *_of_all_machines("worker", generation),
        *_of_infra(generation),
        *_of_edge(generation),
    ]


def role_of(machine_config: JSONObject) -> str:
    """Return the role that a MachineConfig is for."""
    metadata = machine_config["metadata"]
    assert isinstance(metadata, dict)
    assert isinstance(metadata["labels"], dict)
    return str(metadata["labels"][LABEL_ROLE])


def source(text: str) -> str:
    """Return a text as a data URL: long ones in base64, short ones so that people can read them."""
    if len(text) > 4000:
        return "data:text/plain;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()
    return "data:," + quote(text, safe="-_.!~*'()")


# ---- masters and workers


def _of_all_machines(role: str, generation: int) -> Iterator[JSONObject]:
    """Yield the parts of a role, the keys of people, and the kernel arguments."""
    listed = {name: list[JSON]() for name in (_BASE, *(part for part, _ in _PARTS))}
    started = {name: list[JSON]() for name in listed}
    for path, mode, text in files(role, generation):
        listed[_part(path)].append(_file(path, mode, text))
    for unit in units(role, generation):
        started[_part(str(unit["name"]))].append(unit)
    for name in listed:
        storage: JSONObject = {"files": listed[name]}
        members: JSONObject = {}
        if name == _BASE:
            storage["directories"] = [{"path": "/etc/kubernetes/static-pod-resources", "mode": 0o755}]
            storage["links"] = [{"path": "/etc/localtime", "target": "../usr/share/zoneinfo/UTC", "overwrite": True}]
            members["osImageURL"] = _OS_IMAGE
        config = _ignition(storage=storage, systemd={"units": started[name]})
        yield _machine_config(name.format(role=role), role, config=config, **members)
    if _ARGUMENTS[role][generation - 1]:
        yield _machine_config(f"50-{role}-arguments", role, kernelArguments=[*_ARGUMENTS[role][generation - 1]])
    yield _machine_config(f"99-{role}-ssh", role, config=_ignition("3.2.0", passwd={"users": [_core("ada", "grace")]}))


def _part(name: str) -> str:
    return next((part for part, beginnings in _PARTS if name.startswith(beginnings)), _BASE)


def _core(*people: str) -> JSONObject:
    return {"name": "core", "sshAuthorizedKeys": [ssh_key(f"{who}@example.net") for who in people]}


# ---- custom pools: what they add to the workers' and what they replace of it


def _of_infra(generation: int) -> Iterator[JSONObject]:
    """Yield a role's own files, a group with a second user and, later, kernel arguments of the first boot."""
    added: JSONObject = {"kernelArguments": {"shouldExist": ["net.ifnames=0", "mitigations=auto,nosmt"]}}
    yield _of_role("infra", generation, **(added if generation > 1 else {}))
    oncall: JSONObject = {
        "name": "oncall",
        "uid": 1990,
        "groups": ["operators"],
        "shell": "/bin/bash",
        "sshAuthorizedKeys": [ssh_key("oncall@example.net")],
    }
    people: JSONObject = {"groups": [{"name": "operators", "gid": 1991}], "users": [oncall]}
    yield _machine_config("90-infra-oncall", "infra", config=_ignition(passwd=people))
    if generation == 3:
        yield _machine_config("99-infra-hugepages", "infra", kernelArguments=["hugepages=512"])


def _of_edge(generation: int) -> Iterator[JSONObject]:
    """Yield a role's own files, and a partition that grows, which specs before 3.2 do not have."""
    yield _of_role("edge", generation)
    partition: JSONObject = {"label": "data", "number": 4, "sizeMiB": 0, "resize": True}
    storage: JSONObject = {
        "disks": [{"device": "/dev/disk/by-id/coreos-boot-disk", "partitions": [partition]}],
        "filesystems": [{"device": "/dev/disk/by-partlabel/data", "path": "/var/lib/edge", "format": "xfs"}],
    }
    yield _machine_config("60-edge-data", "edge", config=_ignition(storage=storage))
    yield _machine_config("70-edge-site", "edge", extensions=["usbguard"], kernelArguments=["quiet"])


def _of_role(role: str, generation: int, **sections: JSON) -> JSONObject:
    """Return the files that only the role has or that name it, and its kubelet, whose labels do."""
    own = {path for path, _, _ in ROLE_FILES[role]}
    workers = {path: text for path, _, text in files("worker", generation)}
    listed: list[JSON] = [
        _file(path, mode, text)
        for path, mode, text in files(role, generation)
        if path in own or workers.get(path) != text
    ]
    kubelet: JSONObject = {"name": "kubelet.service", "contents": kubelet_unit(role)}
    config = _ignition(storage={"files": listed}, systemd={"units": [kubelet]}, **sections)
    return _machine_config(f"50-{role}", role, config=config)


# ---- objects


def _file(path: str, mode: int, text: str) -> JSONObject:
    return {"path": path, "mode": mode, "overwrite": True, "contents": {"source": source(text)}}


def _ignition(version: str = IGNITION, /, **sections: JSON) -> JSONObject:
    return {"ignition": {"version": version}, **sections}


def _machine_config(name: str, role: str, **spec: JSON) -> JSONObject:
    metadata: JSONObject = {"name": name, "labels": {LABEL_ROLE: role}}
    return {"apiVersion": Kind.CONFIG.api_version, "kind": Kind.CONFIG.kind, "metadata": metadata, "spec": spec}
