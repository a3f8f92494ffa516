"""A booting machine: what its Ignition client asks for, which answers it retries, and when it is lost.

Does no I/O and knows neither locust nor the server's own code: it judges the bytes alone, as a client does.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

__all__ = [
    "CLIENTS",
    "HEADER_SECONDS",
    "Answer",
    "Booted",
    "Client",
    "Ended",
    "Loss",
    "Lost",
    "Machine",
    "NoAnswer",
    "Outcome",
    "Retry",
    "Verdict",
    "boot",
    "judge",
    "machines",
    "waits",
]

HEADER_SECONDS = 10.0  # Ignition waits so long for response headers, then tries again
FIRST_WAIT, LONGEST_WAIT = 0.2, 5.0

ANNOTATIONS_FILE = "/etc/machine-config-daemon/node-annotations.json"
ANNOTATION_BOOT = "mcs.internal/boot"
ANNOTATION_CONFIG = "machineconfiguration.openshift.io/currentConfig"


# ---- what machines ask for


@dataclass(frozen=True, slots=True)
class Client:
    """An Ignition release. minor: of the newest spec 3 that it reads and therefore asks for."""

    minor: int
    user_agent: str

    @property
    def spec(self) -> str:
        """The spec version as configs declare it."""
        return f"3.{self.minor}.0"

    @property
    def headers(self) -> dict[str, str]:
        """The request headers that it sends beside Host, in its order."""
        return {
            "User-Agent": self.user_agent,
            "Accept": f"application/vnd.coreos.ignition+json;version={self.spec}, */*;q=0.1",
            "Accept-Encoding": "identity",
        }


CLIENTS = (
    Client(0, "Ignition/2.2.1"),
    Client(1, "Ignition/2.6.0"),
    Client(2, "Ignition/2.9.0"),
    Client(3, "Ignition/2.14.0"),
    Client(3, "Ignition/Debian 2.14.0+ds1-1+b6"),
    Client(4, "Ignition/2.19.0"),
    Client(5, "Ignition/2.25.1"),
    Client(6, "Ignition/2.26.0"),
)


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that is about to boot: the pool its stub names, and its client."""

    pool: str
    client: Client

    @property
    def path(self) -> str:
        """The path that its stub names."""
        return f"/config/{self.pool}"

    def __str__(self) -> str:
        return f"{self.pool} {self.client.spec}"


def machines(pools: str) -> tuple[Machine, ...]:
    """Return a machine of each client for each pool: clients vary first.

    pools: names with commas between them. `NAME:3.X` stands for a pool whose config cannot be said below spec 3.X;
    older clients, which its server has to refuse, are left out. Raises ValueError on any other text.

    >>> [str(machine) for machine in machines("worker:3.5, edge:3.6")]
    ['worker 3.5.0', 'worker 3.6.0', 'edge 3.6.0']
    """
    oldest_by_ending = {"": 0} | {f":3.{client.minor}": client.minor for client in CLIENTS}
    found: list[Machine] = []
    for part in pools.split(","):
        pool, colon, spec = part.strip().partition(":")
        oldest = oldest_by_ending.get(colon + spec)
        if not pool or oldest is None:
            raise ValueError(
                f"{part.strip()!r} is no pool: write NAME, or NAME:3.X with X from 0 to {CLIENTS[-1].minor}"
            )
        found.extend(Machine(pool, client) for client in CLIENTS if client.minor >= oldest)
    return tuple(found)


# ---- what comes back, and what a client makes of it


@dataclass(frozen=True, slots=True)
class Answer:
    """A response. headers: by their names in lower case. cut: how the body fell short of its length, None if whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: str | None = None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No response headers came: the connection failed, or they took too long."""

    error: str


Outcome: TypeAlias = Answer | NoAnswer


class Loss(Enum):
    """Why a machine never becomes a node; the text is what a summary calls it."""

    REDIRECTED = "redirected, which drops the client's Accept header"
    FINAL_STATUS = "a status that is final for a client"
    CUT_SHORT = "body cut short, which is final for a client"
    ENCODED = "body encoded, though identity was asked for"
    EMPTY = "empty body, which wipes the machine's config"
    NO_CONFIG = "body is no Ignition config"
    OTHER_SPEC = "config of another spec than was asked for"
    NO_ANNOTATIONS = "no node annotations with boot id and config in the body"
    OTHER_BOOT = "boot id or config of the body is not that of the headers"
    SAME_BOOT_ID = "boot id was given to another boot too"
    TOO_LATE = "no config in time"


@dataclass(frozen=True, slots=True)
class Booted:
    """The machine has its config. size: bytes of the body."""

    boot_id: str
    size: int


@dataclass(frozen=True, slots=True)
class Retry:
    """The client tries again after a wait. reason: a status with the problem's reason, or a transport error."""

    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The client stops for good, or holds what cannot become the node that the server has on record."""

    loss: Loss
    detail: str

    def __str__(self) -> str:
        return f"{self.loss.value}: {self.detail}"


Verdict: TypeAlias = Booted | Retry | Lost


def judge(outcome: Outcome, client: Client) -> Verdict:
    """Return what an attempt means to a machine.

    Ignition retries statuses of 500 and above and whatever happens before the response headers are complete.
    Everything else is final. It follows redirects and takes an empty body for an empty config; both are losses here.
    """
    if isinstance(outcome, NoAnswer):
        return Retry(outcome.error)
    if outcome.status >= 500:
        return Retry(f"{outcome.status} {_problem(outcome.body)}".rstrip())
    return _lost_before_the_config(outcome) or _judge_config(outcome, client)


def _lost_before_the_config(answer: Answer) -> Lost | None:
    if 300 <= answer.status < 400 and "location" in answer.headers:
        return Lost(Loss.REDIRECTED, f"{answer.status} to {answer.headers['location']}")
    if answer.status not in {200, 204}:
        return Lost(Loss.FINAL_STATUS, f"{answer.status} {_problem(answer.body)}".rstrip())
    if answer.cut is not None:
        return Lost(Loss.CUT_SHORT, answer.cut)
    encoding = answer.headers.get("content-encoding", "identity")
    if encoding != "identity":
        return Lost(Loss.ENCODED, encoding)
    if answer.status == 204 or not answer.body:
        return Lost(Loss.EMPTY, f"status {answer.status}")
    return None


def _judge_config(answer: Answer, client: Client) -> Booted | Lost:
    config = _json(answer.body)
    version = _member(_member(config, "ignition"), "version")
    if not isinstance(version, str):
        return Lost(Loss.NO_CONFIG, f"{len(answer.body)} bytes without ignition.version")
    if version != client.spec:
        return Lost(Loss.OTHER_SPEC, f"{version} instead of {client.spec}")
    annotations = _json(_file(config, ANNOTATIONS_FILE))
    carried = [_member(annotations, name) for name in (ANNOTATION_BOOT, ANNOTATION_CONFIG)]
    identity = carried[0]
    if not isinstance(identity, str) or not all(carried):
        return Lost(Loss.NO_ANNOTATIONS, ANNOTATIONS_FILE)
    told = [answer.headers.get(name) for name in ("mcs-boot-id", "mcs-config")]
    if carried != told:
        return Lost(Loss.OTHER_BOOT, f"{carried} in the body, {told} in the headers")
    return Booted(identity, len(answer.body))


def _problem(body: bytes) -> str:
    reason = _member(_json(body), "reason")
    return reason if isinstance(reason, str) else ""


def _file(config: object, path: str) -> bytes:
    """Return the content of a config's file; nothing where there is none, or more than one."""
    files = _member(_member(config, "storage"), "files")
    found = [file for file in files if _member(file, "path") == path] if isinstance(files, list) else []
    source = _member(_member(found[0], "contents"), "source") if len(found) == 1 else None
    head, comma, data = source.partition(",") if isinstance(source, str) else ("", "", "")
    if not comma or not head.startswith("data:"):
        return b""
    try:
        content = unquote_to_bytes(data)
        return b64decode(content, validate=True) if head.endswith(";base64") else content
    except ValueError:
        return b""


def _json(text: bytes) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


# ---- a whole boot


@dataclass(frozen=True, slots=True)
class Ended:
    """How a boot ended. retries: the reason of each. seconds: from the first attempt to the last byte."""

    verdict: Booted | Lost
    retries: tuple[str, ...]
    seconds: float


def waits() -> Iterator[float]:
    """Yield the seconds that Ignition waits after each failed attempt, without end: 0.2, doubled up to 5."""
    wait = FIRST_WAIT
    while True:
        yield wait
        wait = min(2 * wait, LONGEST_WAIT)


def boot(
    client: Client,
    limit: float,
    *,
    fetch: Callable[[float], Outcome],
    now: Callable[[], float],
    sleep: Callable[[float], None],
) -> Ended:
    """Boot one machine: attempts and waits, until it has its config, stops for good, or `limit` seconds are over.

    fetch: makes one attempt on a new connection, within the seconds that it is handed.
    now, sleep: a monotonic clock. Ignition itself has no limit; without one, a run against a dead server would not end.
    """
    began = now()
    retries: list[str] = []
    for wait in waits():
        verdict = judge(fetch(began + limit - now()), client)
        if not isinstance(verdict, Retry):
            return Ended(verdict, tuple(retries), now() - began)
        retries.append(verdict.reason)
        if now() + wait >= began + limit:
            break
        sleep(wait)
    lost = Lost(Loss.TOO_LATE, f"none within {limit:g} s; the last attempt: {retries[-1]}")
    return Ended(lost, tuple(retries), now() - began)
