"""When pools are rendered, and what is left on them: in a real store, by a clock that the test moves."""

import logging
from collections.abc import Callable

import pytest

from mcs.controller.conditions import WELL
from mcs.controller.quiet import QuietPeriod
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import Kind
from mcs.machineconfig.rendering import Origin
from tests.controller.scene import ROLE, Scene, machine_config, pool

Make = Callable[..., Scene]

FOUR = ("00-worker", "97-osimageurl", "98-ssh", "99-kubelet")


# ---- when


def test_a_burst_gives_one_rendered_config(running: Scene) -> None:
    running.apply(pool())
    for name in FOUR:
        running.apply(machine_config(name))
        running.wait(2)
    running.settle()
    assert running.rendered() == [running.named()]
    assert running.source() == list(FOUR)
    assert running.arguments() == list(FOUR)


def test_without_a_quiet_period_there_is_one_for_each(make: Make) -> None:
    running = make(period=QuietPeriod(0, 0))
    running.apply(pool())
    for count, name in enumerate(FOUR, 1):
        running.apply(machine_config(name))
        running.controller.look()
        assert len(running.rendered()) == count
        assert running.source() == list(FOUR[:count])


def test_nothing_is_written_before_it_has_been_quiet(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.controller.look()
    running.wait(4)
    assert running.writes() == []
    running.wait(1)
    assert running.named() is not None


def test_a_burst_without_end_is_rendered_at_the_cap(make: Make) -> None:
    running = make(period=QuietPeriod(5, 20))
    running.apply(pool(), machine_config("00-worker"))
    running.controller.look()
    for number in range(19):
        running.apply(machine_config("99-restless", number))
        running.wait(1)
    assert running.rendered() == []
    running.apply(machine_config("99-restless", "last"))
    running.wait(1)
    assert running.arguments() == ["00-worker", "last"]


def test_a_part_that_comes_while_the_others_are_read_is_waited_for(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.controller.look()
    running.store.before("get", lambda: running.apply(machine_config("99-ssh")))
    running.wait(5)
    assert "get" in running.store.calls
    assert running.writes() == []
    running.wait(6)
    assert running.source() == ["00-worker", "99-ssh"]
    assert len(running.rendered()) == 1


def test_parts_that_never_stood_together_are_not_rendered(make: Make) -> None:
    running = make(period=QuietPeriod(0, 0))
    running.apply(pool(), machine_config("00-worker"), machine_config("99-ssh"))
    running.store.before("get", lambda: None)
    running.store.before("get", lambda: running.apply(machine_config("99-ssh", "another")))
    running.controller.look()
    assert running.writes() == []
    running.wait(1)
    assert running.arguments() == ["00-worker", "another"]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(
            lambda running: running.others.patch(Kind.POOL, "worker", {"status": {"degradedMachineCount": 1}}),
            id="the status",
        ),
        pytest.param(
            lambda running: running.others.patch(Kind.POOL, "worker", {"metadata": {"annotations": {"a": "b"}}}),
            id="an annotation",
        ),
        pytest.param(
            lambda running: running.others.patch(Kind.POOL, "worker", {"spec": {"paused": True}}), id="a pause"
        ),
        pytest.param(lambda running: running.apply(machine_config("00-infra", role="infra")), id="another pool's"),
    ],
)
def test_what_changes_nothing_does_not_restart_the_wait(running: Scene, event: Callable[[Scene], None]) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.controller.look()
    for _ in range(4):
        event(running)
        running.wait(1)
    assert running.rendered() == []
    running.wait(1)
    assert running.rendered() == [running.named()]


def test_its_own_writes_restart_nothing(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    running.store.calls.clear()
    running.wait(300)
    assert running.writes() == []


def test_a_look_at_which_nothing_has_changed_reads_versions_only(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    running.store.calls.clear()
    running.wait(10.0, step=0.2)
    assert {call: running.store.calls.count(call) for call in running.store.calls} == {
        "version": 50 + 5,  # of MachineConfigs at each look, of nodes every other second
        "pools": 50,
        "boot_leases": 5,
    }


def test_a_label_alone_is_a_change(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"), machine_config("99-ssh", role="infra"))
    running.settle()
    assert running.source() == ["00-worker"]
    running.others.patch(Kind.CONFIG, "99-ssh", {"metadata": {"labels": {ROLE: "worker"}}})
    running.settle()
    assert running.source() == ["00-worker", "99-ssh"]


def test_a_paused_pool_is_rendered(running: Scene) -> None:
    running.apply(pool(paused=True), machine_config("00-worker"))
    running.settle()
    assert running.source() == ["00-worker"]


def test_pools_wait_each_for_themselves(running: Scene) -> None:
    running.apply(pool(), pool("infra"), machine_config("00-worker"), machine_config("00-infra", role="infra"))
    running.controller.look()
    for number in range(5):
        running.apply(machine_config("00-infra", number, role="infra"))
        running.wait(1)
    assert (running.named() is not None, running.named("infra")) == (True, None)


def test_a_pool_that_is_made_anew_is_rendered_anew(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    named = running.named()
    running.others.delete(Kind.POOL, "worker")
    running.wait(1)
    running.apply(pool())
    running.settle()
    assert running.named() == named


# ---- what is left on the pool


def test_a_pool_that_is_rendered_says_that_it_is_well(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    assert running.degraded() == WELL


def test_a_culprit_is_named_on_the_pool_until_it_is_gone(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    good, generation = running.named(), running.generation()
    running.apply(machine_config("99-bad", kernelType="best"))
    running.settle()
    bad = running.degraded()
    assert bad is not None
    assert (bad.holds, bad.reason) == (True, "kernel_type")
    assert bad.message.startswith("Failed to render configuration for pool worker: MachineConfig 99-bad: kernelType")
    assert (running.named(), running.generation()) == (good, generation)  # a status is no change of a spec
    running.others.delete(Kind.CONFIG, "99-bad")
    running.settle()
    assert running.degraded() == WELL
    assert running.named() == good


def test_a_pool_that_stays_bad_is_written_once(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    running.apply(pool(), machine_config("99-bad", kernelType="best"))
    running.settle()
    running.store.calls.clear()
    running.wait(300)
    assert running.writes() == []
    assert [record.levelname for record in caplog.records if "99-bad" in record.getMessage()] == ["WARNING"]


def test_a_selector_that_selects_nothing_is_said_on_the_pool(running: Scene) -> None:
    running.apply(pool())
    running.settle()
    degraded = running.degraded()
    assert degraded is not None
    assert (degraded.holds, degraded.reason) == (True, "no_configs")
    assert running.named() is None


@pytest.mark.parametrize("selector", [{}, None, {"matchLabels": {}}], ids=["empty", "absent", "without a label"])
def test_a_pool_with_an_empty_selector_is_left_alone(
    running: Scene, selector: JSON, caplog: pytest.LogCaptureFixture
) -> None:
    running.apply(pool(machineConfigSelector=selector), machine_config("00-worker"))
    running.settle()
    for number in range(3):
        running.apply(machine_config("99-more", number))
        running.settle()
    assert running.writes() == []
    assert running.degraded() is None
    assert sum("is not rendered" in record.getMessage() for record in caplog.records) == 1


def test_a_pool_that_is_left_alone_from_now_on_is_bad_no_more(running: Scene) -> None:
    running.apply(pool())
    running.settle()
    running.others.patch(Kind.POOL, "worker", {"spec": {"machineConfigSelector": None}})
    running.settle()
    assert running.degraded() == WELL


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"spec": {"configuration": None}}, id="taken away"),
        pytest.param({"spec": {"configuration": {"name": "00-worker"}}}, id="another name"),
        pytest.param({"spec": {"configuration": {"source": []}}}, id="another source"),
        pytest.param({"status": {"conditions": []}}, id="the condition"),
    ],
)
def test_what_others_write_over_it_is_put_right(running: Scene, patch: JSONObject) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    named, source = running.named(), running.source()
    running.others.patch(Kind.POOL, "worker", patch)
    running.settle()
    assert (running.named(), running.source(), running.degraded()) == (named, source, WELL)


def test_a_rendered_config_that_somebody_deleted_is_made_anew(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    [name] = running.rendered()
    running.others.delete(Kind.CONFIG, name)
    running.settle()
    assert running.rendered() == [name]


def test_a_rendered_config_that_is_replaced_between_two_looks_is_looked_at(
    running: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    [name] = running.rendered()
    running.others.delete(Kind.CONFIG, name)
    forged: JSONObject = {"metadata": {"name": name}, "spec": {"kernelArguments": ["forged"]}}
    running.apply((Kind.CONFIG, forged))
    running.settle()
    degraded = running.degraded()
    assert degraded is not None
    assert (degraded.holds, degraded.reason) == (True, "name_taken")
    running.others.delete(Kind.CONFIG, name)
    running.wait(60)
    assert (running.rendered(), running.degraded()) == ([name], WELL)


def test_what_machines_cannot_reach_is_not_rendered_while_their_config_exists(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    named = running.named()
    assert named is not None
    running.apply(machine_config("99-fips", fips=True))
    running.settle()
    degraded = running.degraded()
    assert degraded is not None
    assert (degraded.reason, running.named()) == ("irreconcilable", named)
    running.others.delete(Kind.CONFIG, named)
    running.settle()
    assert running.source() == ["00-worker", "99-fips"]


def test_after_a_revert_the_old_config_loses_its_mark_before_the_pool_names_it(running: Scene) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    first = running.named()
    assert first is not None
    running.apply(machine_config("00-worker", "another"))
    running.settle()
    running.mark(first)
    running.wait(10)
    assert running.is_marked(first)
    running.apply(machine_config("00-worker"))
    running.settle()
    assert running.named() == first
    assert not running.is_marked(first)


def test_a_name_that_stands_for_something_else_is_an_error(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    [name] = running.rendered()
    running.apply(pool(configuration=None))
    running.others.delete(Kind.CONFIG, name)
    taken: JSONObject = {"metadata": {"name": name}, "spec": {"kernelArguments": ["forged"]}}
    running.apply((Kind.CONFIG, taken))
    running.settle()
    degraded = running.degraded()
    assert degraded is not None
    assert (degraded.reason, running.named()) == ("name_taken", None)
    assert len([record for record in caplog.records if "with another spec" in record.getMessage()]) == 1
    running.store.calls.clear()
    running.wait(300)
    assert len(running.writes()) <= 15  # tried again every half minute, for the other may go
    running.others.delete(Kind.CONFIG, name)
    running.wait(40)
    assert (running.named(), running.degraded()) == (name, WELL)


def test_the_images_are_those_of_whoever_renders(make: Make) -> None:
    running = make(origin=Origin(build="b", os_image="os@1", extensions_image="ext@1"))
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    named = running.named()
    assert named is not None
    stored = running.others.get(Kind.CONFIG, named)
    assert stored is not None
    spec = stored.value["spec"]
    assert isinstance(spec, dict)
    assert (spec["osImageURL"], spec["baseOSExtensionsContainerImage"]) == ("os@1", "ext@1")


@pytest.mark.parametrize(
    ("one", "option"),
    [
        pytest.param(Origin(build="b", os_image="os@1"), "--os-image", id="os"),
        pytest.param(Origin(build="b", extensions_image="ext@1"), "--extensions-image", id="extensions"),
    ],
)
def test_an_image_is_not_lost_because_it_was_not_given_this_time(
    make: Make, one: Origin, option: str, caplog: pytest.LogCaptureFixture
) -> None:
    running = make(origin=one)
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    named = running.named()

    running.controller = running.beside(origin=Origin(build="b"))
    running.settle()
    degraded = running.degraded()
    assert degraded is not None
    assert (degraded.reason, running.named()) == ("image_lost", named)
    assert f"would become empty: give {option} IMAGE, or {option} '' if that is meant" in degraded.message
    assert len([record for record in caplog.records if option in record.getMessage()]) == 1

    running.controller = running.beside(origin=Origin(build="b", os_image="", extensions_image=""))
    running.settle()
    assert running.degraded() == WELL
    assert running.named() != named


# ---- what is said


def test_a_rendering_is_one_line_that_says_why(running: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    running.apply(pool(), machine_config("00-worker"))
    running.settle()
    caplog.clear()
    running.apply(machine_config("99-ssh"))
    running.settle()
    [line] = [record for record in caplog.records if record.getMessage() == "rendered"]
    assert vars(line)["facts"] == {
        "pool": "worker",
        "config": running.named(),
        "from": "00-worker,99-ssh",
        "why": "99-ssh was added",
        "created": True,
    }
