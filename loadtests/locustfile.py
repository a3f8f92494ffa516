"""Machines that boot, for locust: `make load`, or `locust --headless -f loadtests/locustfile.py --host URL`.

Each boot is a new machine. The run fails (exit code 1) on any lost boot; retries are not failures. The server and the
pools are fixed at the start: a host that is entered in the web interface changes nothing.
"""

import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from ipaddress import ip_address
from itertools import cycle
from time import monotonic, sleep
from typing import ClassVar, NoReturn
from urllib.parse import urlsplit

from gevent import Timeout
from locust import User, constant_pacing, events, task
from locust.argument_parser import LocustArgumentParser
from locust.env import Environment
from locust.runners import LocalRunner

from loadtests.boot import HEADER_SECONDS, Answer, Lost, Machine, NoAnswer, Outcome, boot, machines
from loadtests.tally import Tally

__all__ = ["BootingMachine"]

# The example fleet's. A machine of its pool edge has an encrypted disk, which no spec before 3.2 can say.
POOLS = "master,worker,infra,edge:3.2"
BOOT_SECONDS = 30.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Run:
    """One run: the server's address, the machines in the order in which they boot, the seconds each may take."""

    host: str
    port: int
    boot_seconds: float
    machines: Iterator[Machine]
    tally: Tally = field(default_factory=Tally)


class BootingMachine(User):
    """One place in the rack: at most once a second a machine boots there, never before the last one ended."""

    wait_time = constant_pacing(1)
    run_state: ClassVar[Run]

    @task
    def boot(self) -> None:
        """Boot the next machine and report it to locust under its pool and spec."""
        run = self.run_state
        machine = next(run.machines)
        run.tally.begin()
        ended = boot(
            machine.client,
            run.boot_seconds,
            fetch=lambda left: _fetch(run.host, run.port, machine, left),
            now=monotonic,
            sleep=sleep,
        )
        verdict = run.tally.end(machine, ended)
        size, error = 0, None
        if isinstance(verdict, Lost):
            _log.error("lost: %s: %s", machine, verdict)
            error = RuntimeError(verdict.loss.value)
        else:
            size = verdict.size
        self.environment.events.request.fire(
            request_type="BOOT",
            name=str(machine),
            response_time=ended.seconds * 1000,
            response_length=size,
            exception=error,
            context={},
        )


def _fetch(host: str, port: int, machine: Machine, left: float) -> Outcome:
    """Make one attempt, on a connection of its own, within `left` seconds; redirects are not followed."""
    end = monotonic() + left
    connection = HTTPConnection(host, port)
    try:
        with Timeout(min(HEADER_SECONDS, left)):
            connection.request("GET", machine.path, headers=machine.client.headers)
            response = connection.getresponse()
        body, cut = _read(response, max(0.0, end - monotonic()))
    except Timeout:
        return NoAnswer("no response headers in time")
    except (OSError, HTTPException) as error:
        return NoAnswer(_reason(error))
    finally:
        connection.close()
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, headers, body, cut)


def _read(response: HTTPResponse, left: float) -> tuple[bytes, str | None]:
    """Return the body, and how it was cut short if it was."""
    try:
        with Timeout(left):
            return response.read(), None
    except Timeout:
        return b"", "the rest did not come in time"
    except IncompleteRead as error:
        missing = "more" if error.expected is None else str(error.expected)
        return error.partial, f"{len(error.partial)} bytes came, {missing} did not"
    except (OSError, HTTPException) as error:
        return b"", _reason(error)


def _reason(error: OSError | HTTPException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__


# ---- options, start and end of a run


@events.init_command_line_parser.add_listener
def _add_options(parser: LocustArgumentParser) -> None:
    parser.add_argument(
        "--pools",
        env_var="LOCUST_POOLS",
        default=POOLS,
        include_in_web_ui=False,
        help="pools to boot from, NAME or NAME:3.X (only by clients of spec 3.X and newer), with commas between them",
    )
    parser.add_argument(
        "--boot-seconds",
        env_var="LOCUST_BOOT_SECONDS",
        type=float,
        default=BOOT_SECONDS,
        include_in_web_ui=False,
        help="a machine that has no config after so many seconds is lost",
    )
    parser.add_argument(
        "--any-host",
        env_var="LOCUST_ANY_HOST",
        action="store_true",
        default=False,
        include_in_web_ui=False,
        help="allow a host that is not loopback",
    )


@events.init.add_listener
def _prepare(environment: Environment, **_: object) -> None:
    options = environment.parsed_options
    if not isinstance(environment.runner, LocalRunner):
        _refuse("boots are counted within one process: run it without --master, --worker and --processes")
    if options is None or options.boot_seconds <= 0:
        _refuse("--boot-seconds must be more than 0")
    host, port = _address(environment.host or "", any_host=options.any_host)
    try:
        fleet = machines(options.pools)
    except ValueError as error:
        _refuse(f"--pools: {error}")
    BootingMachine.run_state = Run(host, port, options.boot_seconds, cycle(fleet))
    # Boots that are under way when the time is over come to their own end, which the limit bounds.
    environment.stop_timeout = max(environment.stop_timeout, options.boot_seconds + 5)


def _address(url: str, *, any_host: bool) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        host, port = None, 0
    if host is None or parts.scheme != "http" or parts.path not in {"", "/"}:
        _refuse(f"--host: {url!r} names no server; write it as http://127.0.0.1:22623")
    if not any_host and not _is_loopback(host):
        _refuse(f"--host: {host} is not loopback; --any-host allows it, if it is yours to put under load")
    return host, port


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse(text: str) -> NoReturn:
    print(f"loadtests: {text}", file=sys.stderr)
    sys.exit(2)


@events.quitting.add_listener
def _decide(environment: Environment, **_: object) -> None:
    if environment.runner is not None:
        environment.runner.quit()  # after Ctrl-C, too, boots that are under way come to their end first
    if BootingMachine.run_state.tally.failed:
        environment.process_exit_code = 1


@events.quit.add_listener
def _report(**_: object) -> None:
    print(f"\n{BootingMachine.run_state.tally.summary()}", flush=True)
