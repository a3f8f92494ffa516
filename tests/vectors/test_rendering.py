"""The runner of rendering's vectors: which answers pass, and which differences are deliberate."""

import copy

import pytest

from mcs.jsondata import JSON, JSONObject, list_at, object_at
from mcs.machineconfig.rendered_name import rendered_name
from mcs.machineconfig.rendering import Rendered
from tests.machineconfig.machine_configs import BUILD_ANNOTATION, POOL, file, files, machine_config, rendered, unit
from tests.vectors.cases import Case
from tests.vectors.kinds import KINDS
from tests.vectors.runner import verdict_on
from tests.vectors.verdicts import Verdict

CONTROLLER_CONFIG: JSONObject = {
    "metadata": {
        "generation": 1,
        "annotations": {
            "machineconfiguration.openshift.io/generated-by-version": "v1",
            "machineconfiguration.openshift.io/release-image-version": "4.19",
        },
    },
    "spec": {"baseOSContainerImage": "os@sha256:1", "baseOSExtensionsContainerImage": "ext@sha256:1"},
    "status": {
        "observedGeneration": 1,
        "conditions": [{"type": "TemplateControllerCompleted", "status": "True"}],
    },
}


def verdict(configs: list[JSONObject], expected: JSONObject, **members: JSON) -> Verdict:
    given: JSONObject = {
        "controller": {"version": "v1", "hash": "b1"},
        "controllerConfig": CONTROLLER_CONFIG,
        "pool": POOL,
        "machineConfigs": list[JSON](configs),
        **members,
    }
    return verdict_on(Case(1, "r-case", {"input": given, "expected": expected}), KINDS["mco_render"])


def answer(made: Rendered, **members: JSON) -> JSONObject:
    return {
        "outcome": "rendered",
        "name": made.name,
        "source": [*made.source],
        "spec": copy.deepcopy(made.spec),
        "annotations": {**made.annotations},
        **members,
    }


def with_files(made: Rendered, *changed: JSON, **members: JSON) -> JSONObject:
    """Return the answer that has these files instead, under the name that it has then."""
    found = answer(made, **members)
    object_at(found, "spec", "config", "storage")["files"] = list(changed)
    found["name"] = rendered_name("worker", object_at(found, "spec"))
    return found


def refused(reason: str) -> JSONObject:
    return {"outcome": "error", "class": reason, "message": "in the reference's words"}


PLAIN = [machine_config("00", config=files(file("/a")))]

# ---- what has to agree


def test_the_same_answer_passes() -> None:
    found = verdict(PLAIN, answer(rendered(*PLAIN), ownerReferences=[{"kind": "MachineConfigPool"}], sizeBytes=1))

    assert (found.passes, found.deviation) == (True, None)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"name": "rendered-worker-" + "0" * 32}, id="name"),
        pytest.param({"source": []}, id="source"),
        pytest.param({"spec": {}}, id="spec"),
        pytest.param({"annotations": {BUILD_ANNOTATION: "b1"}}, id="annotations"),
        pytest.param({"outcome": "nothing"}, id="outcome"),
    ],
)
def test_another_answer_fails(change: JSONObject) -> None:
    assert not verdict(PLAIN, answer(rendered(*PLAIN)) | change).passes


@pytest.mark.parametrize(
    ("configs", "reason", "passes"),
    [
        pytest.param([machine_config("00", kernelType="rt")], "kernel_type", True, id="the-same-class"),
        pytest.param([machine_config("00", kernelType="rt")], "extension", False, id="another-class"),
        pytest.param(PLAIN, "kernel_type", False, id="rendered-here"),
    ],
)
def test_a_refusal(configs: list[JSONObject], reason: str, passes: bool) -> None:
    assert verdict(configs, refused(reason)).passes is passes


def test_what_selects_everything_gives_nothing() -> None:
    pool: JSONObject = {"metadata": {"name": "worker"}, "spec": {"machineConfigSelector": {}}}

    assert verdict(PLAIN, {"outcome": "nothing"}, pool=pool).passes
    assert not verdict(PLAIN, {"outcome": "nothing"}).passes


def test_a_case_that_expects_nothing_at_all_is_none() -> None:
    found = verdict(PLAIN, {})

    assert (found.passes, found.actual) == (False, "it expects no outcome")


# ---- the deliberate deviations: what the reference answers, and by which each passes

APPENDING: JSON = {"path": "/a", "append": [{"source": "data:,a"}]}
PACKED = [
    machine_config("00", config=files({"path": "/a", "contents": {"source": "data:,a", "compression": "gzip"}})),
    machine_config("01", config=files(file("/a", "data:,b"))),
]
CONFLICTING = [
    machine_config("00", config=unit("a.service", contents="[Unit]\nA=b\n")),
    machine_config("01", config=files(file("/etc/systemd/system/a.service"))),
]
LINE = [machine_config("00", config=unit("a.service", contents="[Unit]\nA=\x85\n"))]
APPENDS = ("https://cfg.example.net/one", "https://cfg.example.net/two")


def appending_configs(*sources: str) -> list[JSONObject]:
    listed: list[JSON] = [{"source": source, "verification": {}} for source in sources]
    return [machine_config("00", config={"ignition": {"version": "2.2.0", "config": {"append": listed}}})]


@pytest.mark.parametrize(
    ("configs", "expected", "deviation"),
    [
        pytest.param(
            [machine_config("00", config=files(APPENDING))],
            with_files(
                rendered(machine_config("00", config=files(APPENDING))),
                {"path": "/a", "append": [{"source": "data:,a"}], "overwrite": True},
            ),
            "overwrite-nothing",
            id="overwrite-nothing",
        ),
        pytest.param(
            PACKED,
            with_files(
                rendered(*PACKED),
                {"path": "/a", "overwrite": True, "contents": {"source": "data:,b", "compression": "gzip"}},
            ),
            "contents-described",
            id="contents-described",
        ),
        pytest.param(
            CONFLICTING,
            answer(rendered(*PLAIN), selfParseError="path conflicts with systemd unit or dropin"),
            "merged-invalid",
            id="merged-invalid",
        ),
        pytest.param(LINE, answer(rendered(*PLAIN)), "next-line", id="next-line"),
        pytest.param(
            appending_configs(*APPENDS), refused("ignition_v2_convert"), "several-appends", id="several-appends"
        ),
    ],
)
def test_a_deliberate_deviation_passes_by_its_name(
    configs: list[JSONObject], expected: JSONObject, deviation: str
) -> None:
    found = verdict(configs, expected)

    assert (found.passes, found.deviation) == (True, deviation), found


@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        pytest.param(
            [machine_config("00", config=files(APPENDING))],
            with_files(
                rendered(machine_config("00", config=files(APPENDING))),
                {"path": "/a", "append": [{"source": "data:,a"}], "overwrite": True, "mode": 0o600},
            ),
            id="overwrite-and-more",
        ),
        pytest.param(
            [machine_config("00", config=files(APPENDING))],
            with_files(
                rendered(machine_config("00", config=files(APPENDING))),
                {"path": "/a", "append": [{"source": "data:,a"}], "overwrite": True},
            )
            | {"name": "rendered-worker-" + "0" * 32},
            id="overwrite-under-a-name-that-nothing-has",
        ),
        pytest.param(
            PACKED,
            with_files(rendered(*PACKED), {"path": "/a", "overwrite": True, "contents": {"source": "data:,c"}}),
            id="another-source",
        ),
        pytest.param(CONFLICTING, answer(rendered(*PLAIN), selfParseError=None), id="what-the-reference-can-read"),
        pytest.param(
            [machine_config("00", kernelArguments=["\x81"])], answer(rendered(*PLAIN)), id="refused-for-no-next-line"
        ),
        pytest.param(
            [machine_config("00", config=files(file("a")))], answer(rendered(*PLAIN)), id="refused-alone-and-not-there"
        ),
        pytest.param(appending_configs(APPENDS[0]), refused("ignition_v2_convert"), id="a-single-append"),
        pytest.param(appending_configs(*APPENDS), refused("ignition_invalid"), id="refused-for-another-reason"),
    ],
)
def test_what_no_deviation_decides_fails(configs: list[JSONObject], expected: JSONObject) -> None:
    found = verdict(configs, expected)

    assert (found.passes, found.deviation) == (False, None), found


def test_several_appends_are_all_kept() -> None:
    made = rendered(*appending_configs(*APPENDS))

    assert list_at(made.spec, "config", "ignition", "config", "merge") == [{"source": source} for source in APPENDS]
