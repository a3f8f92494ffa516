"""Makes the example fleet in examples/fleet: pools, nodes and rendered configs as a real cluster has them.

Run as `python examples/make_fleet.py [DIRECTORY]`. The same files come out each time. Everything in them is fiction:
the certificates hold no key that exists, the SSH keys open nothing, the networks are those reserved for documentation.
"""

import base64
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from examples.fleet_texts import files, ssh_key
from examples.fleet_units import units
from mcs.jsondata import JSON, JSONObject, compact
from mcs.machineconfig.manifests import write_yaml
from mcs.machineconfig.names import (
    ANNOTATION_CURRENT_CONFIG,
    ANNOTATION_DESIRED_CONFIG,
    ANNOTATION_FIRST_CONFIG,
    ANNOTATION_GENERATED_BY,
    ANNOTATION_STATE,
    LABEL_POOL,
    Kind,
)

__all__ = ["fleet", "main"]

_CONTROLLER = "5d1c0ffee0000000000000000000000000000001"
_OS_IMAGE = "registry.example.net/os/base@sha256:" + "1f" * 32
_ROLE = "node-role.kubernetes.io/"

# ---- rendered configs


def source(text: str) -> str:
    """Return a text as a data URL: long ones in base64, short ones so that people can read them."""
    if len(text) > 4000:
        return "data:text/plain;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()
    return "data:," + quote(text, safe="-_.!~*'()")


def ignition(role: str, generation: int, version: str) -> JSONObject:
    """Return a pool's Ignition config; nothing in it is newer than spec 3.0."""
    listed: list[JSON] = [
        {"path": path, "mode": mode, "overwrite": True, "contents": {"source": source(text)}}
        for path, mode, text in files(role, generation)
    ]
    users: list[JSON] = [
        {"name": "core", "sshAuthorizedKeys": [ssh_key(f"{who}@example.net") for who in ("ada", "grace")]}
    ]
    return {
        "ignition": {"version": version},
        "passwd": {"users": users},
        "storage": {
            "directories": [{"path": "/etc/kubernetes/static-pod-resources", "mode": 0o755}],
            "files": listed,
            "links": [{"path": "/etc/localtime", "target": "../usr/share/zoneinfo/UTC", "overwrite": True}],
        },
        "systemd": {"units": [*units(role, generation)]},
    }


def with_second_user(config: JSONObject) -> None:
    """Add a group and a second user in it."""
    keys: list[JSON] = [ssh_key("oncall@example.net")]
    oncall: JSONObject = {
        "name": "oncall",
        "uid": 1990,
        "groups": ["operators"],
        "shell": "/bin/bash",
        "sshAuthorizedKeys": keys,
    }
    passwd = config["passwd"]
    assert isinstance(passwd, dict)
    assert isinstance(passwd["users"], list)
    passwd["users"].append(oncall)
    passwd["groups"] = [{"name": "operators", "gid": 1991}]


def with_boot_arguments(config: JSONObject) -> None:
    """Add kernel arguments of the first boot; below spec 3.3 they move to the encapsulated MachineConfig."""
    config["kernelArguments"] = {"shouldExist": ["net.ifnames=0", "mitigations=auto,nosmt"]}


def with_growing_partition(config: JSONObject) -> None:
    """Add a partition that grows, which specs before 3.2 do not have: machines that ask for these get status 500."""
    storage = config["storage"]
    assert isinstance(storage, dict)
    partition: JSONObject = {"label": "data", "number": 4, "sizeMiB": 0, "resize": True}
    storage["disks"] = [{"device": "/dev/disk/by-id/coreos-boot-disk", "partitions": [partition]}]
    storage["filesystems"] = [{"device": "/dev/disk/by-partlabel/data", "path": "/var/lib/edge", "format": "xfs"}]


@dataclass(frozen=True, slots=True)
class Rendered:
    """One rendered config to be made. version: its Ignition spec. features: what it has beyond the usual."""

    pool: str
    generation: int
    version: str
    kernel_arguments: tuple[str, ...]
    features: tuple[Callable[[JSONObject], None], ...] = ()


_RENDERED = (
    Rendered("master", 1, "3.2.0", ("audit=1",)),
    Rendered("master", 2, "3.4.0", ("audit=1",)),
    Rendered("master", 3, "3.5.0", ("audit=1", "nosmt")),
    Rendered("worker", 1, "3.2.0", ()),
    Rendered("worker", 2, "3.2.0", ("audit=1",)),
    Rendered("worker", 3, "3.4.0", ("audit=1", "nosmt")),
    Rendered("infra", 1, "3.2.0", ("audit=1",), (with_second_user,)),
    Rendered("infra", 2, "3.4.0", ("audit=1",), (with_second_user, with_boot_arguments)),
    Rendered("infra", 3, "3.5.0", ("audit=1", "hugepages=512"), (with_second_user, with_boot_arguments)),
    Rendered("edge", 1, "3.4.0", ("quiet",), (with_growing_partition,)),
)


def rendered_config(rendered: Rendered) -> JSONObject:
    """Return a rendered MachineConfig; its name is made from its spec."""
    config = ignition(rendered.pool, rendered.generation, rendered.version)
    for add in rendered.features:
        add(config)
    spec: JSONObject = {
        "config": config,
        "extensions": ["usbguard"] if rendered.pool == "edge" else [],
        "fips": False,
        "kernelArguments": [*rendered.kernel_arguments],
        "kernelType": "default",
        "osImageURL": _OS_IMAGE,
    }
    digest = hashlib.md5(compact(spec).encode(), usedforsecurity=False).hexdigest()
    metadata: JSONObject = {
        "name": f"rendered-{rendered.pool}-{digest}",
        "labels": {LABEL_POOL: rendered.pool},
        "annotations": {ANNOTATION_GENERATED_BY: _CONTROLLER},
    }
    return _manifest(Kind.CONFIG, metadata, spec=spec)


def own_configs() -> list[JSONObject]:
    """Return MachineConfigs that people wrote: not rendered, served to nobody as they are."""
    core: JSONObject = {"name": "core", "sshAuthorizedKeys": [ssh_key("ada@example.net")]}
    key: JSONObject = {"ignition": {"version": "3.2.0"}, "passwd": {"users": [core]}}
    roles: dict[str, JSONObject] = {
        "worker": {"name": "99-worker-ssh", "labels": {"machineconfiguration.openshift.io/role": "worker"}},
        "infra": {"name": "99-infra-hugepages", "labels": {"machineconfiguration.openshift.io/role": "infra"}},
    }
    return [
        _manifest(Kind.CONFIG, roles["worker"], spec={"config": key}),
        _manifest(Kind.CONFIG, roles["infra"], spec={"kernelArguments": ["hugepages=512"]}),
    ]


# ---- pools and nodes


def pool(name: str, spec: str, status: str | None, machines: int, updated: int) -> JSONObject:
    """Return a pool. spec, status: the configs that these name; a status of None was never set."""
    selector: JSONObject = {"matchLabels": {_ROLE + name: ""}}
    configs: JSONObject = {"key": "machineconfiguration.openshift.io/role", "operator": "In", "values": [name]}
    if name not in {"master", "worker"}:
        configs["values"] = ["worker", name]
    specification: JSONObject = {
        "configuration": {"name": spec},
        "machineConfigSelector": {"matchExpressions": [configs]},
        "maxUnavailable": 1,
        "nodeSelector": selector,
        "paused": False,
    }
    if status is None:
        return _manifest(Kind.POOL, {"name": name}, spec=specification)
    conditions: list[JSON] = [
        {"type": "RenderDegraded", "status": "False"},
        {"type": "Updated", "status": "True" if updated == machines else "False"},
        {"type": "Updating", "status": "False" if updated == machines else "True"},
    ]
    observed: JSONObject = {
        "configuration": {"name": status},
        "observedGeneration": 1,
        "machineCount": machines,
        "updatedMachineCount": updated,
        "readyMachineCount": updated,
        "unavailableMachineCount": 0,
        "degradedMachineCount": 0,
        "conditions": conditions,
    }
    return _manifest(Kind.POOL, {"name": name}, spec=specification, status=observed)


def node(name: str, host: int, roles: Sequence[str], configs: Mapping[str, str], state: str = "Done") -> JSONObject:
    """Return a node. host: the last number of its address. configs: annotations that name configs."""
    labels: JSONObject = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
    labels.update((_ROLE + role, "") for role in roles)
    metadata: JSONObject = {"name": name, "labels": labels, "annotations": {**configs, ANNOTATION_STATE: state}}
    addresses: list[JSON] = [
        {"type": "InternalIP", "address": f"192.0.2.{host}"},
        {"type": "Hostname", "address": f"{name}.blue.example.net"},
    ]
    return _manifest(Kind.NODE, metadata, spec={}, status={"addresses": addresses})


def _configs(first: str, current: str, desired: str) -> dict[str, str]:
    return {
        ANNOTATION_CURRENT_CONFIG: current,
        ANNOTATION_DESIRED_CONFIG: desired,
        ANNOTATION_FIRST_CONFIG: first,
    }


def _manifest(kind: Kind, metadata: JSONObject, **members: JSONObject) -> JSONObject:
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **members}


# ---- files


def fleet() -> dict[str, str]:
    """Return the text of each file of the fleet, by its name."""
    configs = {(rendered.pool, rendered.generation): rendered_config(rendered) for rendered in _RENDERED}
    names = {key: str(config["metadata"]["name"]) for key, config in configs.items()}  # type: ignore[call-overload, index]  # it is an object, made above
    master, worker, infra = (
        [names[role, generation] for generation in (1, 2, 3)] for role in ("master", "worker", "infra")
    )
    pools = (
        pool("master", master[2], master[2], machines=3, updated=3),
        pool("worker", worker[2], worker[1], machines=3, updated=1),
        pool("infra", infra[2], infra[1], machines=1, updated=0),
        pool("edge", names["edge", 1], None, machines=0, updated=0),
    )
    nodes = (
        *(
            node(f"master-{number}", 10 + number, ["master"], _configs(master[0], master[2], master[2]))
            for number in range(3)
        ),
        node("worker-0", 20, ["worker"], _configs(worker[1], worker[2], worker[2])),
        node("worker-1", 21, ["worker"], _configs(worker[1], worker[1], worker[2]), state="Working"),
        node("worker-2", 22, ["worker"], _configs(worker[0], worker[1], worker[1])),
        node("infra-0", 30, ["worker", "infra"], _configs(infra[1], infra[1], infra[1])),
    )
    texts = {"pools.yaml": pools, "nodes.yaml": nodes, "machineconfigs.yaml": tuple(own_configs())}
    for role in dict.fromkeys(rendered.pool for rendered in _RENDERED):
        texts[f"rendered-{role}.yaml"] = tuple(config for (owner, _), config in configs.items() if owner == role)
    return {name: write_yaml(*documents) for name, documents in texts.items()}


def main() -> None:
    """Write the fleet into the directory of the command line, or beside this script."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "fleet"
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in fleet().items():
        (directory / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
