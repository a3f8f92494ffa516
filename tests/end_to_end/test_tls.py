"""Machines boot over TLS, from the stubs that `mcs tls init` prints, and through a change of the certificate."""

from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from mcs.jsondata import list_at, object_at
from tests.end_to_end.cluster import Cluster, requests
from tests.end_to_end.declared import declared_files, differing
from tests.end_to_end.fleet import served_config
from tests.end_to_end.machines import BOOTING, Booted, boot_from, client_named, fetching_from
from tests.end_to_end.secured import STUB_PORT, Secured, secured
from tests.web.serving import Serving

pytestmark = pytest.mark.real

ANSWERED = "GET result"  # what a client logs of any answer, whatever its status
UNKNOWN_CA = "certificate signed by unknown authority"
IN_A_ROW = 10  # connections; each worker has surely had one of them


@pytest.fixture(scope="module")
def front(fleet: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Secured:
    return secured(fleet, tmp_path_factory.mktemp("tls") / "made")


@pytest.fixture(scope="module")
def server(front: Secured) -> Iterator[Serving]:
    with front.serve() as running:
        yield running


def assert_has_its_files(booted: Booted) -> None:
    config = object_at(served_config(booted.pool), "spec", "config")
    assert differing(declared_files(config), booted.root) == {}


def ask_again(connection: HTTPSConnection) -> int:
    """Ask on a connection that stays open; return the status."""
    connection.request("GET", "/healthz")
    response = connection.getresponse()
    response.read()
    return response.status


# ---- the CA of the stub


@pytest.mark.parametrize("name", BOOTING)
def test_a_machine_boots_from_the_printed_stub(name: str, front: Secured, server: Serving) -> None:
    booted = boot_from(client_named(name), front.stub, "worker")
    assert_has_its_files(booted)
    assert front.cluster.lease(server, booted.boot_id).address.startswith("127.")


@pytest.mark.usefixtures("server")
def test_the_printed_stub_names_the_address_and_port_that_are_served(front: Secured) -> None:
    [source] = list_at(front.stub, "ignition", "config", "merge")
    assert source == {"source": f"https://{front.address}:{STUB_PORT}/config/worker"}


def test_a_machine_whose_stub_has_another_ca_asks_for_ever_and_is_told_nothing(
    front: Secured, server: Serving, tmp_path: Path
) -> None:
    other = secured(front.cluster, tmp_path / "other", front.address)
    before = len(requests(server, "/config/worker"))
    with ExitStack() as stack:
        machines = [
            stack.enter_context(fetching_from(client_named(name), other.stub, "worker", 4.0)) for name in BOOTING
        ]
        results = [machine.result() for machine in machines]
    for result in results:
        assert result.rc != 0
        assert result.log.count(UNKNOWN_CA) >= 3, result.log
        assert ANSWERED not in result.log
    assert len(requests(server, "/config/worker")) == before


# ---- a certificate that changes


def wait_until_shown(server: Serving, front: Secured, certificate: bytes) -> None:
    """Wait until every new connection is shown a certificate."""
    server.wait_for(
        lambda: all(front.shown() == certificate for _ in range(IN_A_ROW)), "every worker shows the certificate"
    )


@pytest.fixture
def own_front(fleet: Cluster, tmp_path: Path) -> Secured:
    return secured(fleet, tmp_path / "made")


@pytest.mark.parametrize("name", ["2.2.1", "2.26.0", "debian"])
def test_machines_boot_before_and_after_the_certificate_is_renewed(name: str, own_front: Secured) -> None:
    client = client_named(name)
    with own_front.serve("--head-deadline", "60s") as server:
        server.wait_for(lambda: len(server.worker_ids()) == 2, "both workers are ready")
        first, workers = own_front.certificate, server.worker_pids()
        assert own_front.shown() == first
        before = boot_from(client, own_front.stub, "worker")
        kept = own_front.connect()
        try:
            own_front.renew()
            renewed = own_front.certificate
            assert renewed != first
            wait_until_shown(server, own_front, renewed)
            assert ask_again(kept) == 200
        finally:
            kept.close()
        after = boot_from(client, own_front.stub, "worker")
        assert server.worker_pids() == workers
    for booted in (before, after):
        assert_has_its_files(booted)
    assert before.boot_id != after.boot_id


@pytest.mark.parametrize("missing", ["tls.crt", "tls.key"])
def test_machines_boot_while_a_pair_is_half_written(missing: str, own_front: Secured) -> None:
    """The pair is renewed, but one of its files comes later than the other; or half of it, at first."""
    file = own_front.folder / missing
    with own_front.serve("--workers", "1") as server:
        first, old = own_front.certificate, file.read_bytes()
        own_front.renew()
        new = file.read_bytes()
        file.write_bytes(old)
        server.wait_for(
            lambda: own_front.shown() == first and "the old certificate stays in use" in server.log(), "it complains"
        )
        booted = boot_from(client_named("2.26.0"), own_front.stub, "worker")
        file.write_bytes(new[: len(new) // 2])
        server.wait_for(
            lambda: own_front.shown() == first and server.log().count("the old certificate stays in use") == 2,
            "it complains of the half, too",
        )
        file.write_bytes(new)
        wait_until_shown(server, own_front, own_front.certificate)
        again = boot_from(client_named("2.26.0"), own_front.stub, "worker")
    for one in (booted, again):
        assert_has_its_files(one)
