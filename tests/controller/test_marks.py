"""A mark on what a pool names goes at once, whether or not anything is rendered."""

import logging
from collections.abc import Callable

import pytest

from mcs.boot.records import Hold
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import ANNOTATION_SERVE, LABEL_POOL, Kind
from mcs.store.interface import Conflict
from tests.controller.scene import Scene, pool

NAME = "rendered-worker-" + "a" * 32


def rendered() -> tuple[Kind, JSONObject]:
    labels: JSON = {LABEL_POOL: "worker"}
    document: JSONObject = {"metadata": {"name": NAME, "labels": labels}, "spec": {"fips": False}}
    return Kind.CONFIG, document


@pytest.fixture
def running(make: Callable[..., Scene]) -> Scene:
    """A controller that renders nothing, a pool that names nothing, and a marked config."""
    made = make(origin=None)
    made.apply(pool(), rendered())
    made.mark(NAME)
    made.controller.look()
    assert made.is_marked(NAME)
    return made


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"spec": {"configuration": {"name": NAME}}}, id="in its spec"),
        pytest.param({"status": {"configuration": {"name": NAME}}}, id="in its status"),
        pytest.param({"metadata": {"annotations": {ANNOTATION_SERVE: NAME}}}, id="by annotation"),
    ],
)
def test_a_mark_goes_at_the_first_look_after_a_pool_names_the_config(running: Scene, patch: JSONObject) -> None:
    running.others.patch(Kind.POOL, "worker", patch)
    running.controller.look()
    assert not running.is_marked(NAME)


def test_a_mark_on_what_a_pool_was_served_last_goes_within_seconds(running: Scene) -> None:
    now = running.clock().wall
    hold = Hold(worker="s", server="s", config=NAME, pools=("worker",), acquired=now, renewed=now, duration=9e4)
    running.others.put_hold(hold, acked=None)
    running.wait(6)
    assert not running.is_marked(NAME)


def test_a_mark_on_what_nobody_names_stays(running: Scene) -> None:
    running.wait(600)
    assert running.is_marked(NAME)
    assert running.writes() == []


def test_a_mark_that_nobody_disputes_is_not_asked_about_at_each_look(running: Scene) -> None:
    running.store.calls.clear()
    running.wait(60, step=0.2)
    assert running.store.calls.count("metadata") <= 12


def test_a_mark_that_comes_again_goes_again(running: Scene) -> None:
    running.others.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": NAME}}})
    for _ in range(3):
        running.mark(NAME)
        running.controller.look()
        assert not running.is_marked(NAME)


def test_who_was_quicker_wins_and_the_next_look_tells(running: Scene) -> None:
    running.others.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": NAME}}})
    running.store.fail("patch", times=1, error=Conflict("MachineConfig", NAME, "resourceVersion", 1, 2))
    running.controller.look()
    assert running.is_marked(NAME)
    running.wait(1)
    assert not running.is_marked(NAME)


@pytest.mark.parametrize("operation", ["metadata", "objects", "patch"])
def test_a_store_that_fails_is_asked_again(running: Scene, operation: str, caplog: pytest.LogCaptureFixture) -> None:
    running.others.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": NAME}}})
    running.store.fail(operation)
    running.wait(60, step=0.2)
    assert running.is_marked(NAME)
    assert running.store.calls.count(operation) <= 70
    assert sum(NAME in record.getMessage() for record in caplog.records) == 1
    running.store.heal()
    running.wait(6)
    assert not running.is_marked(NAME)


def test_it_is_said(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    running.others.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": NAME}}})
    running.controller.look()
    [line] = [record for record in caplog.records if record.getMessage() == "unmarked"]
    assert vars(line)["facts"] == {"config": NAME, "why": "a pool names it"}
