"""A server inside the test's process: a real store, a clock that the test moves, and looks that the test asks for."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from mcs.boot.clock import Reading
from mcs.boot.records import BootLease
from mcs.jsondata import JSONObject
from mcs.machineconfig.names import LABEL_POOL, Kind
from mcs.settings import load
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Store
from mcs.web.app import Server, create_app
from mcs.web.keeper import Keeper
from mcs.web.worker import Worker, start_worker

A = "rendered-worker-" + "a" * 32
B = "rendered-worker-" + "b" * 32
ACCEPT = "application/vnd.coreos.ignition+json;version=3.{}.0, */*;q=0.1"


class MovedClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.reading = Reading(wall=1_800_000_000.0, boot=1000.0)

    def __call__(self) -> Reading:
        return self.reading

    def move(self, seconds: float) -> None:
        self.reading = Reading(self.reading.wall + seconds, self.reading.boot + seconds)

    def step_wall(self, seconds: float) -> None:
        self.reading = Reading(self.reading.wall + seconds, self.reading.boot)


def config(name: str, ignition: JSONObject | None = None, **spec: Any) -> tuple[Kind, JSONObject]:
    """A rendered config."""
    pool = name.split("-")[1]
    return Kind.CONFIG, {
        "apiVersion": Kind.CONFIG.api_version,
        "kind": "MachineConfig",
        "metadata": {"name": name, "labels": {LABEL_POOL: pool}},
        "spec": {"config": ignition or {"ignition": {"version": "3.2.0"}}, **spec},
    }


def pool(name: str, config: str | None, **annotations: str) -> tuple[Kind, JSONObject]:
    """A pool without a status: it serves what its spec names."""
    spec: JSONObject = {"configuration": {"name": config}} if config is not None else {}
    return Kind.POOL, {
        "apiVersion": Kind.POOL.api_version,
        "kind": "MachineConfigPool",
        "metadata": {"name": name, "annotations": {**annotations}},
        "spec": spec,
    }


@dataclass(frozen=True, slots=True)
class World:
    """The parts of a running server that tests look at."""

    store: Store
    clock: MovedClock
    worker: Worker
    server: Server
    client: FlaskClient

    @property
    def keeper(self) -> Keeper:
        return self.worker.keeper

    def get(self, path: str = "/config/worker", minor: int = 4, **headers: str) -> TestResponse:
        """Ask as an Ignition client does."""
        named = {"Accept": ACCEPT.format(minor), "User-Agent": "Ignition/2.19.0"}
        named |= {key.replace("_", "-"): text for key, text in headers.items()}
        return self.client.get(path, headers=named)

    def leases(self) -> list[BootLease]:
        """Return the boot leases once all that wait are written."""
        self.worker.recorder.stop(timeout=10)
        return [stored.value for stored in self.store.boot_leases()]


def start_world(
    path: Path, *objects: tuple[Kind, JSONObject], store: Store | None = None, wait: bool = True, **flags: str
) -> World:
    """Start a server over a store with these objects; it looks at them once, and again when `keeper.look` is called.

    They were made an hour ago by its clock; what is applied later is made when it is.
    """
    file, clock = path / "store.db", MovedClock()
    address = f"sqlite:///{file}"
    if objects:
        with closing(EmbeddedStore(file, now=lambda: clock().wall - 3600)) as before:
            before.apply(objects)
    stored = EmbeddedStore(file, address=address, now=lambda: clock().wall)
    given: dict[str, str | tuple[str, ...]] = {"store": address, "pool_refresh": "1d", "name": "one", **flags}
    settings = load(given, {})
    app = create_app(settings)
    server = app.extensions["mcs"]
    assert isinstance(server, Server)
    server.worker = start_worker(settings, clock, store if store is not None else stored)
    if wait:
        server.worker.keeper.looked.wait(10)
    return World(stored, clock, server.worker, server, app.test_client())
