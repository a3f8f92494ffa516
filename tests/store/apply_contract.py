"""What every store does when documents are applied, as tests. See tests/store/contract.py."""

from collections.abc import Callable

import pytest

from mcs.jsondata import JSON, JSONObject, lookup, object_at
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.store.interface import ObjectRefused, Store
from tests.store.samples import RENDERED, WORKER_POOL, manifest, read, rendered

__all__ = ["ApplyContract"]

CONFIGURATION: JSONObject = {"name": RENDERED, "source": [{"name": "00-worker"}]}


class ApplyContract:
    """What apply makes of what is there, and what it keeps."""

    def test_apply_says_what_it_did(self, store: Store) -> None:
        first = [manifest(Kind.POOL, "a"), manifest(Kind.NODE, "b"), rendered({"config": 1})]
        assert [(c.kind, c.name, c.outcome) for c in store.apply(first)] == [
            (Kind.POOL, "a", "created"),
            (Kind.NODE, "b", "created"),
            (Kind.CONFIG, RENDERED, "created"),
        ]
        again = [manifest(Kind.POOL, "a", spec={"paused": True}), *first[1:]]
        assert [change.outcome for change in store.apply(again)] == ["configured", "unchanged", "unchanged"]

    def test_apply_of_the_same_writes_nothing(self, store: Store) -> None:
        store.apply([WORKER_POOL])
        before, view = read(store, Kind.POOL, "worker"), store.pools()
        reordered = dict(reversed(WORKER_POOL[1].items()))
        assert [change.outcome for change in store.apply([(Kind.POOL, reordered)])] == ["unchanged"]
        assert read(store, Kind.POOL, "worker") == before
        assert store.pools().version == view.version

    def test_apply_of_what_was_read_changes_nothing(self, store: Store) -> None:
        store.apply([WORKER_POOL])
        before = read(store, Kind.POOL, "worker")
        assert [change.outcome for change in store.apply([(Kind.POOL, before.value)])] == ["unchanged"]

    def test_a_later_document_of_one_apply_sees_the_earlier(self, store: Store) -> None:
        changes = store.apply([manifest(Kind.POOL, "a"), manifest(Kind.POOL, "a", spec={"paused": True})])
        assert [change.outcome for change in changes] == ["created", "configured"]
        assert read(store, Kind.POOL, "a").value["spec"] == {"paused": True}

    @pytest.mark.parametrize(
        ("change", "grows"),
        [
            pytest.param({"spec": {"paused": True}}, 1, id="spec"),
            pytest.param({"data": {"a": 1}}, 1, id="any other member"),
            pytest.param({"status": {"machineCount": 4}}, 0, id="status"),
            pytest.param({"metadata": {"labels": {"team": "b"}}}, 0, id="labels"),
            pytest.param({"metadata": {"annotations": {"note": "y"}}}, 0, id="annotations"),
            pytest.param({}, 0, id="nothing"),
        ],
    )
    @pytest.mark.parametrize("way", ["apply", "patch"])
    def test_generation_grows_with_what_is_outside_metadata_and_status(
        self, store: Store, way: str, change: JSONObject, grows: int
    ) -> None:
        document: JSONObject = {"metadata": {"name": "a"}, "spec": {"paused": False}, "status": {"machineCount": 3}}
        store.apply([(Kind.POOL, document)])
        before = read(store, Kind.POOL, "a")
        if way == "apply":
            metadata: JSONObject = {"name": "a", **object_at(change, "metadata")}
            store.apply([(Kind.POOL, {**document, **change, "metadata": metadata})])
        else:
            store.patch(Kind.POOL, "a", change)
        after = read(store, Kind.POOL, "a")
        assert lookup(after.value, "metadata", "generation") == 1 + grows
        assert (after.resource_version > before.resource_version) == bool(change)
        assert (after.uid, after.created) == (before.uid, before.created)

    def test_apply_ignores_what_the_store_owns(self, store: Store) -> None:
        foreign: JSONObject = {
            "uid": "mine",
            "resourceVersion": "7",
            "generation": 42,
            "creationTimestamp": "2001-01-01T00:00:00Z",
            "deletionTimestamp": "2001-01-01T00:00:00Z",
            "managedFields": [{"manager": "me"}],
        }
        store.apply([manifest(Kind.POOL, "a", metadata=foreign)])
        metadata = object_at(read(store, Kind.POOL, "a").value, "metadata")
        assert {key for key in foreign if metadata.get(key) == foreign[key]} == set()
        assert store.apply([manifest(Kind.POOL, "a")])[0].outcome == "unchanged"

    @pytest.mark.parametrize(
        ("stored", "given", "expected"),
        [
            pytest.param({"a": "1"}, {"b": "2"}, {"b": "2"}, id="a person's annotations are replaced"),
            pytest.param({ANNOTATION_MARK: "m"}, {"b": "2"}, {"b": "2", ANNOTATION_MARK: "m"}, id="a mark is kept"),
            pytest.param({ANNOTATION_MARK: "m"}, {}, {ANNOTATION_MARK: "m"}, id="a mark is kept where none are given"),
            pytest.param(
                {ANNOTATION_MARK: "m"}, {ANNOTATION_MARK: "n"}, {ANNOTATION_MARK: "n"}, id="one that is named"
            ),
            pytest.param({"a": "1"}, {}, {}, id="all of a person's may go"),
            pytest.param({"mcs.internal/serve": "spec"}, {}, {}, id="so may what a person tells the server"),
        ],
    )
    def test_apply_replaces_annotations_but_keeps_a_mark(
        self, store: Store, stored: JSONObject, given: JSONObject, expected: JSONObject
    ) -> None:
        store.apply([manifest(Kind.CONFIG, "a", metadata={"annotations": stored})])
        store.apply([manifest(Kind.CONFIG, "a", metadata={"annotations": given} if given else {})])
        assert object_at(read(store, Kind.CONFIG, "a").value, "metadata", "annotations") == expected

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            pytest.param({"paused": True}, {"paused": True, "configuration": CONFIGURATION}, id="not named"),
            pytest.param(None, {"configuration": CONFIGURATION}, id="not even a spec"),
            pytest.param(
                {"configuration": {"name": RENDERED}}, {"configuration": CONFIGURATION}, id="named without its source"
            ),
            pytest.param(
                {"configuration": {"name": RENDERED, "source": []}},
                {"configuration": {"name": RENDERED, "source": []}},
                id="named with another source",
            ),
            pytest.param({"configuration": {"name": "b"}}, {"configuration": {"name": "b"}}, id="another config"),
            pytest.param({"configuration": {}}, {"configuration": {}}, id="taken away by an empty one"),
            pytest.param({"configuration": None}, {"configuration": None}, id="taken away by null"),
        ],
    )
    def test_apply_keeps_what_rendering_wrote_on_a_pool(self, store: Store, given: JSON, expected: JSONObject) -> None:
        store.apply([manifest(Kind.POOL, "a", spec={"paused": True})])
        store.patch(Kind.POOL, "a", {"spec": {"configuration": CONFIGURATION}})
        document: JSONObject = (
            {"metadata": {"name": "a"}} if given is None else {"metadata": {"name": "a"}, "spec": given}
        )
        store.apply([(Kind.POOL, document)])
        assert read(store, Kind.POOL, "a").value["spec"] == expected
        assert [change.outcome for change in store.apply([(Kind.POOL, document)])] == ["unchanged"]

    def test_only_a_pool_keeps_a_configuration(self, store: Store) -> None:
        store.apply([manifest(Kind.CONFIG, "a", spec={"configuration": CONFIGURATION})])
        store.apply([manifest(Kind.CONFIG, "a", spec={})])
        assert read(store, Kind.CONFIG, "a").value["spec"] == {}

    @pytest.mark.parametrize("way", ["apply", "patch"])
    def test_a_rendered_config_stays_one(self, store: Store, way: str) -> None:
        store.apply([rendered({"config": 1})])
        take_off: dict[str, Callable[[], object]] = {
            "apply": lambda: store.apply([manifest(Kind.CONFIG, RENDERED, spec={"config": 1})]),
            "patch": lambda: store.patch(Kind.CONFIG, RENDERED, {"metadata": {"labels": None}}),
        }
        with pytest.raises(ObjectRefused, match="the metadata that says so must stay"):
            take_off[way]()
        assert is_rendered(read(store, Kind.CONFIG, RENDERED).value)

    def test_apply_replaces_labels_and_owners(self, store: Store) -> None:
        owner: JSONObject = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "0"}
        store.apply([manifest(Kind.CONFIG, "a", metadata={"labels": {"a": "1"}, "ownerReferences": [owner]})])
        store.apply([manifest(Kind.CONFIG, "a", metadata={"labels": {"mcs.internal/pool": "b"}})])
        metadata = object_at(read(store, Kind.CONFIG, "a").value, "metadata")
        assert metadata["labels"] == {"mcs.internal/pool": "b"}
        assert "ownerReferences" not in metadata

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            pytest.param({}, {"machineCount": 3}, id="kept where the document has none"),
            pytest.param({"status": {"machineCount": 5}}, {"machineCount": 5}, id="replaced where it has one"),
        ],
    )
    def test_apply_and_status(self, store: Store, given: JSONObject, expected: JSONObject) -> None:
        store.apply([WORKER_POOL])
        store.apply([manifest(Kind.POOL, "worker", spec={"paused": True}, **given)])
        assert read(store, Kind.POOL, "worker").value["status"] == expected

    @pytest.mark.parametrize(
        ("given", "of", "expected"),
        [
            pytest.param(7, 7, 2, id="current where it comes from"),
            pytest.param(6, 7, 1, id="behind where it comes from"),
            pytest.param(1, None, 2, id="the document says nothing of its generation"),
        ],
    )
    def test_a_status_speaks_of_the_spec_that_it_comes_with(
        self, store: Store, given: int, of: int | None, expected: int
    ) -> None:
        named: JSONObject = {"generation": of} if of is not None else {}
        store.apply([manifest(Kind.POOL, "worker", spec={"paused": False})])
        changed = manifest(
            Kind.POOL, "worker", metadata=named, spec={"paused": True}, status={"observedGeneration": given}
        )
        store.apply([changed])
        value = read(store, Kind.POOL, "worker").value
        assert object_at(value, "metadata")["generation"] == 2
        assert object_at(value, "status")["observedGeneration"] == expected
        assert [change.outcome for change in store.apply([changed])] == ["unchanged"]
        again = read(store, Kind.POOL, "worker").value
        assert [change.outcome for change in store.apply([(Kind.POOL, again)])] == ["unchanged"]

    def test_apply_is_all_or_nothing(self, store: Store) -> None:
        store.apply([rendered({"config": 1}), manifest(Kind.POOL, "a")])
        with pytest.raises(ObjectRefused, match=f"{RENDERED} is a rendered config") as caught:
            store.apply(
                [manifest(Kind.POOL, "a", spec={"paused": True}), manifest(Kind.NODE, "b"), rendered({"config": 2})]
            )
        assert caught.value.index == 2
        assert read(store, Kind.POOL, "a").value["spec"] == {"paused": False}
        assert store.objects(Kind.NODE) == []

    def test_a_config_that_only_looks_rendered_may_change(self, store: Store) -> None:
        store.apply([manifest(Kind.CONFIG, RENDERED, spec={"config": 1})])
        assert store.apply([manifest(Kind.CONFIG, RENDERED, spec={"config": 2})])[0].outcome == "configured"

    @pytest.mark.parametrize(
        "metadata",
        [
            pytest.param({}, id="no name"),
            pytest.param({"name": "Worker"}, id="upper case"),
            pytest.param({"name": "a/b"}, id="a slash"),
            pytest.param({"name": "\ud800"}, id="not even encodable"),
        ],
    )
    def test_apply_refuses_an_object_without_a_possible_name(self, store: Store, metadata: JSONObject) -> None:
        with pytest.raises(ObjectRefused, match="name") as caught:
            store.apply([manifest(Kind.POOL, "a"), (Kind.POOL, {"metadata": metadata, "spec": {}})])
        assert caught.value.index == 1
        assert store.objects(Kind.POOL) == []

    def test_a_name_that_no_object_can_have_is_not_found(self, store: Store) -> None:
        for name in ("", "Worker", "a/b", "\ud800", "'; DROP TABLE objects; --"):
            assert store.get(Kind.POOL, name) is None
            assert store.metadata(Kind.POOL, name) is None
