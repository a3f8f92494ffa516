"""MachineConfigs and pools for the tests of `mcs render`, and what it leaves in the store."""

import base64
import json

from mcs.jsondata import JSON, JSONObject, text_at
from mcs.machineconfig.names import Kind
from tests.cli.commands import MCO, Place

__all__ = ["apply", "config", "file", "ignition", "named_by", "of_files", "of_unit", "pool", "rendered", "stored"]

ROLE = "machineconfiguration.openshift.io/role"


def config(name: str, *, role: str = "worker", annotations: JSONObject | None = None, **spec: JSON) -> JSONObject:
    metadata: JSONObject = {"name": name, "labels": {ROLE: role}, "annotations": annotations or {}}
    return {"apiVersion": MCO, "kind": "MachineConfig", "metadata": metadata, "spec": spec}


def ignition(**sections: JSON) -> JSONObject:
    return {"ignition": {"version": "3.5.0"}, **sections}


def of_files(*files: JSON) -> JSONObject:
    return ignition(storage={"files": list(files)})


def file(path: str, text: str | bytes = "a\n", **members: JSON) -> JSONObject:
    raw = text.encode() if isinstance(text, str) else text
    source = "data:;base64," + base64.b64encode(raw).decode()
    return {"path": path, "contents": {"source": source}, **members}


def of_unit(name: str, contents: str) -> JSONObject:
    return ignition(systemd={"units": [{"name": name, "contents": contents}]})


def pool(name: str = "worker", selector: JSON = None, **spec: JSON) -> JSONObject:
    chosen: JSON = {"matchLabels": {ROLE: name}} if selector is None else selector
    members: JSONObject = {"machineConfigSelector": chosen, **spec}
    return {"apiVersion": MCO, "kind": "MachineConfigPool", "metadata": {"name": name}, "spec": members}


def apply(place: Place, *documents: JSONObject) -> None:
    for number, document in enumerate(documents):
        outcome = place.mcs("apply", "-f", place.file(f"{number}.json", json.dumps(document)))
        assert outcome.status == 0, outcome.err


def stored(place: Place, kind: Kind, name: str) -> JSONObject | None:
    store = place.store()
    try:
        found = store.get(kind, name)
        return found.value if found is not None else None
    finally:
        store.close()


def named_by(place: Place, name: str = "worker") -> str:
    return text_at(stored(place, Kind.POOL, name), "spec", "configuration", "name") or ""


def rendered(place: Place, *documents: JSONObject) -> str:
    """Apply and publish what is there; return the name of what the pool then names."""
    apply(place, *documents)
    outcome = place.mcs("render", "worker")
    assert outcome.status == 0, outcome.err
    return named_by(place)
