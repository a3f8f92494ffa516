"""A machine boots for the first time, over TLS: it becomes what its config says, and its Node ends its boot.

The machine is real but for its processor: firmware, kernel, initramfs, Ignition, its own disk, its own service manager.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from mcs.boot.records import BootLease
from mcs.jsondata import JSONObject, object_at, text_at
from tests.clients.written import Written
from tests.end_to_end.cluster import Cluster
from tests.end_to_end.declared import (
    accounts,
    declared_accounts,
    declared_directories,
    declared_enablement,
    declared_files,
    declared_links,
    declared_units,
    differing,
)
from tests.end_to_end.machines import NODE_ANNOTATIONS, NODE_LABELS
from tests.machine.boots import load, node_of, wait_for_report
from tests.machine.config import OPERATOR, WATCH_FILE
from tests.machine.front import make_front
from tests.machine.guest import CONFIG_PORT, REPORT_PORT, find_parts, powered_on
from tests.machine.report import Report, receiving

pytestmark = [pytest.mark.real, pytest.mark.slow]

Declared = Callable[[JSONObject], Mapping[str, Written]]

WANTS = "/etc/systemd/system/multi-user.target.wants"


@dataclass(frozen=True, slots=True)
class Booted:
    """A machine that has booted. machine_config: the rendered config; lease: the record of its boot."""

    cluster: Cluster
    machine_config: JSONObject
    lease: BootLease
    report: Report

    @property
    def config(self) -> JSONObject:
        """What the rendered config says to Ignition."""
        return object_at(self.machine_config, "spec", "config")


@pytest.fixture(scope="module")
def booted(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Booted:
    parts = find_parts()
    folder = tmp_path_factory.mktemp("machine")
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    machine_config = load(cluster)
    front = make_front(cluster, cluster.folder / "tls")
    is_shown = pytestconfig.getoption("capture") == "no"
    with front.serve(cluster) as server, receiving() as reports:
        ports = {CONFIG_PORT: server.port, REPORT_PORT: reports.port}
        with powered_on(parts, front.stub, ports, folder, shown=is_shown) as guest:
            report = wait_for_report(guest, reports, server.log)
        assert server.stop() == 0  # what waits to be recorded is recorded now
    (lease,) = cluster.leases()
    return Booted(cluster, machine_config, lease, report)


def test_it_reports_from_the_disk_that_it_has_written(booted: Booted) -> None:
    assert booted.report.root == ["/dev/vda", "ext4"]


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param(declared_files, id="files"),
        pytest.param(declared_directories, id="directories"),
        pytest.param(declared_links, id="links"),
        pytest.param(declared_units, id="units"),
    ],
)
def test_all_that_is_declared_is_there(booted: Booted, declared: Declared) -> None:
    wanted = declared(booted.config)
    assert wanted
    assert differing(wanted, booted.report.files) == {}


def test_every_user_is_there(booted: Booted) -> None:
    wanted = declared_accounts(booted.config)
    found = accounts(booted.report.files, wanted)
    assert OPERATOR in wanted
    assert {name: found.get(name) for name in wanted} == wanted


def test_its_service_manager_has_enabled_what_is_to_be_enabled(booted: Booted) -> None:
    enabled = {path.rpartition("/")[2] for path in booted.report.files if path.startswith(f"{WANTS}/")}
    declared = declared_enablement(booted.config)
    assert {"kubelet.service", "watch.service", "collect-facts.service"} <= declared["enable"] & enabled
    assert declared["disable"] & enabled == set()


def test_units_run(booted: Booted) -> None:
    units = booted.report.units
    assert units["watch.service"] == ("active", "running")
    assert units["collect-facts.service"] == ("active", "exited")


def test_a_unit_runs_as_a_user_of_the_config(booted: Booted) -> None:
    assert booted.report.files[WATCH_FILE].text == f"{OPERATOR}\n"


def test_it_has_the_boot_id_under_which_it_is_on_record(booted: Booted) -> None:
    name = text_at(booted.machine_config, "metadata", "name")
    annotations = json.loads(booted.report.files[NODE_ANNOTATIONS].contents)
    assert annotations["mcs.internal/boot"] == booted.lease.name
    assert annotations["machineconfiguration.openshift.io/currentConfig"] == name
    assert f"mcs.internal/boot={booted.lease.name}" in booted.report.files[NODE_LABELS].text


def test_its_node_ends_its_boot(booted: Booted) -> None:
    assert booted.cluster.boot_states() == {booted.lease.name: "fetched"}
    booted.cluster.apply(node_of(booted.report, "worker-0"))
    assert booted.cluster.boot_states() == {booted.lease.name: "joined"}
