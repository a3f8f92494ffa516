"""How a case of rendering is run: a pool, all MachineConfigs that exist, and what the operator made of them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mcs.jsondata import JSON, JSONObject, list_at, lookup, object_at, text_at
from mcs.machineconfig.controller_config import origin_of
from mcs.machineconfig.render_error import Reason, RenderError
from mcs.machineconfig.rendered_name import rendered_name
from mcs.machineconfig.rendering import render, selected, selects_everything
from tests.vectors.cases import Case, Malformed
from tests.vectors.deviations import (
    CONTENTS_DESCRIBED,
    MERGED_INVALID,
    NEXT_LINE,
    OVERWRITE_NOTHING,
    SEVERAL_APPENDS,
    Deviation,
)
from tests.vectors.verdicts import Verdict

__all__ = ["run_mco_render"]

_COMPARED = (
    "outcome",
    "name",
    "source",
    "spec",
    "annotations",
    "class",
)  # a person reads messages; owners: we set none


def run_mco_render(case: Case) -> Verdict:
    """Render a pool from a cluster's state."""
    given, wanted = case.object("input"), case.object("expected")
    done = _rendered(given)
    expected: JSONObject = {key: wanted[key] for key in _COMPARED if key in wanted}
    if not expected:
        raise Malformed("it expects no outcome")
    if _same(expected, done):
        return Verdict(True, expected, done)
    difference = _Difference(given, wanted, done)
    deviation = next((each for each, decides in _DECIDED_BY if decides(difference)), None)
    return Verdict(deviation is not None, expected, done, deviation.name if deviation else None)


def _rendered(given: JSONObject) -> JSONObject:
    pool, current = object_at(given, "pool"), lookup(given, "current")
    if selects_everything(pool):
        return {"outcome": "nothing"}
    try:
        chosen = selected(pool, [each for each in list_at(given, "machineConfigs") if isinstance(each, dict)])
        controller = object_at(given, "controller")
        version, build = text_at(controller, "version") or "", text_at(controller, "hash") or ""
        origin = origin_of(object_at(given, "controllerConfig"), version, build)
        made = render(pool, chosen, origin, current if isinstance(current, dict) else None)
    except RenderError as error:
        return {"outcome": "error", "class": error.reason.value, "text": str(error)}
    return {
        "outcome": "rendered",
        "name": made.name,
        "source": [*made.source],
        "spec": made.spec,
        "annotations": {**made.annotations},
    }


def _same(expected: JSONObject, done: JSONObject) -> bool:
    """Compare as JSON: to Python, 1 and 1.0 and true are equal."""
    seen = {key: value for key, value in done.items() if key in _COMPARED}
    return json.dumps(expected, sort_keys=True) == json.dumps(seen, sort_keys=True)


# ---- deliberate deviations


@dataclass(frozen=True, slots=True)
class _Difference:
    """A case, what the reference made of it, and what was made here."""

    given: JSONObject
    wanted: JSONObject
    done: JSONObject

    @property
    def configs(self) -> list[JSON]:
        """The Ignition configs that there are."""
        return [lookup(each, "spec", "config") for each in list_at(self.given, "machineConfigs")]

    def is_refused_as(self, *reasons: Reason) -> bool:
        """Tell whether what the reference renders is refused here, for one of these reasons."""
        refused = self.wanted.get("outcome") == "rendered" and self.done["outcome"] == "error"
        return refused and self.done["class"] in {reason.value for reason in reasons}

    def is_only(self, change: Callable[[JSONObject], None]) -> bool:
        """Tell whether what was made is the reference's config, changed so, under the name that it has then."""
        if {self.wanted.get("outcome"), self.done["outcome"]} != {"rendered"}:
            return False
        ours, theirs = ({key: each[key] for key in _COMPARED if key in each} for each in (self.done, self.wanted))
        for each in (ours, theirs):
            spec = json.loads(json.dumps(each["spec"]))
            for file in list_at(spec, "config", "storage", "files"):
                assert isinstance(file, dict)  # both are rendered
                change(file)
            pool = text_at(self.given, "pool", "metadata", "name") or ""
            if each["name"] != rendered_name(pool, object_at(each, "spec")):
                return False
            each.update(spec=spec, name="the name of this spec")
        return _same(theirs, ours)


def _by_overwrite(difference: _Difference) -> bool:
    def unforced(file: JSONObject) -> None:
        if lookup(file, "contents", "source") is None:
            file.pop("overwrite", None)

    return difference.is_only(unforced)


def _by_merged_config(difference: _Difference) -> bool:
    return difference.wanted.get("selfParseError") is not None and difference.is_refused_as(Reason.IGNITION_INVALID)


def _by_contents(difference: _Difference) -> bool:
    def undescribed(file: JSONObject) -> None:
        contents = {**object_at(file, "contents")}
        contents.pop("compression", None)
        contents.pop("verification", None)
        file["contents"] = contents

    return difference.is_only(undescribed)


def _by_next_line(difference: _Difference) -> bool:
    return difference.is_refused_as(Reason.HASH_INPUT) and any("\x85" in text for text in _texts(difference.given))


def _by_several_appends(difference: _Difference) -> bool:
    refused_there = difference.wanted.get("class") == Reason.SPEC_2_CONVERT.value
    appended = [list_at(config, "ignition", "config", "append") for config in difference.configs]
    several = [each for each in appended if len(each) == len({json.dumps(one) for one in each}) > 1]
    return refused_there and difference.done["outcome"] == "rendered" and bool(several)


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from value
        for member in value.values():
            yield from _texts(member)


_DECIDED_BY: tuple[tuple[Deviation, Callable[[_Difference], bool]], ...] = (
    (OVERWRITE_NOTHING, _by_overwrite),
    (CONTENTS_DESCRIBED, _by_contents),
    (MERGED_INVALID, _by_merged_config),
    (NEXT_LINE, _by_next_line),
    (SEVERAL_APPENDS, _by_several_appends),
)
