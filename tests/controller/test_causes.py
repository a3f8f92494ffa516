"""What counts as a change of what a pool is rendered from, and what is said of it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from mcs.controller.causes import Causes, causes_of, changes, selects_nothing
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.metadata import Metadata
from mcs.store.interface import Stored

ROLE = "machineconfiguration.openshift.io/role"
RENDERED = "rendered-worker-" + "a" * 32
GENERATED = "machineconfiguration.openshift.io/generated-by-controller-version"


def metadata(name: str, **changed: object) -> Metadata:
    base = Metadata(
        name=name, uid=f"uid of {name}", resource_version=1, generation=1, created=0.0, labels={ROLE: "worker"}
    )
    return replace(base, **changed)  # type: ignore[arg-type]  # the cases name fields


def pool(*, uid: str = "u", version: int = 7, status: JSON = None, **spec: JSON) -> Stored[JSONObject]:
    selector: JSON = {"matchLabels": {ROLE: "worker"}}
    document: JSONObject = {
        "metadata": {"name": "worker"},
        "spec": {"machineConfigSelector": selector, "configuration": {"name": RENDERED}, **spec},
        "status": status,
    }
    return Stored("worker", uid, version, 0.0, document)


CONFIGS = (metadata("00-worker"), metadata("99-ssh"), metadata(RENDERED, rendered=True))


def causes(of: Stored[JSONObject] | None = None, *configs: Metadata) -> Causes:
    return causes_of(of or pool(), {config.name: config for config in configs or CONFIGS})


def with_one(**changed: object) -> Callable[[], Causes]:
    return lambda: causes(None, CONFIGS[0], metadata("99-ssh", **changed), CONFIGS[2])


def degraded(status: str) -> JSON:
    return {"conditions": [{"type": "RenderDegraded", "status": status}]}


@pytest.mark.parametrize(
    ("after", "said"),
    [
        pytest.param(with_one(generation=2), "99-ssh changed", id="a spec"),
        pytest.param(with_one(uid="another"), "99-ssh changed", id="another object of that name"),
        pytest.param(
            with_one(labels={ROLE: "worker", "a": "b"}), "the labels of 99-ssh changed", id="a label, without a spec"
        ),
        pytest.param(with_one(labels={ROLE: "infra"}), "99-ssh is gone", id="a label that ends the selection"),
        pytest.param(
            with_one(annotations={GENERATED: "b2"}), "the annotations of 99-ssh changed", id="who generated it"
        ),
        pytest.param(
            lambda: causes(None, *CONFIGS, metadata("98-kubelet")), "98-kubelet was added", id="one more of them"
        ),
        pytest.param(lambda: causes(None, CONFIGS[0], CONFIGS[2]), "99-ssh is gone", id="one less"),
        pytest.param(lambda: causes(None, *CONFIGS[:2]), f"{RENDERED} is missing", id="the rendered config is gone"),
        pytest.param(
            lambda: causes(None, *CONFIGS[:2], metadata(RENDERED, rendered=True, uid="another")),
            f"{RENDERED} was replaced",
            id="another object in the place of the rendered config",
        ),
        pytest.param(
            lambda: causes(None, *CONFIGS[:2], metadata(RENDERED, rendered=True, generation=2)),
            f"{RENDERED} was replaced",
            id="another spec of the config that the pool names",
        ),
        pytest.param(
            lambda: causes(pool(configuration={"name": "00-worker"})),
            "spec.configuration changed",
            id="another config that exists",
        ),
        pytest.param(
            lambda: causes(pool(configuration={"name": "gone"})),
            "spec.configuration changed, gone is missing",
            id="another config that does not exist",
        ),
        pytest.param(lambda: causes(pool(uid="v")), "the pool was made anew", id="another pool"),
        pytest.param(
            lambda: causes(pool(osImageStream={"name": "s"})), "spec.osImageStream changed", id="the OS image stream"
        ),
        pytest.param(
            lambda: causes(pool(configuration={"name": RENDERED, "source": []})),
            "spec.configuration changed",
            id="what the pool names",
        ),
        pytest.param(
            lambda: causes(pool(machineConfigSelector={"matchLabels": {ROLE: "infra"}})),
            "spec.machineConfigSelector changed, 00-worker is gone, 99-ssh is gone",
            id="the selector",
        ),
        pytest.param(
            lambda: causes(pool(status=degraded("True"))),
            "the condition RenderDegraded changed",
            id="the condition",
        ),
        pytest.param(
            lambda: causes(None, CONFIGS[2], *(metadata(f"{number}-new") for number in range(9))),
            "0-new was added, 1-new was added, 2-new was added, 3-new was added, 4-new was added and 6 more",
            id="very much",
        ),
    ],
)
def test_what_counts(after: Callable[[], Causes], said: str) -> None:
    assert after() != causes()
    assert changes(causes(), after()) == said


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(causes, id="nothing"),
        pytest.param(lambda: causes(pool(version=99)), id="a version"),
        pytest.param(lambda: causes(pool(paused=True)), id="paused: that is for rollouts"),
        pytest.param(lambda: causes(pool(status={"machineCount": 3, "conditions": []})), id="the rest of the status"),
        pytest.param(with_one(resource_version=9), id="a MachineConfig's version"),
        pytest.param(with_one(annotations={"mcs.internal/mark": "m"}), id="an annotation that is not looked at"),
        pytest.param(
            lambda: causes(None, *CONFIGS, metadata("rendered-worker-" + "b" * 32, rendered=True)),
            id="another rendered config, whatever its labels",
        ),
        pytest.param(lambda: causes(None, *CONFIGS, metadata("m", labels={ROLE: "infra"})), id="of another pool"),
    ],
)
def test_what_does_not_count(after: Callable[[], Causes]) -> None:
    assert after() == causes()
    assert changes(causes(), after()) == "nothing"


def test_a_config_that_was_missing_and_is_there_counts() -> None:
    missing = causes(None, *CONFIGS[:2])
    assert missing != causes()
    assert changes(missing, causes()) == f"{RENDERED} appeared"


def test_at_first_everything_is_new() -> None:
    assert changes(None, causes()) == "first look"


@pytest.mark.parametrize("selector", ["text", {"matchExpressions": [{"key": ROLE, "operator": "Is"}]}, 7])
def test_a_selector_that_cannot_be_read_selects_nothing_here(selector: JSON) -> None:
    unreadable = pool(machineConfigSelector=selector)
    assert causes(unreadable).parts == ()
    assert not selects_nothing(unreadable.value)  # rendering says what is wrong with it


@pytest.mark.parametrize("selector", [None, {}, {"matchLabels": {}}, {"matchLabels": {}, "matchExpressions": []}])
def test_a_pool_without_a_selector_is_its_owners_business(selector: JSON) -> None:
    assert selects_nothing(pool(machineConfigSelector=selector).value)


def test_a_pool_with_a_selector_is_not() -> None:
    assert not selects_nothing(pool().value)
