"""Machines that boot: a stub, a real Ignition client, a server to fetch from, a scratch root to write into."""

import dataclasses
import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from typing import TypeVar

from mcs.ignition import convert
from mcs.ignition.versions import V2_2
from mcs.jsondata import JSONObject, texts_at
from tests.clients.ignition import NAMES, Client, FetchResult, clients, fetch, scratch, write_files
from tests.clients.written import Written
from tests.web.serving import Answer

__all__ = [
    "BOOTING",
    "NODE_ANNOTATIONS",
    "NODE_LABELS",
    "Booted",
    "Fetching",
    "ask_as",
    "boot",
    "boot_from",
    "client_named",
    "fetching",
    "fetching_from",
    "stub",
    "user_agent",
    "wait_until",
]

T = TypeVar("T")

BOOTING = NAMES  # every client boots

NODE_ANNOTATIONS = "/etc/machine-config-daemon/node-annotations.json"
NODE_LABELS = "/etc/mcs/node-labels.env"

_PATIENCE = 40.0  # seconds until a test gives up on something that should happen


@dataclass(frozen=True, slots=True)
class Booted:
    """A machine after its first boot. config: what the client fetched, in its newest spec; root: what it wrote."""

    client: Client
    pool: str
    config: JSONObject
    root: Mapping[str, Written]

    @property
    def annotations(self) -> dict[str, str]:
        """What the machine will tell its Node."""
        return texts_at(json.loads(self.root[NODE_ANNOTATIONS].contents))

    @property
    def labels(self) -> dict[str, str]:
        """The labels with which its kubelet will make its Node."""
        text = self.root[NODE_LABELS].text
        found = re.fullmatch(r"MCS_NODE_LABELS=(\S+)\n", text)
        assert found, text
        return dict(label.split("=", 1) for label in found[1].split(","))

    @property
    def boot_id(self) -> str:
        """The boot id that it was given."""
        return self.annotations["mcs.internal/boot"]


def client_named(name: str) -> Client:
    """Return a client of this machine."""
    return next(client for client in clients() if client.name == name)


@cache
def user_agent(client: Client) -> str:
    """What a client calls itself to servers: as it does to people, with a slash."""
    said = subprocess.run([client.path, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return said.strip().replace("Ignition ", "Ignition/", 1)


def stub(client: Client, port: int, pool: str, **source: JSONObject) -> JSONObject:
    """Return the pointer config in a machine's user data. source: further members of its merge source."""
    merge: JSONObject = {"source": f"http://127.0.0.1:{port}/config/{pool}", **source}
    return {"ignition": {"version": client.reads, "config": {client.merging: [merge]}}}


def _in_spec_of(client: Client, user_data: JSONObject) -> JSONObject:
    return user_data if client.reads >= "3" else convert(user_data, V2_2)


def boot(client: Client, port: int, pool: str) -> Booted:
    """Boot a machine: fetch stage, then files stage. Both have to succeed."""
    return boot_from(client, stub(client, port, pool), pool)


def boot_from(client: Client, user_data: JSONObject, pool: str) -> Booted:
    """Boot a machine from a stub of spec 3.0 or the client's own that names the pool. As boot."""
    with scratch() as workdir:
        result = fetch(client, _in_spec_of(client, user_data), workdir)
        return _booted(client, pool, result, workdir)


def _booted(client: Client, pool: str, result: FetchResult, workdir: Path) -> Booted:
    assert result.rc == 0, result.log
    assert result.config is not None
    return Booted(client, pool, result.config, write_files(client, workdir))


def ask_as(client: Client, port: int, path: str) -> Answer:
    """Ask once with exactly the headers of a client."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        headers = {"Accept": client.accept, "Accept-Encoding": "identity", "User-Agent": user_agent(client)}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()


@dataclass(frozen=True, slots=True)
class Fetching:
    """A machine that is in its fetch stage, perhaps for long."""

    client: Client
    pool: str
    workdir: Path
    future: "Future[FetchResult]"

    def log(self) -> str:
        """Return what its client has logged so far."""
        return (self.workdir / "client.log").read_text()

    def wait_for_log(self, text: str) -> None:
        """Wait until its client has logged something."""
        wait_until(lambda: text in self.log(), f"{self.client.name} says {text!r}", self.log)

    def result(self) -> FetchResult:
        """Return what the fetch comes to."""
        return dataclasses.replace(self.future.result(), log=self.log())

    def booted(self) -> Booted:
        """Wait for the fetch, then write. Both have to succeed."""
        return _booted(self.client, self.pool, self.result(), self.workdir)


@contextmanager
def fetching(client: Client, port: int, pool: str, timeout: float = 30.0) -> Iterator[Fetching]:
    """Start a machine that fetches; its client gives up after `timeout` seconds."""
    with fetching_from(client, stub(client, port, pool), pool, timeout) as machine:
        yield machine


@contextmanager
def fetching_from(client: Client, user_data: JSONObject, pool: str, timeout: float = 30.0) -> Iterator[Fetching]:
    """Start a machine with a stub, of spec 3.0 or the client's own, that names the pool. As fetching."""
    with scratch() as workdir, ThreadPoolExecutor(1) as executor:
        log = workdir / "client.log"
        log.touch()
        logged = workdir / "client"  # so that its log can be read while it runs
        logged.write_text(f'#!/bin/sh\nexec {client.path} "$@" >{log} 2>&1\n')
        logged.chmod(0o755)
        machine = dataclasses.replace(client, path=logged)
        future = executor.submit(fetch, machine, _in_spec_of(client, user_data), workdir, timeout)
        yield Fetching(client, pool, workdir, future)


def wait_until(condition: Callable[[], T], what: str, facts: Callable[[], str] = str) -> T:
    """Wait until a condition is true of something; return that."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"in vain waited until {what}\n{facts()}")
