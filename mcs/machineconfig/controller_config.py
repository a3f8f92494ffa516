"""What the operator's ControllerConfig says to whoever renders: the default images, and whether to. Pure."""

from mcs.jsondata import JSONObject, integer_at, list_at, text_at, texts_at
from mcs.machineconfig.metadata import generation_of
from mcs.machineconfig.names import MCO_PREFIX
from mcs.machineconfig.render_error import Reason, RenderError
from mcs.machineconfig.rendering import ANNOTATION_RELEASE, Origin

__all__ = ["origin_of"]

_ANNOTATION_VERSION = MCO_PREFIX + "generated-by-version"
_WANTED_CONDITIONS = {
    "TemplateControllerCompleted": True,
    "TemplateControllerRunning": False,
    "TemplateControllerFailing": False,
}


def origin_of(controller_config: JSONObject, version: str, build: str) -> Origin:
    """Return what rendering starts from on a cluster with a ControllerConfig. version, build: of whoever renders.

    Raises RenderError while the object is not complete, or was written by another version.
    """
    found = {
        text_at(condition, "type"): text_at(condition, "status") == "True"
        for condition in list_at(controller_config, "status", "conditions")
    }
    observed = integer_at(controller_config, "status", "observedGeneration") or 0
    if observed != generation_of(controller_config):
        raise RenderError(Reason.CONTROLLER_NOT_READY, None, "the ControllerConfig has changed and is not complete yet")
    for condition, wanted in _WANTED_CONDITIONS.items():
        if found.get(condition, False) != wanted:
            state = "is not" if wanted else "is"
            raise RenderError(Reason.CONTROLLER_NOT_READY, None, f"the ControllerConfig {state} {condition}")
    annotations = texts_at(controller_config, "metadata", "annotations")
    written_by = annotations.get(_ANNOTATION_VERSION)
    if written_by != version:
        by = "no version" if written_by is None else f"version {written_by}"
        raise RenderError(
            Reason.CONTROLLER_VERSION, None, f"the ControllerConfig was written by {by}, and this is {version}"
        )
    return Origin(
        build=build,
        release=annotations.get(ANNOTATION_RELEASE, ""),
        os_image=text_at(controller_config, "spec", "baseOSContainerImage"),
        extensions_image=text_at(controller_config, "spec", "baseOSExtensionsContainerImage"),
    )
