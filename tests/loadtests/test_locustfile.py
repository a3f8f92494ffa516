"""The locustfile, run by locust: one lost machine fails the run, whatever the server did to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loadtests.boot import Loss, machines
from tests.loadtests.misbehaving_server import Misbehaving, serving
from tests.loadtests.samples import NEWEST

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parent.parent.parent


def locust(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the locustfile to its end."""
    places = (ROOT / ".venv-load" / "bin", Path(sys.executable).parent)
    found = [place / "locust" for place in places if (place / "locust").exists()]
    if not found:
        pytest.fail("locust is not installed: run `make .venv-load/.installed`")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LOCUST_")}
    return subprocess.run(
        [found[0], "--headless", "--only-summary", "-f", "loadtests/locustfile.py", *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def run_against(server: Misbehaving, *behaviours: str) -> subprocess.CompletedProcess[str]:
    pools = ",".join(f"{name}:3.6" for name in behaviours)
    users = str(len(behaviours))
    timing = ("--run-time", "3s", "--boot-seconds", "2", "--users", users, "--spawn-rate", users)
    return locust("--host", f"http://127.0.0.1:{server.server_port}", "--pools", pools, *timing)


def summary(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Return the counts of the summary's first line."""
    line = next(line for line in done.stdout.splitlines() if line.startswith("Boots: "))
    return {what: int(number) for number, what in (part.split(" ", 1) for part in line[7:].split(", "))}


def test_a_run_in_which_machines_only_had_to_retry_succeeds() -> None:
    with serving() as server:
        done = run_against(server, "whole", "unready", "hang-up")

    assert done.returncode == 0, done.stdout + done.stderr
    counts = summary(done)
    assert counts["begun"] == counts["booted"] >= 6
    assert "  3 × 503 starting" in done.stdout.splitlines()
    assert "Retries: 6" in done.stdout.splitlines()


def test_each_machine_asks_as_ignition_does_on_a_connection_of_its_own() -> None:
    with serving() as server:
        done = run_against(server, "whole")
        host = f"127.0.0.1:{server.server_port}"

    assert done.returncode == 0, done.stdout + done.stderr
    assert {request.version for request in server.requests} == {"HTTP/1.1"}
    assert [request.headers for request in server.requests] == [[("Host", host), *NEWEST.headers.items()]] * len(
        server.requests
    )
    assert len({request.peer for request in server.requests}) == len(server.requests) >= 2


LOSSES = {
    "redirect": Loss.REDIRECTED,
    "gone": Loss.FINAL_STATUS,
    "cut": Loss.CUT_SHORT,
    "silent": Loss.TOO_LATE,
    "encoded": Loss.ENCODED,
    "empty": Loss.EMPTY,
    "page": Loss.NO_CONFIG,
    "old": Loss.OTHER_SPEC,
    "bare": Loss.NO_ANNOTATIONS,
    "other": Loss.OTHER_BOOT,
    "same": Loss.SAME_BOOT_ID,
}


def test_a_run_names_every_way_in_which_machines_were_lost_and_fails() -> None:
    with serving() as server:
        done = run_against(server, "whole", *LOSSES)

    assert done.returncode == 1, done.stdout + done.stderr
    assert set(LOSSES.values()) == set(Loss)
    told = [line for line in done.stdout.splitlines() if line.startswith("Lost: ")]
    for behaviour, loss in LOSSES.items():
        assert any(f"× {loss.value} ({behaviour} 3.6.0: " in line for line in told), (behaviour, told)
    counts = summary(done)
    assert counts["booted"] > 0
    assert counts["not ended"] == 0
    assert "FAILED" in done.stdout.splitlines()


@pytest.mark.parametrize("behaviour", ["cut", "stall", "none"])
def test_a_single_way_to_be_lost_fails_the_run(behaviour: str) -> None:
    with serving() as server:
        done = run_against(server, behaviour)

    assert done.returncode == 1, done.stdout + done.stderr
    assert summary(done)["booted"] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(("--host", "http://192.0.2.1:80"), "192.0.2.1 is not loopback; --any-host allows it", id="far"),
        pytest.param(("--host", "http://example.net"), "example.net is not loopback", id="name"),
        pytest.param((), "'' names no server", id="no host"),
        pytest.param(("--host", "http://127.0.0.1:1", "--pools", "a:4"), "'a:4' is no pool", id="pool"),
        pytest.param(("--host", "http://127.0.0.1:1", "--boot-seconds", "0"), "--boot-seconds must be", id="seconds"),
    ],
)
def test_a_run_that_cannot_be_meant_is_refused(arguments: tuple[str, ...], told: str) -> None:
    done = locust("--run-time", "1s", *arguments)

    assert done.returncode == 2, done.stdout + done.stderr
    assert "loadtests: " in done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_the_example_fleets_default_pools_exist() -> None:
    fleet = (ROOT / "examples" / "fleet" / "pools.yaml").read_text()
    locustfile = (ROOT / "loadtests" / "locustfile.py").read_text()
    pools = locustfile.partition('POOLS = "')[2].partition('"')[0]

    assert all(f"\n  name: {machine.pool}\n" in fleet for machine in machines(pools))
