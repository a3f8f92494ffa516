"""What a benchmark makes of its measurements, and how the servers it compares are set up. No server is started."""

import json
import re
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.bench.figures import (
    Case,
    Load,
    Row,
    Sample,
    Spread,
    Unusable,
    Verdict,
    comparison,
    document,
    flatness,
    median_of,
    parse_load,
    rows_in,
    soak_table,
    spread_of,
    table,
)
from loadtests.bench.measuring import Look, verdicts_on
from loadtests.bench.servers import SIZES, STORED, nginx_config, pool_of, rendered
from mcs.machineconfig.names import is_dns_subdomain, rendered_pool

WRK = """Running 3s test @ http://127.0.0.1:1/x
  1 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.06ms    1.51ms  23.30ms   91.10%
    Req/Sec     4.51k   337.21     5.20k    70.00%
  Latency Distribution
     50%  {p50}
     75%    2.71ms
     90%    3.98ms
     99%  {p99}
  {requests} requests in 3.00s, 3.76GB read
{errors}Requests/sec:   4483.48
Transfer/sec:      1.25GB
"""


def wrk(*, requests: int = 13463, p50: str = "2.06ms", p99: str = "23.30ms", errors: str = "") -> str:
    return WRK.format(requests=requests, p50=p50, p99=p99, errors=errors)


def sample(rate: float, *, cpu: float = 1.0, requests: int = 1000, memory: tuple[int, ...] = (30_000_000,)) -> Sample:
    return Sample(Load(requests, rate, 0.002, 0.0205), cpu, memory)


CASE = Case("tls-new", "300kB", "equal")
ROW = Row(
    CASE,
    ours=(sample(700, cpu=0.9), sample(800, cpu=0.8), sample(300, cpu=1.0, memory=(31_000_000, 45_400_000))),
    nginx=(sample(1000, cpu=0.4), sample(1000, cpu=0.4), sample(1000, cpu=0.5)),
)


# ---- what the load generator prints


@pytest.mark.parametrize(
    ("output", "load"),
    [
        pytest.param(wrk(), Load(13463, 4483.48, 0.00206, 0.0233), id="milliseconds"),
        pytest.param(wrk(p50="483.00us", p99="1.02s"), Load(13463, 4483.48, 0.000483, 1.02), id="other units"),
        pytest.param(wrk(p99="1.50m"), Load(13463, 4483.48, 0.00206, 90.0), id="minutes"),
    ],
)
def test_a_run_is_read(output: str, load: Load) -> None:
    seen = parse_load(output)
    assert (seen.requests, seen.rate) == (load.requests, load.rate)
    assert (seen.p50, seen.p99) == pytest.approx((load.p50, load.p99))


@pytest.mark.parametrize(
    ("output", "says"),
    [
        pytest.param(wrk(errors="  Non-2xx or 3xx responses: 3\n"), "Non-2xx or 3xx responses: 3", id="a status"),
        pytest.param(
            wrk(errors="  Socket errors: connect 0, read 5, write 0, timeout 0\n"),
            "Socket errors: connect 0, read 5, write 0, timeout 0",
            id="a lost connection",
        ),
        pytest.param(wrk(requests=0), "no requests", id="no requests"),
        pytest.param("unable to connect to 127.0.0.1:1 Connection refused\n", "Connection refused", id="no server"),
        pytest.param(wrk(p99="soon"), "no 99%", id="no latency"),
    ],
)
def test_a_run_that_measured_nothing_is_refused(output: str, says: str) -> None:
    with pytest.raises(Unusable, match=re.escape(says)):
        parse_load(output)


# ---- several runs

figures = st.lists(st.floats(0.001, 1e9), min_size=1, max_size=30)


@given(figures)
def test_a_spread_is_what_sorting_says(values: list[float]) -> None:
    assert spread_of(values) == Spread(median(values), min(values), max(values))


def test_no_figures_have_no_median() -> None:
    with pytest.raises(ValueError, match="no figures"):
        spread_of([])


@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0.1, 10)), min_size=1, max_size=9))
def test_a_machine_that_slows_down_both_changes_no_ratio(rounds: list[tuple[float, float, float]]) -> None:
    quiet = median_of([one for one, _, _ in rounds], [other for _, other, _ in rounds])
    busy = median_of([one * slow for one, _, slow in rounds], [other * slow for _, other, slow in rounds])
    assert busy.median == pytest.approx(quiet.median)


def test_ratios_are_of_runs_in_the_same_round() -> None:
    assert ROW.ratio == Spread(0.7, 0.3, 0.8)
    assert ROW.cpu_ratio == Spread(2.0, 2.0, 2.25)


def test_a_round_that_is_missing_is_no_ratio() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        median_of([1.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("cpu", "requests", "per_thousand"),
    [pytest.param(0.5, 1000, 0.5, id="1,000"), pytest.param(3.0, 4000, 0.75, id="4,000")],
)
def test_cpu_seconds_are_for_a_thousand_boots(cpu: float, requests: int, per_thousand: float) -> None:
    assert sample(1, cpu=cpu, requests=requests).cpu_per_thousand == per_thousand


# ---- what is written


def test_the_table_has_a_line_for_each_row() -> None:
    head, rule, line = table([ROW]).splitlines()
    assert {text.count("|") for text in (head, rule, line)} == {12}
    assert line == "| tls-new | 300kB | equal | 1000 | 700 | 0.70 (0.30 to 0.80) | 2.0 | 20.5 | 0.90 | 0.40 | 45 |"


def test_the_json_has_medians_with_their_spread() -> None:
    written = json.loads(json.dumps(document({"cores": 2}, {"rounds": 3}, {"rows": [comparison(ROW)]})))
    (row,) = written["rows"]
    assert (written["machine"], written["options"]) == ({"cores": 2}, {"rounds": 3})
    assert (row["mode"], row["size"], row["spec"], row["rounds"]) == ("tls-new", "300kB", "equal", 3)
    assert row["ratio"] == {"median": 0.7, "least": 0.3, "largest": 0.8}
    assert row["mcs"]["requests_per_second"] == {"median": 700, "least": 300, "largest": 800}
    assert row["mcs"]["cpu_seconds_per_1000"]["median"] == 0.9
    assert row["mcs"]["pss_bytes_per_worker"] == 45_400_000
    assert row["nginx"]["p99_seconds"]["median"] == 0.0205


def test_the_table_can_be_made_from_the_json() -> None:
    assert rows_in(json.dumps(document({}, {}, {"rows": [comparison(ROW)]}))) == [ROW]


@pytest.mark.parametrize("text", ["{}", '{"rows": [1]}', '{"rows": [{"mode": "x"}]}', "soon"])
def test_another_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no benchmark|Expecting value"):
        rows_in(text)


# ---- a soak


@pytest.mark.parametrize(
    ("values", "flat"),
    [
        pytest.param([5.0] * 8, True, id="constant"),
        pytest.param([1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4], True, id="grows while it warms up"),
        pytest.param(list(range(20)), False, id="grows for ever"),
        pytest.param([9, 9, 9, 9, 5, 5, 5, 5, 3, 3, 3, 3], True, id="shrinks"),
        pytest.param([5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 99], True, id="one outlier"),
        pytest.param([5, 5, 5, 5, 5, 5, 5, 5, 5, 7, 7, 7], False, id="a step late on"),
    ],
)
def test_flat_means_no_growth_after_the_warm_up(values: list[float], flat: bool) -> None:
    assert flatness(values, allowed=1.0).flat is flat


def test_a_few_samples_are_no_verdict() -> None:
    with pytest.raises(ValueError, match="too few"):
        flatness([1.0] * 7, allowed=1.0)


@given(st.integers(8, 60), st.floats(0.5, 100))
def test_a_steady_leak_is_found_once_it_exceeds_what_is_allowed(samples: int, leak: float) -> None:
    values = [leak * number for number in range(samples)]
    verdict = flatness(values, allowed=leak)
    assert not verdict.flat
    assert verdict.after > verdict.before


def test_each_figure_of_a_worker_is_judged() -> None:
    looks = [Look(rss=40_000_000, pss=30_000_000, descriptors=20 + 3 * number) for number in range(12)]
    assert {name: one.flat for name, one in verdicts_on(looks).items()} == {
        "rss": True,
        "pss": True,
        "descriptors": False,
    }


def test_a_soak_is_shown_by_worker_and_figure() -> None:
    lines = soak_table([{"pss": Verdict(True, 3.0e7, 3.05e7), "descriptors": Verdict(False, 20, 900)}]).splitlines()
    assert lines[2:] == [
        "| 1 | pss | 30.0 MB | 30.5 MB | flat |",
        "| 1 | descriptors | 20 | 900 | not flat |",
    ]


# ---- the servers


def directives(config: str) -> list[str]:
    return [line.strip().rstrip(";") for line in config.splitlines() if line.strip().endswith(";")]


def test_nginx_is_as_fast_as_it_can_be_and_resumes_nothing(tmp_path: Path) -> None:
    config = nginx_config(tmp_path, (Path("/c.pem"), Path("/k.pem")), http=8080, tls=8443, workers=2)
    assert {
        "worker_processes 2",
        "sendfile on",
        "access_log off",
        "ssl_session_cache off",
        "ssl_session_tickets off",
        "ssl_certificate /c.pem",
        "ssl_certificate_key /k.pem",
    } <= set(directives(config))


def test_nginx_listens_on_loopback_only_and_writes_into_its_folder_only(tmp_path: Path) -> None:
    config = nginx_config(tmp_path, (tmp_path / "c", tmp_path / "k"), http=8080, tls=8443, workers=2)
    listens = [line for line in directives(config) if line.startswith("listen ")]
    assert listens == ["listen 127.0.0.1:8080", "listen 127.0.0.1:8443 ssl"]
    paths = [word for line in directives(config) for word in line.split() if word.startswith("/")]
    assert paths
    assert [path for path in paths if not path.startswith(str(tmp_path))] == []
    assert config.count("{") == config.count("}")


@pytest.mark.parametrize("size", SIZES)
def test_a_config_has_the_size_that_it_is_called_by(size: str) -> None:
    config, pool = rendered(pool_of(size), SIZES[size])
    length = len(json.dumps(config["spec"], separators=(",", ":")))
    assert SIZES[size] <= length <= SIZES[size] * 1.02 + 2500
    assert pool["metadata"] == {"name": pool_of(size)}
    assert is_dns_subdomain(pool_of(size))


def test_a_config_is_the_same_in_each_run() -> None:
    assert rendered("bench", 5000) == rendered("bench", 5000)


def test_a_pool_serves_its_rendered_config() -> None:
    config, pool = rendered("bench", 5000)
    metadata, spec = config["metadata"], pool["spec"]
    assert isinstance(metadata, dict)
    assert isinstance(spec, dict)
    assert spec["configuration"]["name"] == metadata["name"]
    assert rendered_pool(metadata["name"]) == "bench"
    ignition = config["spec"]
    assert isinstance(ignition, dict)
    assert ignition["config"]["ignition"] == {"version": STORED}
