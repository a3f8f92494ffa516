"""Names of rendered configs survive every way that a config is stored and shown, and no two specs share one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcs.cli.documents import json_text, yaml_text
from mcs.jsondata import JSON, JSONObject, encode
from mcs.machineconfig.manifests import read, write_yaml
from mcs.machineconfig.rendered_name import rendered_name
from tests.machineconfig.specs import SPECS

MCO = "machineconfiguration.openshift.io/v1"
MANY = settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)


def document(spec: JSONObject) -> JSONObject:
    name = rendered_name("worker", spec)
    return {"apiVersion": MCO, "kind": "MachineConfig", "metadata": {"name": name}, "spec": spec}


def shuffled(value: JSON, random: Random) -> JSON:
    """Return the same value with the members of every object in another order."""
    if isinstance(value, dict):
        members = [(key, shuffled(member, random)) for key, member in value.items()]
        random.shuffle(members)
        return dict(members)
    return [shuffled(item, random) for item in value] if isinstance(value, list) else value


def texts_of(spec: JSONObject) -> Iterator[str]:
    """Yield the spec as JSON in every way that it is stored, sent and shown."""
    yield json.dumps(spec)
    yield json.dumps(spec, ensure_ascii=False)
    yield encode(spec).decode()
    yield json_text(spec)


@pytest.mark.slow
def test_a_name_survives_json_yaml_and_any_order_of_members_and_no_two_specs_share_one() -> None:
    seen: dict[str, str] = {}

    @MANY
    @given(SPECS, st.randoms(use_true_random=False))
    def check(spec: JSONObject, random: Random) -> None:
        name = rendered_name("worker", spec)
        for text in texts_of(spec):
            assert rendered_name("worker", json.loads(text)) == name
        other = shuffled(spec, random)
        assert isinstance(other, dict)
        assert rendered_name("worker", other) == name
        for text in (write_yaml(document(spec)), yaml_text(document(spec))):
            [manifest] = read(text, "a.yaml")
            found = manifest.document["spec"]
            assert isinstance(found, dict)
            assert (found, rendered_name("worker", found), manifest.name) == (spec, name, name)
        said = json.dumps(spec, sort_keys=True)
        assert seen.setdefault(name, said) == said

    check()
    assert len(seen) > 5000  # they are different ones, most of them


@pytest.mark.slow
@settings(max_examples=300, deadline=None, database=None)
@given(SPECS, st.sampled_from(["\n", " ", "\t", "\r", "'", '"', "\u2028", "\ufeff", "a"]), st.integers(0, 12))
def test_one_character_more_is_another_name(spec: JSONObject, character: str, at: int) -> None:
    image = str(spec["osImageURL"])
    longer = spec | {"osImageURL": image[:at] + character + image[at:]}

    assert rendered_name("worker", longer) != rendered_name("worker", spec)


@pytest.mark.slow
def test_names_are_the_same_in_other_processes() -> None:
    specs: list[JSONObject] = []

    @settings(max_examples=10_000, deadline=None, database=None)
    @given(SPECS)
    def collect(spec: JSONObject) -> None:
        specs.append(spec)

    collect()
    script = (
        "import json, sys; from mcs.machineconfig.rendered_name import rendered_name; "
        "json.dump([rendered_name('worker', spec) for spec in json.load(sys.stdin)], sys.stdout)"
    )
    expected = [rendered_name("worker", spec) for spec in specs]
    for seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", script],
            input=json.dumps(specs),
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "LC_ALL": "C"},
            timeout=300,
        )
        assert json.loads(run.stdout) == expected
