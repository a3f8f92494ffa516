"""The figures of a benchmark: what wrk prints, medians with their spread, ratios, tables, verdicts. Does no I/O."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

__all__ = [
    "Case",
    "Load",
    "Row",
    "Sample",
    "Spread",
    "Unusable",
    "Verdict",
    "comparison",
    "document",
    "flatness",
    "median_of",
    "parse_load",
    "rows_in",
    "soak_table",
    "spread_of",
    "table",
]

_MEGABYTE = 1000**2


class Unusable(Exception):
    """A run that measured nothing: it had errors, or its output is not understood. The text says which."""


# ---- one run of the load generator


@dataclass(frozen=True, slots=True)
class Load:
    """What one run of wrk saw. rate: requests per second. p50, p99: seconds from request to last byte."""

    requests: int
    rate: float
    p50: float
    p99: float


_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


def parse_load(output: str) -> Load:
    """Read what `wrk --latency` printed. Raises Unusable where a request failed, or a figure is missing.

    A connection that is refused or reset, and any status but 2xx and 3xx, would make a rate of answers that are not
    the ones to be compared.
    """
    errors = re.search(r"Socket errors: .*|Non-2xx or 3xx responses: \d+", output)
    if errors is not None:
        raise Unusable(errors[0])
    requests = re.search(r"(\d+) requests in ", output)
    rate = re.search(r"Requests/sec: +([\d.]+)", output)
    if requests is None or rate is None or int(requests[1]) == 0:
        raise Unusable(f"no requests were counted: {output.strip()!r}")
    return Load(int(requests[1]), float(rate[1]), _latency(output, 50), _latency(output, 99))


def _latency(output: str, percent: int) -> float:
    found = re.search(rf"^ +{percent}% +([\d.]+)(us|ms|s|m)$", output, re.MULTILINE)
    if found is None:
        raise Unusable(f"no {percent}% in {output.strip()!r}")
    return float(found[1]) * _UNITS[found[2]]


# ---- several runs


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of several runs, and the least and the largest of them."""

    median: float
    least: float
    largest: float


def spread_of(figures: Iterable[float]) -> Spread:
    """Return the median of figures and how far they reach. Raises ValueError where there are none.

    >>> spread_of([3.0, 1.0, 2.0])
    Spread(median=2.0, least=1.0, largest=3.0)
    """
    found = sorted(figures)
    if not found:
        raise ValueError("there is no median of no figures")
    return Spread(median(found), found[0], found[-1])


def median_of(numerators: Sequence[float], denominators: Sequence[float]) -> Spread:
    """Return the median of ratios, run by run: both servers of a round met the same machine.

    >>> median_of([50.0, 80.0, 90.0], [100.0, 100.0, 100.0])
    Spread(median=0.8, least=0.5, largest=0.9)
    """
    return spread_of(one / other for one, other in zip(numerators, denominators, strict=True))


# ---- the comparison


@dataclass(frozen=True, slots=True, order=True)
class Case:
    """One row: how machines connect, how large the config is, and whether it is converted to the spec asked for."""

    mode: str
    size: str
    spec: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One run against one server. cpu: seconds of all of its processes. memory: PSS of each worker after it, bytes."""

    load: Load
    cpu: float
    memory: tuple[int, ...]

    @property
    def cpu_per_thousand(self) -> float:
        """CPU seconds per 1,000 boots."""
        return self.cpu / self.load.requests * 1000


@dataclass(frozen=True, slots=True)
class Row:
    """A case, and its runs in the order in which they were made: `ours[i]` and `nginx[i]` are of the same round."""

    case: Case
    ours: tuple[Sample, ...]
    nginx: tuple[Sample, ...]

    @property
    def ratio(self) -> Spread:
        """Our requests per second for each of nginx."""
        return median_of([one.load.rate for one in self.ours], [one.load.rate for one in self.nginx])

    @property
    def cpu_ratio(self) -> Spread:
        """Our CPU seconds for each of nginx, for the same number of boots."""
        ours, nginx = ([one.cpu_per_thousand for one in runs] for runs in (self.ours, self.nginx))
        return median_of(ours, nginx)


def comparison(row: Row) -> dict[str, object]:
    """Return a row as it stands in the JSON: its runs, medians with their spread of each server, and the ratios."""
    return {
        **asdict(row.case),
        "rounds": len(row.ours),
        "runs": {"mcs": [asdict(one) for one in row.ours], "nginx": [asdict(one) for one in row.nginx]},
        "mcs": _figures(row.ours),
        "nginx": _figures(row.nginx),
        "ratio": asdict(row.ratio),
        "cpu_ratio": asdict(row.cpu_ratio),
    }


def rows_in(text: str) -> list[Row]:
    """Return the rows of a JSON that a benchmark wrote. Raises ValueError where it is none."""
    try:
        return [
            Row(
                Case(row["mode"], row["size"], row["spec"]),
                *(
                    tuple(Sample(Load(**one["load"]), one["cpu"], tuple(one["memory"])) for one in row["runs"][server])
                    for server in ("mcs", "nginx")
                ),
            )
            for row in json.loads(text)["rows"]
        ]
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is no benchmark's JSON: {error!r}") from error


def _figures(samples: Sequence[Sample]) -> dict[str, object]:
    return {
        "requests": sum(one.load.requests for one in samples),
        "requests_per_second": asdict(spread_of(one.load.rate for one in samples)),
        "p50_seconds": asdict(spread_of(one.load.p50 for one in samples)),
        "p99_seconds": asdict(spread_of(one.load.p99 for one in samples)),
        "cpu_seconds_per_1000": asdict(spread_of(one.cpu_per_thousand for one in samples)),
        "pss_bytes_per_worker": max(max(one.memory) for one in samples),
    }


_HEAD = (
    "| connections | size | spec | nginx/s | mcs/s | ratio | p50 ms | p99 ms | CPU s/1000 | nginx's | PSS MB |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
)


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a table in Markdown: medians, and behind the ratio its least and largest.

    Latencies, CPU seconds and memory are ours; nginx's CPU seconds stand beside ours.
    """
    return "\n".join((*_HEAD, *map(_line, rows)))


def _line(row: Row) -> str:
    ours, nginx, ratio = row.ours, row.nginx, row.ratio
    cells = (
        row.case.mode,
        row.case.size,
        row.case.spec,
        f"{spread_of(one.load.rate for one in nginx).median:.0f}",
        f"{spread_of(one.load.rate for one in ours).median:.0f}",
        f"{ratio.median:.2f} ({ratio.least:.2f} to {ratio.largest:.2f})",
        f"{spread_of(one.load.p50 for one in ours).median * 1000:.1f}",
        f"{spread_of(one.load.p99 for one in ours).median * 1000:.1f}",
        f"{spread_of(one.cpu_per_thousand for one in ours).median:.2f}",
        f"{spread_of(one.cpu_per_thousand for one in nginx).median:.2f}",
        f"{max(max(one.memory) for one in ours) / _MEGABYTE:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def document(
    machine: Mapping[str, object], options: Mapping[str, object], results: Mapping[str, object]
) -> dict[str, object]:
    """Return the whole JSON: the machine, how the benchmark was called, and what it found."""
    return {"machine": dict(machine), "options": dict(options), **results}


# ---- a soak


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a figure stays where it is. before, after: its level after the warm-up, and at the end."""

    flat: bool
    before: float
    after: float


_WARM_UP = 0.25  # of the samples; caches fill and allocators grow meanwhile


def flatness(figures: Sequence[float], allowed: float) -> Verdict:
    """Tell whether a figure grows after the warm-up, a quarter of the samples, by more than `allowed`.

    Its levels are the medians of the quarter that follows the warm-up and of the last one, so that no single sample
    decides. Needs eight samples; raises ValueError where there are fewer.
    """
    quarter = int(len(figures) * _WARM_UP)
    if quarter < 2:
        raise ValueError(f"{len(figures)} samples are too few to tell what is flat; take 8 or more")
    before, after = median(figures[quarter : 2 * quarter]), median(figures[-quarter:])
    return Verdict(after - before <= allowed, before, after)


def soak_table(workers: Iterable[Mapping[str, Verdict]]) -> str:
    """Return a soak's verdicts as a table in Markdown. workers: of each its verdicts by figure."""
    lines = ["| worker | figure | after warm-up | at the end | verdict |", "|---|---|---|---|---|"]
    for number, figures in enumerate(workers, 1):
        for name, one in figures.items():
            word = "flat" if one.flat else "not flat"
            lines.append(f"| {number} | {name} | {_amount(name, one.before)} | {_amount(name, one.after)} | {word} |")
    return "\n".join(lines)


def _amount(name: str, value: float) -> str:
    return f"{value:.0f}" if name == "descriptors" else f"{value / _MEGABYTE:.1f} MB"
