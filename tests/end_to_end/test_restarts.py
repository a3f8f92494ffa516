"""Servers that are restarted as service managers do it, while machines fetch: none is lost, none is cut short."""

import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from mcs.jsondata import object_at
from tests.end_to_end.cluster import Cluster
from tests.end_to_end.declared import declared_files, differing
from tests.end_to_end.fleet import served_config
from tests.end_to_end.haproxy import Backend, Haproxy, haproxy
from tests.end_to_end.load import Load, under_load
from tests.end_to_end.machines import BOOTING, Booted, boot, client_named, fetching
from tests.machine.relay import relaying
from tests.web.serving import Serving, free_port

pytestmark = [pytest.mark.real, pytest.mark.slow]

# Far more than the buffers of both ends of a connection hold: a server that has sent most of it is not yet done.
BALLAST = b"ballast." * (7 * 2**20 // 8)
HALT_AFTER = 100_000  # bytes of an answer: well inside its body


def assert_has_its_files(booted: Booted) -> None:
    config = object_at(served_config(booted.pool), "spec", "config")
    assert differing(declared_files(config), booted.root) == {}


def accepts(port: int) -> bool:
    """Tell whether somebody listens on a port of the loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def terminate(server: Serving) -> None:
    """Begin to end it as a service manager does, and wait until it takes no new connections."""
    server.process.send_signal(signal.SIGTERM)
    server.wait_for(lambda: not accepts(server.port), "it takes no new connections")


# ---- one server


@pytest.mark.parametrize("name", BOOTING)
def test_a_body_in_flight_is_finished_while_others_get_the_next_server(
    name: str, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.load()
    ballast = tmp_path / "ballast"
    ballast.write_bytes(BALLAST)
    extra = ("--extra-file", f"/etc/ballast={ballast}", "--workers", "1")
    port = free_port()
    with ExitStack() as stack:
        first = stack.enter_context(cluster.serve(*extra, port=port))
        relay = stack.enter_context(relaying(port, HALT_AFTER))
        slow = stack.enter_context(fetching(client_named(name), relay.port, "worker", 120.0))
        first.wait_for(relay.halted.is_set, "the machine is in the middle of its body")
        terminate(first)
        other = stack.enter_context(fetching(client_named(name), port, "worker", 60.0))
        other.wait_for_log("connection refused")
        with cluster.serve("--workers", "1", port=port) as second:
            of_second = other.booted()
            assert first.process.poll() is None, "it has not left its machine alone"
            relay.go_on()
            of_first = slow.booted()
            assert first.process.wait(60) == 0
            leases = [cluster.lease(second, booted.boot_id) for booted in (of_first, of_second)]
            assert [[lease.worker] for lease in leases] == [first.worker_ids(), second.worker_ids()]
    assert of_first.root["/etc/ballast"].contents == BALLAST
    for booted in (of_first, of_second):
        assert_has_its_files(booted)


def test_machines_still_boot_from_a_server_that_says_it_is_not_ready_any_more(cluster: Cluster) -> None:
    cluster.load()
    with cluster.serve("--drain", "10s") as server:
        server.process.send_signal(signal.SIGTERM)
        server.wait_for(lambda: server.ask("/readyz").status == 503, "it is not ready any more")
        assert b'"stopping"' in server.ask("/readyz").body
        booted = boot(client_named("2.26.0"), server.port, "worker")
        assert server.process.wait(60) == 0
        assert booted.boot_id in server.log()
    assert_has_its_files(booted)
    assert booted.boot_id in {lease.name for lease in cluster.leases()}


# ---- two servers behind a load balancer

NAMES = ("one", "two")
POOLS = "master,worker,infra,edge:3.2"
PLACES = 4  # machines that boot at the same time
SOME_BOOTS = 30


class Pair:
    """Two servers of one cluster, which can be restarted one by one."""

    def __init__(self, cluster: Cluster, ports: tuple[int, int], stack: ExitStack) -> None:
        self.cluster = cluster
        self.ports = dict(zip(NAMES, ports, strict=True))
        self.running: dict[str, Serving] = {}
        self._stack = stack

    def start(self, name: str) -> None:
        """Start one, with all its workers."""
        flags = ("--name", name, "--drain", "2s")
        server = self._stack.enter_context(self.cluster.serve(*flags, port=self.ports[name]))
        server.wait_for(lambda: len(server.worker_ids()) == 2, "both workers are ready")
        self.running[name] = server

    def workers(self) -> set[str]:
        """Return the ids of all workers that run."""
        return {worker for server in self.running.values() for worker in server.worker_ids()}

    def restart(self, name: str, front: Haproxy) -> None:
        """Restart one as a service manager does: the next begins once the last has ended."""
        assert self.running[name].stop() == 0
        front.wait_for(name, "DOWN")
        self.start(name)
        front.wait_for(name, "UP")


@contextmanager
def two_servers(cluster: Cluster) -> Iterator[tuple[Pair, Haproxy]]:
    with ExitStack() as stack:
        pair = Pair(cluster, (free_port(), free_port()), stack)
        for name in NAMES:
            pair.start(name)
        backends = [Backend(name, "127.0.0.1", port) for name, port in pair.ports.items()]
        front = stack.enter_context(haproxy(cluster.folder / "haproxy", free_port(), backends))
        yield pair, front


def roll(pair: Pair, front: Haproxy, load: Load) -> None:
    """Restart both, one after the other, while machines boot."""
    load.wait_for_boots(SOME_BOOTS)
    for name in NAMES:
        pair.restart(name, front)
        load.wait_for_boots(SOME_BOOTS)


def test_a_rolling_restart_of_two_servers_under_load_loses_no_boot(cluster: Cluster) -> None:
    cluster.load()
    with two_servers(cluster) as (pair, front):
        first = pair.workers()
        with under_load(front.port, POOLS, PLACES) as load:
            roll(pair, front, load)
        assert not load.tally.failed, load.tally.summary()
        cut = [reason for reason in load.tally.retries if not reason.startswith("503 ")]
        assert cut == [], load.tally.summary()
        second = pair.workers()
        for server in pair.running.values():
            assert server.stop() == 0
    leases = cluster.leases()
    assert {lease.name for lease in leases} == load.tally.boot_ids
    by_server = {(lease.server, lease.worker in second) for lease in leases}
    assert by_server == {(name, renewed) for name in NAMES for renewed in (False, True)}
    assert {lease.worker for lease in leases} <= first | second
