"""The embedded store against a model: a plain dictionary, changed by the same calls in any order."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mcs.jsondata import JSONObject, object_at
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Conflict, NotFound, ObjectRefused
from tests.store.samples import RENDERED, rendered

KEYS = st.sampled_from([(Kind.POOL, "a"), (Kind.POOL, "b"), (Kind.NODE, "a"), (Kind.CONFIG, RENDERED)])
SPECS = st.sampled_from([{"n": 1}, {"n": 2}])
MARKS = st.sampled_from([None, "m1", "m2"])
SHIFTS = st.sampled_from([None, 0, 0, -1])  # no precondition, the current version, an older one


@dataclass
class Known:
    """What the model says of one object."""

    uid: str
    version: int
    generation: int
    spec: JSONObject
    mark: str | None = None


class StoreModel(RuleBasedStateMachine):
    """Each rule makes one call and says what must have come of it; all is compared after each."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name) / "store.db"
        self.store = EmbeddedStore(self.path)
        self.known: dict[tuple[Kind, str], Known] = {}
        self.gone: dict[tuple[Kind, str], str] = {}
        self.latest = 0

    def teardown(self) -> None:
        self.store.close()
        self.directory.cleanup()

    def learn(self, key: tuple[Kind, str]) -> None:
        """Take over what only the store can choose: uid and version, which must be new."""
        stored = self.store.get(*key)
        assert stored is not None
        assert stored.resource_version > self.latest
        self.known[key].version = self.latest = stored.resource_version
        if not self.known[key].uid:
            assert stored.uid not in self.gone.values()
            self.known[key].uid = stored.uid

    def document(self, key: tuple[Kind, str], spec: JSONObject) -> tuple[Kind, JSONObject]:
        kind, name = key
        return rendered(spec) if kind is Kind.CONFIG else (kind, {"metadata": {"name": name}, "spec": spec})

    @rule(key=KEYS, spec=SPECS)
    def apply(self, key: tuple[Kind, str], spec: JSONObject) -> None:
        document = self.document(key, spec)
        known = self.known.get(key)
        if known is None:
            assert self.store.apply([document])[0].outcome == "created"
            self.known[key] = Known("", 0, 1, spec)
            self.learn(key)
        elif known.spec == spec:
            assert self.store.apply([document])[0].outcome == "unchanged"
        elif key[0] is Kind.CONFIG:
            with pytest.raises(ObjectRefused):
                self.store.apply([document])
        else:
            assert self.store.apply([document])[0].outcome == "configured"
            known.spec, known.generation = spec, known.generation + 1
            self.learn(key)

    @rule(first=KEYS, spec=SPECS)
    def apply_with_one_that_is_refused(self, first: tuple[Kind, str], spec: JSONObject) -> None:
        with pytest.raises(ObjectRefused):
            self.store.apply([self.document(first, {"n": 9}), (Kind.NODE, {"metadata": {"name": "N"}, "spec": spec})])

    @rule(key=KEYS, mark=MARKS, shift=SHIFTS)
    def mark(self, key: tuple[Kind, str], mark: str | None, shift: int | None) -> None:
        known = self.known.get(key)
        patch: JSONObject = {"metadata": {"annotations": {ANNOTATION_MARK: mark}}}
        version = None if shift is None else (known.version if known else 1) + shift
        if known is None:
            with pytest.raises(NotFound):
                self.store.patch(*key, patch, resource_version=version)
        elif shift == -1:
            with pytest.raises(Conflict):
                self.store.patch(*key, patch, resource_version=version)
        else:
            self.store.patch(*key, patch, uid=known.uid, resource_version=version)
            if known.mark != mark:
                known.mark = mark
                self.learn(key)

    @rule(key=KEYS, shift=SHIFTS)
    def delete(self, key: tuple[Kind, str], shift: int | None) -> None:
        known = self.known.get(key)
        version = None if shift is None else (known.version if known else 1) + shift
        if known is None:
            with pytest.raises(NotFound):
                self.store.delete(*key, resource_version=version)
        elif shift == -1:
            with pytest.raises(Conflict):
                self.store.delete(*key, resource_version=version)
        else:
            self.store.delete(*key, uid=known.uid, resource_version=version)
            self.gone[key] = known.uid
            del self.known[key]

    @precondition(lambda self: self.gone)
    @rule(key=KEYS)
    def delete_one_that_is_gone(self, key: tuple[Kind, str]) -> None:
        if key in self.gone:
            with pytest.raises((NotFound, Conflict)):
                self.store.delete(*key, uid=self.gone[key])

    @rule()
    def reopen(self) -> None:
        self.store.close()

    @rule()
    def another_process_looks(self) -> None:
        other = EmbeddedStore(self.path)
        assert other.pools().pools == self.store.pools().pools
        other.close()

    @invariant()
    def all_is_as_known(self) -> None:
        for kind in Kind:
            found = {
                (kind, stored.name): Known(
                    stored.uid,
                    stored.resource_version,
                    metadata.generation,
                    object_at(stored.value, "spec"),
                    metadata.mark,
                )
                for stored, metadata in zip(self.store.objects(kind), self.store.all_metadata(kind), strict=True)
            }
            assert found == {key: known for key, known in self.known.items() if key[0] is kind}
        assert list(self.store.pools().pools) == self.store.objects(Kind.POOL)


TestStoreModel = pytest.mark.slow(StoreModel.TestCase)
TestStoreModel.settings = settings(
    max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
