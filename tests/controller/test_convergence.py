"""Whatever happens, and whatever fails: in the end a pool names what its MachineConfigs come to, or says why not."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from mcs.controller.conditions import WELL
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.names import Kind
from mcs.machineconfig.render_error import RenderError
from mcs.machineconfig.rendering import Rendered, render, selected
from tests.controller.scene import ORIGIN, ROLE, machine_config, pool, scene

pytestmark = pytest.mark.slow

NAMES = st.sampled_from(["00-worker", "50-more", "99-ssh"])
SPECS: dict[str, JSONObject] = {
    "plain": {},
    "other": {"kernelType": "realtime"},
    "bad": {"kernelType": "best"},
    "unreachable": {"fips": True},
}
STATUSES: list[JSON] = [
    {"machineCount": 3},
    {"conditions": []},
    {"conditions": [{"type": "Updated", "status": "True"}]},
]


class People(RuleBasedStateMachine):
    """People, collectors and faults beside a controller."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.scene = scene(Path(self.folder.name))
        self.scene.apply(pool())

    def teardown(self) -> None:
        if hasattr(self, "scene"):
            self.come_to_rest()
            self.scene.store.close()
            self.scene.others.close()
            self.folder.cleanup()

    @rule(name=NAMES, spec=st.sampled_from(sorted(SPECS)))
    def apply(self, name: str, spec: str) -> None:
        kind, document = machine_config(name)
        self.scene.apply((kind, {**document, "spec": {"kernelArguments": [name], **SPECS[spec]}}))

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        if self.scene.others.metadata(Kind.CONFIG, name) is not None:
            self.scene.others.delete(Kind.CONFIG, name)

    @rule(name=NAMES, role=st.sampled_from(["worker", "infra"]))
    def relabel(self, name: str, role: str) -> None:
        if self.scene.others.metadata(Kind.CONFIG, name) is not None:
            self.scene.others.patch(Kind.CONFIG, name, {"metadata": {"labels": {ROLE: role}}})

    @rule(status=st.sampled_from(STATUSES))
    def write_status(self, status: JSON) -> None:
        self.scene.others.patch(Kind.POOL, "worker", {"status": status})

    @rule()
    def take_the_name_away(self) -> None:
        self.scene.others.patch(Kind.POOL, "worker", {"spec": {"configuration": None}})

    @rule()
    def make_the_pool_anew(self) -> None:
        self.scene.others.delete(Kind.POOL, "worker")
        self.scene.apply(pool())

    @rule()
    def mark_everything(self) -> None:
        for name in self.scene.rendered():
            self.scene.mark(name)

    @rule()
    def delete_every_rendered_config(self) -> None:
        for name in self.scene.rendered():
            self.scene.others.delete(Kind.CONFIG, name)

    @rule(
        operation=st.sampled_from(
            ["version", "pools", "get", "all_metadata", "put_hold", "create", "patch", "metadata"]
        ),
        done=st.booleans(),
        times=st.integers(1, 4),
    )
    def fail(self, operation: str, done: bool, times: int) -> None:
        self.scene.store.fail(operation, done=done, times=times)

    @rule(seconds=st.sampled_from([1, 3, 5, 70]))
    def wait(self, seconds: int) -> None:
        self.scene.wait(seconds)

    @precondition(lambda self: self.scene.rendered())
    @rule()
    def rest(self) -> None:
        self.come_to_rest()

    def come_to_rest(self) -> None:
        """Nothing happens for a while."""
        self.scene.store.heal()
        self.scene.wait(100)
        wanted = self.wanted()
        degraded = self.scene.degraded()
        if isinstance(wanted, RenderError):
            assert degraded is not None
            assert (degraded.holds, degraded.reason) == (True, wanted.reason.value)
            assert degraded.message.endswith(str(wanted))
            return
        assert degraded == WELL
        assert (self.scene.named(), tuple(self.scene.source())) == (wanted.name, wanted.source)
        assert not self.scene.is_marked(wanted.name)
        version = self.scene.pool().resource_version
        self.scene.wait(100)
        assert self.scene.pool().resource_version == version

    def wanted(self) -> Rendered | RenderError:
        """Return what the pool's MachineConfigs come to."""
        of = self.scene.pool().value
        named = self.scene.named()
        current = self.scene.others.get(Kind.CONFIG, named) if named is not None else None
        documents = [stored.value for stored in self.scene.others.objects(Kind.CONFIG)]
        try:
            return render(of, selected(of, documents), ORIGIN, current.value if current is not None else None)
        except RenderError as error:
            return error


TestPeople = People.TestCase
TestPeople.settings = settings(
    max_examples=40, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
