"""The example fleet: it is what its script makes, and shows what its page says."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from examples.make_fleet import fleet
from mcs.ignition import TARGETS, SpecVersion, UnsupportedFeatures, unknown_members, validate
from mcs.ignition.versions import V3_2
from mcs.jsondata import compact, list_at, lookup, object_at, text_at
from mcs.machineconfig.appended import AppendedSet, compose
from mcs.machineconfig.manifests import Manifest, read
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import Kind, rendered_pool
from tests.cli.commands import Place

FLEET = Path(__file__).parents[2] / "examples" / "fleet"
FILES = sorted(FLEET.glob("*.yaml"))
OBJECTS = [manifest for file in FILES for manifest in read(file.read_text(encoding="utf-8"), file.name)]
RENDERED = [manifest for manifest in OBJECTS if is_rendered(manifest.document)]


def test_the_files_are_what_the_script_makes() -> None:
    assert fleet() == {file.name: file.read_text(encoding="utf-8") for file in FILES}


def test_the_files_are_small_enough_to_keep() -> None:
    sizes = [file.stat().st_size for file in FLEET.iterdir()]
    assert max(sizes) < 1_000_000
    assert sum(sizes) < 4_000_000


@pytest.mark.parametrize("config", RENDERED, ids=lambda config: config.name)
def test_a_rendered_config_is_of_a_real_ones_size(config: Manifest) -> None:
    assert 150_000 <= len(compact(lookup(config.document, "spec")).encode()) <= 300_000
    assert len(list_at(config.document, "spec", "config", "storage", "files")) >= 50
    assert len(list_at(config.document, "spec", "config", "systemd", "units")) >= 25
    assert (text_at(config.document, "spec", "config", "ignition", "version") or "") >= "3.2.0"


@pytest.mark.parametrize("config", RENDERED, ids=lambda config: config.name)
def test_a_rendered_config_names_each_file_and_unit_once(config: Manifest) -> None:
    places = (("storage", "files", "path"), ("systemd", "units", "name"), ("passwd", "users", "name"))
    for section, listed, key in places:
        names = [text_at(item, key) for item in list_at(config.document, "spec", "config", section, listed)]
        assert len(names) == len(set(names))


def test_each_pool_has_generations_that_grow() -> None:
    sizes: dict[str | None, list[int]] = {}
    for config in RENDERED:
        sizes.setdefault(rendered_pool(config.name), []).append(len(compact(config.document)))
    assert {pool: len(found) for pool, found in sizes.items()} == {"master": 3, "worker": 3, "infra": 3, "edge": 1}
    assert all(found == sorted(found) for found in sizes.values())


@pytest.mark.parametrize("version", TARGETS, ids=str)
@pytest.mark.parametrize("config", RENDERED, ids=lambda config: config.name)
def test_every_config_can_be_served_at_every_spec_but_one_on_purpose(config: Manifest, version: SpecVersion) -> None:
    if rendered_pool(config.name) == "edge" and version < V3_2:
        with pytest.raises(UnsupportedFeatures, match=r"\$\.storage\.disks\.0\.partitions\.0\.resize"):
            compose(config.document, version, AppendedSet(), None)
        return
    served = compose(config.document, version, AppendedSet(full_config=True), "a" * 26)
    assert object_at(served, "ignition")["version"] == str(version)
    assert validate(served, version).errors == ()
    assert unknown_members(served) == ()


def test_what_pools_and_nodes_name_is_there() -> None:
    names = {manifest.name for manifest in RENDERED}
    for manifest in OBJECTS:
        if manifest.kind is Kind.POOL:
            assert text_at(manifest.document, "spec", "configuration", "name") in names
        if manifest.kind is Kind.NODE:
            annotations = lookup(manifest.document, "metadata", "annotations")
            assert isinstance(annotations, Mapping)
            assert {annotations[key] for key in annotations if str(key).endswith("Config")} <= names


def test_the_fleet_can_be_applied_and_every_pool_serves(place: Place) -> None:
    outcome = place.mcs("apply", "-f", FLEET)
    assert outcome.status == 0
    assert len(outcome.out) == len(OBJECTS)
    whys = {row[0]: row[3] for row in place.mcs("get", "pools").rows()}
    assert whys == {
        "edge": "status.configuration, same as spec",
        "infra": "status.configuration",
        "master": "spec.configuration, proven by 3 nodes",
        "worker": "spec.configuration, proven by 1 node",
    }
    assert {line.split()[1] for line in place.mcs("apply", "-f", FLEET).out} == {"unchanged"}
