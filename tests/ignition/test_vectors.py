"""What the reference implementations answered, held against this library and against rendering."""

import json
from pathlib import Path

import pytest

from mcs.ignition import InvalidConfig, NotJSON
from mcs.ignition.parsing import parse
from tests.vectors.cases import Case, read
from tests.vectors.deviations import DEVIATIONS
from tests.vectors.kinds import Kind
from tests.vectors.runner import Tally, kind_of, run, verdict_on

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "data" / "vectors"
FILES = sorted(VECTORS.glob("*.jsonl"))


# ---- the vectors


def cases() -> list[tuple[Case, Kind]]:
    found = [(case, kind_of(file.name)) for file in FILES for case in read(file)]
    return [(case, kind) for case, kind in found if isinstance(case, Case) and kind is not None]


@pytest.mark.parametrize(
    ("case", "kind"),
    [pytest.param(case, kind, id=case.name) for case, kind in cases() if not case.is_free],
)
def test_a_vector(case: Case, kind: Kind) -> None:
    verdict = verdict_on(case, kind)

    assert verdict.passes, f"expected {json.dumps(verdict.expected)}, got {json.dumps(verdict.actual)}"


def test_every_file_is_run_whole() -> None:
    *_, total = run(FILES)

    assert isinstance(total, Tally)
    assert (total.passed + total.free, total.failed) == (len(cases()), 0)
    assert {file.name: sum(1 for _ in read(file)) for file in FILES} == {
        "down.jsonl": 150,
        "down_upstream_bugs.jsonl": 32,
        "mco_render.jsonl": 52,
        "merge.jsonl": 100,
        "parse.jsonl": 312,
        "translate.jsonl": 73,
        "translate_upstream_bugs.jsonl": 2,
        "two_to_three.jsonl": 90,
        "two_to_three_upstream_bugs.jsonl": 7,
    }


# ---- the deliberate deviations


def test_the_deviations_are_these() -> None:
    assert [deviation.name for deviation in DEVIATIONS] == [
        "key-case",
        "type-in-spec-2",
        "overwrite-nothing",
        "merged-invalid",
        "contents-described",
        "next-line",
        "several-appends",
    ]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param('{"ignition":{"version":"3.1.0"},"Storage":{}}', "$.Storage", id="key-case"),
        pytest.param(
            '{"ignition":{"version":"2.4.0"},"storage":{"files":[{"Path":"/a"}]}}',
            "$.storage.files.0.Path",
            id="key-case in spec 2",
        ),
        pytest.param(
            '{"ignition":{"version":"2.2.0"},"storage":{"files":[{"filesystem":"root","path":"/a","mode":"420"}]}}',
            "$.storage.files.0.mode",
            id="type-in-spec-2",
        ),
    ],
)
def test_what_the_reference_takes_or_blames_on_the_version_is_refused_at_its_path(text: str, path: str) -> None:
    with pytest.raises(InvalidConfig) as error:
        parse(text)

    assert not isinstance(error.value, NotJSON)
    assert error.value.path == path
