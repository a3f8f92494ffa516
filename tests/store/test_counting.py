"""The embedded store keeps the counters of pools whose nodes it knows, and leaves those that others brought."""

from pathlib import Path

import pytest

from mcs.jsondata import JSON, JSONObject, integer_at, lookup, object_at, text_at
from mcs.machineconfig.names import STATUS_COUNTED, Kind
from mcs.machineconfig.serving import resolve
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Stored
from tests.store.samples import manifest

MCO = "machineconfiguration.openshift.io/"
A, B = (f"rendered-worker-{digit * 32}" for digit in "ab")
ROLE = "node-role.kubernetes.io/"


def pool(config: str | None = A, name: str = "worker", **members: JSON) -> tuple[Kind, JSONObject]:
    spec: JSONObject = {"nodeSelector": {"matchLabels": {f"{ROLE}{name}": ""}}}
    if config is not None:
        spec["configuration"] = {"name": config}
    return manifest(Kind.POOL, name, spec=spec, **members)


def node(name: str, config: str, *, role: str = "worker", state: str = "Done") -> tuple[Kind, JSONObject]:
    annotations: JSONObject = {MCO + "currentConfig": config, MCO + "desiredConfig": config, MCO + "state": state}
    return manifest(Kind.NODE, name, metadata={"labels": {f"{ROLE}{role}": ""}, "annotations": annotations})


def stored(store: EmbeddedStore, name: str = "worker") -> Stored[JSONObject]:
    found = store.get(Kind.POOL, name)
    assert found is not None
    return found


def counts(store: EmbeddedStore, name: str = "worker") -> tuple[int | None, int | None, str | None]:
    """How many machines, how many updated, and what status names."""
    value = stored(store, name).value
    return (
        integer_at(value, "status", "machineCount"),
        integer_at(value, "status", "updatedMachineCount"),
        text_at(value, "status", "configuration", "name"),
    )


def test_this_store_says_that_it_counts(store: EmbeddedStore) -> None:
    assert store.counts_machines


def test_counters_follow_every_change_of_nodes_and_pools(store: EmbeddedStore) -> None:
    store.apply([pool()])
    assert counts(store) == (0, 0, A)
    store.apply([node("one", A), node("two", A)])
    assert counts(store) == (2, 2, A)
    store.apply([pool(B)])
    assert counts(store) == (2, 0, A)
    moved: JSONObject = {"metadata": {"annotations": {MCO + "currentConfig": B, MCO + "desiredConfig": B}}}
    store.patch(Kind.NODE, "one", moved)
    assert counts(store) == (2, 1, A)
    store.delete(Kind.NODE, "two")
    assert counts(store) == (1, 1, B)


def test_a_pool_that_comes_or_goes_takes_its_nodes_along(store: EmbeddedStore) -> None:
    both = node("one", A)
    both[1]["metadata"] = {**object_at(both[1], "metadata"), "labels": {f"{ROLE}worker": "", f"{ROLE}infra": ""}}
    store.apply([pool(), both])
    assert counts(store) == (1, 1, A)
    store.apply([pool(B, "infra")])
    assert (counts(store), counts(store, "infra")) == ((0, 0, A), (1, 0, None))
    store.delete(Kind.POOL, "infra")
    assert counts(store) == (1, 1, A)


def test_the_counters_speak_of_the_spec_at_once(store: EmbeddedStore) -> None:
    """Serving never takes counts of an older spec for a proof of the new one."""
    store.apply([pool(), node("one", A)])
    store.apply([pool(B)])
    value = stored(store).value
    assert lookup(value, "status", "observedGeneration") == lookup(value, "metadata", "generation") == 2
    assert resolve(value, last=None, unservable=lambda _: None).config == A


def test_a_patch_answers_with_the_counters_as_they_are_now(store: EmbeddedStore) -> None:
    store.apply([pool(), node("one", B)])
    answer = store.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": B}}})
    assert answer == stored(store)
    assert counts(store) == (1, 1, B)


def test_what_does_not_change_the_counters_does_not_change_the_pool(store: EmbeddedStore) -> None:
    store.apply([pool(), node("one", A)])
    before = stored(store)
    store.patch(Kind.NODE, "one", {"metadata": {"labels": {"zone": "z"}}})
    assert [change.outcome for change in store.apply([pool(), node("two", A, role="other")])] == [
        "unchanged",
        "created",
    ]
    assert stored(store) == before


def test_conditions_of_others_stay_where_the_store_counts(store: EmbeddedStore) -> None:
    store.apply([pool()])
    conditions: list[JSON] = [{"type": "RenderDegraded", "status": "True"}]
    store.patch(Kind.POOL, "worker", {"status": {"conditions": conditions}})
    store.apply([node("one", A)])
    assert lookup(stored(store).value, "status", "conditions") == conditions
    assert counts(store) == (1, 1, A)


# ---- what a status proves


SOURCE: list[JSON] = [{"name": "00-worker"}]


@pytest.mark.parametrize("observed", [pytest.param(1, id="spoke of the spec"), pytest.param(0, id="was behind")])
@pytest.mark.parametrize(
    ("change", "same_config"),
    [
        pytest.param({"configuration": {"source": SOURCE}}, True, id="the source alone"),
        pytest.param({"configuration": {"name": B, "source": SOURCE}}, False, id="another config"),
        pytest.param({"configuration": {"source": SOURCE}, "paused": True}, False, id="the spec beside it"),
    ],
)
@pytest.mark.parametrize("way", ["apply", "patch"])
def test_a_proof_that_was_brought_outlives_a_change_of_the_source_alone(
    store: EmbeddedStore, way: str, change: JSONObject, same_config: bool, observed: int
) -> None:
    brought: JSONObject = {"observedGeneration": observed, "updatedMachineCount": 3, "configuration": {"name": B}}
    store.apply([manifest(Kind.POOL, "worker", metadata={"generation": 1}, spec={"configuration": {"name": A}})])
    store.patch(Kind.POOL, "worker", {"status": brought})
    if way == "patch":
        store.patch(Kind.POOL, "worker", {"spec": change})
    else:
        spec: JSONObject = {**change, "configuration": {"name": A, **object_at(change, "configuration")}}
        store.apply([manifest(Kind.POOL, "worker", spec=spec)])
    value = stored(store).value
    assert lookup(value, "metadata", "generation") == 2
    proven = same_config and observed == 1
    assert lookup(value, "status", "observedGeneration") == (2 if proven else observed)
    assert resolve(value, last=None, unservable=lambda _: None).config == (A if proven else B)


def test_a_status_that_comes_with_a_source_speaks_for_itself(store: EmbeddedStore) -> None:
    store.apply([pool(status=BROUGHT), node("one", A)])
    store.patch(Kind.POOL, "worker", {"status": {"observedGeneration": 1}})
    patch: JSONObject = {"spec": {"configuration": {"source": SOURCE}}, "status": {"machineCount": 8}}
    store.patch(Kind.POOL, "worker", patch)
    assert lookup(stored(store).value, "status", "observedGeneration") == 1


# ---- who counts


BROUGHT: JSONObject = {"machineCount": 9, "updatedMachineCount": 9, "configuration": {"name": B}}


@pytest.mark.parametrize(
    ("status", "counted"),
    [
        pytest.param(BROUGHT, False, id="whole"),
        pytest.param({"machineCount": 9}, False, id="one counter"),
        pytest.param({"configuration": {"name": B}}, False, id="a configuration"),
        pytest.param({**BROUGHT, STATUS_COUNTED: False}, False, id="said to be somebody else's"),
        pytest.param({}, True, id="empty"),
        pytest.param({"conditions": [], "observedGeneration": 1}, True, id="no counts"),
        pytest.param({**BROUGHT, STATUS_COUNTED: True}, True, id="counted by a store"),
    ],
)
def test_a_status_with_counts_of_its_own_is_kept_as_it_is(
    store: EmbeddedStore, status: JSONObject, counted: bool
) -> None:
    store.apply([pool(status=status), node("one", A)])
    if counted:
        assert counts(store)[:2] == (1, 1)
    else:
        assert stored(store).value["status"] == status


def test_an_empty_status_hands_a_pool_over_to_the_store(store: EmbeddedStore) -> None:
    store.apply([pool(status=BROUGHT), node("one", A)])
    store.apply([pool(status={})])
    assert counts(store) == (1, 1, A)
    store.apply([pool(status=BROUGHT)])
    assert counts(store) == (9, 9, B)


def test_a_pool_that_says_nothing_of_its_nodes_is_left_alone(store: EmbeddedStore) -> None:
    store.apply([manifest(Kind.POOL, "worker", spec={"configuration": {"name": A}}), node("one", A)])
    assert "status" not in stored(store).value


def test_a_pool_that_no_longer_says_which_nodes_it_has_has_none(store: EmbeddedStore) -> None:
    store.apply([pool(), node("one", A)])
    store.patch(Kind.POOL, "worker", {"spec": {"nodeSelector": None, "configuration": {"name": B}}})
    assert counts(store) == (0, 0, B)


def test_a_pool_that_was_read_and_edited_claims_no_old_counts(store: EmbeddedStore) -> None:
    store.apply([pool(), node("one", A)])
    read = stored(store).value
    assert [change.outcome for change in store.apply([(Kind.POOL, read)])] == ["unchanged"]
    edited: JSONObject = {**read, "spec": {**object_at(read, "spec"), "configuration": {"name": B}}}
    store.apply([(Kind.POOL, edited)])
    assert counts(store) == (1, 0, A)


def test_counts_and_what_they_follow_from_are_written_together(store: EmbeddedStore, path: Path) -> None:
    store.apply([pool(), node("one", A)])
    other = EmbeddedStore(path)
    other.apply([pool(B), node("one", B)])
    other.close()
    assert counts(store) == (1, 1, B)
    assert [each.value for each in store.pools().pools] == [stored(store).value]
