from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject, integer_at, object_at, text_at
from mcs.machineconfig.membership import counted, first_boot_labels, members, membership, status_of

ROLE = "node-role.kubernetes.io/"
MCO = "machineconfiguration.openshift.io/"
A, B = "rendered-worker-a", "rendered-worker-b"


def pool(
    name: str, selector: JSON = None, *, spec: str | None = A, status: JSON = None, generation: int = 3
) -> JSONObject:
    configuration: JSONObject = {"name": spec, "source": [{"name": "00-worker"}]} if spec is not None else {}
    chosen: JSON = {"matchLabels": {f"{ROLE}{name}": ""}} if selector is None else selector
    described: JSONObject = {
        "metadata": {"name": name, "generation": generation},
        "spec": {"configuration": configuration, "nodeSelector": chosen},
    }
    return described if status is None else {**described, "status": status}


def node(name: str, *roles: str, labels: Mapping[str, str] | None = None, **members: JSON) -> JSONObject:
    own: JSONObject = {f"{ROLE}{role}": "" for role in roles}
    return {"metadata": {"name": name, "labels": {**own, **(labels or {})}}, **members}


def running(
    name: str,
    current: str | None = A,
    desired: str | None = A,
    state: str | None = "Done",
    *,
    conditions: Mapping[str, str] | None = None,
    unschedulable: bool = False,
    images: tuple[str | None, str | None] = (None, None),
) -> JSONObject:
    keys = ("currentConfig", "desiredConfig", "state", "currentImage", "desiredImage")
    annotations: JSONObject = {
        MCO + key: value for key, value in zip(keys, (current, desired, state, *images), strict=True) if value
    }
    listed: list[JSON] = [{"type": kind, "status": status} for kind, status in (conditions or {}).items()]
    made = node(name, "worker", spec={"unschedulable": True} if unschedulable else {}, status={"conditions": listed})
    return {**made, "metadata": {**object_at(made, "metadata"), "annotations": annotations}}


MASTER, WORKER, INFRA, ARBITER = (pool(name) for name in ("master", "worker", "infra", "arbiter"))
POOLS = [MASTER, WORKER, INFRA, ARBITER]


# ---- which pool a node is in


@pytest.mark.parametrize(
    ("roles", "pools", "ignored"),
    [
        pytest.param((), (), None, id="none"),
        pytest.param(("other",), (), None, id="a role without a pool"),
        pytest.param(("worker",), ("worker",), None, id="worker"),
        pytest.param(("master",), ("master",), None, id="master"),
        pytest.param(("master", "worker"), ("master",), None, id="master and worker"),
        pytest.param(("infra",), ("infra",), None, id="a custom pool"),
        pytest.param(("infra", "worker"), ("infra", "worker"), None, id="custom and worker"),
        pytest.param(("infra", "master"), ("master",), "infra", id="custom and master"),
        pytest.param(("infra", "master", "worker"), ("master", "worker"), "infra", id="all three"),
        pytest.param(("arbiter", "worker"), ("arbiter", "worker"), None, id="arbiter is custom"),
    ],
)
def test_the_pools_of_a_node(roles: tuple[str, ...], pools: tuple[str, ...], ignored: str | None) -> None:
    for order in (POOLS, POOLS[::-1]):
        found = membership(node("n", *roles), order)
        assert (found.pools, found.problem, found.ignored) == (pools, None, ignored)
        assert found.primary == (pools[0] if pools else None)


@pytest.mark.parametrize(
    "roles", [("infra", "arbiter"), ("infra", "arbiter", "worker"), ("arbiter", "infra", "master")]
)
def test_a_node_of_two_custom_pools_is_in_none(roles: tuple[str, ...]) -> None:
    found = membership(node("n", *roles), POOLS)
    assert (found.primary, found.problem) == (None, "it belongs to 2 custom pools: arbiter, infra")


def test_a_windows_node_has_no_pools() -> None:
    found = membership(node("n", "worker", labels={"kubernetes.io/os": "windows"}), POOLS)
    assert (found.pools, found.problem) == ((), None)


@pytest.mark.parametrize(
    "selector",
    [
        pytest.param({}, id="an empty one"),
        pytest.param({"matchLabels": {}, "matchExpressions": []}, id="empty parts"),
        pytest.param("worker", id="no object"),
        pytest.param([], id="a list"),
    ],
)
def test_a_selector_that_says_nothing_selects_no_node(selector: JSON) -> None:
    assert membership(node("n", "worker"), [pool("worker", selector)]).pools == ()


def test_a_selector_that_cannot_be_read_is_a_problem() -> None:
    odd = pool("odd", {"matchExpressions": [{"key": "a", "operator": "Like"}]})
    found = membership(node("n", "worker"), [WORKER, odd])
    assert (found.pools, found.problem) == (
        (),
        "pool odd: spec.nodeSelector: a: 'Like' is no operator; there are In, NotIn, Exists, DoesNotExist",
    )


def test_nodes_are_counted_by_their_primary_pool() -> None:
    nodes = [node("a", "worker"), node("b", "infra", "worker"), node("c", "infra", "arbiter"), node("d")]
    found = {name: [text_at(each, "metadata", "name") for each in own] for name, own in members(nodes, POOLS).items()}
    assert found == {"worker": ["a"], "infra": ["b"]}


# ---- what is counted


NAMES = (
    "machineCount",
    "updatedMachineCount",
    "readyMachineCount",
    "unavailableMachineCount",
    "degradedMachineCount",
)


@pytest.mark.parametrize(
    ("own", "counts"),
    [
        pytest.param(running("n"), (1, 1, 1, 0, 0), id="done, without conditions"),
        pytest.param(running("n", conditions={"Ready": "True"}), (1, 1, 1, 0, 0), id="done and ready"),
        pytest.param(running("n", conditions={"Ready": "False"}), (1, 1, 0, 1, 0), id="not ready"),
        pytest.param(running("n", conditions={"Ready": "Unknown"}), (1, 1, 0, 1, 0), id="lost"),
        pytest.param(running("n", conditions={"DiskPressure": "True"}), (1, 1, 0, 1, 0), id="its disk is full"),
        pytest.param(running("n", conditions={"NetworkUnavailable": "True"}), (1, 1, 0, 1, 0), id="no network"),
        pytest.param(running("n", conditions={"PIDPressure": "True"}), (1, 1, 1, 0, 0), id="another condition"),
        pytest.param(running("n", unschedulable=True), (1, 1, 0, 1, 0), id="cordoned"),
        pytest.param(running("n", desired=B), (1, 0, 0, 1, 0), id="told, but not begun"),
        pytest.param(running("n", A, B, "Working"), (1, 0, 0, 1, 0), id="on its way"),
        pytest.param(running("n", A, A, "Working"), (1, 0, 0, 1, 0), id="not done yet"),
        pytest.param(running("n", B, B), (1, 0, 0, 0, 0), id="done with another config"),
        pytest.param(running("n", A, B, "Degraded"), (1, 0, 0, 0, 1), id="failed on its way"),
        pytest.param(running("n", A, B, "Unreconcilable"), (1, 0, 0, 0, 1), id="cannot get there"),
        pytest.param(running("n", A, A, "Degraded"), (1, 0, 0, 1, 1), id="failed where it is"),
        pytest.param(running("n", A, None), (1, 0, 0, 1, 0), id="no desired config"),
        pytest.param(running("n", None, None, None), (1, 0, 0, 1, 0), id="no annotations"),
        pytest.param(running("n", state=None), (1, 0, 0, 1, 0), id="no state"),
        pytest.param(running("n", images=("i", "i")), (1, 0, 0, 0, 0), id="an image of its own"),
        pytest.param(running("n", images=("i", None)), (1, 0, 0, 1, 0), id="leaving an image of its own"),
    ],
)
def test_what_a_node_counts_for(own: JSONObject, counts: tuple[int, ...]) -> None:
    status = counted(WORKER, [own])
    assert tuple(integer_at(status, name) for name in NAMES) == counts


OLD: JSONObject = {"configuration": {"name": B}, "conditions": [{"type": "Updated", "status": "False"}]}


@pytest.mark.parametrize(
    ("nodes", "configuration"),
    [
        pytest.param([], A, id="an empty pool at once"),
        pytest.param([running("1"), running("2")], A, id="all updated and ready"),
        pytest.param([running("1"), running("2", B, B)], B, id="one on the old config"),
        pytest.param([running("1"), running("2", conditions={"Ready": "False"})], B, id="one not ready"),
        pytest.param([running("1"), running("2", unschedulable=True)], B, id="one cordoned"),
        pytest.param([running("1"), running("2", B, A, "Degraded")], B, id="one degraded"),
    ],
)
def test_status_follows_the_spec_once_all_nodes_have(nodes: list[JSONObject], configuration: str) -> None:
    described = pool("worker", status=OLD)
    status = status_of(described, nodes, [described, MASTER])
    assert text_at(status, "configuration", "name") == configuration
    if configuration == A:
        assert status["configuration"] == object_at(described, "spec", "configuration")
    assert status["conditions"] == OLD["conditions"]
    assert status["observedGeneration"] == 3


def test_a_spec_that_names_nothing_is_not_taken_over() -> None:
    assert counted(pool("worker", spec=None, status=OLD), [])["configuration"] == {"name": B}


# ---- the first boot into a custom pool

SELECTORS: JSONObject = {
    "matchLabels": {"team": "a"},
    "matchExpressions": [
        {"key": f"{ROLE}infra", "operator": "Exists"},
        {"key": "zone", "operator": "In", "values": ["z1"]},
        {"key": "size", "operator": "In", "values": ["s", "m"]},
        {"key": "old", "operator": "DoesNotExist"},
        {"key": "kind", "operator": "NotIn", "values": ["x"]},
    ],
}
OURS: JSONObject = {"metadata": {"name": "r", "labels": {"mcs.internal/pool": "infra"}}}
OWNED: JSONObject = {
    "metadata": {
        "name": "r",
        "ownerReferences": [{"kind": "Node", "name": "x"}, {"kind": "MachineConfigPool", "name": "infra"}],
    }
}
OF_WORKERS: JSONObject = {"metadata": {"name": "r", "labels": {"mcs.internal/pool": "worker"}}}
WANTED = {"team": "a", f"{ROLE}infra": "", "zone": "z1"}


def booted(labels: Mapping[str, str] | None = None, **annotations: str) -> JSONObject:
    made = node("n", "worker", labels=labels)
    named: JSONObject = {MCO + key: value for key, value in annotations.items()}
    return {"metadata": {**object_at(made, "metadata"), "annotations": named}}


@pytest.mark.parametrize(
    ("machine", "config", "labels"),
    [
        pytest.param(booted(firstPivotConfig="r"), OURS, WANTED, id="a config of ours"),
        pytest.param(booted(firstPivotConfig="r"), OWNED, WANTED, id="told by its owner"),
        pytest.param(booted(firstPivotConfig="r"), OF_WORKERS, None, id="workers need nothing"),
        pytest.param(booted(firstPivotConfig="r"), None, None, id="a config that is gone"),
        pytest.param(booted(firstPivotConfig="r"), {"metadata": {"name": "r"}}, None, id="a config of no pool"),
        pytest.param(booted(), OURS, None, id="a node that says nothing"),
        pytest.param(booted(firstPivotConfig="r", customPoolLabelsApplied=""), OURS, None, id="done before"),
        pytest.param(
            booted({"team": "b", f"{ROLE}infra": "x"}, firstPivotConfig="r"),
            OURS,
            {"team": "a", "zone": "z1"},
            id="what it has of them",
        ),
        pytest.param(booted(WANTED, firstPivotConfig="r"), OURS, {}, id="it has all: to be noted as done"),
    ],
)
def test_the_labels_of_a_node_that_booted_into_a_custom_pool(
    machine: JSONObject, config: JSONObject | None, labels: dict[str, str] | None
) -> None:
    pools = [WORKER, pool("infra", SELECTORS)]
    assert first_boot_labels(machine, {"r": config}.get, pools) == labels


def test_a_custom_pool_that_is_gone_gives_no_labels() -> None:
    assert first_boot_labels(booted(firstPivotConfig="r"), lambda _: OURS, [WORKER]) is None


# ---- laws

states = st.sampled_from(["Done", "Working", "Degraded", "Unreconcilable", "Rebooting", None])
names = st.sampled_from([A, B, None])
readiness = st.sampled_from([{}, {"Ready": "True"}, {"Ready": "False"}])
machines = st.builds(
    lambda current, desired, state, conditions, cordoned, roles, image: {
        **running("n", current, desired, state, conditions=conditions, unschedulable=cordoned, images=(image, image)),
        "metadata": {
            **object_at(running("n", current, desired, state, images=(image, image)), "metadata"),
            "labels": {f"{ROLE}{role}": "" for role in roles},
        },
    },
    names,
    names,
    states,
    readiness,
    st.booleans(),
    st.sets(st.sampled_from(["master", "worker", "infra", "arbiter"])),
    st.sampled_from([None, None, "i"]),
)


@given(st.lists(machines, max_size=6), st.sampled_from([A, B]))
def test_counts_are_of_the_pools_own_nodes_and_agree_with_each_other(nodes: list[JSONObject], target: str) -> None:
    pools = [pool(name, spec=target, status=OLD) for name in ("master", "worker", "infra", "arbiter")]
    in_none = [each for each in nodes if membership(each, pools).primary is None]
    total = 0
    for each in pools:
        status = status_of(each, nodes, pools)
        machine, updated, ready, unavailable, degraded = (integer_at(status, name) or 0 for name in NAMES)
        total += machine
        assert 0 <= ready <= updated <= machine
        assert ready + unavailable <= machine
        assert degraded <= machine - updated
        flipped = updated == ready == machine and unavailable == 0
        assert text_at(status, "configuration", "name") == (target if flipped else B)
    assert total + len(in_none) == len(nodes)


@given(st.lists(machines, max_size=5))
def test_counting_twice_changes_nothing(nodes: list[JSONObject]) -> None:
    once = status_of(WORKER, nodes, POOLS)
    again: JSONObject = {**WORKER, "status": once}
    assert status_of(again, nodes, POOLS) == once


@given(st.lists(machines, max_size=5), machines)
def test_a_node_that_joins_takes_nothing_away(nodes: list[JSONObject], new: JSONObject) -> None:
    before, after = (status_of(WORKER, each, POOLS) for each in (nodes, [*nodes, new]))
    grown = [(integer_at(after, name) or 0) - (integer_at(before, name) or 0) for name in NAMES]
    assert all(step in {0, 1} for step in grown)
    assert grown[0] == (membership(new, POOLS).primary == "worker")
