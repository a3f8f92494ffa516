"""The loops together: what runs where nothing is rendered, troubles with the store, and the end."""

import logging
from collections.abc import Callable
from threading import Thread

import pytest

from tests.boot.examples import lease
from tests.controller.scene import WRITES, Scene, machine_config, pool
from tests.controller.test_boots import ID, lease_of, node

Make = Callable[..., Scene]


def test_without_rendering_the_other_loops_run(make: Make) -> None:
    rendering = make()
    rendering.apply(pool(), machine_config("00-worker"))
    rendering.settle()
    [name] = rendering.rendered()
    running = make(origin=None)
    running.mark(name)
    running.others.put_boot_leases([lease(ID)])
    running.apply(machine_config("99-ssh"), node("n", ID))
    running.settle()
    assert (running.rendered(), running.is_marked(name), lease_of(running).node) == ([name], False, "n")


def test_a_trouble_with_the_store_is_said_when_it_begins_and_when_it_ends(
    running: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    running.store.fail()
    running.wait(60)
    running.store.heal()
    running.wait(60)
    assert [record.levelname for record in caplog.records] == ["ERROR", "INFO"]
    assert "fails in this test" in caplog.records[0].getMessage()


def test_an_end_that_is_asked_for_comes_between_two_pools(running: Scene) -> None:
    running.apply(pool(), pool("infra"), machine_config("00-worker"), machine_config("00-infra", role="infra"))
    running.controller.look()
    running.store.before("put_hold", running.controller.stop)
    running.wait(5)
    assert (running.named("infra") is None, running.named("worker") is None) == (False, True)
    assert running.degraded("infra") is not None  # what was begun is finished


def test_it_looks_before_it_says_that_it_has_started_and_ends_when_it_is_told(running: Scene) -> None:
    seen: list[list[str]] = []

    def started() -> None:
        seen.append(running.store.calls[:2])
        running.controller.stop()

    thread = Thread(target=running.controller.run, args=(started,))
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert seen == [["version", "pools"]]


def test_it_starts_though_the_store_is_out_of_reach(running: Scene) -> None:
    running.store.fail()
    thread = Thread(target=running.controller.run, args=(running.controller.stop,))
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert "version" in running.store.calls


def test_a_store_in_which_nothing_is_gets_no_write(running: Scene) -> None:
    running.wait(120)
    assert set(running.store.calls) & WRITES == set()
