"""The rules of specs 2.0 to 2.4 for units and drop-ins: what is said, how gravely, where and since when."""

import pytest

from mcs.ignition.versions import SPEC_2, V2_0, V2_1, V2_2, SpecVersion
from mcs.jsondata import JSON, JSONObject
from tests.ignition.said_2 import at, said

NO_EFFECT = 'unit "a.service" is enabled, but has no install section so enable does nothing'
UNIT = "[Unit]\nDescription=a\n"


# Units


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        pytest.param({"name": "a.service", "contents": "[Install]\nAlias=b\n", "enable": True}, [], id="with effect"),
        pytest.param({"name": "a.service", "contents": UNIT}, [], id="not enabled"),
        pytest.param({"name": "a.service", "enable": True}, [], id="without contents"),
        pytest.param({"name": "a.service", "contents": "[Install]\n", "enable": True}, [], id="without an option"),
        pytest.param(
            {"name": "a.service", "contents": UNIT, "enable": True}, [f"warning .contents {NO_EFFECT}"], id="enable"
        ),
        pytest.param(
            {"name": "a", "contents": "[x", "enable": True},
            ["error .contents invalid unit content: unable to find end of section"],
            id="unreadable",
        ),
    ],
)
@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_a_unit(version: SpecVersion, unit: JSONObject, expected: list[str]) -> None:
    name = [] if "." in str(unit["name"]) or version == V2_0 else ["error .name invalid systemd unit extension"]
    assert said(version, systemd={"units": [unit]}) == at("systemd.units.0", *expected, *name)


def test_enabled_counts_as_enable_does_since_2_1() -> None:
    unit: JSON = {"name": "a.service", "contents": UNIT, "enabled": True}
    assert said(V2_0, systemd={"units": [unit]}) == []
    assert said(V2_1, systemd={"units": [unit]}) == [f"warning $.systemd.units.0.contents {NO_EFFECT}"]


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_names_of_units_and_dropins(version: SpecVersion) -> None:
    units: JSON = [{"name": "a.network"}, {"name": "b@c.timer", "dropins": [{"name": "a.conf"}, {"name": "conf"}]}]
    assert said(version, systemd={"units": units}) == at(
        "systemd.units",
        "error .0.name invalid systemd unit extension",
        "error .1.dropins.1.name invalid systemd drop-in extension",
    )


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_contents_of_dropins(version: SpecVersion) -> None:
    unreadable = "error .0.contents invalid unit content: unable to find end of section"
    name = [] if version == V2_0 else ["error .0.name invalid systemd drop-in extension"]
    units: JSON = [{"name": "a.service", "dropins": [{"name": "a", "contents": "[x"}]}]
    assert said(version, systemd={"units": units}) == at("systemd.units.0.dropins", unreadable, *name)


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_networkd_units(version: SpecVersion) -> None:
    names: JSON = [{"name": name} for name in ("a.link", "b.netdev", "c.network", "d.service", "a.link/b")]
    assert said(version, networkd={"units": names}) == at(
        "networkd.units",
        "error .3.name invalid networkd unit extension",
        "error .4.name invalid networkd unit extension",
    )
    unreadable = "error .contents invalid unit content: unable to find end of section"
    name = [] if version == V2_0 else ["error .name invalid networkd unit extension"]
    unit: JSON = {"name": "a", "contents": "[x", "dropins": [{"name": "unseen"}]}
    assert said(version, networkd={"units": [unit]}) == at("networkd.units.0", unreadable, *name)


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_networkd_dropins_since_2_2(version: SpecVersion) -> None:
    unit: JSON = {"name": "a.network", "dropins": [{"name": "a.conf"}, {"name": "b", "contents": "[x"}]}
    expected = at(
        "networkd.units.0.dropins.1",
        "error .contents invalid unit content: unable to find end of section",
        "error .name invalid networkd drop-in extension",
    )
    assert said(version, networkd={"units": [unit]}) == (expected if version >= V2_2 else [])
