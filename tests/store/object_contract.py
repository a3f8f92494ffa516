"""What every store does with objects, as tests. See tests/store/contract.py."""

import re
from functools import partial

import pytest

from mcs.jsondata import JSON, JSONObject, lookup, object_at, text_at
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import ANNOTATION_GENERATED_BY, ANNOTATION_MARK, Kind
from mcs.store.interface import Conflict, NotFound, ObjectRefused, Store
from tests.store.samples import RENDERED, WORKER_POOL, manifest, read, rendered

__all__ = ["ObjectContract"]


class ObjectContract:
    """Pools, configs and nodes."""

    def test_an_empty_store_has_nothing(self, store: Store) -> None:
        for kind in Kind:
            assert store.get(kind, "a") is None
            assert store.metadata(kind, "a") is None
            assert store.objects(kind) == []
            assert store.all_metadata(kind) == []
        assert store.pools().pools == ()

    def test_an_object_comes_back_with_what_the_store_adds(self, store: Store) -> None:
        kind, document = WORKER_POOL
        store.apply([WORKER_POOL])
        stored = read(store, kind, "worker")
        metadata = object_at(stored.value, "metadata")
        assert {key: value for key, value in stored.value.items() if key != "metadata"} == {
            key: value for key, value in document.items() if key != "metadata"
        }
        assert metadata["name"] == stored.name == "worker"
        assert metadata["labels"] == {"team": "a"}
        assert metadata["annotations"] == {"note": "x", "mcs.internal/serve": "spec"}
        assert metadata["uid"] == stored.uid
        assert re.fullmatch("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", stored.uid)
        assert metadata["resourceVersion"] == str(stored.resource_version)
        assert metadata["generation"] == 1
        timestamp = text_at(metadata, "creationTimestamp") or ""
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", timestamp)

    def test_metadata_says_the_same_as_the_document(self, store: Store) -> None:
        store.apply([WORKER_POOL])
        stored = read(store, Kind.POOL, "worker")
        metadata = store.metadata(Kind.POOL, "worker")
        assert metadata is not None
        assert (metadata.name, metadata.uid, metadata.resource_version) == (
            "worker",
            stored.uid,
            stored.resource_version,
        )
        assert (metadata.generation, metadata.created, metadata.deleting) == (1, stored.created, False)
        assert metadata.labels == {"team": "a"}
        assert metadata.annotations == {"note": "x", "mcs.internal/serve": "spec"}
        assert store.all_metadata(Kind.POOL) == [metadata]

    def test_kinds_are_apart_and_lists_are_by_name(self, store: Store) -> None:
        store.apply([manifest(kind, name) for name in ("b", "c", "a") for kind in Kind])
        store.delete(Kind.NODE, "b")
        for kind, names in ((Kind.POOL, list("abc")), (Kind.CONFIG, list("abc")), (Kind.NODE, list("ac"))):
            assert [stored.name for stored in store.objects(kind)] == names
            assert [metadata.name for metadata in store.all_metadata(kind)] == names
            assert {stored.value["kind"] for stored in store.objects(kind)} == {kind.kind}
        assert [pool.name for pool in store.pools().pools] == list("abc")

    @pytest.mark.parametrize(
        "spec",
        [
            pytest.param({"text": "ümlaut \u2028 \U0001f600 \x00 \x7f"}, id="unicode and control characters"),
            pytest.param({"numbers": [0, -1, 1.5, 1e300, 2**63, True, None]}, id="numbers, null and booleans"),
            pytest.param({"z": 1, "a": {"z": [], "a": {}}}, id="order of members, empty values"),
            pytest.param({"data": "x" * 300_000}, id="300 kB"),
        ],
    )
    def test_what_is_stored_comes_back_unchanged(self, store: Store, spec: JSON) -> None:
        store.apply([manifest(Kind.CONFIG, "a", spec=spec)])
        found = read(store, Kind.CONFIG, "a").value["spec"]
        assert repr(found) == repr(spec)

    # ---- create

    def test_create_makes_what_apply_would_have_made(self, store: Store) -> None:
        assert store.create(*manifest(Kind.CONFIG, "a", spec={"config": 1}, metadata={"labels": {"b": "c"}}))
        stored = read(store, Kind.CONFIG, "a")
        assert lookup(stored.value, "spec") == {"config": 1}
        assert lookup(stored.value, "metadata", "labels") == {"b": "c"}
        assert store.apply([manifest(Kind.CONFIG, "a", spec={"config": 1}, metadata={"labels": {"b": "c"}})])[
            0
        ].outcome == ("unchanged")

    def test_create_never_changes_what_is_there(self, store: Store) -> None:
        store.apply([manifest(Kind.CONFIG, "a", spec={"config": 1})])
        before = read(store, Kind.CONFIG, "a")
        assert not store.create(*manifest(Kind.CONFIG, "a", spec={"config": 2}))
        assert read(store, Kind.CONFIG, "a") == before

    def test_create_refuses_a_name_that_no_object_can_have(self, store: Store) -> None:
        with pytest.raises(ObjectRefused) as caught:
            store.create(*manifest(Kind.CONFIG, "A b"))
        assert caught.value.index == 0
        assert store.objects(Kind.CONFIG) == []

    # ---- patch

    def test_patch_answers_what_is_stored_now(self, store: Store) -> None:
        store.apply([WORKER_POOL])
        patch: JSONObject = {
            "spec": {"paused": True, "nodeSelector": None},
            "metadata": {"annotations": {"note": None}},
        }
        answer = store.patch(Kind.POOL, "worker", patch)
        assert answer == read(store, Kind.POOL, "worker")
        assert answer.value["spec"] == {"paused": True}
        assert object_at(answer.value, "metadata", "annotations") == {"mcs.internal/serve": "spec"}

    def test_patch_cannot_change_what_the_store_owns(self, store: Store) -> None:
        store.apply([manifest(Kind.POOL, "a")])
        before = read(store, Kind.POOL, "a")
        owned: JSONObject = {
            "uid": "mine",
            "generation": 42,
            "creationTimestamp": None,
            "managedFields": [],
        }
        after = store.patch(Kind.POOL, "a", {"metadata": {**owned, "labels": {"a": "1"}}})
        assert (after.name, after.uid, after.created) == ("a", before.uid, before.created)
        assert lookup(after.value, "metadata", "generation") == 1
        assert object_at(after.value, "metadata", "labels") == {"a": "1"}
        assert after.resource_version > before.resource_version

    def test_a_mark_is_put_and_taken_by_patches(self, store: Store) -> None:
        store.apply([rendered({"config": 1})])
        before = store.metadata(Kind.CONFIG, RENDERED)
        assert before is not None
        assert before.mark is None
        marked = store.patch(
            Kind.CONFIG,
            RENDERED,
            {"metadata": {"annotations": {ANNOTATION_MARK: "nonce"}}},
            uid=before.uid,
            resource_version=before.resource_version,
        )
        seen = store.metadata(Kind.CONFIG, RENDERED)
        assert seen is not None
        assert (seen.mark, seen.resource_version) == ("nonce", marked.resource_version)
        assert marked.value["spec"] == {"config": 1}
        store.patch(Kind.CONFIG, RENDERED, {"metadata": {"annotations": {ANNOTATION_MARK: None}}})
        after = store.metadata(Kind.CONFIG, RENDERED)
        assert after is not None
        assert after.mark is None
        assert after.generation == before.generation
        assert before.resource_version < marked.resource_version < after.resource_version

    def test_patch_refuses_another_spec_of_a_rendered_config(self, store: Store) -> None:
        store.apply([rendered({"config": 1})])
        before = read(store, Kind.CONFIG, RENDERED)
        with pytest.raises(ObjectRefused) as caught:
            store.patch(Kind.CONFIG, RENDERED, {"spec": {"config": 2}})
        assert caught.value.index == 0
        assert read(store, Kind.CONFIG, RENDERED) == before

    # ---- preconditions

    @pytest.mark.parametrize("way", ["patch", "delete"])
    def test_what_is_not_there_is_not_found(self, store: Store, way: str) -> None:
        change = partial(store.patch, patch={}) if way == "patch" else store.delete
        with pytest.raises(NotFound, match="MachineConfigPool a does not exist") as caught:
            change(kind=Kind.POOL, name="a")
        assert (caught.value.kind, caught.value.name) == ("MachineConfigPool", "a")

    @pytest.mark.parametrize("way", ["patch", "delete"])
    @pytest.mark.parametrize("field", ["uid", "resourceVersion"])
    def test_another_object_or_version_is_a_conflict(self, store: Store, way: str, field: str) -> None:
        store.apply([manifest(Kind.POOL, "a")])
        first = read(store, Kind.POOL, "a")
        if field == "uid":
            store.delete(Kind.POOL, "a")
            store.apply([manifest(Kind.POOL, "a")])
            uid, version = first.uid, None
        else:
            store.patch(Kind.POOL, "a", {"metadata": {"labels": {"a": "1"}}})
            uid, version = None, first.resource_version
        now = read(store, Kind.POOL, "a")
        change = partial(store.patch, patch={"spec": {"paused": True}}) if way == "patch" else store.delete
        with pytest.raises(Conflict) as caught:
            change(kind=Kind.POOL, name="a", uid=uid, resource_version=version)
        assert (caught.value.kind, caught.value.name, caught.value.field) == ("MachineConfigPool", "a", field)
        assert read(store, Kind.POOL, "a") == now

    def test_met_preconditions_let_a_delete_through(self, store: Store) -> None:
        store.apply([manifest(Kind.POOL, "a")])
        stored = read(store, Kind.POOL, "a")
        store.delete(Kind.POOL, "a", uid=stored.uid, resource_version=stored.resource_version)
        assert store.get(Kind.POOL, "a") is None
        store.apply([manifest(Kind.POOL, "a")])
        anew = read(store, Kind.POOL, "a")
        assert anew.uid != stored.uid
        assert anew.resource_version > stored.resource_version
        assert lookup(anew.value, "metadata", "generation") == 1

    # ---- the cached view

    @pytest.mark.parametrize("change", ["apply", "patch", "delete"])
    def test_the_view_of_the_pools_follows_their_changes(self, store: Store, change: str) -> None:
        store.apply([manifest(Kind.POOL, "a")])
        before = store.pools()
        if change == "apply":
            store.apply([manifest(Kind.POOL, "b")])
        elif change == "patch":
            store.patch(Kind.POOL, "a", {"spec": {"paused": True}})
        else:
            store.delete(Kind.POOL, "a")
        after = store.pools()
        assert after.version != before.version
        assert list(after.pools) == store.objects(Kind.POOL)

    # ---- versions of kinds

    @pytest.mark.parametrize("kind", list(Kind))
    def test_the_version_of_a_kind_changes_with_each_of_its_objects_changes(self, store: Store, kind: Kind) -> None:
        seen = [store.version(kind)]
        for change in (
            lambda: store.apply([manifest(kind, "a")]),
            lambda: store.apply([manifest(kind, "a", spec={"paused": True})]),
            lambda: store.patch(kind, "a", {"metadata": {"annotations": {"note": "x"}}}),
            lambda: store.delete(kind, "a"),
        ):
            change()
            seen.append(store.version(kind))
        assert len(set(seen)) == len(seen)

    @pytest.mark.parametrize("kind", list(Kind))
    def test_the_version_of_a_kind_stays_when_others_change_or_nothing_does(self, store: Store, kind: Kind) -> None:
        store.apply([manifest(kind, "a")])
        before = store.version(kind)
        others = [manifest(other, "b") for other in Kind if other is not kind]
        store.apply([*others, manifest(kind, "a")])
        store.patch(kind, "a", {})
        assert store.version(kind) == before

    # ---- metadata of rendered configs

    def test_metadata_tells_rendered_configs_as_the_whole_document_does(self, store: Store) -> None:
        by_mco: JSONObject = {
            "annotations": {ANNOTATION_GENERATED_BY: "abc"},
            "ownerReferences": [{"kind": "MachineConfigPool", "name": "worker"}],
        }
        store.apply(
            [
                rendered({"config": 1}),
                manifest(Kind.CONFIG, RENDERED.replace("0", "1"), metadata=by_mco),
                manifest(Kind.CONFIG, RENDERED.replace("0", "2")),
                manifest(Kind.CONFIG, "99-ssh", metadata=by_mco),
            ]
        )
        told = {metadata.name: metadata.rendered for metadata in store.all_metadata(Kind.CONFIG)}
        assert told == {stored.name: is_rendered(stored.value) for stored in store.objects(Kind.CONFIG)}
        assert sorted(told.values()) == [False, False, True, True]

    def test_closing_loses_nothing(self, store: Store) -> None:
        store.apply([WORKER_POOL])
        before = read(store, Kind.POOL, "worker")
        store.close()
        store.close()
        assert read(store, Kind.POOL, "worker") == before
