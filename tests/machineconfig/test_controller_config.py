"""What the operator's ControllerConfig says to whoever renders."""

import pytest

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.controller_config import origin_of
from mcs.machineconfig.render_error import Reason, RenderError
from mcs.machineconfig.rendering import Origin

VERSION = "machineconfiguration.openshift.io/generated-by-version"
RELEASE = "machineconfiguration.openshift.io/release-image-version"
COMPLETED: JSON = {"type": "TemplateControllerCompleted", "status": "True"}


def controller_config(
    conditions: list[JSON] | None = None, observed: int = 2, annotations: JSONObject | None = None, **spec: JSON
) -> JSONObject:
    found: JSONObject = {VERSION: "v1", RELEASE: "4.19"} if annotations is None else annotations
    return {
        "metadata": {"generation": 2, "annotations": found},
        "spec": spec,
        "status": {"observedGeneration": observed, "conditions": [COMPLETED] if conditions is None else conditions},
    }


def test_the_images_and_the_release_are_where_rendering_starts() -> None:
    document = controller_config(baseOSContainerImage="os", baseOSExtensionsContainerImage="ext", osImageURL="old")

    assert origin_of(document, "v1", "b1") == Origin(build="b1", release="4.19", os_image="os", extensions_image="ext")


def test_what_is_not_said_is_empty() -> None:
    assert origin_of(controller_config(annotations={VERSION: "v1"}), "v1", "b1") == Origin(build="b1")


@pytest.mark.parametrize(
    ("document", "said"),
    [
        pytest.param(controller_config(observed=1), "has changed and is not complete yet", id="not-observed"),
        pytest.param(controller_config([]), "is not TemplateControllerCompleted", id="no-condition"),
        pytest.param(
            controller_config([{"type": "TemplateControllerCompleted", "status": "False"}]),
            "is not TemplateControllerCompleted",
            id="not-completed",
        ),
        pytest.param(
            controller_config([COMPLETED, {"type": "TemplateControllerRunning", "status": "True"}]),
            "is TemplateControllerRunning",
            id="running",
        ),
        pytest.param(
            controller_config([COMPLETED, {"type": "TemplateControllerFailing", "status": "True"}]),
            "is TemplateControllerFailing",
            id="failing",
        ),
    ],
)
def test_one_that_is_not_ready(document: JSONObject, said: str) -> None:
    with pytest.raises(RenderError, match=said) as caught:
        origin_of(document, "v1", "b1")

    assert (caught.value.reason, caught.value.culprit) == (Reason.CONTROLLER_NOT_READY, None)


@pytest.mark.parametrize(
    ("annotations", "said"),
    [
        pytest.param({}, "was written by no version, and this is v1", id="none"),
        pytest.param({VERSION: "v0"}, "was written by version v0, and this is v1", id="another"),
    ],
)
def test_one_of_another_version(annotations: JSONObject, said: str) -> None:
    with pytest.raises(RenderError, match=said) as caught:
        origin_of(controller_config(annotations=annotations), "v1", "b1")

    assert caught.value.reason is Reason.CONTROLLER_VERSION
