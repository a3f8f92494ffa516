"""How a case of each kind is run. A kind that is added to KINDS is run wherever a file bears its name."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from mcs.ignition import dataurl
from mcs.ignition.conversion import convert
from mcs.ignition.errors import (
    DuplicateDropin,
    DuplicateInode,
    DuplicateUnit,
    EmptyConfig,
    IgnitionError,
    InvalidConfig,
    InvalidVersion,
    NetworkdUsed,
    NoFilesystem,
    Problem,
    SectorsUsed,
    UnknownVersion,
    Unsayable,
    Unsupported,
    UnsupportedFeatures,
    Untranslatable,
    UsesOwnLink,
)
from mcs.ignition.merging import merge
from mcs.ignition.parsing import Parsed, parse
from mcs.ignition.validation import validate
from mcs.ignition.versions import SPEC_2, SpecVersion, declared_version
from mcs.jsondata import JSON, JSONObject
from tests.ignition.normal_form import normal_form
from tests.vectors.cases import Case, Malformed, texts_in
from tests.vectors.deviations import KEY_CASE, TYPE_IN_SPEC_2, is_refused_at, misspelt, misspelt_in_spec_2
from tests.vectors.rendering import run_mco_render
from tests.vectors.verdicts import Said, Verdict, is_same, said, wanted_entries

__all__ = ["KINDS", "Kind"]

Kind: TypeAlias = Callable[[Case], Verdict]

# How the reference calls what went wrong.
_IDENTITIES: tuple[tuple[type[IgnitionError], str], ...] = (
    (EmptyConfig, "ErrEmpty"),
    (InvalidVersion, "ErrInvalidVersion"),
    (UnknownVersion, "ErrUnknownVersion"),
    (InvalidConfig, "ErrInvalid"),
)

# How the vectors call what keeps a config of spec 2 from being said in spec 3.
_PROBLEMS: tuple[tuple[type[Problem], str], ...] = (
    (SectorsUsed, "invalid-input"),
    (NetworkdUsed, "networkd"),
    (NoFilesystem, "no-filesystem"),
    (DuplicateInode, "duplicate-inode"),
    (UsesOwnLink, "uses-own-link"),
    (DuplicateUnit, "duplicate-unit"),
    (DuplicateDropin, "duplicate-dropin"),
    (Unsayable, "unsupported"),
    (Unsupported, "unsupported"),
)

# The conversions that the reference does in one step, so that it says as we do why it refuses.
_SINGLE_STEPS = frozenset(
    (SpecVersion(*above), SpecVersion(*below))
    for above, below in [
        ((3, 5), (3, 4)),
        ((3, 4), (3, 3)),
        ((3, 3), (3, 2)),
        ((3, 2), (3, 1)),
        ((3, 2), (2, 4)),
        ((3, 2), (2, 2)),
        ((3, 1), (2, 4)),
        ((3, 1), (2, 2)),
        ((3, 0), (2, 2)),
    ]
)


# ---- parse


def run_parse(case: Case) -> Verdict:
    """Parse a text at a spec, or at the one it declares if that is a 3.x."""
    text, wanted = _text(case.input), case.wanted
    spec = None if case.body.get("spec") == "auto" else case.spec("spec")
    version = spec or _declared(text)
    parsed, error = _parse(text, spec)
    identity = _identity(error)
    if version in SPEC_2:
        identity = "ErrUnknownVersion"  # the reference at hand reads spec 3 only
    report = parsed.report if parsed else error.report if isinstance(error, InvalidConfig) else None
    entries = said(report) if report is not None else []
    actual: JSONObject = {"ok": identity is None, "error": identity, "report": [entry.as_json() for entry in entries]}
    if parsed is not None and "config" in wanted:
        actual["config"] = normal_form(parsed.config)
    if error is not None and identity is not None:
        actual["text"] = str(error)

    if "report" in wanted:
        expected = wanted_entries(wanted["report"])
        if version is not None and (keys := misspelt(expected, version)):
            refused = all(is_refused_at(error, key) for key in keys)
            return Verdict(refused, {"refused at": [list(key) for key in keys]}, actual, KEY_CASE.name)
        agrees = is_same(expected, entries, lambda entry: _is_foreign(entry, text))
    else:
        agrees = True
    agrees = agrees and identity == wanted.get("error")
    if "config" in wanted:
        agrees = agrees and _same(_normal(wanted["config"]), actual.get("config"))
    return Verdict(agrees, wanted, actual)


def _parse(text: str, spec: SpecVersion | None) -> tuple[Parsed | None, IgnitionError | None]:
    try:
        return parse(text, spec), None
    except IgnitionError as error:
        return None, error


def _identity(error: IgnitionError | None) -> str | None:
    if error is None:
        return None
    return next((name for kind, name in _IDENTITIES if isinstance(error, kind)), type(error).__name__)


def _declared(text: str) -> SpecVersion | None:
    try:
        return declared_version(_document(text))
    except IgnitionError:
        return None


# ---- translate, merge


def run_translate(case: Case) -> Verdict:
    """Convert a config upwards."""
    source, to = _config(case.input), case.spec("to")
    return _compared(case, lambda: convert(source, to))


def run_merge(case: Case) -> Verdict:
    """Merge a child into its parent."""
    source = case.object("input")
    parent, child = _config(source.get("parent")), _config(source.get("child"))
    return _compared(case, lambda: merge(parent, child))


def _compared(case: Case, made: Callable[[], JSONObject]) -> Verdict:
    expected: JSONObject = {"config": _normal(case.wanted.get("config"))}
    try:
        actual: JSONObject = {"config": normal_form(made())}
    except IgnitionError as error:
        actual = {"error": str(error)}
    return Verdict(_same(expected, actual), expected, actual)


# ---- down, two_to_three


@dataclass(frozen=True, slots=True)
class _Conversion:
    """What came of one: a config, or the class of what refused it and its text."""

    config: JSON = None
    refused: str | None = None
    text: str = ""

    def as_json(self) -> JSONObject:
        return {"config": self.config} if self.refused is None else {"class": self.refused, "error": self.text}


def run_down(case: Case) -> Verdict:
    """Validate a config, convert it downwards and validate what comes out."""
    source, to = _config(case.input), case.spec("to")
    done = _invalid(source, case.spec("from"), "invalid-input") or _converted(lambda: convert(source, to), to)
    wanted = case.wanted
    if "config" in wanted:
        return _converted_as(wanted, done)
    classes = {wanted.get("class")}
    if "expect" in case.body:
        if wanted.get("class") == "invalid-output":
            classes.add("unsupported")  # refused earlier, with the name of the field
        if (case.spec("from"), to) not in _SINGLE_STEPS:
            classes |= {"invalid-input", "unsupported", "invalid-output"}
    return Verdict(done.refused in classes, wanted, done.as_json())


def run_two_to_three(case: Case) -> Verdict:
    """Parse a text of spec 2, convert it to spec 3 and validate what comes out."""
    text, to, wanted = _text(case.input), case.spec("to"), case.wanted
    filesystems = {name: path for name, path in case.object("fsmap").items() if isinstance(path, str)}
    parsed, error = _parse(text, None)
    report = parsed.report if parsed else error.report if isinstance(error, InvalidConfig) else None
    entries = said(report, with_paths=False) if report is not None else []
    if parsed is None or parsed.version not in SPEC_2:
        done = _Conversion(refused="parse", text=str(error or "not of spec 2"))
    else:
        config = parsed.config
        done = _converted(lambda: convert(config, to, filesystems), to)
    verdict = _converted_as(wanted, done) if "config" in wanted else _refused_as(wanted, done)
    actual = {**done.as_json(), "parse_report": [entry.as_json() for entry in entries]}
    if "parse_report" not in wanted:
        return Verdict(verdict.passes, verdict.expected, actual)
    expected = wanted_entries(wanted["parse_report"], with_paths=False)
    if keys := misspelt_in_spec_2(expected):
        refused = all(is_refused_at(error, key) for key in keys)
        return Verdict(refused, {"refused at": [list(key) for key in keys]}, actual, KEY_CASE.name)
    if wanted.get("error") == "ErrUnknownVersion" and _declared(text) in SPEC_2:
        return Verdict(type(error) is InvalidConfig, "an invalid config", actual, TYPE_IN_SPEC_2.name)
    if [entry.message for entry in entries] == [wanted.get("error")]:
        entries = []  # to the reference, what the text is instead is no entry but an error of its own
    agrees = is_same(expected, entries, lambda entry: _is_foreign(entry, text))
    return Verdict(verdict.passes and agrees, wanted, actual)


def _converted(made: Callable[[], JSONObject], to: SpecVersion) -> _Conversion:
    try:
        config = made()
    except IgnitionError as error:
        return _Conversion(refused=_class_of(error), text=str(error))
    return _invalid(config, to, "invalid-output") or _Conversion(normal_form(config))


def _class_of(error: IgnitionError) -> str:
    if isinstance(error, UnsupportedFeatures):
        return "unsupported"
    if isinstance(error, Untranslatable):
        # All problems are named, in the order in which the reference looks for them; it stops at the first.
        return next(name for kind, name in _PROBLEMS if isinstance(error.problems[0], kind))
    return type(error).__name__


def _invalid(config: JSONObject, version: SpecVersion, refused: str) -> _Conversion | None:
    try:
        report = validate(config, version)
    except IgnitionError as error:
        return _Conversion(refused=refused, text=str(error))
    return None if report.is_valid else _Conversion(refused=refused, text="; ".join(map(str, report.errors)))


def _converted_as(wanted: JSONObject, done: _Conversion) -> Verdict:
    expected: JSONObject = {"config": _normal(wanted["config"])}
    return Verdict(_same(expected, done.as_json()), expected, done.as_json())


def _refused_as(wanted: JSONObject, done: _Conversion) -> Verdict:
    return Verdict(done.refused == wanted.get("class"), wanted, done.as_json())


# ---- documents


def _text(source: JSON) -> str:
    return source if isinstance(source, str) else json.dumps(source)


def _document(text: str) -> JSON:
    """Decode a text as far as Python can: None where it cannot."""
    try:
        document: JSON = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document


def _config(source: JSON) -> JSONObject:
    document = _document(source) if isinstance(source, str) else source
    if not isinstance(document, dict):
        raise Malformed("its input is no config")
    return document


def _normal(config: JSON) -> JSON:
    if not isinstance(config, dict):
        raise Malformed("it expects no config")
    try:
        return normal_form(config)
    except IgnitionError as error:
        raise Malformed(f"the config that it expects is none: {error}") from error


def _same(one: JSON, other: JSON) -> bool:
    """Compare as JSON: to Python, 1 and 1.0 and true are equal."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _is_foreign(entry: Said, text: str) -> bool:
    """Tell whether the text of an entry is that of the reference's libraries: for units and data URLs."""
    if (entry.message or "").startswith("invalid unit content: "):
        return True
    document = _document(text)
    if entry.path is None:
        return any(map(_is_bad_data_url, texts_in(document)))
    value = _at(document, entry.path)
    source = value.get("source") if isinstance(value, dict) else value
    return isinstance(source, str) and _is_bad_data_url(source)


def _is_bad_data_url(text: str) -> bool:
    return text.startswith("data:") and dataurl.problem_of(text) is not None


def _at(document: JSON, path: tuple[str | int, ...]) -> JSON:
    for key in path:
        if isinstance(document, dict) and isinstance(key, str):
            document = document.get(key)
        elif isinstance(document, list) and isinstance(key, int) and key < len(document):
            document = document[key]
        else:
            return None
    return document


# Upstream's bugs are cases of the same kinds: a file of theirs has the kind's name with _upstream_bugs behind it.
KINDS: Mapping[str, Kind] = {
    "down": run_down,
    "mco_render": run_mco_render,
    "merge": run_merge,
    "parse": run_parse,
    "translate": run_translate,
    "two_to_three": run_two_to_three,
}
