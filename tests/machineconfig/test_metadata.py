import pytest

from mcs.jsondata import JSONObject
from mcs.machineconfig.metadata import Metadata, is_rendered
from mcs.machineconfig.names import ANNOTATION_GENERATED_BY, ANNOTATION_MARK, LABEL_POOL

NAME = "rendered-worker-" + "0" * 32
BY_MCO: JSONObject = {
    "name": NAME,
    "annotations": {ANNOTATION_GENERATED_BY: "abc"},
    "ownerReferences": [{"kind": "MachineConfigPool", "name": "worker", "uid": "u"}],
}


@pytest.mark.parametrize(
    ("metadata", "rendered"),
    [
        pytest.param({"name": NAME, "labels": {LABEL_POOL: "worker"}}, True, id="name and our label"),
        pytest.param(BY_MCO, True, id="name, annotation and owner, as the Machine Config Operator has it"),
        pytest.param({"name": NAME}, False, id="the name alone"),
        pytest.param({"name": NAME, "labels": {LABEL_POOL: "master"}}, False, id="the label of another pool"),
        pytest.param({**BY_MCO, "name": "my-copy"}, False, id="a person's copy"),
        pytest.param({**BY_MCO, "annotations": {}}, False, id="owner without annotation"),
        pytest.param({**BY_MCO, "ownerReferences": []}, False, id="annotation without owner"),
        pytest.param(
            {**BY_MCO, "ownerReferences": [{"kind": "MachineConfigPool", "name": "master"}]}, False, id="another owner"
        ),
        pytest.param({**BY_MCO, "ownerReferences": "none"}, False, id="owners of a wrong type"),
        pytest.param({}, False, id="nothing"),
    ],
)
def test_what_is_recognised_as_rendered(metadata: JSONObject, rendered: bool) -> None:
    assert is_rendered({"metadata": metadata}) is rendered


def test_an_empty_mark_is_a_mark() -> None:
    meta = Metadata(name=NAME, uid="u", resource_version=1, generation=1, created=0.0)
    assert meta.mark is None
    marked = Metadata(
        name=NAME, uid="u", resource_version=1, generation=1, created=0.0, annotations={ANNOTATION_MARK: ""}
    )
    assert marked.mark == ""
