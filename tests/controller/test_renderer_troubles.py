"""What becomes of rendering when the store fails, when it is refused, and when others write the same pools."""

import logging
from collections.abc import Callable

import pytest

from mcs.boot.records import Hold
from mcs.controller.conditions import WELL, condition_of
from mcs.jsondata import JSONObject
from mcs.machineconfig.names import Kind
from mcs.machineconfig.rendering import Origin
from mcs.store.interface import Conflict, ObjectRefused
from tests.controller.scene import Scene, machine_config, pool

Make = Callable[..., Scene]


# ---- what it says of its own failures


def whys(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Why each rendering was done, as the log says."""
    return [vars(record)["facts"]["why"] for record in caplog.records if record.getMessage() == "rendered"]


def test_its_own_word_on_the_pool_is_no_change(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    running.apply(machine_config("99-ssh"))
    running.store.fail("create", error=ObjectRefused(0, "too large"))
    running.settle()
    degraded = running.degraded()
    assert degraded is not None
    assert (degraded.holds, degraded.reason) == (True, "create_refused")
    running.store.heal()
    running.wait(31)
    assert (running.source(), running.degraded()) == (["00-worker", "99-ssh"], WELL)
    assert whys(caplog) == ["first look", "99-ssh was added"]


def test_it_tries_again_without_another_quiet_period(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.store.fail("create", times=1, error=ObjectRefused(0, "too large"))
    running.controller.look()
    running.wait(5)
    assert (running.degraded() or WELL).holds
    running.wait(1)
    assert running.degraded() == WELL


def test_what_somebody_else_says_there_is_a_change(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    running.apply(machine_config("99-ssh"))
    running.store.fail("create", error=ObjectRefused(0, "too large"))
    running.settle()
    running.others.patch(Kind.POOL, "worker", {"status": {"conditions": []}})
    running.store.heal()
    running.wait(60)
    assert whys(caplog)[-1] == "the condition RenderDegraded changed, 99-ssh was added"


def test_a_failure_that_lasts_is_said_in_words_that_stay(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    now = running.clock().wall
    ahead = Hold(worker="s", server="s", config="c", pools=(), acquired=now, renewed=now + 7200, duration=9e4)
    running.others.put_hold(ahead, acked=None)  # by a host whose clock is wrong
    running.apply(pool(), machine_config("00-worker"))
    running.wait(60)
    said, version = running.degraded(), running.pool().resource_version
    assert said is not None
    assert said.reason == "clock_off"
    assert said.message.endswith("pool worker: this host's clock and the store's differ by too much")
    running.wait(600)
    assert (running.degraded(), running.pool().resource_version) == (said, version)
    assert sum("cannot be rendered" in record.getMessage() for record in caplog.records) == 1


# ---- when the store fails


OPERATIONS = ["version", "pools", "get", "all_metadata", "put_hold", "create", "patch"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_store_that_fails_is_asked_less_and_less_often_and_then_it_is_made_up_for(
    running: Scene, operation: str
) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.store.fail(operation)
    running.wait(600, step=0.5)
    assert running.degraded() != WELL
    assert 5 <= running.store.calls.count(operation) <= 90
    running.store.heal()
    running.wait(60)
    assert (running.source(), running.degraded()) == (["00-worker"], WELL)


@pytest.mark.parametrize("operation", ["put_hold", "create", "patch"])
def test_a_write_whose_answer_is_lost_does_no_harm(running: Scene, operation: str) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.store.fail(operation, done=True, times=3)
    running.settle()
    running.wait(30)
    assert running.rendered() == [running.named()]
    assert running.degraded() == WELL


def test_a_conflict_is_read_anew(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    for _ in range(2):
        running.store.before("patch", lambda: running.others.patch(Kind.POOL, "worker", {"status": {"a": None}}))
    running.store.fail("patch", times=4, error=Conflict("MachineConfigPool", "worker", "resourceVersion", 1, 2))
    running.settle()
    running.wait(10)
    assert (running.source(), running.degraded()) == (["00-worker"], WELL)


def test_what_others_say_in_the_status_meanwhile_is_kept(running: Scene) -> None:
    said: JSONObject = {"status": {"conditions": [{"type": "Updated", "status": "True"}]}}
    running.apply(pool(), machine_config("00-worker"))
    running.store.before("patch", lambda: None)  # that of the spec; the next is that of the status
    running.store.before("patch", lambda: running.others.patch(Kind.POOL, "worker", said))
    running.settle()
    assert running.degraded() == WELL
    assert condition_of(running.pool().value, "Updated") is not None


# ---- two at once


def test_two_controllers_come_to_one_config_and_rest(running: Scene) -> None:
    other = running.beside()
    running.apply(pool(), machine_config("00-worker"))
    for _ in range(30):
        running.clock.move(1)
        running.controller.look()
        other.look()
    version = running.pool().resource_version
    assert running.rendered() == [running.named()]
    for _ in range(60):
        running.clock.move(1)
        running.controller.look()
        other.look()
    assert running.pool().resource_version == version


def test_a_controller_that_starts_later_writes_nothing(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    version = running.pool().resource_version
    later = running.beside()
    for _ in range(20):
        running.clock.move(1)
        later.look()
    assert running.pool().resource_version == version


def together(running: Scene, seconds: int, **changed: object) -> None:
    """Run another controller, of other settings, beside the first for a while; time passes a second a look."""
    other = running.beside(**changed)
    for _ in range(seconds):
        running.clock.move(1)
        running.controller.look()
        other.look()


def quarrels(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "others undo" in record.getMessage()]


@pytest.mark.parametrize(
    "images",
    [
        pytest.param(Origin(build="b1", os_image="os@sha256:2"), id="another image"),
        pytest.param(Origin(build="b1"), id="no image: it contradicts in the condition"),
    ],
)
def test_two_controllers_with_other_images_are_told_of_once_a_minute(
    running: Scene, images: Origin, caplog: pytest.LogCaptureFixture
) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    together(running, 310, origin=images)
    said = quarrels(caplog)
    assert 8 <= len(said) <= 10  # each of the two, at most once a minute, and not before the third time
    assert all(line.startswith("pool worker: others undo what this controller writes") for line in said)
    assert all("--os-image and --extensions-image" in line for line in said)


@pytest.mark.parametrize(
    ("times", "apart"), [pytest.param(2, 1, id="twice in a row"), pytest.param(6, 60, id="now and then")]
)
def test_what_people_undo_is_put_right_without_a_word(
    running: Scene, times: int, apart: int, caplog: pytest.LogCaptureFixture
) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    named = running.named()
    for _ in range(times):
        running.others.patch(Kind.POOL, "worker", {"spec": {"configuration": {"name": "00-worker"}}})
        running.settle()
        assert running.named() == named
        running.wait(apart)
    assert quarrels(caplog) == []


def test_neither_do_two_with_the_same_settings_nor_changes_of_their_parts_say_one(
    running: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    running.apply(pool(), machine_config("00-worker"))
    for number in range(8):
        running.apply(machine_config("99-ssh", str(number)))
        together(running, 20)
    assert running.arguments() == ["00-worker", "7"]
    assert quarrels(caplog) == []
