"""The story that began it: a pool's MachineConfigs arrive within seconds, while its machines boot.

`mcs serve` and `mcs controller` run beside each other on one store, as they are shipped.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest

from mcs.cli.world import World
from mcs.ignition import dataurl
from mcs.jsondata import JSON, JSONObject, list_at, text_at
from mcs.machineconfig.names import Kind
from mcs.store import open_store
from tests.end_to_end.cluster import Cluster
from tests.web.serving import Answer, Serving, ask

pytestmark = pytest.mark.real

ROLE = "machineconfiguration.openshift.io/role"
CURRENT = "machineconfiguration.openshift.io/currentConfig"
BOOT = "mcs.internal/boot"
ANNOTATIONS = "/etc/machine-config-daemon/node-annotations.json"
PARTS = ("00-worker", "97-osimageurl", "98-ssh", "99-kubelet")

KINDS = {kind.kind: kind for kind in Kind}

BETWEEN_FETCHES = 0.1
BETWEEN_PARTS = 0.2
QUIET = 2.0  # ten times as long as parts are apart, so that a busy host does not tear the burst


def pool() -> JSONObject:
    selector: JSON = {"matchLabels": {ROLE: "worker"}}
    return {
        "apiVersion": Kind.POOL.api_version,
        "kind": Kind.POOL.kind,
        "metadata": {"name": "worker"},
        "spec": {"machineConfigSelector": selector},
    }


def part(name: str, edition: str = "first") -> JSONObject:
    """Return a MachineConfig that leaves its name and edition on the machine."""
    file: JSON = {"path": f"/etc/parts/{name}", "contents": {"source": f"data:,{edition}"}}
    config: JSON = {"ignition": {"version": "3.4.0"}, "storage": {"files": [file]}}
    return {
        "apiVersion": Kind.CONFIG.api_version,
        "kind": Kind.CONFIG.kind,
        "metadata": {"name": name, "labels": {ROLE: "worker"}},
        "spec": {"config": config, **({"osImageURL": "os@sha256:1"} if "osimageurl" in name else {})},
    }


@dataclass(frozen=True, slots=True)
class Boot:
    """What one machine got. parts: the edition of each, by name."""

    config: str
    annotations: dict[str, str]
    parts: dict[str, str]


def booted(answer: Answer) -> Boot:
    files = list_at(json.loads(answer.body), "storage", "files")
    contents = {text_at(file, "path") or "": text_at(file, "contents", "source") or "data:," for file in files}
    return Boot(
        answer.headers["MCS-Config"],
        json.loads(dataurl.decode(contents[ANNOTATIONS])),
        {
            path.removeprefix("/etc/parts/"): dataurl.decode(source).decode()
            for path, source in contents.items()
            if path.startswith("/etc/parts/")
        },
    )


class Machines:
    """Machines that boot all the time, one after the other, each with a boot of its own."""

    def __init__(self, server: Serving) -> None:
        self._server = server
        self._stop = Event()
        self._future: Future[None] = Future()
        self.boots: list[Boot] = []

    def fetch_all_the_time(self) -> None:
        while not self._stop.wait(BETWEEN_FETCHES):
            answer = ask(self._server.port, "/config/worker")
            assert answer.status in {200, 503}, answer.body
            if answer.status == 200:
                self.boots.append(booted(answer))

    @contextmanager
    def booting(self) -> Iterator[None]:
        """Boot machines until `stop`, or the end of the block; an answer that ends a boot fails the test."""
        with ThreadPoolExecutor(1) as executor:
            self._future = executor.submit(self.fetch_all_the_time)
            try:
                yield
            finally:
                self._stop.set()
            self._future.result()

    def stop(self) -> None:
        """Boot no more machines."""
        self._stop.set()
        self._future.result()

    def configs(self) -> list[str]:
        """The configs that machines got, in the order in which they did first."""
        return list(dict.fromkeys(boot.config for boot in self.boots))


class Controlling:
    """A running controller."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self._process = process
        self._log = log

    def log(self) -> str:
        return self._log.read_text()

    def stop(self) -> int:
        """End it as a service manager does; return its exit status."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(30)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def controlling(cluster: Cluster, *flags: str) -> Iterator[Controlling]:
    """Run `mcs controller`; at the end its log must hold no traceback, and no error."""
    log = cluster.folder / f"controller-{time.monotonic_ns()}.log"
    command = [sys.executable, "-m", "mcs", "controller", "--store", cluster.address, *flags]
    environment = {key: text for key, text in os.environ.items() if not key.startswith("MCS_")}
    with log.open("wb") as output:
        running = Controlling(subprocess.Popen(command, stdout=output, stderr=output, env=environment), log)
    try:
        wait_until(lambda: "renders" in running.log(), running.log)
        yield running
        assert not re.search(r"Traceback| error | critical ", running.log()), running.log()
    finally:
        running.kill()


def wait_until(condition: Callable[[], bool], facts: Callable[[], str]) -> None:
    end = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < end, facts()
        time.sleep(0.02)


@dataclass(frozen=True, slots=True)
class Story:
    """A cluster with a server and a controller, and machines that boot."""

    cluster: Cluster
    server: Serving
    controller: Controlling
    machines: Machines

    def apply(self, *documents: JSONObject) -> None:
        """Apply in this process: the command takes longer to start than parts are apart."""
        store = open_store(self.cluster.address)
        try:
            store.apply([(KINDS[str(document["kind"])], document) for document in documents])
        finally:
            store.close()

    def rendered(self) -> list[str]:
        """The rendered configs that exist."""
        store = open_store(self.cluster.address)
        try:
            return [config.name for config in store.all_metadata(Kind.CONFIG) if config.rendered]
        finally:
            store.close()

    def wait_for_boot(self, parts: Sequence[str], edition: str = "first") -> None:
        """Wait until a machine boots with exactly these parts in this edition."""
        wanted = dict.fromkeys(parts, edition)
        wait_until(lambda: any(boot.parts == wanted for boot in self.machines.boots[-3:]), self.log)

    def log(self) -> str:
        return self.controller.log() + self.server.log()[-5000:]

    def collect(self) -> None:
        """Delete all rendered configs that nothing refers to: what people do, if they look that well."""
        store = open_store(self.cluster.address)
        try:
            referred = World.read(store, time.time()).references
            for config in store.all_metadata(Kind.CONFIG):
                if config.rendered and config.name not in referred:
                    store.delete(Kind.CONFIG, config.name)
        finally:
            store.close()

    def join(self) -> None:
        """Have every machine join, as its node-annotations.json says; its config must be there, and its boot ends."""
        self.machines.stop()
        boots = {boot.annotations[BOOT] for boot in self.machines.boots}
        wait_until(lambda: boots <= {lease.name for lease in self.cluster.leases()}, self.log)
        self.collect()
        for number, boot in enumerate(self.machines.boots):
            assert boot.config == boot.annotations[CURRENT]
            metadata: JSONObject = {"name": f"worker-{number}", "annotations": {**boot.annotations}}
            self.apply({"apiVersion": "v1", "kind": Kind.NODE.kind, "metadata": metadata})
            assert boot.config in self.rendered()
        wait_until(lambda: all(lease.ended is not None for lease in self.cluster.leases()), self.log)


@contextmanager
def story(cluster: Cluster, quiet: float) -> Iterator[Story]:
    period = ("--quiet-period", f"{quiet}s")
    with cluster.serve("--log-level", "warning", *period, ready=False) as server:
        server.wait_for(lambda: server.ask("/healthz").status == 200, "it answers")
        with controlling(cluster, *period) as controller:
            machines = Machines(server)
            with machines.booting():
                yield Story(cluster, server, controller, machines)


def test_with_the_quiet_period_a_burst_is_one_config_that_has_every_part(cluster: Cluster) -> None:
    with story(cluster, QUIET) as told:
        told.apply(pool())
        for name in PARTS:
            told.apply(part(name))
            time.sleep(BETWEEN_PARTS)
        told.wait_for_boot(PARTS)
        assert 1 <= len(told.rendered()) <= 2
        for name in PARTS:
            told.apply(part(name, "second"))
            time.sleep(BETWEEN_PARTS)
        told.wait_for_boot(PARTS, "second")
        assert 2 <= len(told.rendered()) <= 4
        told.join()
        assert told.controller.stop() == 0
    # Every machine got all that there was: the first edition or the second, and nothing in between.
    complete = [dict.fromkeys(PARTS, edition) for edition in ("first", "second")]
    assert [boot.parts for boot in told.machines.boots if boot.parts not in complete] == []
    assert len(told.machines.configs()) == 2


def test_without_it_there_are_four_and_each_machine_keeps_the_one_it_got(cluster: Cluster) -> None:
    with story(cluster, 0) as told:
        told.apply(pool())
        seen = []
        for count, name in enumerate(PARTS, 1):
            told.apply(part(name))
            told.wait_for_boot(PARTS[:count])
            seen.append(len(told.machines.boots))
        assert len(told.rendered()) == 4
        told.join()
        assert told.controller.stop() == 0
    assert len(told.machines.configs()) == 4
    for count, since in enumerate(seen, 1):  # once a machine got a part, none after it goes without
        assert all(set(PARTS[:count]) <= boot.parts.keys() for boot in told.machines.boots[since:])


def test_a_controller_that_is_killed_is_made_up_for_by_the_next(cluster: Cluster) -> None:
    with cluster.serve("--quiet-period", "300ms", ready=False) as server:
        cluster.apply(pool(), part("00-worker"))
        with controlling(cluster, "--quiet-period", "300ms") as first:
            wait_until(lambda: "from=00-worker" in first.log(), first.log)
            first.kill()
        cluster.apply(part("99-kubelet"))
        with controlling(cluster, "--quiet-period", "300ms") as second:
            wait_until(lambda: "from=00-worker,99-kubelet" in second.log(), second.log)
            name = re.findall(r"config=(rendered-\S+)", second.log())[-1]
            server.wait_for(lambda: server.ask().headers.get("MCS-Config") == name, "it is served")
            assert second.stop() == 0


def test_two_controllers_at_once_come_to_one_config(cluster: Cluster) -> None:
    period = ("--quiet-period", "300ms", "--log-format", "json")
    cluster.apply(pool())  # makes the store; a controller makes none
    with controlling(cluster, *period) as one, controlling(cluster, *period) as other:
        cluster.apply(part("00-worker"))
        wait_until(lambda: all('"config": "rendered-worker-' in each.log() for each in (one, other)), one.log)
        assert (one.stop(), other.stop()) == (0, 0)
        logs = one.log() + other.log()
    named = {text_at(json.loads(line), "config") for line in logs.splitlines()} - {None}
    assert len(named) == 1
