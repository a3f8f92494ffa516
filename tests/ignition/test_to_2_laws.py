"""What holds of every conversion to spec 2, over valid configs."""

from hypothesis import assume, event, given
from hypothesis import strategies as st

from mcs.ignition import SPEC_3, SpecVersion, convert, unknown_members
from mcs.ignition.errors import UnsupportedFeatures
from mcs.ignition.validation import validate
from mcs.ignition.versions import V2_2, V2_4, V3_1
from mcs.jsondata import JSON, JSONObject, list_at, object_at
from tests.ignition.normal_form import normal_form
from tests.ignition.strategies import thorough
from tests.ignition.valid_configs import valid_configs

TARGETS_2 = (V2_2, V2_4)
VALID = st.sampled_from(SPEC_3).flatmap(valid_configs)

# The reference still has this rule, spec 3 has it no longer.
ONLY_IN_SPEC_2 = "shouldExist is false for a partition and other partition(s) has start or size 0"


@thorough
@given(VALID, st.sampled_from(TARGETS_2))
def test_what_is_said_in_spec_2_is_valid_there(config: JSONObject, to: SpecVersion) -> None:
    try:
        converted = convert(config, to)
    except UnsupportedFeatures:
        event("refused")
        return
    event("converted")

    assert unknown_members(converted) == ()
    assert {entry.message for entry in validate(converted).errors} <= {ONLY_IN_SPEC_2}


@thorough
@given(valid_configs(V3_1))
def test_there_and_back_again_nothing_that_was_said_is_lost(config: JSONObject) -> None:
    """Up to what spec 3 takes for granted (see _explicit), for files of one content and filesystems of different names.

    Those that have no path get a number in spec 2 instead; on the way back the caller says that these are not mounted.
    """
    assume(all(_contents(file) <= 1 for file in list_at(config, "storage", "files")))
    try:
        there = convert(config, V2_4)
    except UnsupportedFeatures:
        assume(False)
    names = {str(object_at(item).get("name") or "") for item in list_at(there, "storage", "filesystems")}
    mounts = {name: name if name.startswith("/") else "" for name in names}

    assert normal_form(_explicit(convert(there, V3_1, mounts))) == normal_form(_explicit(config))


def _contents(file: JSON) -> int:
    has_contents = object_at(file, "contents").get("source") is not None
    return has_contents + len(list_at(file, "append"))


def _explicit(config: JSONObject) -> JSONObject:
    """Write down the modes and the `overwrite` that spec 3 means; leave out whatever is empty, false or 0 by itself."""
    storage = dict(object_at(config, "storage"))
    storage["files"] = [_explicit_file(object_at(file)) for file in list_at(storage, "files")]
    storage["directories"] = [{"mode": 0o755, **object_at(item)} for item in list_at(storage, "directories")]
    return _without_empty(config | {"storage": storage})


def _explicit_file(file: JSONObject) -> JSONObject:
    if object_at(file, "contents").get("source") is not None:
        return {"mode": 0o644, "overwrite": False, **file}
    appended: list[JSON] = [{"source": "", **object_at(content)} for content in list_at(file, "append")]
    return file | {"overwrite": False, "contents": None, "append": appended or [{"source": ""}]}


_ZERO_SAYS_SOMETHING = {
    *("source", "mode", "overwrite", "id", "uid", "gid", "enabled", "shouldExist", "number"),
    *("sizeMiB", "startMiB", "httpTotal", "httpResponseHeaders", "label", "uuid"),
}


def _without_empty(value: JSONObject) -> JSONObject:
    kept: JSONObject = {}
    for name, member in value.items():
        if isinstance(member, dict):
            kept[name] = _without_empty(member)
        elif isinstance(member, list):
            kept[name] = [_without_empty(item) if isinstance(item, dict) else item for item in member]
        elif member or (member is not None and name in _ZERO_SAYS_SOMETHING):
            kept[name] = member
    return kept
