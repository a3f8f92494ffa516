"""Every client boots from every pool of the example fleet, and its root is what the stored config declares."""

import json
import re
from dataclasses import replace

import pytest

from mcs.jsondata import JSONObject, list_at, object_at, text_at
from tests.clients.written import Written
from tests.end_to_end.cluster import Cluster, requests
from tests.end_to_end.declared import (
    accounts,
    declared_accounts,
    declared_directories,
    declared_enablement,
    declared_files,
    declared_groups,
    declared_links,
    declared_units,
    differing,
    enablement,
    groups,
)
from tests.end_to_end.fleet import SERVED_BY, served_config
from tests.end_to_end.machines import BOOTING, NODE_ANNOTATIONS, NODE_LABELS, Booted, boot, client_named, user_agent
from tests.web.serving import Serving

pytestmark = pytest.mark.real

MCO = "machineconfiguration.openshift.io/"
ENCAPSULATED = "/etc/ignition-machine-config-encapsulated.json"
APPENDED = {NODE_ANNOTATIONS, NODE_LABELS, ENCAPSULATED}

# Its config lets a partition grow, which specs before 3.2 lack.
TOO_OLD_FOR_EDGE = {"0.35.0", "2.0.1", "2.2.1", "2.6.0"}
BOOTS = [
    pytest.param((name, pool), id=f"{pool}-{name}")
    for pool in SERVED_BY
    for name in BOOTING
    if pool != "edge" or name not in TOO_OLD_FOR_EDGE
]


@pytest.fixture(scope="module", params=BOOTS)
def booted(request: pytest.FixtureRequest, server: Serving) -> Booted:
    name, pool = request.param
    return boot(client_named(name), server.port, pool)


@pytest.fixture
def stored(booted: Booted) -> JSONObject:
    """The rendered config as the fleet's files have it."""
    return served_config(booted.pool)


@pytest.fixture
def config(stored: JSONObject) -> JSONObject:
    """The Ignition config in it."""
    return object_at(stored, "spec", "config")


def test_every_file_has_its_content_mode_and_owner(booted: Booted, config: JSONObject) -> None:
    declared = declared_files(config)
    assert len(declared) >= 50
    assert differing(declared, booted.root) == {}


def test_directories_and_links_are_made(booted: Booted, config: JSONObject) -> None:
    assert differing(declared_directories(config), booted.root) == {}
    assert differing(declared_links(config), booted.root) == {}


def test_every_unit_drop_in_and_mask_is_written(booted: Booted, config: JSONObject) -> None:
    declared = declared_units(config)
    assert len(declared) >= 20
    assert differing(declared, booted.root) == {}


def test_units_are_enabled_and_disabled(booted: Booted, config: JSONObject) -> None:
    assert enablement(booted.root) == declared_enablement(config)


def test_users_have_their_ids_groups_and_keys(booted: Booted, config: JSONObject) -> None:
    declared = declared_accounts(config)
    assert declared
    assert accounts(booted.root, declared) == declared
    assert declared_groups(config).items() <= groups(booted.root).items()


def test_nothing_else_is_written(booted: Booted, config: JSONObject) -> None:
    left_by_clients = re.compile(
        r"/etc/(?:(?:passwd|group|shadow|gshadow|subuid|subgid)-?|\.pwd\.lock|\.ignition-result\.json|selinux/config"
        r"|systemd/system-preset/20-ignition\.preset)"
        r"|/home/(?:core|oncall)/(?:\.ssh/.+|\.authorized_keys\.d\.lock)"
    )
    known = {*declared_files(config), *declared_links(config), *declared_units(config), *APPENDED}
    written = {path for path, entry in booted.root.items() if entry.kind != "directory"}
    assert {path for path in written - known if left_by_clients.fullmatch(path) is None} == set()


def test_the_node_annotations_name_the_config_and_the_boot(booted: Booted, stored: JSONObject) -> None:
    name = text_at(stored, "metadata", "name")
    assert re.fullmatch("[a-z2-7]{26}", booted.boot_id)
    assert booted.annotations == {
        MCO + "currentConfig": name,
        MCO + "desiredConfig": name,
        MCO + "firstPivotConfig": name,
        MCO + "state": "Done",
        "mcs.internal/boot": booted.boot_id,
    }


def test_the_labels_name_the_boot_and_the_configs_hash(booted: Booted, stored: JSONObject) -> None:
    digest = (text_at(stored, "metadata", "name") or "").removeprefix(f"rendered-{booted.pool}-")
    assert booted.labels == {"mcs.internal/boot": booted.boot_id, "mcs.internal/config-hash": digest}


def test_the_encapsulated_machine_config_has_an_empty_ignition_config_of_the_spec_served(
    booted: Booted, stored: JSONObject
) -> None:
    spec = object_at(stored, "spec")
    arguments = list_at(spec, "kernelArguments")
    if booted.client.reads < "3.3.0":  # which had no kernel arguments: they move here
        arguments = [*arguments, *list_at(spec, "config", "kernelArguments", "shouldExist")]
    empty: JSONObject = {"ignition": {"version": booted.client.reads}}
    assert json.loads(booted.root[ENCAPSULATED].contents) == {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {"name": text_at(stored, "metadata", "name")},  # annotations may change, what is served may not
        "spec": {**spec, "config": empty, "kernelArguments": arguments},
    }


def test_kernel_arguments_stay_in_the_ignition_config_from_spec_3_3_on(booted: Booted, config: JSONObject) -> None:
    wanted = list_at(config, "kernelArguments", "shouldExist") if booted.client.reads >= "3.3.0" else []
    assert list_at(booted.config, "kernelArguments", "shouldExist") == wanted


def test_what_is_appended_can_be_read_by_all_and_belongs_to_root(booted: Booted) -> None:
    without_contents = {path: replace(booted.root[path], contents=b"") for path in APPENDED}
    assert without_contents == dict.fromkeys(APPENDED, Written("file", 0o644, 0, 0))


def test_the_boot_lease_bears_the_id_that_the_client_wrote(
    booted: Booted, stored: JSONObject, fleet: Cluster, server: Serving
) -> None:
    lease = fleet.lease(server, booted.boot_id)
    assert lease.boot_id == booted.boot_id
    assert (lease.pool, lease.config) == (booted.pool, text_at(stored, "metadata", "name"))
    assert (lease.asked, lease.served) == (booted.client.asks_for, booted.client.reads)
    assert lease.client == user_agent(booted.client)
    assert (lease.address, lease.network, lease.count) == ("127.0.0.1", None, 1)
    assert (lease.ended, lease.node) == (None, None)


def test_the_hold_of_the_worker_that_answered_is_in_the_store(booted: Booted, fleet: Cluster, server: Serving) -> None:
    lease = fleet.lease(server, booted.boot_id)
    [hold] = [hold for hold in fleet.holds() if (hold.worker, hold.config) == (lease.worker, lease.config)]
    assert hold.pools == (booted.pool,)
    assert hold.acquired <= lease.fetched < hold.expires


def test_the_servers_log_tells_the_same_story(booted: Booted, stored: JSONObject, server: Serving) -> None:
    told = [line for line in requests(server, f"/config/{booted.pool}") if line.get("boot") == booted.boot_id]
    assert [(line["method"], line["status"], line["config"], line["spec"], line["client"]) for line in told] == [
        ("GET", 200, text_at(stored, "metadata", "name"), booted.client.reads, user_agent(booted.client))
    ]


@pytest.mark.parametrize("pool", SERVED_BY)
def test_the_stored_object_is_as_it_was_loaded(pool: str, fleet: Cluster) -> None:
    loaded = served_config(pool)
    stored = json.loads(fleet.mcs("get", "configs", text_at(loaded, "metadata", "name") or "", "-o", "json"))
    assert stored["spec"] == loaded["spec"]
    assert stored["metadata"]["generation"] == 1
