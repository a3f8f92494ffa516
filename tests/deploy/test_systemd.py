"""The systemd unit: systemd takes it, it is confined, it waits as long as the server does, and what it runs works."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mcs.settings import Settings, load
from mcs.web import gunicorn
from tests.web.serving import ask, free_port

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "deploy" / "systemd" / "mcs.service"
SETTINGS = ROOT / "deploy" / "systemd" / "mcs.toml"
README = ROOT / "deploy" / "README.md"
ANALYZE = Path("/usr/bin/systemd-analyze")

MOST_EXPOSED = 15  # of 100, by systemd's own reckoning; an unconfined service has 96


def option(name: str) -> str:
    """Return what the unit says of an option that it has once."""
    [said] = re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)
    return str(said)


def analyze(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run systemd-analyze; needs no running systemd."""
    assert ANALYZE.is_file(), "missing: Debian's package systemd. Run: make tools"
    return subprocess.run([ANALYZE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def unit_that_can_be_started(folder: Path, text: str) -> Path:
    """Write the unit with a program that is there: systemd looks for it."""
    path = folder / UNIT.name
    path.write_text(text.replace("/opt/mcs/bin/mcs", sys.executable))
    return path


@pytest.mark.real
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    done = analyze("verify", unit_that_can_be_started(tmp_path, UNIT.read_text()))
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.real
@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        pytest.param("TimeoutStopSecond=5", "'TimeoutStopSecond' in section", id="an option that is none"),
        pytest.param("Type=notified", "Failed to parse service type", id="a value that is none"),
    ],
)
def test_systemd_would_say_what_is_wrong_with_it(mistake: str, said: str, tmp_path: Path) -> None:
    text = UNIT.read_text().replace("[Service]\n", f"[Service]\n{mistake}\n")
    assert said in analyze("verify", unit_that_can_be_started(tmp_path, text)).stdout


@pytest.mark.real
def test_the_unit_is_confined(tmp_path: Path) -> None:
    unit = unit_that_can_be_started(tmp_path, UNIT.read_text())
    done = analyze("security", "--offline=yes", "--no-pager", f"--threshold={MOST_EXPOSED}", unit)
    assert done.returncode == 0, done.stdout


def test_it_waits_longer_for_the_end_than_the_server_needs() -> None:
    patience = gunicorn._Application(shipped_settings).patience
    assert int(option("TimeoutStopSec")) > patience


def shipped_settings() -> Settings:
    """Return what the shipped file comes to, with nothing else."""
    return load({}, environment={}, file=SETTINGS)


def test_the_shipped_settings_are_good_and_keep_the_store_where_the_unit_may_write() -> None:
    assert shipped_settings().store == f"sqlite:////var/lib/{option('StateDirectory')}/store.db"
    assert shipped_settings().listen.is_loopback


def test_the_settings_for_other_hosts_are_good_too(tmp_path: Path) -> None:
    shipped = SETTINGS.read_text()
    changed = re.sub(
        r"^# (?=[a-z-]+ = )", "", re.sub(r"^listen.*\n", "", shipped, flags=re.MULTILINE), flags=re.MULTILINE
    )
    file = tmp_path / "mcs.toml"
    file.write_text(changed)
    settings = load({}, environment={}, file=file)
    assert not settings.listen.is_loopback
    assert settings.tls_cert is not None


@pytest.mark.parametrize("name", ["User", "DynamicUser", "StateDirectory", "StateDirectoryMode", "UMask"])
def test_the_document_runs_commands_as_the_unit_runs_the_server(name: str) -> None:
    assert f"-p {name}={option(name)}" in README.read_text()


# ---- what it runs, without systemd


@contextmanager
def notified(folder: Path) -> Iterator[socket.socket]:
    """Listen where a service manager would."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(folder / "notify"))
        listening.settimeout(30)
        yield listening


def wait_for(log: Path, text: str, count: int = 1) -> None:
    """Wait until a log has a text so many times."""
    end = time.monotonic() + 30
    while log.read_text().count(text) < count:
        assert time.monotonic() < end, f"in vain waited for {text!r}:\n{log.read_text()}"
        time.sleep(0.02)


@pytest.mark.real
def test_what_it_runs_says_when_it_listens_reloads_and_ends_as_the_unit_expects(tmp_path: Path) -> None:
    port, admin = free_port(), free_port()
    settings = tmp_path / "mcs.toml"
    shipped = SETTINGS.read_text().replace("/var/lib/mcs", str(tmp_path))
    own = f'listen = "127.0.0.1:{port}"\nadmin-listen = "127.0.0.1:{admin}"\ndrain = "0s"\nworkers = 1\n'
    settings.write_text(re.sub(r"^listen.*\n", own, shipped, flags=re.MULTILINE))
    program, *arguments = shlex.split(option("ExecStart").replace("/etc/mcs/mcs.toml", str(settings)))
    assert program == "/opt/mcs/bin/mcs"
    assert option("Type") == "notify"
    log = tmp_path / "log"
    environment = {name: text for name, text in os.environ.items() if not name.startswith("MCS_")}
    with notified(tmp_path) as manager, log.open("wb") as output:
        command = [sys.executable, "-m", "mcs", *arguments]
        environment["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            assert "READY=1" in manager.recv(4096).decode().splitlines()
            assert ask(port, "/healthz").status == 200  # at once, since it listens
            assert ask(admin, "/healthz").status == 200
            wait_for(log, "serves from sqlite:")
            reload = {"MAINPID": str(process.pid), "PATH": os.environ["PATH"]}
            subprocess.run(["/bin/sh", "-c", option("ExecReload")], env=reload, check=True)
            wait_for(log, "serves from sqlite:", 2)
            assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
    assert "Traceback" not in log.read_text()
