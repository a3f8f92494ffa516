"""MachineConfigs and pools for the tests of rendering."""

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.rendering import Origin, Rendered, render, selected

ROLE = "machineconfiguration.openshift.io/role"
BUILD_ANNOTATION = "machineconfiguration.openshift.io/generated-by-controller-version"
ORIGIN = Origin(build="b1", release="4.19", os_image="os@sha256:1", extensions_image="ext@sha256:1")
POOL: JSONObject = {
    "metadata": {"name": "worker"},
    "spec": {"machineConfigSelector": {"matchExpressions": [{"key": ROLE, "operator": "Exists"}]}},
}


def of_spec(name: str, spec: JSONObject, role: str = "worker", annotations: JSON = None) -> JSONObject:
    return {"metadata": {"name": name, "labels": {ROLE: role}, "annotations": annotations}, "spec": spec}


def machine_config(name: str, *, role: str = "worker", annotations: JSON = None, **spec: JSON) -> JSONObject:
    return of_spec(name, spec, role, annotations)


def ignition(version: str = "3.5.0", **sections: JSON) -> JSONObject:
    return {"ignition": {"version": version}, **sections}


def file(path: str, source: str | None = "data:,a", **members: JSON) -> JSONObject:
    return {"path": path, "contents": {"source": source} if source is not None else None, **members}


def files(*items: JSON) -> JSONObject:
    return ignition(storage={"files": list(items)})


def unit(name: str, **members: JSON) -> JSONObject:
    return ignition(systemd={"units": [{"name": name, **members}]})


def rendered(*machine_configs: JSONObject, pool: JSONObject = POOL, current: JSONObject | None = None) -> Rendered:
    return render(pool, selected(pool, machine_configs), ORIGIN, current)
