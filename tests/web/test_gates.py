"""The stability gate of a running server: what machines get while MachineConfigs and pools arrive one after another."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import LABEL_POOL, Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Store
from mcs.web.gates import Gates
from tests.store.broken import BrokenStore
from tests.web.test_admin import admin, status
from tests.web.world import A, B, MovedClock, World, config, start_world

Start = Callable[..., World]

ROLE = "machineconfiguration.openshift.io/role"


def part(name: str, *arguments: str) -> tuple[Kind, JSONObject]:
    """A MachineConfig of a person."""
    metadata: JSONObject = {"name": name, "labels": {ROLE: "worker"}}
    return Kind.CONFIG, {"metadata": metadata, "spec": {"kernelArguments": list(arguments)}}


def gated(
    name: str | None, source: tuple[str, ...] = ("00-worker",), *, pool: str = "worker", serve: str | None = None
) -> tuple[Kind, JSONObject]:
    """A pool that says what its config was made of."""
    named: list[JSON] = [{"kind": "MachineConfig", "name": each} for each in source]
    configuration: JSONObject = {"name": name, "source": named} if name is not None else {}
    selector: JSONObject = {"matchLabels": {ROLE: "worker"}}
    spec: JSONObject = {"configuration": configuration, "machineConfigSelector": selector}
    annotations: JSONObject = {"mcs.internal/serve": serve} if serve is not None else {}
    return Kind.POOL, {"metadata": {"name": pool, "annotations": annotations}, "spec": spec}


def later(running: World, seconds: float) -> None:
    running.clock.move(seconds)
    running.keeper.look()


def served(running: World) -> str:
    """What a machine gets: the config's name, or why it gets none."""
    answer = running.get()
    found = answer.headers.get("MCS-Config")
    return found if found is not None else str(answer.get_json()["reason"])


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[BrokenStore]:
    store = BrokenStore(EmbeddedStore(tmp_path / "store.db"))
    yield store
    store.close()


# ---- a new pool


def test_a_new_pool_answers_503_until_it_has_been_quiet(world: Start) -> None:
    running = world(part("00-worker"), config(A), gated(A))
    answer = running.get()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.get_json()["reason"] == "pool-unsettled"
    assert "this server has just begun to look at it" in answer.get_json()["detail"]
    assert running.get("/readyz").get_json()["reason"] == "pool-unsettled"
    assert running.store.holds() == []
    later(running, 4.9)
    assert served(running) == "pool-unsettled"
    later(running, 0.1)
    assert served(running) == A
    assert running.get("/readyz").status_code == 200


def test_a_pool_whose_source_lacks_a_config_is_not_served(world: Start) -> None:
    running = world(part("00-worker"), part("99-ssh"), config(A), gated(A))
    later(running, 60)
    assert served(running) == "pool-unsettled"
    assert running.get().get_json()["detail"].endswith("spec.configuration.source lacks 99-ssh")
    running.store.delete(Kind.CONFIG, "99-ssh")
    later(running, 1)
    assert served(running) == "pool-unsettled"
    later(running, 5)
    assert served(running) == A


def test_pools_that_are_not_gated_do_not_wait_and_the_server_is_ready(world: Start) -> None:
    running = world(
        part("00-worker"),
        config(A),
        config(B),
        gated(A),
        (Kind.POOL, {**gated(None, pool="infra")[1], "spec": {"configuration": {"name": B}}}),
    )
    assert running.get("/readyz").status_code == 200
    assert running.get("/config/infra").headers["MCS-Config"] == B
    assert served(running) == "pool-unsettled"


def test_an_annotation_opens_the_gate(world: Start) -> None:
    running = world(part("00-worker"), part("99-ssh"), config(A), gated(A, serve="spec"))
    assert served(running) == A


def test_with_no_quiet_period_there_is_no_gate(world: Start) -> None:
    running = world(part("00-worker"), part("99-ssh"), config(A), gated(A), quiet_period="0")
    assert served(running) == A


def test_a_pool_that_is_made_anew_is_a_new_one(world: Start) -> None:
    running = world(part("00-worker"), config(A), gated(A))
    later(running, 5)
    assert served(running) == A
    running.store.delete(Kind.POOL, "worker")
    running.store.apply([gated(A)])
    later(running, 1)
    assert served(running) == "pool-unsettled"
    later(running, 5)
    assert served(running) == A


# ---- a pool that was served before


def test_what_was_served_last_is_served_on_until_the_pool_has_been_quiet(world: Start) -> None:
    running = world(part("00-worker"), config(A), config(B), gated(A))
    later(running, 5)
    running.store.apply([part("99-ssh")])
    later(running, 1)
    assert served(running) == A
    assert running.keeper.states["worker"].serving.settling == "spec.configuration.source lacks 99-ssh"
    running.store.apply([gated(B, ("00-worker", "99-ssh"))])
    later(running, 20)  # since it changed at this look
    assert served(running) == A
    later(running, 4.9)
    assert served(running) == A
    later(running, 0.1)
    assert served(running) == B


@pytest.mark.parametrize(
    "change",
    [
        pytest.param([part("00-worker", "quiet")], id="another generation of a part"),
        pytest.param([gated(B)], id="another config"),
        pytest.param([part("99-ssh"), gated(B, ("00-worker", "99-ssh"))], id="both at once"),
    ],
)
def test_any_change_begins_the_wait_anew(world: Start, change: list[tuple[Kind, JSONObject]]) -> None:
    running = world(part("00-worker"), config(A), config(B), gated(A))
    later(running, 4)
    running.store.apply(change)
    later(running, 2)
    assert served(running) == "pool-unsettled"
    later(running, 5)
    assert served(running) in {A, B}


def test_a_new_mark_is_no_change(world: Start) -> None:
    running = world(part("00-worker"), config(A), gated(A))
    later(running, 4)
    running.store.patch(Kind.CONFIG, "00-worker", {"metadata": {"annotations": {"note": "x"}}})
    later(running, 1)
    assert served(running) == A


def test_a_revert_to_an_old_name_waits_too(world: Start) -> None:
    running = world(part("00-worker"), config(A), config(B), gated(A))
    later(running, 5)
    running.store.apply([gated(B)])
    later(running, 1)
    later(running, 5)
    assert served(running) == B
    running.store.apply([gated(A)])
    later(running, 1)
    assert served(running) == B
    later(running, 5)
    assert served(running) == A


def test_a_fresh_server_sends_at_once_what_was_served_last(world: Start) -> None:
    first = world(part("00-worker"), config(A), gated(A))
    later(first, 5)
    assert served(first) == A
    first.server.stop()
    second = world()
    assert served(second) == A
    assert second.get("/readyz").status_code == 200
    assert second.keeper.states["worker"].serving.settling is not None


def test_and_goes_on_with_it_while_the_pool_changes(world: Start) -> None:
    first = world(part("00-worker"), config(A), config(B), gated(A))
    later(first, 5)
    first.server.stop()
    first.store.apply([part("99-ssh"), gated(B)])
    second = world()
    for _ in range(4):
        assert served(second) == A
        later(second, 10)
    second.store.apply([gated(B, ("00-worker", "99-ssh"))])
    later(second, 1)
    later(second, 5)
    assert served(second) == B


def test_a_pool_whose_last_config_is_gone_waits_as_a_new_one(world: Start) -> None:
    first = world(part("00-worker"), config(A), config(B), gated(A))
    later(first, 5)
    first.server.stop()
    first.store.apply([gated(B)])
    first.store.delete(Kind.CONFIG, A)
    second = world()
    assert served(second) == "pool-unsettled"
    later(second, 5)
    assert served(second) == B


# ---- how it looks


def test_configs_are_read_only_after_a_change_of_configs_or_pools(broken: BrokenStore, world: Start) -> None:
    running = world(part("00-worker"), config(A), gated(A), store=broken)

    def reads(seconds: float = 1) -> int:
        broken.calls.clear()
        later(running, seconds)
        return broken.calls.count("all_metadata")

    assert reads() == reads() == 0
    running.store.apply([part("99-ssh")])
    assert (reads(), reads()) == (1, 0)
    running.store.apply([gated(B)])
    assert (reads(), reads()) == (1, 0)
    running.store.apply([(Kind.NODE, {"metadata": {"name": "n"}})])
    assert reads() == 0


@pytest.mark.parametrize(
    ("quiet", "objects"),
    [
        pytest.param("0", [part("00-worker"), config(A), gated(A)], id="no gate"),
        pytest.param("5s", [config(A), gated(None)], id="no pool with a source"),
    ],
)
def test_what_nobody_needs_is_not_read(
    broken: BrokenStore, world: Start, quiet: str, objects: list[tuple[Kind, JSONObject]]
) -> None:
    running = world(*objects, store=broken, quiet_period=quiet)
    later(running, 1)
    assert "all_metadata" not in broken.calls
    assert broken.calls.count("version") == 2  # once a look, for what is held


@pytest.mark.parametrize("call", ["pools", "version"])
def test_a_time_without_the_store_proves_no_quiet(broken: BrokenStore, world: Start, call: str) -> None:
    running = world(part("00-worker"), config(A), gated(A), store=broken)
    broken.fail(call)
    later(running, 60)
    assert served(running) == "pool-unsettled"
    broken.heal()
    running.store.apply([part("99-ssh")])
    later(running, 1)
    assert served(running) == "pool-unsettled"


def test_what_a_cache_says_is_as_old_as_the_cache(tmp_path: Path) -> None:
    store, clock = EmbeddedStore(tmp_path / "store.db"), MovedClock()
    store.apply([part("00-worker"), gated(A)])
    gates, view = Gates(store, clock, 5.0), store.pools()
    uid = view.pools[0].uid
    gates.look(view, clock())
    clock.move(7)
    gates.look(replace(view, age=2.1), clock())
    assert gates.unsettled(uid) is not None
    gates.look(replace(view, age=2.0), clock())
    assert gates.unsettled(uid) is None
    store.close()


def test_the_status_says_what_a_pool_waits_for(world: Start) -> None:
    running = world(part("00-worker"), config(A), gated(A))
    later(running, 5)
    running.store.apply([part("99-ssh")])
    later(running, 1)
    running.clock.move(2)
    pools = status(running)["pools"]
    assert isinstance(pools, dict)
    worker = pools["worker"]
    assert (worker["serves"], worker["sends"]) == (A, A)
    assert worker["settling"] == "waiting: 99-ssh changed 2 s ago; spec.configuration.source lacks 99-ssh"
    assert admin(running).get("/readyz").status_code == 200


def test_a_wait_is_logged_once(world: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    running = world(part("00-worker"), config(A), gated(A))
    for _ in range(3):
        later(running, 1)
    assert caplog.text.count("it has to stay the same for 5 s") == 1


# ---- the law


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from([0.5, 1.0, 3.0, 8.0]), st.booleans()), min_size=1, max_size=8),
    st.data(),
)
def test_what_machines_are_switched_to_lacks_nothing_that_was_there_a_quiet_period_before(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[float, bool]], data: st.DataObject
) -> None:
    """Parts arrive and are rendered at any pace, by halves too, and a machine asks all the time."""
    running = start_world(tmp_path_factory.mktemp("store"), gated(None))
    try:
        arrived: dict[str, float] = {}
        made: dict[str, tuple[str, ...]] = {}
        now, changed, before = 0.0, 0.0, "pool-names-no-config"
        for number, (pause, renders) in enumerate([*steps, (8.0, True)]):
            if number < len(steps):
                arrived[f"{number:02}-part"] = now
                running.store.apply([part(f"{number:02}-part")])
            if renders:
                unseen = (
                    data.draw(st.sampled_from([0, 0, 1]), label="unseen by the renderer") if number < len(steps) else 0
                )
                name = f"rendered-worker-{number:032x}"
                made[name] = tuple(sorted(arrived))[: len(arrived) - unseen]
                publish(running.store, name, made[name])
            changed = now
            for _ in range(int(pause * 2)):
                later(running, 0.5)
                now += 0.5
                found = served(running)
                if found not in {before, "pool-unsettled"}:
                    assert now - changed >= 5
                    assert {each for each, when in arrived.items() if when <= now - 5} <= set(made[found])
                before = found
        assert set(made[before]) == set(arrived)
    finally:
        running.server.stop()
        running.store.close()


def publish(store: Store, name: str, source: tuple[str, ...]) -> None:
    labels: JSONObject = {LABEL_POOL: "worker"}
    spec: JSONObject = {"config": {"ignition": {"version": "3.2.0"}}}
    store.apply([(Kind.CONFIG, {"metadata": {"name": name, "labels": labels}, "spec": spec}), gated(name, source)])
