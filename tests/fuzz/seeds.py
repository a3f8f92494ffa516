"""What fuzzing starts from: the inputs of the vectors, in the form that each target takes."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from mcs.ignition.versions import SUPPORTED, TARGETS
from mcs.jsondata import JSON
from tests.vectors.cases import Case, read, texts_in

__all__ = ["seeds"]

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
_LARGEST = 4000  # bytes: of small inputs, more are tried

_ACCEPT = "application/vnd.coreos.ignition+json"
_HEADERS = (
    f"{_ACCEPT};version=3.5.0, */*;q=0.1",
    f"{_ACCEPT}; version=2.2.0, {_ACCEPT}; version=1; q=0.5, */*; q=0.1",
    f'{_ACCEPT};version="3.2.0";q=.5,text/html;level="a,b\\"c"',
)


def seeds(target: str) -> Iterator[bytes]:
    """Return what a target starts from, each no larger than a few kilobytes."""
    cases = [case for file in sorted(VECTORS.glob("*.jsonl")) for case in read(file) if isinstance(case, Case)]
    found = (seed for case in cases for seed in _OF_CASES.get(target, _none)(case))
    yield from (seed for seed in dict.fromkeys(found) if len(seed) <= _LARGEST)
    if target == "negotiate":
        yield from (header.encode() for header in _HEADERS)


def _none(_: Case) -> Iterator[bytes]:
    yield from ()


def _texts(case: Case) -> Iterator[bytes]:
    if case.body.get("kind") != "merge":
        yield _encoded(case.input)


def _chosen(case: Case) -> Iterator[bytes]:
    """A byte that chooses the spec, and the config."""
    if isinstance(case.input, dict) and case.body.get("kind") != "merge":
        version = case.body.get("to", case.body.get("spec"))
        specs = [f"{each.major}.{each.minor}" for each in (TARGETS if "to" in case.body else SUPPORTED)]
        yield bytes([specs.index(str(version)) if version in specs else 0]) + _encoded(case.input)


def _pairs(case: Case) -> Iterator[bytes]:
    if case.body.get("kind") == "merge":
        pair = case.object("input")
        yield _encoded([pair.get("parent"), pair.get("child")])


def _sources(case: Case) -> Iterator[bytes]:
    yield from (text.encode("utf-8", "surrogatepass") for text in texts_in(case.input) if text.startswith("data:"))


def _encoded(document: JSON) -> bytes:
    text = document if isinstance(document, str) else json.dumps(document)
    return text.encode("utf-8", "surrogatepass")


_OF_CASES: Mapping[str, Callable[[Case], Iterator[bytes]]] = {
    "parse": _texts,
    "convert": _chosen,
    "validate": _chosen,
    "merge": _pairs,
    "dataurl": _sources,
}
