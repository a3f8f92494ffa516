"""`mcs get`: what is stored, what is served and why, and who refers to what."""

import json
import re
import time

import pytest
import yaml

from mcs.jsondata import JSON, JSONObject, compact, object_at
from tests.cli.commands import Place, attempt, boot_lease, hold, node, own_config, pool, rendered

OLD, NEW = (f"rendered-worker-{digit * 32}" for digit in "ab")
BEYOND_DOUBT = 61  # seconds after a pool was made, by whatever clock


@pytest.fixture
def fleet(place: Place) -> Place:
    """A pool in the middle of a rollout, a node on the old config, and what a server left behind."""
    documents = [
        pool("worker", spec=NEW, status=OLD),
        rendered(OLD, "worker", version="3.2.0"),
        rendered(NEW, "worker"),
        own_config("mine"),
        node("one", currentConfig=OLD, desiredConfig=NEW, state="Working"),
        node("two", currentConfig=NEW, boot="joined"),
    ]
    place.mcs("apply", "-f", "-", stdin="\n---\n".join(compact(document) for document in documents))
    now = time.time()
    store = place.store()
    store.put_hold(hold(OLD, pools=("worker",), renewed=now - 10), acked=None)
    store.put_hold(hold(NEW, renewed=now - 90_000), acked=None)
    store.put_boot_leases(
        [
            boot_lease("fetched", OLD, fetched=now - 30, client="curl/8 (x) \x1b[2J"),
            boot_lease("joined", NEW, fetched=now - 20),
            boot_lease("expired", NEW, fetched=now - 90_000),
        ]
    )
    store.put_attempts([attempt("192.0.2.9", "config-missing", last=now)])
    store.close()
    return place


def test_pools_shows_what_is_served_and_why(fleet: Place) -> None:
    outcome = fleet.mcs("get", "pools")
    assert outcome.out[0].split() == ["NAME", "SERVED", "AGE", "WHY"]
    assert outcome.rows() == [["worker", OLD, "0s", "status.configuration"]]


def test_pools_says_that_what_is_served_does_not_exist_or_is_overridden(place: Place) -> None:
    documents = [pool("a", spec=NEW), pool("b"), pool("c", annotations={"mcs.internal/serve": OLD}), rendered(OLD, "c")]
    place.mcs("apply", "-f", "-", stdin="\n".join(compact(document) for document in documents))
    rows = {row[0]: row[1:] for row in place.mcs("get", "pools").rows()}
    assert rows["a"][0] == "-"
    assert rows["a"][2].startswith(f"{NEW} does not exist; spec.configuration")
    assert rows["b"][0] == "-"
    assert rows["c"][0] == OLD
    assert "mcs.internal/serve" in rows["c"][2]


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        pytest.param(
            {"status": "True", "reason": "kernel_type", "message": "MachineConfig 99-bad: kernelType 'rt' is unknown"},
            "RenderDegraded: MachineConfig 99-bad: kernelType 'rt' is unknown; status.configuration",
            id="the culprit",
        ),
        pytest.param({"status": "True", "reason": "no_configs"}, "RenderDegraded: no_configs; status", id="no message"),
        pytest.param({"status": "True"}, "RenderDegraded: nobody says why; status", id="nothing said"),
        pytest.param({"status": "False", "message": "over"}, "status.configuration", id="over"),
    ],
)
@pytest.mark.parametrize("wide", [[], ["-o", "wide"]], ids=["narrow", "wide"])
def test_pools_says_why_one_cannot_be_rendered(place: Place, wide: list[str], condition: JSONObject, why: str) -> None:
    named: JSON = {"name": OLD}
    conditions: list[JSON] = [{"type": "RenderDegraded", **condition}]
    document = {**pool("worker"), "status": {"configuration": named, "conditions": conditions}}
    place.mcs("apply", "-f", "-", stdin="\n".join(map(compact, (document, rendered(OLD, "worker")))))
    [row] = place.mcs("get", "pools", *wide).rows()
    assert row[-1].startswith(why)


def test_pools_says_that_what_is_named_cannot_be_served(place: Place) -> None:
    documents = [pool("a", status=NEW), pool("b", status=NEW), rendered(NEW, "a", version="3.9.0"), rendered(OLD, "a")]
    place.mcs("apply", "-f", "-", stdin="\n".join(compact(document) for document in documents))
    store = place.store()
    store.put_hold(hold(OLD, pools=("b",), renewed=time.time() + BEYOND_DOUBT), acked=None)
    store.close()
    trouble = f"{NEW} cannot be served: Ignition spec 3.9.0 is not known here"
    assert [[row[1], row[3]] for row in place.mcs("get", "pools").rows()] == [
        ["-", f"{trouble}; status.configuration"],
        [OLD, f"served last; {trouble}"],
    ]


def gated(source: list[str]) -> JSONObject:
    """A pool that says what its config was made of."""
    named: list[JSON] = [{"name": name} for name in source]
    selector: JSONObject = {"matchLabels": {"role": "worker"}}
    made = pool("worker")
    made["spec"] = {"configuration": {"name": NEW, "source": named}, "machineConfigSelector": selector}
    return made


@pytest.mark.parametrize(
    ("source", "last", "served", "why"),
    [
        pytest.param(["mine"], None, NEW, "spec.configuration; there is no status", id="nobody asked yet"),
        pytest.param([], None, "-", "not settled: spec.configuration.source lacks mine", id="half-complete, and new"),
        pytest.param(
            [], OLD, OLD, "served last; not settled: spec.configuration.source lacks mine", id="half-complete"
        ),
        pytest.param(["mine"], OLD, OLD, f"served last; not settled: no server has switched to {NEW}", id="waiting"),
        pytest.param(["mine"], NEW, NEW, "spec.configuration; there is no status", id="switched to"),
        pytest.param(
            [],
            NEW,
            NEW,
            "spec.configuration; there is no status.configuration yet; spec.configuration.source lacks mine",
            id="what was served last is what is asked for",
        ),
        pytest.param(
            ["mine"], "rendered-worker-gone", NEW, "spec.configuration; there is no status", id="last is gone"
        ),
    ],
)
def test_pools_says_that_a_pool_has_not_settled(
    place: Place, source: list[str], last: str | None, served: str, why: str
) -> None:
    mine = own_config("mine")
    mine["metadata"] = {"name": "mine", "labels": {"role": "worker"}}
    documents = [gated(source), mine, rendered(OLD, "worker"), rendered(NEW, "worker")]
    place.mcs("apply", "-f", "-", stdin="\n---\n".join(compact(document) for document in documents))
    if last is not None:
        store = place.store()
        store.put_hold(hold(last, pools=("worker",), renewed=time.time() + BEYOND_DOUBT), acked=None)
        store.close()
    [row] = place.mcs("get", "pools").rows()
    assert row[1] == served
    assert row[3].startswith(why)


def test_pools_says_nothing_of_what_another_pool_of_that_name_was_served(place: Place) -> None:
    store = place.store()
    store.put_hold(hold(OLD, pools=("worker",), renewed=time.time() - 300), acked=None)
    store.close()
    place.mcs("apply", "-f", "-", stdin="\n".join(map(compact, (pool("worker", spec=NEW), rendered(OLD, "worker")))))
    [row] = place.mcs("get", "pools").rows()
    assert (row[1], row[3]) == ("-", f"{NEW} does not exist; spec.configuration; there is no status.configuration yet")
    [row] = place.mcs("get", "configs", "-o", "wide").rows()
    assert "pool worker" not in row[-1]


def test_pools_wide_counts_the_machines_and_nodes_wide_names_their_pools(place: Place) -> None:
    roles = {"one": "worker", "two": "worker", "both": "infra edge", "other": ""}
    documents: list[JSONObject] = []
    for name in ("worker", "infra", "edge"):
        spec: JSONObject = {
            "configuration": {"name": NEW},
            "nodeSelector": {"matchExpressions": [{"key": name, "operator": "Exists"}]},
        }
        documents.append({**pool(name), "spec": spec})
    for name, labels in roles.items():
        made = node(name, currentConfig=NEW, desiredConfig=NEW, state="Done" if name == "one" else "Degraded")
        made["metadata"] = {**object_at(made, "metadata"), "labels": dict.fromkeys(labels.split(), "")}
        documents.append(made)
    place.mcs("apply", "-f", "-", stdin="\n---\n".join(compact(document) for document in documents))
    outcome = place.mcs("get", "pools", "-o", "wide")
    titles = outcome.out[0].split()
    worker = dict(zip(titles, outcome.rows()[-1], strict=True))
    counts = ("MACHINES", "UPDATED", "READY", "UNAVAILABLE", "DEGRADED")
    assert [worker[title] for title in counts] == ["2", "1", "1", "1", "1"]
    outcome = place.mcs("get", "nodes", "-o", "wide")
    column = outcome.out[0].split().index("POOLS")
    assert {row[0]: row[column] for row in outcome.rows()} == {
        "one": "worker",
        "two": "worker",
        "both": "it belongs to 2 custom pools: edge, infra",
        "other": "-",
    }


def test_a_counted_pool_can_be_applied_as_it_is_shown(place: Place) -> None:
    counted: JSONObject = {**pool("worker"), "spec": {"nodeSelector": {"matchLabels": {"a": "b"}}}}
    place.mcs("apply", "-f", "-", stdin=compact(counted))
    shown = "\n".join(place.mcs("get", "pools", "-o", "yaml").out)
    assert "mcs.internal/counted: true" in shown
    outcome = place.mcs("apply", "-f", "-", stdin=shown)
    assert (outcome.status, outcome.err) == (0, [])
    assert [line.split()[1] for line in outcome.out] == ["unchanged"]


def test_configs_shows_size_spec_and_how_many_references(fleet: Place) -> None:
    outcome = fleet.mcs("get", "configs")
    assert outcome.out[0].split() == ["NAME", "BYTES", "SPEC", "AGE", "REFERENCES"]
    size = str(len('{"config":{"ignition":{"version":"3.4.0"}}}'))
    assert [row[:3] + row[4:] for row in outcome.rows()] == [
        ["mine", str(len('{"kernelArguments":["quiet"]}')), "-", "0"],
        [OLD, size, "3.2.0", "4"],
        [NEW, size, "3.4.0", "3"],
    ]


def test_configs_wide_names_the_references(fleet: Place) -> None:
    rows = {row[0]: row[-1] for row in fleet.mcs("get", "configs", "-o", "wide").rows()}
    names = [reference.rsplit(" ", 1)[0] if "hold" in reference else reference for reference in rows[OLD].split(", ")]
    assert names == ["pool worker (status", "served", "served last)", "node one (current)", "hold", "boot fetched"]
    assert rows[NEW] == "pool worker (spec), node one (desired), node two (current)"
    assert rows["mine"] == "-"


def test_nodes_shows_configs_and_addresses(fleet: Place) -> None:
    assert fleet.mcs("get", "nodes").rows() == [
        ["one", "Working", OLD, NEW, "0s", "192.0.2.1"],
        ["two", "-", NEW, "-", "0s", "192.0.2.1"],
    ]


def test_holds_shows_which_still_protect(fleet: Place) -> None:
    states = {row[1]: (row[2], row[-1]) for row in fleet.mcs("get", "holds").rows()}
    assert states == {OLD: ("worker", "live"), NEW: ("-", "expired")}


def test_boots_shows_what_became_of_each(fleet: Place) -> None:
    outcome = fleet.mcs("get", "boots")
    assert outcome.out[0].split() == ["BOOT", "ADDRESS", "POOL", "FETCHED", "STATE", "CONFIG", "SPEC", "CLIENT"]
    assert [row[:3] + row[4:] for row in outcome.rows()] == [
        ["expired", "192.0.2.7", "worker", "expired", NEW, "3.4.0", "Ignition/2.20.0"],
        ["fetched", "192.0.2.7", "worker", "fetched", OLD, "3.4.0", r"curl/8 (x) \x1b[2J"],
        ["joined", "192.0.2.7", "worker", "joined", NEW, "3.4.0", "Ignition/2.20.0"],
    ]
    wide = {row[0]: row[8] for row in fleet.mcs("get", "boots", "-o", "wide").rows()}
    assert wide == {"expired": "-", "fetched": "-", "joined": "two"}


FILTERED = [
    pytest.param(["boots", "--state", "fetched"], ["fetched"], id="state"),
    pytest.param(["boots", "--pool", "worker"], ["expired", "fetched", "joined"], id="pool"),
    pytest.param(["boots", "--pool", "worker", "--state", "joined"], ["joined"], id="both"),
    pytest.param(["boots", "joined", "--state", "joined"], ["joined"], id="name and state"),
]


@pytest.mark.parametrize(("arguments", "names"), FILTERED)
def test_boots_of_a_pool_or_in_a_state(fleet: Place, arguments: list[str], names: list[str]) -> None:
    assert [row[0] for row in fleet.mcs("get", *arguments).rows()] == names


def test_holds_of_a_pool_or_in_a_state(fleet: Place) -> None:
    assert [row[1] for row in fleet.mcs("get", "holds", "--pool", "worker").rows()] == [OLD]
    assert [row[1] for row in fleet.mcs("get", "holds", "--state", "expired").rows()] == [NEW]


@pytest.mark.parametrize("what", ["boots", "holds", "attempts"])
def test_a_filter_that_lets_nothing_through_is_no_failure(fleet: Place, what: str) -> None:
    outcome = fleet.mcs("get", what, "--pool", "other")
    assert (outcome.status, outcome.out, outcome.err) == (0, [], [f"there are no {what} like that"])
    assert fleet.mcs("get", what, "--pool", "other", "-o", "json").out == ["[]"]


WRONG_FILTERS = [
    pytest.param(["pools", "--pool", "worker"], "--pool is for holds, boots, attempts, not pools", id="pool"),
    pytest.param(["attempts", "--state", "joined"], "--state is for holds, boots, not attempts", id="state"),
    pytest.param(["boots", "--state", "live"], "--state live: boots are fetched, joined, expired", id="unknown state"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_FILTERS)
def test_a_filter_that_means_nothing_is_wrong_usage(fleet: Place, arguments: list[str], message: str) -> None:
    outcome = fleet.mcs("get", *arguments)
    assert (outcome.status, outcome.err[-1]) == (2, f"mcs get: {message}")


@pytest.mark.parametrize("what", ["pools", "configs", "nodes", "holds", "boots", "attempts"])
def test_json_and_yaml_hold_the_same_in_full(fleet: Place, what: str) -> None:
    documents = json.loads("\n".join(fleet.mcs("get", what, "-o", "json").out))
    assert yaml.safe_load("\n".join(fleet.mcs("get", what, "-o", "yaml").out)) == documents
    items = documents["items"] if isinstance(documents, dict) else documents
    assert len(items) == len(fleet.mcs("get", what).rows())


def test_attempts_shows_who_was_refused_the_latest_first(place: Place) -> None:
    store = place.store()
    store.put_attempts(
        [
            attempt("192.0.2.7", "pool-unknown", pool="wroker", first=1000.0, last=1060.0, count=12),
            attempt("192.0.2.8", "spec-not-spoken", last=1030.0, client="Ignition/0.35.0 \x1b[2J"),
            attempt("192.0.2.7", "no-such-path", pool="", last=1090.0),
        ]
    )
    store.close()
    outcome = place.mcs("get", "attempts")
    assert outcome.out[0].split() == ["LAST", "ADDRESS", "CLIENT", "POOL", "REASON", "COUNT"]
    assert outcome.rows() == [
        ["1970-01-01T00:18:10Z", "192.0.2.7", "Ignition/2.20.0", "-", "no-such-path", "1"],
        ["1970-01-01T00:17:40Z", "192.0.2.7", "Ignition/2.20.0", "wroker", "pool-unknown", "12"],
        ["1970-01-01T00:17:10Z", "192.0.2.8", r"Ignition/0.35.0 \x1b[2J", "worker", "spec-not-spoken", "1"],
    ]
    assert place.mcs("get", "attempts", "-o", "wide").rows()[1][1] == "1970-01-01T00:16:40Z"
    assert [row[4] for row in place.mcs("get", "attempt", "192.0.2.7").rows()] == ["no-such-path", "pool-unknown"]
    alone = json.loads("\n".join(place.mcs("get", "attempts", "192.0.2.8", "-o", "json").out))
    assert [(one["reason"], one["count"]) for one in alone] == [("spec-not-spoken", 1)]


TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def test_a_boots_record_is_written_as_kubernetes_would(fleet: Place) -> None:
    lease = json.loads("\n".join(fleet.mcs("get", "boot", "joined", "-o", "json").out))
    times = {name for name, value in lease.items() if isinstance(value, str) and TIME.fullmatch(value)}
    assert times == {"creationTimestamp", "fetched", "renewed", "expires"}
    assert lease["uid"]
    assert lease["resourceVersion"].isdigit()
    assert {name: value for name, value in lease.items() if name not in {*times, "uid", "resourceVersion"}} == {
        "name": "joined",
        "bootId": "joined",
        "network": None,
        "server": "s",
        "worker": "w" * 32,
        "pool": "worker",
        "config": NEW,
        "asked": "3.4.0",
        "served": "3.4.0",
        "address": "192.0.2.7",
        "client": "Ignition/2.20.0",
        "durationSeconds": 86400.0,
        "count": 1,
        "ended": None,
        "node": "two",  # computed: nobody has ended the lease yet
        "state": "joined",
    }


def test_other_records_are_written_alike(fleet: Place) -> None:
    live, _ = sorted(
        json.loads("\n".join(fleet.mcs("get", "holds", "-o", "json").out)), key=lambda each: each["config"]
    )
    assert (live["state"], live["pools"], live["durationSeconds"]) == ("live", ["worker"], 86400.0)
    assert all(TIME.fullmatch(live[name]) for name in ("acquired", "renewed", "expires", "creationTimestamp"))
    (refused,) = json.loads("\n".join(fleet.mcs("get", "attempts", "-o", "json").out))
    assert all(TIME.fullmatch(refused[name]) for name in ("first", "last"))


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("what", ["pools", "configs", "nodes"])
def test_what_get_prints_can_be_applied_again_and_changes_nothing(fleet: Place, what: str, form: str) -> None:
    printed = "\n".join(fleet.mcs("get", what, "-o", form).out)
    outcome = fleet.mcs("apply", "-f", "-", stdin=printed)
    assert outcome.status == 0
    assert {line.split()[1] for line in outcome.out} == {"unchanged"}


@pytest.mark.parametrize("what", ["pool", "configs", "mc", "node", "hold", "boots", "attempts"])
def test_an_unknown_name_fails(fleet: Place, what: str) -> None:
    outcome = fleet.mcs("get", what, "nobody")
    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err[0].endswith("nobody does not exist")


def test_a_known_name_is_shown_alone(fleet: Place) -> None:
    assert [row[0] for row in fleet.mcs("get", "mc", "mine").rows()] == ["mine"]
    assert json.loads("\n".join(fleet.mcs("get", "mc", "mine", "-o", "json").out))["kind"] == "MachineConfig"


def test_a_store_that_is_not_there_is_not_made(place: Place) -> None:
    elsewhere = place.directory / "typo.db"
    outcome = place.mcs("get", "pools", "--store", f"sqlite:///{elsewhere}")
    assert outcome.status == 1
    assert outcome.err == [f"mcs get: there is no store at {elsewhere}; `mcs apply` and `mcs serve` make one"]
    assert not elsewhere.exists()


@pytest.mark.parametrize("what", ["pools", "configs", "nodes", "holds", "boots", "attempts"])
def test_an_empty_store_is_said_to_be_empty(place: Place, what: str) -> None:
    outcome = place.mcs("get", what)
    assert (outcome.status, outcome.out, outcome.err) == (0, [], [f"there are no {what}"])
