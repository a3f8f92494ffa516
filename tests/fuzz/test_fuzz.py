"""A minute of fuzzing, and that the fuzzer finds what there is to find."""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.tables import table
from mcs.ignition.versions import SUPPORTED
from tests.fuzz.__main__ import main
from tests.fuzz.mutation import mutated
from tests.fuzz.seeds import seeds
from tests.fuzz.session import ALL, MISSING, ROOT, Plan, cache, fuzz, is_there
from tests.fuzz.targets import TARGETS_OF_FUZZING, Broken

NAMES = [plan.name for plan in ALL]


def require_atheris() -> None:
    assert is_there(), MISSING


# ---- what is fuzzed


def test_every_target_is_fuzzed() -> None:
    assert [*TARGETS_OF_FUZZING] == NAMES
    assert {plan.address for plan in ALL} == {
        f"{target.__module__}:{target.__name__}" for target in TARGETS_OF_FUZZING.values()
    }


@pytest.mark.parametrize("name", NAMES)
def test_each_target_has_seeds_and_holds_for_them(name: str) -> None:
    given = [*seeds(name)]

    for seed in given:
        TARGETS_OF_FUZZING[name](seed)

    assert len(given) == len(set(given)) >= 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x00", id="a byte"),
        pytest.param(b"\xff\xfe\xfd", id="no UTF-8"),
        pytest.param(b"\x0b" + b"[" * 100_000, id="too deep for Python"),
        pytest.param(b'\x0b{"ignition":{"version":"3.1.0"},"a":' + b"9" * 5000 + b"}", id="too large a number"),
        pytest.param(b'\x0b{"ignition":{"version":"3.1.0"},"a":[1e999,NaN,"\\ud800"]}', id="what JSON is not"),
        pytest.param(b'[{"ignition":{"version":"3.1.0"}},{"ignition":{"version":"2.4.0"}}]', id="two specs"),
    ],
)
def test_each_target_takes_any_bytes(name: str, data: bytes) -> None:
    TARGETS_OF_FUZZING[name](data)


def test_a_law_that_does_not_hold_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.targets.convert", lambda config, *_: config)

    with pytest.raises(Broken, match="declares the spec that was asked for"):
        TARGETS_OF_FUZZING["parse"](b'{"ignition":{"version":"3.1.0"}}')


# ---- how inputs are changed

DOCUMENT = json.dumps({"ignition": {"version": "3.1.0"}, "storage": {"files": [{"path": "/a"}]}}).encode()


@given(st.integers(0, 2**32))
def test_a_changed_document_is_one_again_and_the_same_for_the_same_seed(seed: int) -> None:
    changed = mutated(b"\x01" + DOCUMENT, 100_000, seed, prefix=1)

    assert changed is not None
    json.loads(changed[1:])
    assert changed == mutated(b"\x01" + DOCUMENT, 100_000, seed, prefix=1)


def test_changes_are_many_and_bring_in_every_name_of_the_tables() -> None:
    changed = [mutated(DOCUMENT, 100_000, seed) or b"" for seed in range(20_000)]

    assert len({*changed}) > 8000
    text = b"".join(changed).decode()
    for version in SUPPORTED:
        assert [name for name in table(version).fields if f'"{name}"' not in text] == []


@pytest.mark.parametrize(
    ("data", "largest"), [pytest.param(b"{", 1000, id="no JSON"), pytest.param(DOCUMENT, 10, id="too large a result")]
)
def test_what_cannot_be_changed_as_a_document_is_left_to_others(data: bytes, largest: int) -> None:
    assert mutated(data, largest, 1) is None


@pytest.mark.parametrize("data", [b"1", b"[]", b'"a"', b"{}", b"null"])
def test_small_documents_are_changed_too(data: bytes) -> None:
    assert len({mutated(data, 1000, seed) for seed in range(50)} - {None}) > 5


# ---- the engine


@pytest.mark.slow
def test_a_minute_of_fuzzing_finds_nothing(tmp_path: Path) -> None:
    require_atheris()

    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--seconds", "60", "--corpus", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == [f"{name}:" for name in NAMES]
    assert all(line[2:] == ["inputs,", "nothing", "found"] for line in lines)
    # Without coverage to guide it, no input would ever be worth keeping.
    assert all(int(line[1]) > 100 and [*(tmp_path / line[0].removesuffix(":")).iterdir()] for line in lines)


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """An input that a broken target stumbles over, among the seeds."""

    def given(_: str) -> Iterator[bytes]:
        yield from (b'{"a": 1}', b'{"MARK": 1}')

    monkeypatch.setattr("tests.fuzz.session.seeds", given)
    return b'{"MARK": 1}'


@pytest.mark.slow
def test_a_crash_is_found_and_told_with_its_input(tmp_path: Path, marked: bytes) -> None:
    require_atheris()

    outcome = fuzz(Plan("crashing", "tests.fuzz.broken:crashing"), tmp_path, seconds=20)

    assert not outcome.is_clean
    assert base64.b64decode(outcome.finding) == marked
    assert "IndexError: beyond the end" in outcome.trouble


@pytest.mark.slow
def test_an_input_that_takes_too_long_is_found_too(
    tmp_path: Path, marked: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_atheris()
    monkeypatch.setattr("tests.fuzz.session._SECONDS_OF_ONE_INPUT", 1)

    outcome = fuzz(Plan("hanging", "tests.fuzz.broken:hanging"), tmp_path, seconds=20)

    assert not outcome.is_clean
    assert base64.b64decode(outcome.finding) == marked


@pytest.mark.slow
def test_the_number_of_inputs_can_be_limited(tmp_path: Path) -> None:
    require_atheris()

    outcome = fuzz(Plan("dataurl", "tests.fuzz.targets:fuzz_dataurl", prefix=-1), tmp_path, seconds=20, runs=500)

    assert outcome.is_clean
    assert 500 <= outcome.runs < 2000  # the seeds come on top


@pytest.mark.slow
def test_a_target_that_cannot_be_loaded_is_not_clean(tmp_path: Path) -> None:
    require_atheris()

    outcome = fuzz(Plan("none", "tests.fuzz.targets:none"), tmp_path, seconds=1)

    assert not outcome.is_clean
    assert "AttributeError" in outcome.trouble


# ---- the command


def test_where_atheris_is_missing_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.fuzz.__main__.is_there", lambda: False)

    assert main(["--seconds", "1"]) == 1
    assert capsys.readouterr().err == f"fuzz: {MISSING}.\n"


def test_an_input_can_be_run_again(capsys: pytest.CaptureFixture[str]) -> None:
    text = base64.b64encode(b"data:,a").decode()

    assert main(["--target", "dataurl", "--replay", text]) == 0
    assert capsys.readouterr().out == "dataurl: nothing found\n"


def test_to_run_an_input_again_takes_its_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--replay", ""]) == 2
    assert "--target" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        pytest.param({"HOME": "/home/a"}, "/home/a/.cache/mcs-fuzz", id="home"),
        pytest.param({"HOME": "/home/a", "XDG_CACHE_HOME": "/var/cache"}, "/var/cache/mcs-fuzz", id="XDG"),
    ],
)
def test_what_is_learnt_is_kept_outside_the_tree(environment: dict[str, str], folder: str) -> None:
    assert cache(environment) == Path(folder)
