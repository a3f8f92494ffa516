"""Nodes that booted into a custom pool become that pool's: once, some at a time, whatever else happens to the store."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from mcs.jsondata import JSON, JSONObject, integer_at, texts_at
from mcs.machineconfig.membership import membership
from mcs.machineconfig.names import LABEL_POOL, Kind
from mcs.store.interface import Conflict, NotFound, ObjectRefused
from tests.controller.scene import WRITES, Scene, machine_config, pool
from tests.store.broken import BrokenStore

MCO = "machineconfiguration.openshift.io/"
FIRST, APPLIED = MCO + "firstPivotConfig", MCO + "customPoolLabelsApplied"
ROLE = "node-role.kubernetes.io/"
AS_WORKER, AS_INFRA = {f"{ROLE}worker": ""}, {f"{ROLE}infra": "", "zone": "z1"}
INFRA, WORKER = "rendered-infra-" + "a" * 32, "rendered-worker-" + "b" * 32

POOLS = (
    pool(nodeSelector={"matchLabels": {**AS_WORKER}}),
    pool("infra", nodeSelector={"matchLabels": {**AS_INFRA}}),
)


def rendered(name: str, of: str, *, owned: bool = False) -> tuple[Kind, JSONObject]:
    """A rendered config of a pool, as we render one or (owned) as the Machine Config Operator does."""
    owner: JSON = {"kind": Kind.POOL.kind, "name": of}
    metadata: JSONObject = {"name": name, **({"ownerReferences": [owner]} if owned else {"labels": {LABEL_POOL: of}})}
    return Kind.CONFIG, {"metadata": metadata, "spec": {"fips": False}}


def node(
    name: str = "n", first: str | None = INFRA, labels: Mapping[str, str] = AS_WORKER, **annotations: str
) -> tuple[Kind, JSONObject]:
    annotated: JSONObject = {MCO + key: text for key, text in annotations.items()}
    if first is not None:
        annotated[FIRST] = first
    metadata: JSONObject = {"name": name, "labels": {**labels}, "annotations": annotated}
    return Kind.NODE, {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def labels_of(running: Scene, name: str = "n") -> dict[str, str]:
    stored = running.others.get(Kind.NODE, name)
    assert stored is not None
    return texts_at(stored.value, "metadata", "labels")


def is_noted(running: Scene, name: str = "n") -> bool:
    """Whether the node bears the annotation that says that it was done."""
    stored = running.others.get(Kind.NODE, name)
    assert stored is not None
    return texts_at(stored.value, "metadata", "annotations").get(APPLIED) == ""


@pytest.fixture
def running(make: Callable[..., Scene]) -> Scene:
    """A controller that renders nothing, two pools, one of them custom, and a rendered config of each."""
    made = make(origin=None)
    made.apply(*POOLS, rendered(INFRA, "infra"), rendered(WORKER, "worker"))
    made.controller.look()
    return made


# ---- which nodes


@pytest.mark.parametrize(
    ("machine", "labels", "noted"),
    [
        pytest.param(node(), AS_WORKER | AS_INFRA, True, id="booted into the custom pool"),
        pytest.param(node(labels={}), AS_INFRA, True, id="without any label"),
        pytest.param(node(labels=AS_INFRA), AS_INFRA, True, id="with all of them: it is noted"),
        pytest.param(node(labels={"zone": "z9"}), AS_INFRA, True, id="with another value"),
        pytest.param(node(first=WORKER), AS_WORKER, False, id="booted as a worker"),
        pytest.param(node(first=None), AS_WORKER, False, id="says nothing of its first boot"),
        pytest.param(node(first="rendered-infra-" + "c" * 32), AS_WORKER, False, id="of a config that is gone"),
        pytest.param(node(customPoolLabelsApplied=""), AS_WORKER, True, id="done before, and taken away by somebody"),
    ],
)
def test_what_a_node_bears_afterwards(
    running: Scene, machine: tuple[Kind, JSONObject], labels: dict[str, str], noted: bool
) -> None:
    running.apply(machine)
    running.wait(3)
    assert (labels_of(running), is_noted(running)) == (labels, noted)


def test_from_then_on_the_custom_pool_counts_it(running: Scene) -> None:
    running.apply(node())
    assert integer_at(running.pool("worker").value, "status", "machineCount") == 1
    running.wait(3)
    machine = running.others.get(Kind.NODE, "n")
    assert machine is not None
    assert membership(machine.value, [running.pool("infra").value, running.pool().value]).pools == ("infra", "worker")
    counts = [integer_at(running.pool(name).value, "status", "machineCount") for name in ("infra", "worker")]
    assert counts == [1, 0]


def test_it_is_done_once(running: Scene) -> None:
    running.apply(node())
    running.wait(3)
    running.others.patch(Kind.NODE, "n", {"metadata": {"labels": {f"{ROLE}infra": None}}})
    running.wait(10)
    assert labels_of(running) == {**AS_WORKER, "zone": "z1"}


def test_a_config_that_names_its_pool_by_an_owner_is_read_once(running: Scene) -> None:
    running.apply(rendered("rendered-infra-" + "d" * 32, "infra", owned=True))
    first = "rendered-infra-" + "d" * 32
    running.apply(node("n", first), node("m", first))
    running.store.calls.clear()
    running.wait(3)
    assert labels_of(running, "n") == labels_of(running, "m") == AS_WORKER | AS_INFRA
    assert running.store.calls.count("get") == 1


@pytest.mark.parametrize(
    "late",
    [
        pytest.param(rendered(INFRA, "infra"), id="its config"),
        pytest.param(POOLS[1], id="its pool"),
    ],
)
def test_what_comes_after_the_node_is_enough(make: Callable[..., Scene], late: tuple[Kind, JSONObject]) -> None:
    running = make(origin=None)
    running.apply(node(), *(each for each in (*POOLS, rendered(INFRA, "infra")) if each != late))
    running.wait(5)
    assert not is_noted(running)
    running.apply(late)
    running.wait(3)
    assert is_noted(running)


class Cluster(BrokenStore):
    """A store whose machines the cluster's own controllers look after."""

    @property
    def counts_machines(self) -> bool:
        return False


def test_a_store_whose_machines_others_look_after_is_left_alone(running: Scene) -> None:
    running.controller = replace(running, others=Cluster(running.others)).beside(origin=None)
    running.apply(node())
    running.wait(10)
    assert (labels_of(running), is_noted(running)) == (AS_WORKER, False)


def test_it_is_done_beside_rendering_too(make: Callable[..., Scene]) -> None:
    running = make()
    running.apply(*POOLS, machine_config("00-worker"), machine_config("00-infra", role="infra"))
    running.settle()
    running.apply(node("n", running.named("infra")))
    running.wait(3)
    assert labels_of(running) == AS_WORKER | AS_INFRA


# ---- how it is done


def test_while_nothing_changes_no_node_is_read(running: Scene) -> None:
    running.apply(node(), node("m", first=WORKER))
    running.wait(6)
    running.store.calls.clear()
    running.wait(60)
    assert set(running.store.calls) & {"objects", "all_metadata", "get", *WRITES} == set()


def test_many_are_labelled_some_at_a_time_and_soon_all(running: Scene) -> None:
    running.apply(*(node(f"n{number}") for number in range(150)))
    running.clock.move(2)
    noted = []
    for _ in range(3):
        running.controller.look()
        noted.append(sum(APPLIED in each.annotations for each in running.others.all_metadata(Kind.NODE)))
    assert noted == [100, 150, 150]


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(Conflict("Node", "m", "resourceVersion", 1, 2), id="somebody wrote it"),
        pytest.param(NotFound("Node", "m"), id="somebody deleted it"),
    ],
)
def test_who_was_quicker_wins_and_the_next_look_tells(
    running: Scene, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    running.apply(node("m"), node("n"))
    running.store.fail("patch", times=1, error=error)
    running.wait(2)
    assert (is_noted(running, "m"), is_noted(running, "n")) == (False, True)
    running.wait(2)
    assert is_noted(running, "m")
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_what_somebody_writes_meanwhile_is_not_overwritten(running: Scene) -> None:
    running.apply(node())
    other: JSONObject = {"metadata": {"labels": {"zone": "z2"}, "annotations": {APPLIED: ""}}}
    running.store.before("patch", lambda: running.others.patch(Kind.NODE, "n", other))
    running.wait(5)
    assert labels_of(running) == {**AS_WORKER, "zone": "z2"}


def test_a_node_that_cannot_be_written_is_said_once_and_keeps_no_other_waiting(
    running: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    running.apply(node("m"), node("n"))
    running.store.fail("patch", times=1, error=ObjectRefused(0, "no such label"))
    running.wait(2)
    assert (is_noted(running, "m"), is_noted(running, "n")) == (False, True)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == [
        "node m cannot have the labels of its custom pool: no such label"
    ]


@pytest.mark.parametrize("operation", ["version", "all_metadata", "patch"])
def test_a_store_that_fails_is_asked_less_often_and_then_it_is_made_up_for(
    running: Scene, operation: str, caplog: pytest.LogCaptureFixture
) -> None:
    running.apply(node())
    running.store.fail(operation)
    running.wait(600, step=0.5)
    assert 5 <= running.store.calls.count(operation) <= 90
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1
    running.store.heal()
    running.wait(60)
    assert is_noted(running)


def test_it_is_said(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    running.apply(node())
    running.wait(3)
    [line] = [record for record in caplog.records if record.getMessage() == "labelled"]
    listed = f"{ROLE}infra=,zone=z1"
    assert vars(line)["facts"] == {"node": "n", "labels": listed, "config": INFRA}
