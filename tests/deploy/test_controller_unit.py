"""The controller's systemd unit: systemd takes it, it is confined, it shares the store, and what it runs works."""

import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from mcs.store import open_store
from tests.deploy.test_systemd import MOST_EXPOSED, SETTINGS, analyze, notified, wait_for
from tests.deploy.test_systemd import UNIT as SERVER

UNIT = SERVER.with_name("mcs-controller.service")


def options(unit: Path) -> dict[str, str]:
    """Return what a unit says of each option."""
    return dict(re.findall(r"^(\w+)=(.*)$", unit.read_text(), re.MULTILINE))


@pytest.fixture
def startable(tmp_path: Path) -> Path:
    """The unit with a program that is there: systemd looks for it."""
    path = tmp_path / UNIT.name
    path.write_text(UNIT.read_text().replace("/opt/mcs/bin/mcs", sys.executable))
    return path


@pytest.mark.real
def test_systemd_takes_the_unit(startable: Path) -> None:
    done = analyze("verify", startable)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.real
def test_the_unit_is_confined(startable: Path) -> None:
    done = analyze("security", "--offline=yes", "--no-pager", f"--threshold={MOST_EXPOSED}", startable)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["User", "DynamicUser", "StateDirectory", "StateDirectoryMode", "UMask"])
def test_it_shares_the_servers_store(name: str) -> None:
    assert options(UNIT)[name] == options(SERVER)[name]


def test_it_is_confined_no_less_than_the_server() -> None:
    differing = {name for name, value in options(SERVER).items() if options(UNIT).get(name) != value}
    assert differing == {
        *("Description", "Wants", "After", "ExecStart", "ExecReload", "KillMode", "TimeoutStopSec"),
        "RestrictAddressFamilies",
    }
    assert options(UNIT)["RestrictAddressFamilies"] == "AF_UNIX"


@pytest.mark.real
def test_what_it_runs_says_when_it_has_begun_and_ends_as_the_unit_expects(tmp_path: Path) -> None:
    settings = tmp_path / "mcs.toml"
    settings.write_text(SETTINGS.read_text().replace("/var/lib/mcs", str(tmp_path)))
    command = options(UNIT)["ExecStart"].replace("/etc/mcs/mcs.toml", str(settings))
    program, *arguments = shlex.split(command)
    assert (program, options(UNIT)["Type"]) == ("/opt/mcs/bin/mcs", "notify")
    with closing(open_store(f"sqlite:///{tmp_path / 'store.db'}")) as store:  # the server makes it
        store.pools()
    log = tmp_path / "log"
    environment = {name: text for name, text in os.environ.items() if not name.startswith("MCS_")}
    environment["NOTIFY_SOCKET"] = str(tmp_path / "notify")
    with notified(tmp_path) as manager, log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "mcs", *arguments], env=environment, stdout=output, stderr=output
        )
        try:
            assert manager.recv(4096) == b"READY=1"
            wait_for(log, ": renders, unmarks, ends boots, labels nodes")
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
    assert "Traceback" not in log.read_text()
