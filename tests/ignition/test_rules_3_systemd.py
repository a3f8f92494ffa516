import pytest

from mcs.ignition.versions import SPEC_3
from mcs.jsondata import JSON, JSONObject
from tests.ignition.said import about

INSTALLED = "[Unit]\nA=b\n[Install]\nWantedBy=c\n"
NOT_INSTALLED = "[Unit]\nA=b\n[Install]\n"
NO_EFFECT = "is enabled, but has no install section so enable does nothing"


@pytest.mark.parametrize(
    ("unit", "lines"),
    [
        pytest.param({"name": "a.service"}, [], id="name"),
        pytest.param({"name": "a.service", "enabled": True}, [], id="no-contents"),
        pytest.param({"name": "a.service", "enabled": True, "contents": ""}, [], id="empty-contents"),
        pytest.param({"name": "a.service", "enabled": True, "contents": INSTALLED}, [], id="installed"),
        pytest.param({"name": "a.service", "enabled": False, "contents": NOT_INSTALLED}, [], id="not-enabled"),
        pytest.param(
            {"name": 'a"b.service', "enabled": True, "contents": NOT_INSTALLED},
            [f'warning at $.systemd.units.0.contents: unit "a\\"b.service" {NO_EFFECT}'],
            id="header-without-options",
        ),
        pytest.param(
            {"name": "a.service", "enabled": True, "contents": "nothing"},
            [f'warning at $.systemd.units.0.contents: unit "a.service" {NO_EFFECT}'],
            id="no-options-at-all",
        ),
        pytest.param(
            {"name": "a.service", "enabled": True, "contents": "[install]\nA=b"},
            [f'warning at $.systemd.units.0.contents: unit "a.service" {NO_EFFECT}'],
            id="case-of-section",
        ),
        pytest.param(
            {"name": "a.service", "enabled": True, "contents": "[Unit"},
            ["error at $.systemd.units.0.contents: invalid unit content: unable to find end of section"],
            id="contents",
        ),
        pytest.param({}, ["error at $.systemd.units.0.name: invalid systemd unit extension"], id="no-name"),
        pytest.param(None, ["error at $.systemd.units.0.name: invalid systemd unit extension"], id="null"),
        pytest.param(
            {"name": "a.network"}, ["error at $.systemd.units.0.name: invalid systemd unit extension"], id="extension"
        ),
    ],
)
def test_units(unit: JSON, lines: list[str]) -> None:
    for version in SPEC_3:
        assert about({"systemd": {"units": [unit]}}, version) == lines


@pytest.mark.parametrize(
    ("dropin", "lines"),
    [
        pytest.param({"name": "a.conf", "contents": INSTALLED}, [], id="fine"),
        pytest.param({"name": "a.conf"}, [], id="no-contents"),
        pytest.param({"name": "a.config"}, [".name: invalid systemd drop-in extension"], id="extension"),
        pytest.param({"name": "a.conf/b"}, [".name: invalid systemd drop-in extension"], id="slash"),
        pytest.param({}, [".name: invalid systemd drop-in extension"], id="no-name"),
        pytest.param({"name": "a.conf", "contents": "[A]\nb"}, [".contents: invalid unit content: EOF"], id="contents"),
    ],
)
def test_dropins(dropin: JSONObject, lines: list[str]) -> None:
    config: JSONObject = {"systemd": {"units": [{"name": "a.service", "dropins": [dropin]}]}}

    for version in SPEC_3:
        assert about(config, version) == [f"error at $.systemd.units.0.dropins.0{line}" for line in lines]


@pytest.mark.parametrize(
    ("instance", "template", "warns"),
    [
        pytest.param({"name": "a@b.service"}, {"contents": NOT_INSTALLED}, True, id="not-installed"),
        pytest.param({"name": "a@b@c.service"}, {"contents": NOT_INSTALLED}, True, id="two-at-signs"),
        pytest.param({"name": "a@.service.service"}, {"contents": NOT_INSTALLED}, True, id="odd-instance"),
        pytest.param({"name": "a@@.service"}, {"contents": NOT_INSTALLED}, True, id="instance-of-an-at-sign"),
        pytest.param(
            {"name": "a\nb@c.service"}, {"name": "a\nb@.service", "contents": NOT_INSTALLED}, False, id="lines"
        ),
        pytest.param({"name": "a@b.service"}, {"contents": INSTALLED}, False, id="installed"),
        pytest.param({"name": "a@b.service"}, {"contents": ""}, False, id="no-contents"),
        pytest.param({"name": "a@b.service"}, {"name": "c@.service", "contents": NOT_INSTALLED}, False, id="other"),
        pytest.param({"name": "a@b.timer"}, {"name": "a@.timer", "contents": NOT_INSTALLED}, False, id="no-service"),
        pytest.param({"name": "a@b.service", "enabled": False}, {"contents": NOT_INSTALLED}, False, id="not-enabled"),
    ],
)
def test_instances_of_templates(instance: JSONObject, template: JSONObject, warns: bool) -> None:
    units: JSON = [{"enabled": True, **instance}, {"name": "a@.service", **template}]
    message = f'template unit "a@.service" for "{instance["name"]}" doesn\'t have Install section'
    lines = [f"warning at $.systemd.units.0.contents: {message}"] if warns else []

    for version in SPEC_3:
        assert about({"systemd": {"units": units}}, version) == lines


def test_a_template_that_cannot_be_read_is_reported_once() -> None:
    units: JSON = [{"name": "a@b.service", "enabled": True}, {"name": "a@.service", "contents": "[Unit"}]

    assert about({"systemd": {"units": units}}, SPEC_3[0]) == [
        "error at $.systemd.units.1.contents: invalid unit content: unable to find end of section"
    ]
