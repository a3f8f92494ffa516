"""Runs the `mcs` command against a store of the test's own: in this process, or in one of its own by the shell."""

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from mcs.boot.records import Attempt, BootLease, Hold
from mcs.cli.command import mcs
from mcs.jsondata import JSON, JSONObject
from mcs.store import open_store
from mcs.store.interface import Store

__all__ = [
    "MCO",
    "ROOT",
    "Outcome",
    "Place",
    "attempt",
    "boot_lease",
    "by_shell",
    "hold",
    "node",
    "own_config",
    "pool",
    "rendered",
]

MCO = "machineconfiguration.openshift.io/v1"
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left: its exit status and what it printed, as lines."""

    status: int
    out: list[str]
    err: list[str]

    def rows(self) -> list[list[str]]:
        """Return the cells of a plain table, below its titles, split at two spaces or more."""
        return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in self.out[1:]]


@dataclass(frozen=True, slots=True)
class Place:
    """A directory with a store in it."""

    directory: Path

    @property
    def address(self) -> str:
        """The store's address."""
        return f"sqlite:///{self.directory / 'store.db'}"

    def mcs(self, *arguments: str | Path, stdin: str | bytes = "") -> Outcome:
        """Run a command."""
        result = CliRunner().invoke(
            mcs, [str(argument) for argument in arguments], input=stdin, env={"MCS_STORE": self.address}
        )
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return Outcome(result.exit_code, result.stdout.splitlines(), result.stderr.splitlines())

    def store(self) -> Store:
        """Open the store; whoever calls closes it."""
        return open_store(self.address)

    def file(self, name: str, text: str) -> Path:
        """Write a file."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


def by_shell(
    place: Place, arguments: str, program: tuple[str, ...] = ("-m", "mcs"), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command of this tree by the shell, with the redirections that its arguments end with."""
    own = {"MCS_STORE": place.address, "PYTHONPATH": str(ROOT), "PYTHONDEVMODE": ""}
    line = f"{shlex.join([sys.executable, *program])} {arguments}"
    return subprocess.run(
        line, shell=True, capture_output=True, text=True, env=os.environ | own | variables, check=False
    )


def pool(
    name: str, spec: str | None = None, status: str | None = None, annotations: JSONObject | None = None
) -> JSONObject:
    """Return a pool."""
    members: JSONObject = {}
    if spec is not None:
        members["spec"] = {"configuration": {"name": spec}}
    if status is not None:
        members["status"] = {"configuration": {"name": status}}
    metadata: JSONObject = {"name": name, "annotations": annotations or {}}
    return {"apiVersion": MCO, "kind": "MachineConfigPool", "metadata": metadata, **members}


def rendered(name: str, pool_name: str, version: str = "3.4.0") -> JSONObject:
    """Return a rendered config."""
    metadata: JSONObject = {"name": name, "labels": {"mcs.internal/pool": pool_name}}
    spec: JSONObject = {"config": {"ignition": {"version": version}}}
    return {"apiVersion": MCO, "kind": "MachineConfig", "metadata": metadata, "spec": spec}


def own_config(name: str) -> JSONObject:
    """Return a MachineConfig that a person wrote."""
    spec: JSONObject = {"kernelArguments": ["quiet"]}
    return {"apiVersion": MCO, "kind": "MachineConfig", "metadata": {"name": name}, "spec": spec}


def node(name: str, **annotations: str) -> JSONObject:
    """Return a node; annotations: without their prefixes, `boot` that of the boot id."""
    prefixes = {"boot": "mcs.internal/"}
    named: JSONObject = {
        prefixes.get(key, "machineconfiguration.openshift.io/") + key: value for key, value in annotations.items()
    }
    addresses: list[JSON] = [{"type": "InternalIP", "address": "192.0.2.1"}]
    metadata: JSONObject = {"name": name, "annotations": named}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"addresses": addresses}}


def hold(config: str, *, pools: tuple[str, ...] = (), renewed: float, duration: float = 86400.0) -> Hold:
    """Return a hold."""
    return Hold(
        worker="w" * 32, server="s", config=config, pools=pools, acquired=renewed, renewed=renewed, duration=duration
    )


def boot_lease(
    boot_id: str, config: str, *, fetched: float, duration: float = 86400.0, client: str = "Ignition/2.20.0"
) -> BootLease:
    """Return a boot lease."""
    return BootLease(
        name=boot_id,
        boot_id=boot_id,
        server="s",
        worker="w" * 32,
        pool="worker",
        config=config,
        asked="3.4.0",
        served="3.4.0",
        address="192.0.2.7",
        client=client,
        fetched=fetched,
        renewed=fetched,
        duration=duration,
    )


def attempt(
    address: str,
    reason: str,
    *,
    last: float,
    first: float | None = None,
    pool: str = "worker",
    client: str = "Ignition/2.20.0",
    count: int = 1,
) -> Attempt:
    """Return an attempt; without a first, the last is the only one."""
    first = last if first is None else first
    return Attempt(address=address, client=client, pool=pool, reason=reason, first=first, last=last, count=count)
