"""The example server: what is wrong with LISTEN is a sentence, and it stops as one expects."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools import example

PROGRAM = """
import sys
from pathlib import Path
from tools import example
example.STATE = Path(sys.argv[1])
sys.exit(example.main(sys.argv[2:]))
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(folder: Path, listen: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", PROGRAM, str(folder), "run", "--listen", listen]
    environment = os.environ | {"MCS_ADMIN_LISTEN": f"127.0.0.1:{free_port()}"}
    with subprocess.Popen(
        command, cwd=example.ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()


WRONG = [
    pytest.param("nowhere", "--listen: 'nowhere': it is not HOST:PORT, such as 127.0.0.1:22623", id="no port"),
    pytest.param("127.0.0.1:http", "--listen: '127.0.0.1:http': it is not HOST:PORT", id="no number"),
    pytest.param("0.0.0.0:22623", "--listen 0.0.0.0:22623: other hosts could read configs there", id="all addresses"),
]


@pytest.mark.parametrize(("listen", "message"), WRONG)
def test_a_wrong_address_is_a_sentence(capsys: pytest.CaptureFixture[str], listen: str, message: str) -> None:
    assert example.main(["run", "--listen", listen]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(f"make run: {message}")
    assert printed.endswith("; choose another with make run LISTEN=HOST:PORT\n")


def test_an_address_in_use_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        listen = f"127.0.0.1:{other.getsockname()[1]}"
        assert example.main(["run", "--listen", listen]) == 1
    message = f"make run: cannot listen on {listen}: Address already in use; choose another with make run LISTEN="
    assert capsys.readouterr().err.startswith(message)


@pytest.mark.real
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_what_to_try_once_all_workers_serve_and_stops(tmp_path: Path, number: signal.Signals) -> None:
    listen = f"127.0.0.1:{free_port()}"
    with running(tmp_path, listen) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        banner = []
        for line in iter(process.stdout.readline, ""):
            banner.append(line.strip())
            if "Ctrl-C stops it" in line:
                process.send_signal(number)
        log = process.stderr.read()
        assert process.wait(30) == 0, log
    curls = [line for line in banner if line.startswith("curl ")]
    assert curls[0].startswith("curl -s -o /dev/null -D - -H 'Accept: ")
    assert curls[0].endswith(f"http://{listen}/config/worker")
    assert curls[1].startswith("curl -s -H 'Accept: ")
    assert curls[1].endswith(f"http://{listen}/config/worker | python3 -m json.tool | head -30")
    assert len(re.findall("worker [0-9a-f]{32} serves from", log)) == 2
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(listen.rpartition(":")[2]))) != 0
