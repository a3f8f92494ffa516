"""Machines behind a load balancer that passes TLS on and says by the PROXY protocol where a connection comes from."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mcs.jsondata import object_at
from tests.end_to_end.cluster import Cluster
from tests.end_to_end.declared import declared_files, differing
from tests.end_to_end.fleet import served_config
from tests.end_to_end.haproxy import Backend, haproxy
from tests.end_to_end.machines import BOOTING, boot_from, client_named
from tests.end_to_end.secured import STUB_PORT, Secured, loopback_address, secured
from tests.web.serving import Answer, Serving, free_port

pytestmark = pytest.mark.real

BALANCER = "127.0.0.3"  # where it speaks to servers from; machines come from elsewhere
MACHINE = "127.0.0.2"
UNTOLD = "127.0.0.1"  # whence a client comes that is not told


@dataclass(frozen=True, slots=True)
class Behind:
    """A server behind a load balancer. front: what stubs name is the load balancer; port: the server itself."""

    front: Secured
    server: Serving
    port: int

    def address_of(self, answer: Answer) -> str:
        """Return the address that the boot lease of an answer has."""
        assert answer.status == 200
        return self.front.cluster.lease(self.server, answer.headers["MCS-Boot-Id"]).address


@pytest.fixture(scope="module", params=["send-proxy", "send-proxy-v2"])
def behind(
    request: pytest.FixtureRequest, fleet: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Behind]:
    folder: Path = tmp_path_factory.mktemp("behind")
    front = secured(fleet, folder / "made", loopback_address())
    server_port = free_port()
    listen = ("--listen", f"{front.address}:{server_port}", "--proxy-protocol-from", f"{BALANCER}/32")
    with fleet.serve(*listen, *front.flags, ready=False) as server:
        server.wait_for(lambda: front.ask("/readyz", server_port).status == 200, "it is ready")
        # Its own looks at /readyz are TLS behind a header of its own, too.
        speaks = (request.param, "check-ssl", "verify none", "check-send-proxy", f"source {BALANCER}")
        backends = [Backend("mcs", front.address, server_port)]
        with haproxy(folder / "haproxy", STUB_PORT, backends, *speaks, address=front.address):
            yield Behind(front, server, server_port)


@pytest.mark.parametrize("name", BOOTING)
def test_a_machine_boots_behind_it_and_its_lease_has_its_own_address(name: str, behind: Behind) -> None:
    booted = boot_from(client_named(name), behind.front.stub, "worker")
    config = object_at(served_config("worker"), "spec", "config")
    assert differing(declared_files(config), booted.root) == {}
    lease = behind.front.cluster.lease(behind.server, booted.boot_id)
    assert lease.address == UNTOLD
    assert f'"boot":"{booted.boot_id}"' in behind.server.log().replace(": ", ":")


def test_the_address_is_the_one_that_the_machine_has(behind: Behind) -> None:
    answer = behind.front.ask("/config/worker", source=MACHINE)
    assert behind.address_of(answer) == MACHINE


def test_who_comes_past_it_needs_no_header_and_has_its_own_address(behind: Behind) -> None:
    answer = behind.front.ask("/config/worker", behind.port, source=MACHINE)
    assert behind.address_of(answer) == MACHINE


def test_who_comes_from_its_address_without_a_header_is_told_nothing(behind: Behind) -> None:
    with pytest.raises(OSError, match=r"EOF|reset|closed"):
        behind.front.ask("/config/worker", behind.port, source=BALANCER)
