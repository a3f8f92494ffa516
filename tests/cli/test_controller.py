"""`mcs controller`: its settings, and what it says of wrong ones. That it renders is in tests/end_to_end."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcs.controller.process import origin_of, period_of
from mcs.controller.quiet import QuietPeriod
from mcs.settings import controller_table, load, table
from tests.cli.commands import Place


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Takes back what the command sets for its whole process: levels, and a handler of a stream that is closed then."""
    loggers = [logging.getLogger(name) for name in ("", "gunicorn.error", "gunicorn.access")]
    before = [(logger, logger.level, logger.handlers[:], logger.propagate) for logger in loggers]
    yield
    for logger, level, handlers, propagate in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers
        logger.propagate = propagate


def test_the_help_names_every_setting_of_it_and_none_of_the_server_alone(place: Place) -> None:
    text = " ".join(place.mcs("controller", "--help").out)
    assert [row.flag for row in controller_table() if f"{row.flag} " not in text] == []
    assert "--listen" not in text


def test_both_commands_take_one_file(tmp_path: Path) -> None:
    file = tmp_path / "mcs.toml"
    file.write_text('store = "sqlite:///x"\nworkers = 3\nquiet-period = "1s"\nquiet-cap = "2s"\nos-image = "i"\n')
    settings = load({}, {}, file)
    assert (settings.workers, period_of(settings)) == (3, QuietPeriod(1, 2))
    origin = origin_of(settings)
    assert origin is not None
    assert (origin.os_image, origin.extensions_image) == ("i", None)


def test_an_image_that_was_not_given_is_told_from_an_empty_one() -> None:
    origin = origin_of(load({"store": "sqlite:///x", "os_image": ""}, {}))
    assert origin is not None
    assert (origin.os_image, origin.extensions_image) == ("", None)


def test_the_defaults_are_those_of_the_design() -> None:
    assert period_of(load({"store": "sqlite:///x"}, {})) == QuietPeriod(5, 60)


def test_rendering_can_be_switched_off() -> None:
    assert origin_of(load({"store": "sqlite:///x", "no_render": "on"}, {})) is None


def test_no_setting_belongs_to_nobody_or_is_described_badly() -> None:
    alone = {"quiet_cap", "os_image", "extensions_image", "build", "release", "no_render"}
    assert {row.name for row in table()} & alone == set()
    assert {row.name for row in controller_table()} >= alone | {"store", "quiet_period", "hold"}
    for row in controller_table():
        assert len(row.help) > 10, row.name
        assert row.flag == "--" + row.key


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--quiet-period", "2m"], "quiet period ≤ cap does not hold", id="longer than its cap"),
        pytest.param(["--quiet-period", "soon"], "it is not a duration", id="no duration"),
        pytest.param(["--hold", "1s"], "hold ≥ boot bound", id="durations that break the rule"),
        pytest.param(["--store", "postgres://u:secret@h/d"], "use sqlite:///PATH", id="no store"),
        pytest.param(["--listen", "127.0.0.1:1"], "No such option", id="a flag of the server"),
    ],
)
def test_what_is_refused(place: Place, arguments: list[str], said: str) -> None:
    outcome = place.mcs("controller", *arguments)
    assert (outcome.status, outcome.out) == (2, [])
    assert said in outcome.err[-1]
    assert outcome.err[-1].startswith("mcs controller: ")
    assert "secret" not in outcome.err[-1]


def test_a_store_that_is_not_there_is_not_made(place: Place) -> None:
    typo = place.directory / "typo.db"
    outcome = place.mcs("controller", "--store", f"sqlite:///{typo}")
    assert outcome.status == 1
    assert outcome.err[-1] == f"mcs controller: there is no store at {typo}; `mcs apply` and `mcs serve` make one"
    assert not typo.exists()


def test_a_store_that_cannot_be_one_ends_it(place: Place) -> None:
    outcome = place.mcs("controller", "--store", "sqlite:////nowhere/at/all/store.db")
    assert outcome.status == 1
    assert outcome.err[-1].startswith("mcs controller: the directory /nowhere/at/all")
