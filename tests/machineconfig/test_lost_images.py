"""Which images machines would be left without because nobody said one this time."""

from collections.abc import Mapping

import pytest

from mcs.jsondata import JSONObject
from mcs.machineconfig.lost_images import EXTENSIONS_IMAGE, OS_IMAGE, lost_images

CURRENT: JSONObject = {"spec": {OS_IMAGE: "os@sha256:1", EXTENSIONS_IMAGE: "ext@sha256:1"}}
EMPTY: JSONObject = {OS_IMAGE: "", EXTENSIONS_IMAGE: ""}
NEITHER: Mapping[str, str | None] = {OS_IMAGE: None, EXTENSIONS_IMAGE: None}


@pytest.mark.parametrize(
    ("current", "spec", "given", "options"),
    [
        pytest.param(CURRENT, EMPTY, NEITHER, ["--os-image", "--extensions-image"], id="neither-was-said"),
        pytest.param(CURRENT, EMPTY, {**NEITHER, OS_IMAGE: ""}, ["--extensions-image"], id="an-empty-one-is-meant"),
        pytest.param(CURRENT, {**EMPTY, OS_IMAGE: "x"}, NEITHER, ["--extensions-image"], id="a-MachineConfig-says-it"),
        pytest.param(CURRENT, {}, NEITHER, ["--os-image", "--extensions-image"], id="absent-is-empty"),
        pytest.param({"spec": EMPTY}, EMPTY, NEITHER, [], id="there-was-none"),
        pytest.param(None, EMPTY, NEITHER, [], id="the-first-config"),
    ],
)
def test_what_would_be_lost(
    current: JSONObject | None, spec: JSONObject, given: Mapping[str, str | None], options: list[str]
) -> None:
    said = list(lost_images(current, spec, given))

    assert len(said) == len(options)
    for text, option in zip(said, options, strict=True):
        assert f"give {option} IMAGE, or {option} '' if that is meant" in text
