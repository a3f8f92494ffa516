"""The two servers that are compared, each as a process of its own on loopback, over the same certificate and bytes."""

import base64
import json
import os
import random
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path

from loadtests.bench.processes import children, pss

__all__ = [
    "CONVERTED",
    "EQUAL",
    "SIZES",
    "STORED",
    "Failed",
    "Running",
    "accept",
    "fetch",
    "make_certificate",
    "make_store",
    "nginx",
    "nginx_config",
    "our_server",
    "pool_of",
    "rendered",
    "require_programs",
]

_MCS = Path(sys.executable).parent / "mcs"
_PATIENCE = 20.0  # seconds until a server that does not get ready, or does not end, is given up

# The bytes of a config's files; what is around them, and what the server appends, makes the bodies slightly longer.
SIZES = {"10kB": 9_000, "300kB": 299_000, "1.4MB": 1_399_000}
_FILE = 1500  # bytes of one file
STORED, EQUAL, CONVERTED = "3.5.0", "3.5.0", "3.2.0"


class Failed(Exception):
    """The benchmark cannot run; the text says why and what to do."""


def require_programs() -> None:
    """Raise Failed where a program is missing."""
    missing = [program for program in ("nginx", "wrk") if shutil.which(program) is None]
    if missing:
        raise Failed(f"{' and '.join(missing)} not found: apt-get install nginx-light wrk")


# ---- what is served


def rendered(pool: str, size: int) -> list[dict[str, object]]:
    """Return a pool and its rendered config, whose files take about `size` bytes as JSON; the same ones each time."""
    drawn = random.Random(pool)
    files: list[dict[str, object]] = []
    while size > 0:
        content = base64.b64encode(drawn.randbytes(min(_FILE, size * 3 // 4 + 1))).decode("ascii")
        source = {"source": f"data:;base64,{content}"}
        files.append({"path": f"/etc/bench/{len(files)}", "mode": 0o644, "contents": source})
        size -= len(json.dumps(files[-1], separators=(",", ":"))) + 1
    name = f"rendered-{pool}-{drawn.randbytes(16).hex()}"
    api = "machineconfiguration.openshift.io/v1"
    config = {"ignition": {"version": STORED}, "storage": {"files": files}}
    return [
        {"apiVersion": api, "kind": "MachineConfig", "metadata": {"name": name}, "spec": {"config": config}},
        {
            "apiVersion": api,
            "kind": "MachineConfigPool",
            "metadata": {"name": pool},
            "spec": {"configuration": {"name": name}},
        },
    ]


def pool_of(size: str) -> str:
    """Return the pool whose config has a size: a DNS name."""
    return f"bench-{size.lower().replace('.', '-')}"


def make_store(folder: Path) -> str:
    """Make a store with a pool for each size, and return its address."""
    objects = [one for size, length in SIZES.items() for one in rendered(pool_of(size), length)]
    manifest = folder / "fleet.json"
    manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    address = f"sqlite:///{folder / 'store.db'}"
    _run([str(_MCS), "apply", "--store", address, "-f", str(manifest)])
    return address


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a CA and a server certificate (ECDSA P-256) and return certificate and key of the server."""
    tls = folder / "tls"
    _run([str(_MCS), "tls", "init", str(tls), "--host", "127.0.0.1"])
    (tls / "tls.key").chmod(0o644)  # nginx's workers may be another user; it protects nothing but this run
    return tls / "tls.crt", tls / "tls.key"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{' '.join(command)}: {done.stderr.strip()}")


# ---- asking


def accept(version: str) -> str:
    """Return the Accept header of an Ignition client that reads this spec."""
    return f"application/vnd.coreos.ignition+json;version={version}, */*;q=0.1"


def fetch(url: str, version: str, timeout: float = 10.0) -> bytes:
    """Return the body at a URL of loopback. Raises OSError, HTTPException, or Failed for any status but 200."""
    found = re.fullmatch(r"(https?)://127\.0\.0\.1:(\d+)(/.*)", url)
    assert found is not None, url
    scheme, port, path = found.groups()
    trusting = ssl._create_unverified_context()  # noqa: SLF001  # who answers is not in doubt: this process started it
    connection = (
        HTTPSConnection("127.0.0.1", int(port), timeout=timeout, context=trusting)
        if scheme == "https"
        else HTTPConnection("127.0.0.1", int(port), timeout=timeout)
    )
    try:
        connection.request("GET", path, headers={"Accept": accept(version)})
        response = connection.getresponse()
        body = response.read()
    finally:
        connection.close()
    if response.status != 200:
        raise Failed(f"{url} answers {response.status}: {body[:200].decode('utf-8', 'replace')}")
    return body


# ---- the servers


@dataclass(frozen=True, slots=True)
class Running:
    """A server that runs. ready_after: seconds from its start until it was ready."""

    process: "subprocess.Popen[bytes]"
    http: str
    tls: str
    ready_after: float

    def url(self, *, tls: bool) -> str:
        """Return the address without a path."""
        return self.tls if tls else self.http

    def workers(self) -> list[int]:
        """Return its worker processes."""
        return children(self.process.pid)

    def processes(self) -> list[int]:
        """Return all of its processes."""
        return [self.process.pid, *self.workers()]

    def memory(self) -> tuple[int, ...]:
        """Return the PSS of each worker in bytes."""
        return tuple(pss(pid) for pid in self.workers())


def _free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def our_server(folder: Path, store: str, certificate: tuple[Path, Path] | None, *, workers: int) -> Iterator[Running]:
    """Serve a store, over TLS where there is a certificate; holds, boot leases and metrics are as they are by default.

    Nothing is logged for each request on either side.
    """
    port = _free_port()
    command = [str(_MCS), "serve", "--store", store, "--listen", f"127.0.0.1:{port}", "--admin-listen", "127.0.0.1:0"]
    command += ["--log-level", "warning", "--drain", "0", "--workers", str(workers)]
    if certificate is not None:
        command += ["--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1])]
    scheme = "http" if certificate is None else "https"
    environment = {key: text for key, text in os.environ.items() if not key.startswith("MCS_")}
    url = f"{scheme}://127.0.0.1:{port}"
    with _process(command, folder / f"mcs-{port}.log", environment, f"{url}/readyz") as (process, ready_after):
        yield Running(process, url, url, ready_after)


@contextmanager
def nginx(folder: Path, certificate: tuple[Path, Path], *, workers: int) -> Iterator[Running]:
    """Serve `folder/www` by nginx, over HTTP on one port and over TLS on another."""
    www = folder / "www"
    www.mkdir()
    (www / "readyz").write_text("ready\n")
    for one in (folder, www):
        one.chmod(0o755)  # its workers may be another user
    ports = _free_port(), _free_port()
    config = folder / "nginx.conf"
    config.write_text(nginx_config(folder, certificate, http=ports[0], tls=ports[1], workers=workers))
    http, tls = (f"{scheme}://127.0.0.1:{port}" for scheme, port in zip(("http", "https"), ports, strict=True))
    command = ["nginx", "-p", str(folder), "-c", str(config)]
    with _process(command, folder / "nginx.log", dict(os.environ), f"{http}/readyz") as (process, ready_after):
        yield Running(process, http, tls, ready_after)


def nginx_config(folder: Path, certificate: tuple[Path, Path], *, http: int, tls: int, workers: int) -> str:
    """Return nginx's configuration: files by sendfile, no log, the same certificate, no session is resumed."""
    return f"""daemon off;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log stderr warn;
events {{
    worker_connections 1024;
}}
http {{
    access_log off;
    sendfile on;
    default_type application/vnd.coreos.ignition+json;
    keepalive_requests 1000000000;
    root {folder}/www;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    server {{
        listen 127.0.0.1:{http};
    }}
    server {{
        listen 127.0.0.1:{tls} ssl;
        ssl_certificate {certificate[0]};
        ssl_certificate_key {certificate[1]};
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache off;
        ssl_session_tickets off;
    }}
}}
"""


@contextmanager
def _process(
    command: list[str], log: Path, environment: dict[str, str], ready_url: str
) -> Iterator[tuple["subprocess.Popen[bytes]", float]]:
    """Run a server until the block ends. Yields its process and the seconds that it took to get ready."""
    with log.open("wb") as output:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment, process_group=0)
        try:
            yield process, _wait_until_ready(process, log, ready_url, began)
        finally:
            process.terminate()
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                for pid in (*children(process.pid), process.pid):
                    os.kill(pid, 9)
                process.wait()


def _wait_until_ready(process: "subprocess.Popen[bytes]", log: Path, url: str, began: float) -> float:
    while time.monotonic() - began < _PATIENCE:
        if process.poll() is not None:
            break
        try:
            fetch(url, EQUAL, timeout=2.0)
        except (OSError, HTTPException, Failed):
            time.sleep(0.01)
        else:
            return time.monotonic() - began
    raise Failed(f"{process.args!r} did not get ready:\n{log.read_text()[-2000:]}")
