"""What is measured of running servers: rounds that alternate between them, start-up, memory, a soak."""

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path

from loadtests.bench.figures import Case, Load, Row, Sample, Unusable, Verdict, flatness, parse_load
from loadtests.bench.processes import cpu_seconds, descriptors, pss, rss
from loadtests.bench.servers import CONVERTED, EQUAL, Running, accept, fetch, nginx, our_server, pool_of

__all__ = [
    "MODES",
    "SPECS",
    "Look",
    "Mode",
    "Plan",
    "Soak",
    "compare",
    "memory_after",
    "soak",
    "start_times",
    "verdicts_on",
]

_SETTLE = 0.3  # seconds between two runs, for connections to close
_WARM_UPS = 16  # requests, so that each worker has built the bytes before it is measured
_GROWTH = 1_500_000.0  # bytes by which a worker's memory may differ and count as flat
_DESCRIPTORS = 2.0  # descriptors, likewise


@dataclass(frozen=True, slots=True)
class Mode:
    """How machines connect. new: a connection for each request."""

    tls: bool
    new: bool


MODES = {
    "http-keepalive": Mode(tls=False, new=False),
    "http-new": Mode(tls=False, new=True),
    "tls-new": Mode(tls=True, new=True),
}
SPECS = {"equal": EQUAL, "converted": CONVERTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run, over which parts. seconds: of one run. workers: processes of each server."""

    modes: tuple[str, ...]
    sizes: tuple[str, ...]
    specs: tuple[str, ...]
    rounds: int
    seconds: int
    connections: int
    workers: int
    folder: Path
    store: str
    certificate: tuple[Path, Path]

    def ours(self, *, tls: bool) -> AbstractContextManager[Running]:
        """Run our server for the length of a block."""
        return our_server(self.folder, self.store, self.certificate if tls else None, workers=self.workers)


# ---- beside nginx


def compare(plan: Plan, say: Callable[[str], None]) -> Iterator[Row]:
    """Measure each case that is planned, nginx and our server in turn. say: is told what is measured now."""
    with nginx(plan.folder, plan.certificate, workers=plan.workers) as other:
        for tls in (False, True):
            modes = [name for name in plan.modes if MODES[name].tls == tls]
            if not modes:
                continue
            with plan.ours(tls=tls) as ours:
                for mode in modes:
                    for size in plan.sizes:
                        for spec in plan.specs:
                            say(f"{mode} {size} {spec}")
                            yield _row(plan, Case(mode, size, spec), ours, other)


def _row(plan: Plan, case: Case, ours: Running, other: Running) -> Row:
    tls = MODES[case.mode].tls
    path = f"/config/{pool_of(case.size)}"
    bodies = [fetch(ours.url(tls=tls) + path, SPECS[case.spec]) for _ in range(_WARM_UPS)]
    saved = plan.folder / "www" / f"{case.size}-{case.spec}"
    saved.write_bytes(bodies[-1])
    mine, theirs = [], []
    for _ in range(plan.rounds):
        theirs.append(_sample(plan, case, other, f"{other.url(tls=tls)}/{saved.name}"))
        mine.append(_sample(plan, case, ours, f"{ours.url(tls=tls)}{path}"))
    return Row(case, tuple(mine), tuple(theirs))


def _sample(plan: Plan, case: Case, server: Running, url: str) -> Sample:
    time.sleep(_SETTLE)
    pids = server.processes()
    before = cpu_seconds(pids)
    load = _wrk(url, SPECS[case.spec], new=MODES[case.mode].new, connections=plan.connections, seconds=plan.seconds)
    return Sample(load, cpu_seconds(pids) - before, server.memory())


def _wrk(url: str, version: str, *, new: bool, connections: int, seconds: int) -> Load:
    """Run the load generator once, in one thread. Raises Unusable."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency"]
    command += ["-H", f"Accept: {accept(version)}", "-H", "User-Agent: Ignition/2.19.0"]
    command += ["-H", "Connection: close"] if new else []
    done = subprocess.run([*command, url], check=False, capture_output=True, text=True, timeout=seconds + 60)
    return parse_load(done.stdout + done.stderr)


# ---- start and memory


def start_times(plan: Plan) -> list[float]:
    """Return the seconds from each of several starts until the server is ready."""
    times = []
    for _ in range(plan.rounds):
        with plan.ours(tls=True) as ours:
            times.append(ours.ready_after)
    return times


def memory_after(plan: Plan, requests: int, size: str) -> dict[int, tuple[int, ...]]:
    """Return the PSS of each worker in bytes when it is ready, and after so many requests over TLS.

    The requests are for one config, in turn for both specs. The keys are the numbers of requests.
    """
    with plan.ours(tls=True) as ours:
        found = {0: ours.memory()}
        url = f"{ours.tls}/config/{pool_of(size)}"
        for number in range(requests):
            fetch(url, tuple(SPECS.values())[number % len(SPECS)])
        found[requests] = ours.memory()
    return found


# ---- soak


@dataclass(frozen=True, slots=True)
class Look:
    """One worker at one moment. rss, pss: bytes."""

    rss: int
    pss: int
    descriptors: int


@dataclass(frozen=True, slots=True)
class Soak:
    """What a soak saw: the number of requests at each look, and by worker its looks and verdicts."""

    requests: tuple[int, ...]
    looks: tuple[tuple[Look, ...], ...]
    verdicts: tuple[Mapping[str, Verdict], ...]

    @property
    def flat(self) -> bool:
        """Whether every figure of every worker is flat."""
        return all(verdict.flat for figures in self.verdicts for verdict in figures.values())


_ALLOWED = {"rss": _GROWTH, "pss": _GROWTH, "descriptors": _DESCRIPTORS}


def soak(plan: Plan, requests: int, say: Callable[[str], None]) -> Soak:
    """Make so many requests over new TLS connections, and look at each worker after every run of the load generator.

    The runs go through the sizes and specs of the plan in turn. Raises Unusable where a worker was replaced.
    """
    counts: list[int] = []
    looks: list[tuple[Look, ...]] = []
    with plan.ours(tls=True) as ours:
        workers = ours.workers()
        for size, spec in cycle(product(plan.sizes, plan.specs)):
            url = f"{ours.tls}/config/{pool_of(size)}"
            load = _wrk(url, SPECS[spec], new=True, connections=plan.connections, seconds=plan.seconds)
            time.sleep(_SETTLE)
            if ours.workers() != workers:
                raise Unusable(f"workers {workers} have become {ours.workers()}")
            counts.append(load.requests + (counts[-1] if counts else 0))
            looks.append(tuple(Look(rss(pid), pss(pid), descriptors(pid)) for pid in workers))
            say(f"{counts[-1]} requests, RSS {' and '.join(f'{one.rss / 1e6:.1f} MB' for one in looks[-1])}")
            if counts[-1] >= requests:
                break
    by_worker = tuple(zip(*looks, strict=True))
    return Soak(tuple(counts), by_worker, tuple(map(verdicts_on, by_worker)))


def verdicts_on(looks: Sequence[Look]) -> dict[str, Verdict]:
    """Return whether each figure of a worker is flat. looks: at least eight."""
    return {name: flatness([getattr(look, name) for look in looks], allowed) for name, allowed in _ALLOWED.items()}
