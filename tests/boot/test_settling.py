from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.boot.clock import Reading, elapsed
from mcs.boot.settling import (
    Inputs,
    Part,
    Seen,
    inputs_of,
    is_gated,
    mismatch,
    observed,
    unsettled,
    waiting,
)
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.metadata import Metadata

QUIET = 5.0
ROLE = "machineconfiguration.openshift.io/role"
SSH, OS, KUBELET = Part("99-ssh", "u1", 1), Part("99-os", "u2", 1), Part("99-kubelet", "u3", 1)


def at(seconds: float) -> Reading:
    return Reading(wall=1_800_000_000.0 + seconds, boot=1000.0 + seconds)


def look(seen: Seen | None, inputs: Inputs, seconds: float) -> Seen:
    return observed(seen, inputs, at(seconds), at(seconds))


def made_of(*parts: Part, name: str = "rendered-worker-a") -> Inputs:
    """The inputs of a pool whose source names exactly what is selected."""
    return Inputs(name, tuple(part.name for part in parts), frozenset(parts))


def seen_at(*looks: tuple[float, Inputs]) -> Seen:
    seen = None
    for seconds, inputs in looks:
        seen = look(seen, inputs, seconds)
    assert seen is not None
    return seen


def pool(source: JSON = None, selector: JSON = None, name: JSON = "rendered-worker-a") -> JSONObject:
    configuration: JSONObject = {"name": name}
    if source is not None:
        configuration["source"] = source
    return {"spec": {"configuration": configuration, "machineConfigSelector": selector}}


def config(name: str, role: str = "worker", *, generation: int = 1, rendered: bool = False) -> Metadata:
    return Metadata(
        name=name,
        uid=f"uid of {name}",
        resource_version=1,
        generation=generation,
        created=0.0,
        rendered=rendered,
        labels={ROLE: role},
    )


# ---- when a pool has settled

A, B = made_of(SSH), made_of(SSH, OS, name="rendered-worker-b")


@pytest.mark.parametrize(
    ("looks", "settled"),
    [
        pytest.param([(0, A)], False, id="a process begins unsettled"),
        pytest.param([(0, A), (4.9, A)], False, id="not long enough"),
        pytest.param([(0, A), (5, A)], True, id="unchanged for the quiet period"),
        pytest.param([(0, A), (1, B), (5.5, B)], False, id="a change begins the wait anew"),
        pytest.param([(0, A), (1, B), (6, B)], True, id="and it ends"),
        pytest.param([(0, A), (9, A), (10, B), (11, A)], False, id="a revert to an old name is a change"),
        pytest.param([(0, A), (4, B), (8, A), (12, B)], False, id="a burst that is longer than the period"),
        pytest.param([(0, A), (9, made_of(replace(SSH, generation=2)))], False, id="another generation"),
        pytest.param([(0, A), (9, made_of(replace(SSH, uid="u9")))], False, id="deleted and made again"),
        pytest.param([(0, A), (9, replace(A, configuration="rendered-worker-b"))], False, id="another name"),
        pytest.param([(0, Inputs(None, None)), (9, A)], False, id="a first config"),
        pytest.param([(0, Inputs(None, None))], True, id="no source: not gated"),
        pytest.param([(0, made_of())], False, id="an empty source is one"),
    ],
)
def test_a_pool_has_settled_once_it_was_quiet(looks: list[tuple[float, Inputs]], settled: bool) -> None:
    assert (unsettled(seen_at(*looks), QUIET) is None) == settled


@pytest.mark.parametrize(
    ("inputs", "why"),
    [
        pytest.param(
            Inputs("r", ("99-ssh",), frozenset({SSH, OS})), "spec.configuration.source lacks 99-os", id="lacks one"
        ),
        pytest.param(
            Inputs("r", ("99-os", "99-ssh"), frozenset({SSH})),
            "spec.configuration.source has 99-os that is not selected",
            id="has one too many",
        ),
        pytest.param(
            Inputs("r", ("b", "a"), frozenset({SSH})),
            "spec.configuration.source lacks 99-ssh and has a, b that are not selected",
            id="another set altogether",
        ),
        pytest.param(
            Inputs("r", (), frozenset(Part(f"0{n}", "u", 1) for n in range(5))),
            "spec.configuration.source lacks 00, 01, 02 and 2 more",
            id="many",
        ),
        pytest.param(
            Inputs("r", ("",), frozenset()),
            "spec.configuration.source has an entry without a name that is not selected",
            id="an odd entry",
        ),
        pytest.param(Inputs("r", ("99-ssh",), problem="no selector"), "no selector", id="an unreadable selector"),
    ],
)
def test_a_pool_whose_source_is_not_what_is_selected_never_settles(inputs: Inputs, why: str) -> None:
    seen = seen_at((0, inputs), (1000, inputs))
    assert mismatch(inputs) == why
    assert unsettled(seen, QUIET) == why
    assert unsettled(seen, 0) is None


def test_the_order_of_the_source_does_not_matter() -> None:
    assert mismatch(Inputs("r", ("99-ssh", "99-os"), frozenset({SSH, OS}))) is None
    assert mismatch(Inputs("r", ("99-os", "99-ssh"), frozenset({SSH, OS}))) is None


def test_with_a_quiet_period_of_nothing_no_pool_waits() -> None:
    assert unsettled(seen_at((0, A)), 0) is None
    assert waiting(seen_at((0, A)), at(0), 0) is None


@pytest.mark.parametrize(
    ("looks", "why", "told"),
    [
        pytest.param(
            [(0, A)],
            "this server has just begun to look at it, and it has to stay the same for 5 s",
            "waiting: first looked at 2 s ago",
            id="at a start",
        ),
        pytest.param(
            [(-9, A), (0, B), (1, B)],
            "spec.configuration, 99-os changed, and it has to stay the same for 5 s",
            "waiting: spec.configuration, 99-os changed 2 s ago",
            id="after a change",
        ),
        pytest.param(
            [(-9, A), (0, replace(A, selected=frozenset({SSH, KUBELET})))],
            "spec.configuration.source lacks 99-kubelet",
            "waiting: 99-kubelet changed 2 s ago; spec.configuration.source lacks 99-kubelet",
            id="not rendered yet",
        ),
        pytest.param(
            [(0, A), (1, replace(A, selected=frozenset(), problem="odd"))],
            "odd",
            "waiting: spec.machineConfigSelector, 99-ssh changed 1 s ago; odd",
            id="a selector that became unreadable",
        ),
        pytest.param([(-9, A), (0, A)], None, None, id="settled"),
    ],
)
def test_why_a_pool_waits_is_told(looks: list[tuple[float, Inputs]], why: str | None, told: str | None) -> None:
    seen = seen_at(*looks)
    assert unsettled(seen, QUIET) == why
    assert waiting(seen, at(2), QUIET) == told


def test_why_stays_the_same_while_nothing_happens() -> None:
    first = look(None, A, 0)
    assert unsettled(first, QUIET) == unsettled(look(first, A, 4), QUIET)


def test_a_slow_look_shortens_nothing() -> None:
    seen = observed(None, A, at(0), at(3))
    assert unsettled(observed(seen, A, at(7.9), at(9)), QUIET) is not None
    assert unsettled(observed(seen, A, at(8), at(9)), QUIET) is None


def test_an_answer_from_a_cache_that_grows_old_proves_nothing() -> None:
    seen = observed(None, A, at(0), at(0))
    for answered in (2, 20, 200):
        seen = observed(seen, A, at(1), at(answered))
    assert seen.quiet == 1
    assert unsettled(seen, QUIET) is not None


def test_a_clock_that_is_set_back_lengthens_no_wait() -> None:
    seen = look(None, A, 0)
    back = Reading(wall=at(0).wall - 3600, boot=at(5).boot)
    assert unsettled(observed(seen, A, back, back), QUIET) is None


# ---- what is read


@pytest.mark.parametrize(
    ("source", "names"),
    [
        pytest.param(None, None, id="none"),
        pytest.param("text", None, id="no list"),
        pytest.param([], (), id="empty"),
        pytest.param([{"name": "b"}, {"kind": "MachineConfig", "name": "a"}], ("b", "a"), id="names in their order"),
        pytest.param([{"name": 1}, "x", None], ("", "", ""), id="of any type"),
    ],
)
def test_the_source_as_the_pool_has_it(source: JSON, names: tuple[str, ...] | None) -> None:
    assert inputs_of(pool(source), []).source == names
    assert is_gated(pool(source)) == (names is not None)


def test_only_what_the_selector_chooses_is_looked_at_and_never_a_rendered_config() -> None:
    configs = [
        config("00-worker"),
        config("99-ssh", generation=3),
        config("00-master", role="master"),
        config("rendered-worker-" + "a" * 32, rendered=True),
    ]
    found = inputs_of(pool([], {"matchLabels": {ROLE: "worker"}}), configs)
    assert found.selected == {Part("00-worker", "uid of 00-worker", 1), Part("99-ssh", "uid of 99-ssh", 3)}
    everything = inputs_of(pool([], {}), configs)
    assert {part.name for part in everything.selected} == {"00-worker", "99-ssh", "00-master"}
    assert inputs_of(pool([]), configs).selected == frozenset()


def test_a_selector_that_cannot_be_read_is_told() -> None:
    found = inputs_of(pool([], {"matchExpressions": [{"key": ROLE, "operator": "Like"}]}), [])
    assert found.problem is not None
    assert found.problem.startswith(f"spec.machineConfigSelector: {ROLE}: 'Like' is no operator")


# ---- laws

inputs = st.builds(
    lambda name, parts, extra: Inputs(name, tuple(part.name for part in parts) + extra, frozenset(parts)),
    st.sampled_from(["rendered-worker-a", "rendered-worker-b", None]),
    st.lists(st.sampled_from([SSH, OS, KUBELET, replace(SSH, generation=2)]), max_size=3, unique_by=lambda p: p.name),
    st.sampled_from([(), (), ("gone",)]),
)
histories = st.lists(st.tuples(st.sampled_from([0.5, 1.0, 2.0, 4.9, 5.0]), inputs), min_size=1, max_size=12)


@given(histories)
def test_settled_is_what_was_the_same_at_every_look_of_the_quiet_period(history: list[tuple[float, Inputs]]) -> None:
    now, looks, seen = 0.0, [], None
    for pause, each in history:
        now += pause
        looks.append((now, each))
        seen = look(seen, each, now)
        same = []
        for moment, earlier in reversed(looks):
            if earlier != each:
                break
            same.append(moment)
        expected = mismatch(each) is None and elapsed(at(same[-1]), at(now)) >= QUIET
        assert (unsettled(seen, QUIET) is None) == expected
        assert (waiting(seen, at(now), QUIET) is None) == expected


@given(histories, inputs)
def test_what_was_seen_before_a_change_never_matters(history: list[tuple[float, Inputs]], new: Inputs) -> None:
    now, seen = 0.0, None
    for pause, each in history:
        now += pause
        seen = look(seen, each, now)
    assert seen is not None
    after = look(seen, new, now + 1)
    if seen.inputs != new:
        assert replace(after, changed=()) == look(None, new, now + 1)
        assert after.changed
    else:
        assert after.since == seen.since
