"""Machines that come too early, or while the server dies: they keep asking until they have a config."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress

import pytest

from mcs.jsondata import JSONObject, object_at
from tests.end_to_end.cluster import Cluster, requests
from tests.end_to_end.connections import accepted_by, is_stopped, waiting
from tests.end_to_end.declared import declared_files, differing
from tests.end_to_end.fleet import served_config, served_name
from tests.end_to_end.machines import Booted, Fetching, boot, client_named, fetching, wait_until
from tests.web.serving import Serving, free_port

pytestmark = pytest.mark.real

WORKER = served_name("worker")
SEVERAL = ("2.2.1", "2.9.0", "2.14.0", "2.19.0", "2.26.0", "debian")


def assert_has_its_files(booted: Booted) -> None:
    config = object_at(served_config(booted.pool), "spec", "config")
    assert differing(declared_files(config), booted.root) == {}


@contextmanager
def locked(cluster: Cluster) -> Iterator[sqlite3.Connection]:
    """Keep everybody else from writing into the store, until the connection rolls back or is closed."""
    with closing(sqlite3.connect(cluster.path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


@contextmanager
def several(port: int, names: Sequence[str] = SEVERAL) -> Iterator[list[Fetching]]:
    """Start machines that fetch at the same time."""
    with ExitStack() as stack:
        yield [stack.enter_context(fetching(client_named(name), port, "worker")) for name in names]


# ---- 503


@pytest.mark.parametrize("name", ["2.2.1", "2.26.0", "debian"])
def test_a_machine_waits_until_the_store_is_unlocked(name: str, cluster: Cluster) -> None:
    cluster.load()
    with (
        locked(cluster) as lock,
        cluster.serve(ready=False) as server,
        fetching(client_named(name), server.port, "worker") as machine,
    ):
        machine.wait_for_log("GET result: Service Unavailable")
        assert cluster.holds() == []
        lock.execute("ROLLBACK")
        booted = machine.booted()
        told = requests(server, "/config/worker")
        lease = cluster.lease(server, booted.boot_id)
    assert_has_its_files(booted)
    assert {(line["status"], line["reason"]) for line in told[:-1]} <= {
        (503, "hold-not-acked"),
        (503, "starting"),
        (503, "store-unreachable"),
    }
    assert told[-1]["status"] == 200
    assert lease.config == WORKER


NO_CONFIG: JSONObject = {
    "apiVersion": "machineconfiguration.openshift.io/v1",
    "kind": "MachineConfigPool",
    "metadata": {"name": "worker"},
    "spec": {},
}


@pytest.mark.parametrize(
    ("name", "files", "objects", "reason"),
    [
        pytest.param("2.6.0", (), (), "pool-unknown", id="nothing is loaded yet"),
        pytest.param("2.19.0", (), (NO_CONFIG,), "pool-names-no-config", id="the pool names no config yet"),
        pytest.param("2.25.1", ("pools.yaml",), (), "config-missing", id="the pool's config is not loaded yet"),
    ],
)
def test_a_machine_waits_until_there_is_a_config_for_it(
    name: str, files: tuple[str, ...], objects: tuple[JSONObject, ...], reason: str, cluster: Cluster
) -> None:
    if files:
        cluster.load(*files)
    if objects:
        cluster.apply(*objects)
    with (
        cluster.serve(ready=False) as server,
        fetching(client_named(name), server.port, "worker") as machine,
    ):
        wait_until(lambda: any(line.get("reason") == reason for line in requests(server, "/config/worker")), reason)
        machine.wait_for_log("GET result: Service Unavailable")
        assert cluster.leases() == []
        cluster.load()
        booted = machine.booted()
        assert cluster.lease(server, booted.boot_id).config == WORKER
    assert_has_its_files(booted)


# ---- no server, and servers that die


@pytest.mark.parametrize("name", ["2.2.1", "2.14.0", "2.26.0"])
def test_a_machine_waits_until_the_server_is_up(name: str, cluster: Cluster) -> None:
    cluster.load()
    port = free_port()
    with fetching(client_named(name), port, "worker") as machine:
        machine.wait_for_log("connection refused")
        with cluster.serve(port=port) as server:
            booted = machine.booted()
            assert cluster.lease(server, booted.boot_id).config == WORKER
    assert_has_its_files(booted)


def test_machines_that_wait_for_workers_which_are_killed_are_answered_by_their_successors(cluster: Cluster) -> None:
    cluster.load()
    with cluster.serve("--workers", "2") as server:
        server.wait_for(lambda: len(server.worker_ids()) == 2, "both workers are ready")
        first, killed = server.worker_ids(), server.worker_pids()
        for pid in killed:
            os.kill(pid, signal.SIGSTOP)  # so that they accept nothing any more
        server.wait_for(lambda: all(map(is_stopped, killed)), "they stand still")
        with several(server.port) as machines:
            server.wait_for(lambda: waiting(server.port) == len(machines), "all machines are connected")
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
            booted = [machine.booted() for machine in machines]
        leases = [cluster.lease(server, one.boot_id) for one in booted]
    for one in booted:
        assert_has_its_files(one)
    assert len({one.boot_id for one in booted}) == len(SEVERAL)
    assert {lease.worker for lease in leases}.isdisjoint(first)
    held = {(hold.worker, hold.config) for hold in cluster.holds()}
    assert {(lease.worker, lease.config) for lease in leases} <= held


def kill_whoever_answers(server: Serving, machines: Sequence[Fetching]) -> None:
    """Kill workers that are about to answer, until some machine has lost its connection."""

    def lost() -> bool:
        for pid in server.worker_pids():
            if accepted_by(pid, server.port):
                with suppress(ProcessLookupError):  # killed a moment ago
                    os.kill(pid, signal.SIGKILL)
        return any("GET error" in machine.log() for machine in machines)

    wait_until(lost, "a machine has lost its connection", server.log)


def test_machines_whose_worker_is_killed_before_it_answers_ask_again(cluster: Cluster) -> None:
    cluster.load()
    # While the store is locked an answer takes a second, for the hold: time enough to be killed in.
    with locked(cluster) as lock, cluster.serve("--workers", "2", ready=False) as server:
        with several(server.port) as machines:
            kill_whoever_answers(server, machines)
            assert cluster.holds() == []
            lock.execute("ROLLBACK")
            booted = [machine.booted() for machine in machines]
        leases = [cluster.lease(server, one.boot_id) for one in booted]
    for one in booted:
        assert_has_its_files(one)
    held = {(hold.worker, hold.config) for hold in cluster.holds()}
    assert {(lease.worker, lease.config) for lease in leases} <= held


def test_machines_whose_whole_server_is_killed_ask_the_next_one(cluster: Cluster) -> None:
    cluster.load()
    port = free_port()
    with ExitStack() as stack:
        with locked(cluster), cluster.serve("--workers", "2", port=port, ready=False) as server:
            machines = stack.enter_context(several(port))
            server.wait_for(
                lambda: any(accepted_by(pid, port) for pid in server.worker_pids()), "a machine is being answered"
            )
            server.kill()
        for machine in machines:
            machine.wait_for_log("GET error")
        with cluster.serve(port=port):
            booted = [machine.booted() for machine in machines]
    for one in booted:
        assert_has_its_files(one)


@pytest.mark.parametrize("name", ["2.2.1", "2.26.0", "debian"])
def test_a_machine_that_has_its_config_is_protected_though_the_server_is_killed_at_once(
    name: str, cluster: Cluster
) -> None:
    cluster.load()
    with cluster.serve("--workers", "1") as server, fetching(client_named(name), server.port, "worker") as machine:
        result = machine.result()
        server.kill()  # perhaps before the boot lease is written
    assert result.rc == 0, result.log
    [hold] = [hold for hold in cluster.holds() if hold.config == WORKER]
    assert hold.expires > time.time() + 12 * 3600  # for longer than a boot may take


def test_a_boot_survives_a_restart_of_the_server(cluster: Cluster) -> None:
    cluster.load()
    with cluster.serve() as server:
        before = boot(client_named("2.26.0"), server.port, "worker")
        assert server.stop() == 0
    with cluster.serve() as server:
        after = boot(client_named("2.26.0"), server.port, "worker")
        assert server.stop() == 0
    assert cluster.boot_states() == {before.boot_id: "fetched", after.boot_id: "fetched"}
