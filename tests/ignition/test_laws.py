"""What holds between parsing, validation, conversion and merging, over valid configs of every spec of spec 3."""

import json

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mcs.ignition import SPEC_3, SpecVersion, convert
from mcs.ignition.merging import merge
from mcs.ignition.parsing import parse
from mcs.ignition.validation import validate
from mcs.ignition.versions import declared_version
from mcs.jsondata import JSON, JSONObject
from tests.ignition.normal_form import normal_form
from tests.ignition.strategies import thorough
from tests.ignition.valid_configs import valid_configs

VERSIONS = st.sampled_from(SPEC_3)
VALID = VERSIONS.flatmap(valid_configs)
PAIRS = st.sampled_from([(low, high) for low in SPEC_3 for high in SPEC_3 if low < high])
often = settings(thorough, max_examples=200)

# What a later spec asks for though an earlier one does not: the first spec that does, and its words.
REASONS = {
    "link target is required": SpecVersion(3, 3),
    "missing required custom clevis pin": SpecVersion(3, 3),
    "missing required custom clevis config": SpecVersion(3, 3),
    "source is required": SpecVersion(3, 1),
    "source must be specified if verification is specified": SpecVersion(3, 1),
}


@pytest.mark.parametrize("version", [pytest.param(version, id=str(version)) for version in SPEC_3])
def test_a_valid_config_is_valid_as_data_and_as_text(version: SpecVersion) -> None:
    @often
    @given(valid_configs(version), st.booleans(), st.sampled_from([None, 2]))
    def law(config: JSONObject, ascii_only: bool, indent: int | None) -> None:
        report = validate(config)
        assert report.errors == ()

        parsed = parse(json.dumps(config, ensure_ascii=ascii_only, indent=indent))

        assert parsed.version == version
        assert normal_form(parsed.config) == normal_form(config)
        assert [(e.kind, e.path, e.message) for e in parsed.report.entries] == [
            (e.kind, e.path, e.message) for e in report.entries
        ]

    law()


@often
@given(PAIRS.flatmap(lambda pair: st.tuples(valid_configs(pair[0]), st.just(pair[1]))))
def test_a_valid_config_is_valid_after_an_upgrade_or_the_report_says_why(case: tuple[JSONObject, SpecVersion]) -> None:
    config, high = case
    low = declared_version(config)

    upgraded = convert(config, high)
    errors = validate(upgraded).errors

    event("still valid" if not errors else errors[0].message)
    for error in errors:
        assert low < REASONS[error.message] <= high
    assert bool(errors) == any(needs_what_a_later_spec_asks_for(config, low, high))


def needs_what_a_later_spec_asks_for(config: JSONObject, low: SpecVersion, high: SpecVersion) -> list[bool]:
    """Whether a config that is valid at `low` leaves out what `high` asks for; by another way than the rules'."""
    entries, references = found("merge", config), [*found("merge", config), *found("replace", config)]
    links, pins = found("links", config), found("custom", config)
    return [
        low < asking <= high and missing
        for asking, missing in (
            (SpecVersion(3, 1), any(not entry.get("source") for entry in entries)),
            (SpecVersion(3, 1), any(one.get("source") is None and has_hash(one) for one in references)),
            (SpecVersion(3, 3), any(not link.get("target") for link in links)),
            (SpecVersion(3, 3), any(bool(pin.get("needsNetwork")) and not pin.get("pin") for pin in pins)),
        )
    ]


def has_hash(reference: JSONObject) -> bool:
    verification = reference.get("verification")
    return isinstance(verification, dict) and verification.get("hash") is not None


def found(name: str, value: JSON) -> list[JSONObject]:
    """All objects that are, or are in, a member of that name, at any depth."""
    result: list[JSONObject] = []
    if isinstance(value, dict):
        member = value.get(name)
        result += [item for item in (member if isinstance(member, list) else [member]) if isinstance(item, dict)]
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        result += found(name, inner)
    return result


@often
@given(VALID)
def test_merging_with_an_empty_config_keeps_a_config_valid(config: JSONObject) -> None:
    empty: JSONObject = {"ignition": {"version": str(declared_version(config))}}

    assert validate(merge(empty, config)) == validate(merge(config, empty)) == validate(config)
