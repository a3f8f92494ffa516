"""Makes the example fleet in examples/fleet: pools, nodes, MachineConfigs and what is rendered from them.

Run as `python examples/make_fleet.py [DIRECTORY]`. The same files come out each time. Everything in them is fiction:
the certificates hold no key that exists, the SSH keys open nothing, the networks are those reserved for documentation.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from examples.fleet_machineconfigs import IGNITION, machine_configs, role_of, source
from examples.fleet_texts import files, ssh_key
from examples.fleet_units import units
from mcs.ignition import convert, parse_version
from mcs.jsondata import JSON, JSONObject, object_at
from mcs.machineconfig.manifests import write_yaml
from mcs.machineconfig.names import (
    ANNOTATION_CURRENT_CONFIG,
    ANNOTATION_DESIRED_CONFIG,
    ANNOTATION_FIRST_CONFIG,
    ANNOTATION_STATE,
    LABEL_ROLE,
    Kind,
)
from mcs.machineconfig.rendered_name import rendered_name
from mcs.machineconfig.rendering import Origin, render, selected

__all__ = ["fleet", "main"]

_RENDERER = "5d1c0ffee0000000000000000000000000000001"
_PRESENT = 3  # the generation that the MachineConfigs are of
_ROLE = "node-role.kubernetes.io/"

# ---- rendered configs


def ignition(role: str, generation: int, version: str) -> JSONObject:
    """Return a role's Ignition config as a whole; nothing in it is newer than spec 3.0."""
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


@dataclass(frozen=True, slots=True)
class Made:
    """One rendered config to be made. version: its Ignition spec; below the newest, an older renderer made it."""

    pool: str
    generation: int
    version: str = IGNITION


_MADE = (
    Made("master", 1, "3.2.0"),
    Made("master", 2, "3.4.0"),
    Made("master", 3),
    Made("worker", 1, "3.2.0"),
    Made("worker", 2, "3.2.0"),
    Made("worker", 3),
    Made("infra", 1, "3.2.0"),
    Made("infra", 2, "3.4.0"),
    Made("infra", 3),
    Made("edge", 3),
)


def rendered_config(made: Made) -> JSONObject:
    """Return what the renderer makes of a generation's MachineConfigs, said in the spec of its time."""
    owner = pool(made.pool, "", None, machines=0, updated=0)
    result = render(owner, selected(owner, machine_configs(made.generation)), Origin(build=_RENDERER))
    spec = {**result.spec, "config": convert(object_at(result.spec, "config"), parse_version(made.version))}
    return replace(result, spec=spec, name=rendered_name(made.pool, spec)).document(made.pool)


# ---- pools and nodes


def pool(name: str, spec: str, status: str | None, machines: int, updated: int) -> JSONObject:
    """Return a pool. spec, status: the configs that these name; a status of None was never set."""
    selector: JSONObject = {"matchLabels": {_ROLE + name: ""}}
    configs: JSONObject = {"key": LABEL_ROLE, "operator": "In", "values": [name]}
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
    configs = {(made.pool, made.generation): rendered_config(made) for made in _MADE}
    names = {key: str(object_at(config, "metadata")["name"]) for key, config in configs.items()}
    master, worker, infra = (
        [names[role, generation] for generation in (1, 2, 3)] for role in ("master", "worker", "infra")
    )
    pools = (
        pool("master", master[2], master[2], machines=3, updated=3),
        pool("worker", worker[2], worker[1], machines=3, updated=1),
        pool("infra", infra[2], infra[1], machines=1, updated=0),
        pool("edge", names["edge", 3], None, machines=0, updated=0),
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
    texts = {"pools.yaml": pools, "nodes.yaml": nodes}
    for role in dict.fromkeys(made.pool for made in _MADE):
        own = tuple(each for each in machine_configs(_PRESENT) if role_of(each) == role)
        texts[f"machineconfigs-{role}.yaml"] = own
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
