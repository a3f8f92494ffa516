from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject, object_at
from mcs.machineconfig.serving import last_served, resolve

A, B, C = "rendered-worker-a", "rendered-worker-b", "rendered-worker-c"


def pool(
    spec: str | None = None,
    status: str | None = None,
    *,
    updated: int | None = None,
    generation: int = 2,
    observed: int | None = 2,
    serve: str | None = None,
    degraded: str | None = None,
) -> JSONObject:
    annotations: JSONObject = {"mcs.internal/serve": serve} if serve is not None else {}
    described: dict[str, JSON] = {
        "configuration": {"name": status} if status is not None else None,
        "updatedMachineCount": updated,
        "observedGeneration": observed,
        "conditions": [{"type": "RenderDegraded", "status": degraded}] if degraded is not None else None,
    }
    return {
        "metadata": {"name": "worker", "generation": generation, "annotations": annotations},
        "spec": {"configuration": {"name": spec}} if spec is not None else {},
        "status": {key: value for key, value in described.items() if value is not None},
    }


def missing_but(*existing: str) -> Callable[[str], str | None]:
    return lambda config: None if config in existing else "does not exist"


def everything(_: str) -> None:
    return None


@pytest.mark.parametrize(
    ("described", "config", "why"),
    [
        pytest.param(pool(A, B, updated=1), A, "spec.configuration, proven by 1 node", id="spec, proven"),
        pytest.param(pool(A, B, updated=0), B, "status.configuration", id="spec, not proven"),
        pytest.param(pool(A, B, updated=1, observed=1), B, "status.configuration", id="proven for an older generation"),
        pytest.param(pool(A, B, updated=1, observed=None), B, "status.configuration", id="no observed generation"),
        pytest.param(pool(A, A, updated=0), A, "status.configuration, same as spec", id="both the same"),
        pytest.param(pool(A), A, "spec.configuration; there is no status.configuration yet", id="no status yet"),
        pytest.param(pool(None, B), B, "status.configuration", id="status alone"),
        pytest.param(pool(), None, "neither", id="neither"),
        pytest.param(pool("", ""), None, "neither", id="empty names"),
        pytest.param(pool(A, B, updated=1, serve="status"), B, "annotation", id="annotation: status"),
        pytest.param(pool(A, B, updated=0, serve="spec"), A, "annotation", id="annotation: spec"),
        pytest.param(pool(A, B, serve=C), C, "annotation", id="annotation: a name"),
    ],
)
def test_what_a_pool_serves(described: JSONObject, config: str | None, why: str) -> None:
    serving = resolve(described, last=None, unservable=everything)
    assert serving.config == config
    assert serving.why.startswith(why)
    assert serving.notes == ()


@pytest.mark.parametrize(
    ("serve", "note"),
    [
        pytest.param("Spec", "'Spec' is not spec, status or a config's name", id="no name"),
        pytest.param("", "'' is not spec, status or a config's name", id="empty"),
        pytest.param("status", "status.configuration names no config", id="names nothing"),
    ],
)
def test_an_annotation_that_cannot_be_followed_is_ignored_and_reported(serve: str, note: str) -> None:
    serving = resolve(pool(A, serve=serve), last=None, unservable=everything)
    assert serving.config == A
    assert len(serving.notes) == 1
    assert note in serving.notes[0]


@pytest.mark.parametrize(
    ("described", "existing", "config", "why"),
    [
        pytest.param(pool(B, A, observed=1), {A, B, C}, C, "does not speak of its current spec", id="spec changed"),
        pytest.param(pool(B, B, degraded="True"), {A, B, C}, C, "rendering is degraded", id="rendering degraded"),
        pytest.param(pool(B, B, degraded="False"), {A, B, C}, B, "status.configuration", id="not degraded"),
        pytest.param(pool(B, B), {A, C}, C, "does not exist", id="the new config is not there yet"),
        pytest.param(pool(B, B), {A, B, C}, B, "status.configuration", id="settled, and there"),
        pytest.param(pool(), {C}, C, "neither", id="the pool names nothing any more"),
        pytest.param(pool(B, A, observed=1), {A, B}, A, "status.configuration", id="last served is gone"),
        pytest.param(pool(B, B, serve=A, observed=1), {A, B, C}, A, "annotation", id="an annotation goes first"),
        pytest.param(
            pool(B, B, serve=A), {B, C}, C, "rendered-worker-a does not exist", id="what it names is not there"
        ),
    ],
)
def test_what_was_served_last_is_served_on_until_the_pool_has_settled(
    described: JSONObject, existing: set[str], config: str, why: str
) -> None:
    serving = resolve(described, last=C, unservable=missing_but(*existing))
    assert serving.config == config
    assert why in serving.why


def test_a_last_config_that_is_gone_is_said() -> None:
    assert C in resolve(pool(B, B, observed=1), last=C, unservable=missing_but()).notes[0]


UNSETTLED = "99-ssh changed"


@pytest.mark.parametrize(
    ("described", "last", "existing", "config", "why"),
    [
        pytest.param(pool(B, A), C, {A, B, C}, C, "served last; not settled: 99-ssh", id="what was served last"),
        pytest.param(pool(B, A), None, {A, B}, None, "not settled: 99-ssh changed", id="a new pool: nothing"),
        pytest.param(pool(B, A, updated=3), None, {A, B}, None, "not settled", id="proven by a node, and yet new"),
        pytest.param(pool(B, A), C, {A, B}, None, "not settled", id="last served is gone: nothing"),
        pytest.param(pool(B, B), B, {B}, B, "status.configuration", id="last served is what is asked for"),
        pytest.param(pool(B, B, degraded="True"), C, {B, C}, C, "served last; not settled", id="degraded as well"),
        pytest.param(pool(B, B, degraded="True"), None, {B}, None, "not settled", id="degraded, and new"),
        pytest.param(pool(B, B, serve=A), C, {A, B, C}, A, "annotation", id="an annotation goes before the gate"),
        pytest.param(pool(B, A, serve="spec"), None, {A, B}, B, "annotation", id="spec by annotation, of a new pool"),
        pytest.param(pool(B, B, serve=A), C, {B, C}, C, "does not exist", id="what an annotation names is missing"),
        pytest.param(pool(), None, set(), None, "not settled", id="a pool that names nothing"),
    ],
)
def test_what_an_unsettled_pool_serves(
    described: JSONObject, last: str | None, existing: set[str], config: str | None, why: str
) -> None:
    serving = resolve(described, last=last, unservable=missing_but(*existing), settling=UNSETTLED)
    assert serving.config == config
    assert serving.why.startswith(why) or why in serving.why
    named = object_at(described, "metadata", "annotations")
    assert serving.settling == (None if named else UNSETTLED)


def test_a_last_config_of_an_unsettled_pool_that_is_gone_is_said() -> None:
    serving = resolve(pool(B, B), last=C, unservable=missing_but(B), settling=UNSETTLED)
    assert serving.notes == (f"what was served last, {C}, does not exist",)


class Held(NamedTuple):
    config: str
    pools: tuple[str, ...]
    renewed: float


MADE, SKEW = 1000.0, 60.0


def last(*holds: Held, of: JSONObject | None = None) -> str | None:
    """What a pool that was made at MADE was served last."""
    return last_served(of if of is not None else pool(), holds, created=MADE, skew=SKEW)


def test_what_was_served_last_is_the_hold_renewed_last() -> None:
    holds = [Held(A, ("worker",), 2010.0), Held(B, ("worker", "infra"), 2020.0), Held(C, ("master",), 2030.0)]
    assert last(*holds) == B
    assert last(*holds, of={"metadata": {"name": "master"}}) == C
    assert last(*holds, of={"metadata": {"name": "edge"}}) is None


@pytest.mark.parametrize(
    ("seconds", "named", "counts"),
    [
        pytest.param(60.1, False, True, id="after it was made, by any clock"),
        pytest.param(60.0, False, False, id="perhaps before"),
        pytest.param(60.0, True, True, id="perhaps before, and the pool names it"),
        pytest.param(-59.9, True, True, id="perhaps after, and the pool names it"),
        pytest.param(-59.9, False, False, id="perhaps after"),
        pytest.param(-60.0, True, False, id="before, by any clock, though the pool names it"),
        pytest.param(-5000.0, False, False, id="long before"),
    ],
)
@pytest.mark.parametrize(
    "naming",
    [
        pytest.param(pool(spec=A), id="in its spec"),
        pytest.param(pool(spec=B, status=A), id="in its status"),
        pytest.param(pool(spec=B, serve=A), id="by annotation"),
    ],
)
def test_a_pool_that_is_made_anew_was_not_served_what_the_old_one_was(
    naming: JSONObject, seconds: float, named: bool, counts: bool
) -> None:
    held = Held(A, ("worker",), MADE + seconds)
    assert last(held, of=naming if named else pool(spec=B)) == (A if counts else None)


def test_of_two_pools_of_one_name_the_holds_are_told_apart() -> None:
    assert last(Held(A, ("worker",), 3000.0), Held(B, ("worker",), 990.0)) == A
    assert last(Held(B, ("worker",), 990.0), of=pool(spec=A)) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from([A, B, "True", "RenderDegraded"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["metadata", "spec", "status", "configuration", "name", "conditions", "annotations", "type"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@given(st.dictionaries(st.sampled_from(["metadata", "spec", "status"]), json_values), st.sampled_from([None, A, B]))
def test_a_pool_of_any_shape_is_resolved_to_a_name_or_to_none(document: JSONObject, last: str | None) -> None:
    serving = resolve(document, last=last, unservable=everything)
    assert serving.config is None or isinstance(serving.config, str)
    assert serving.why


@given(
    st.dictionaries(st.sampled_from(["spec", "status"]), json_values),
    st.sampled_from([None, A, B, C]),
    st.sets(st.sampled_from([A, B, C])),
)
def test_an_unsettled_pool_serves_what_it_served_last_or_nothing(
    document: JSONObject, last: str | None, existing: set[str]
) -> None:
    serving = resolve(document, last=last, unservable=missing_but(*existing), settling=UNSETTLED)
    assert serving.config in {last, None}
    if last in existing:
        assert serving.config == last
