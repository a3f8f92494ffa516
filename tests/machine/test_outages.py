"""A machine joins whatever its server does meanwhile: it is down at power-on, and is restarted in mid-fetch."""

import socket
from pathlib import Path

import pytest

from tests.end_to_end.cluster import Cluster
from tests.machine.boots import load, node_of, wait_for_report, wait_until
from tests.machine.front import make_front
from tests.machine.guest import CONFIG_PORT, REPORT_PORT, find_parts, powered_on
from tests.machine.relay import relaying
from tests.machine.report import receiving
from tests.web.serving import free_port

pytestmark = [pytest.mark.real, pytest.mark.slow]

# Far more than the buffers of both ends of a connection can hold: a server that has sent most of it is not yet done.
BALLAST = b"ballast." * (7 * 2**20 // 8)
# A part of the body, well behind the answer's head and the handshake.
HALT_AFTER = 100_000


def accepts(port: int) -> bool:
    """Tell whether somebody listens on a port of the loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_machine_joins_though_its_server_was_down_and_is_restarted_while_it_fetches(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    parts = find_parts()
    cluster = Cluster(tmp_path)
    load(cluster)
    ballast = tmp_path / "ballast"
    ballast.write_bytes(BALLAST)
    front = make_front(cluster, tmp_path / "tls", "--extra-file", f"/etc/ballast={ballast}")
    folder = tmp_path / "machine"
    folder.mkdir()
    port = free_port()
    is_shown = pytestconfig.getoption("capture") == "no"
    with (
        receiving() as reports,
        relaying(port, HALT_AFTER) as relay,
        powered_on(
            parts, front.stub, {CONFIG_PORT: relay.port, REPORT_PORT: reports.port}, folder, shown=is_shown
        ) as guest,
    ):
        wait_until(guest, lambda: guest.connections(CONFIG_PORT) >= 2, "it has asked in vain, and asked again")

        with front.serve(cluster, port) as first:
            wait_until(guest, relay.halted.is_set, "it is in the middle of the body", first.log)
            first.process.terminate()
            wait_until(guest, lambda: not accepts(port), "the server takes no new connections", first.log, 30)
            assert first.process.poll() is None, "it has left the machine alone"
            relay.go_on()
            assert first.process.wait(60) == 0

        with front.serve(cluster, port) as second:
            report = wait_for_report(guest, reports, second.log)
            cluster.apply(node_of(report, "worker-0"))

    assert report.files["/etc/ballast"].contents == BALLAST
    assert set(cluster.boot_states().values()) == {"joined"}
