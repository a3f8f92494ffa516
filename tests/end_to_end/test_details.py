"""What the example fleet does not have: owners, compression, checksums, appended contents, newer fields left unused.

The stored config is of spec 3.6 and has no feature that 2.2 or 3.0 lacks, so every client gets it at its own spec.
"""

import base64
import gzip
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcs.ignition import dataurl
from mcs.jsondata import JSONObject, object_at
from tests.end_to_end.cluster import Cluster
from tests.end_to_end.declared import (
    accounts,
    declared_accounts,
    declared_directories,
    declared_files,
    declared_groups,
    differing,
    groups,
)
from tests.end_to_end.machines import BOOTING, Booted, boot, client_named
from tests.web.serving import Serving

pytestmark = pytest.mark.real

MCO = "machineconfiguration.openshift.io/v1"
KEYS = [
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{letter * 42}z {who}@example.net" for letter, who in (("A", "a"), ("B", "b"))
]
BYTES = bytes(range(256)) * 40
PACKED = base64.b64encode(gzip.compress(BYTES, mtime=0)).decode()

CONFIG: JSONObject = {
    "ignition": {"version": "3.6.0"},
    "passwd": {
        "groups": [{"name": "staff", "gid": 2345, "shouldExist": True}],
        "users": [
            {"name": "deploy", "uid": 1234, "groups": ["staff"], "shell": "/bin/sh", "sshAuthorizedKeys": [*KEYS]},
            {"name": "nobody-much", "uid": 1235, "noCreateHome": True, "system": True, "shouldExist": True},
        ],
    },
    "storage": {
        "directories": [{"path": "/var/lib/deploy", "mode": 0o750, "user": {"id": 1234}, "group": {"id": 2345}}],
        "files": [
            {"path": "/etc/owned", "mode": 0o640, "user": {"id": 1234}, "group": {"id": 2345}},
            {"path": "/etc/unmoded", "contents": {"source": "data:,no%20mode%0A"}},
            {
                "path": "/etc/verified",
                "contents": {
                    "source": "data:,%C3%A4%C3%B6",
                    "verification": {"hash": f"sha512-{hashlib.sha512('äö'.encode()).hexdigest()}"},
                },
            },
            {
                "path": "/etc/composed",
                "contents": {"source": "data:,one%0A"},
                "append": [{"source": "data:,two%0A"}, {"source": f"data:;base64,{base64.b64encode(BYTES).decode()}"}],
            },
            {"path": "/etc/has-%-and-ü", "contents": {"source": dataurl.encode(b"\0\xff%25,;")}},
        ],
        "luks": [],
    },
    "kernelArguments": {},
}

# In a config of its own: clients that ask for spec 2.2 or 3.0 cannot unpack a data URL, and get it unpacked.
PACKED_CONFIG: JSONObject = {
    "ignition": {"version": "3.1.0"},
    "storage": {
        "files": [
            {"path": "/etc/packed", "contents": {"source": f"data:;base64,{PACKED}", "compression": "gzip"}},
            # A mode, because clients of spec 2 give none to what they make by appending.
            {
                "path": "/etc/more",
                "mode": 0o644,
                "append": [{"source": f"data:;base64,{PACKED}", "compression": "gzip"}] * 2,
            },
        ]
    },
}


def pool_of(name: str, config: JSONObject) -> tuple[JSONObject, JSONObject]:
    """Return a pool and its rendered config."""
    rendered = f"rendered-{name}-{'0123456789abcdef' * 2}"
    metadata: JSONObject = {"name": rendered, "labels": {"mcs.internal/pool": name}}
    named: JSONObject = {"configuration": {"name": rendered}}
    return (
        {"apiVersion": MCO, "kind": "MachineConfigPool", "metadata": {"name": name}, "spec": named},
        {"apiVersion": MCO, "kind": "MachineConfig", "metadata": metadata, "spec": {"config": config}},
    )


@pytest.fixture(scope="module")
def odd_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    cluster = Cluster(tmp_path_factory.mktemp("odd"))
    cluster.apply(*pool_of("odd", CONFIG), *pool_of("packed", PACKED_CONFIG))
    extra = Path(cluster.folder, "extra")
    extra.write_bytes(BYTES)
    with cluster.serve("--extra-file", f"/etc/extra={extra},mode=0600") as server:
        yield server


@pytest.fixture(scope="module", params=BOOTING)
def booted(request: pytest.FixtureRequest, odd_server: Serving) -> Booted:
    return boot(client_named(request.param), odd_server.port, "odd")


def test_files_and_directories_have_their_contents_modes_and_owners(booted: Booted) -> None:
    assert differing(declared_files(CONFIG), booted.root) == {}
    assert differing(declared_directories(CONFIG), booted.root) == {}
    assert booted.root["/etc/composed"].contents == b"one\ntwo\n" + BYTES
    assert (booted.root["/etc/owned"].uid, booted.root["/etc/owned"].gid) == (1234, 2345)


def test_users_and_groups_are_made(booted: Booted) -> None:
    declared = declared_accounts(CONFIG)
    assert accounts(booted.root, declared) == declared
    assert declared_groups(CONFIG).items() <= groups(booted.root).items()
    assert "/home/deploy" in booted.root
    assert "/home/nobody-much" not in booted.root


def test_a_file_of_the_servers_settings_is_appended(booted: Booted) -> None:
    extra = booted.root["/etc/extra"]
    assert (extra.contents, extra.mode, extra.uid, extra.gid) == (BYTES, 0o600, 0, 0)


def test_the_client_reads_no_member_that_its_spec_lacks(booted: Booted) -> None:
    assert object_at(booted.config, "kernelArguments") == {}


@pytest.mark.parametrize("name", BOOTING)
def test_packed_contents_are_unpacked(name: str, odd_server: Serving) -> None:
    root = boot(client_named(name), odd_server.port, "packed").root
    assert differing(declared_files(PACKED_CONFIG), root) == {}
    assert root["/etc/packed"].contents == BYTES
