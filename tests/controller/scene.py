"""A controller inside the test's process: a real store that can be made to fail, a clock that the test moves."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mcs.boot.clock import Reading
from mcs.boot.durations import Durations
from mcs.controller.conditions import RENDER_DEGRADED, Condition, condition_of
from mcs.controller.loop import Controller
from mcs.controller.quiet import QuietPeriod
from mcs.jsondata import JSON, JSONObject, integer_at, list_at, lookup, text_at
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.machineconfig.rendering import Origin
from mcs.store import open_store
from mcs.store.interface import Store, Stored
from tests.store.broken import BrokenStore

__all__ = ["MARK", "ORIGIN", "ROLE", "WRITES", "Clock", "Scene", "machine_config", "pool", "scene"]

T = TypeVar("T")

ROLE = "machineconfiguration.openshift.io/role"
ORIGIN = Origin(build="b1", os_image="os@sha256:1")
MARK: JSONObject = {"metadata": {"annotations": {ANNOTATION_MARK: "2027-01-01T00:00:00Z nonce"}}}
WRITES = {"create", "apply", "patch", "delete", "put_hold", "end_boot_lease"}


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.reading = Reading(wall=1_800_000_000.0, boot=1000.0)

    def __call__(self) -> Reading:
        return self.reading

    def move(self, seconds: float) -> None:
        self.reading = Reading(self.reading.wall + seconds, self.reading.boot + seconds)


class HookedStore(BrokenStore):
    """A store at which something else happens just before a call."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.hooks: dict[str, list[Callable[[], object]]] = {}

    def before(self, operation: str, hook: Callable[[], object]) -> None:
        """Have something happen before the next call of this name that has nothing before it yet."""
        self.hooks.setdefault(operation, []).append(hook)

    def _call(self, operation: str, call: Callable[[], T]) -> T:
        hooks = self.hooks.get(operation, [])
        if hooks:
            hooks.pop(0)()
        return super()._call(operation, call)


def pool(name: str = "worker", role: str | None = None, **spec: JSON) -> tuple[Kind, JSONObject]:
    """A pool that selects one role: its own name's, unless told another."""
    selector: JSON = {"matchLabels": {ROLE: role or name}}
    document: JSONObject = {
        "apiVersion": Kind.POOL.api_version,
        "kind": Kind.POOL.kind,
        "metadata": {"name": name},
        "spec": {"machineConfigSelector": selector, **spec},
    }
    return Kind.POOL, document


def machine_config(name: str, *arguments: JSON, role: str = "worker", **spec: JSON) -> tuple[Kind, JSONObject]:
    """A MachineConfig of kernel arguments, by default its name."""
    document: JSONObject = {
        "apiVersion": Kind.CONFIG.api_version,
        "kind": Kind.CONFIG.kind,
        "metadata": {"name": name, "labels": {ROLE: role}},
        "spec": {"kernelArguments": list(arguments or (name,)), **spec},
    }
    return Kind.CONFIG, document


@dataclass
class Scene:
    """store: what the controller writes to; others: the same store, for those who write beside it."""

    store: HookedStore
    others: Store
    clock: Clock
    controller: Controller
    period: QuietPeriod

    def apply(self, *documents: tuple[Kind, JSONObject]) -> None:
        self.others.apply(documents)

    def wait(self, seconds: float, step: float = 1.0) -> None:
        """Let time pass, with a look at each step."""
        for _ in range(round(seconds / step)):
            self.clock.move(step)
            self.controller.look()

    def settle(self) -> None:
        """Let the quiet period pass, twice: what was done in it may call for more."""
        self.controller.look()
        self.wait(2 * self.period.quiet + 1)

    def pool(self, name: str = "worker") -> Stored[JSONObject]:
        stored = self.others.get(Kind.POOL, name)
        assert stored is not None
        return stored

    def named(self, name: str = "worker") -> str | None:
        """The config that a pool names."""
        return text_at(self.pool(name).value, "spec", "configuration", "name")

    def source(self, name: str = "worker") -> list[str | None]:
        """What a pool's config was made from."""
        return [text_at(each, "name") for each in list_at(self.pool(name).value, "spec", "configuration", "source")]

    def degraded(self, name: str = "worker") -> Condition | None:
        return condition_of(self.pool(name).value, RENDER_DEGRADED)

    def generation(self, name: str = "worker") -> int | None:
        return integer_at(self.pool(name).value, "metadata", "generation")

    def rendered(self) -> list[str]:
        """The names of all rendered configs."""
        return [config.name for config in self.others.all_metadata(Kind.CONFIG) if config.rendered]

    def arguments(self, name: str = "worker") -> JSON:
        """The kernel arguments in the config that a pool names."""
        named = self.named(name)
        stored = self.others.get(Kind.CONFIG, named) if named is not None else None
        return lookup(stored.value, "spec", "kernelArguments") if stored is not None else None

    def mark(self, config: str) -> None:
        self.others.patch(Kind.CONFIG, config, MARK)

    def is_marked(self, config: str) -> bool:
        metadata = self.others.metadata(Kind.CONFIG, config)
        assert metadata is not None
        return metadata.mark is not None

    def writes(self) -> list[str]:
        """The calls so far that may write."""
        return [call for call in self.store.calls if call in WRITES]

    def beside(self, **changed: object) -> Controller:
        """Another controller of the same store, by the same clock."""
        return _controller(self.others, self.clock, self.period, "w2", **changed)


def _controller(store: Store, clock: Clock, period: QuietPeriod, worker: str, **changed: object) -> Controller:
    settings: dict[str, object] = {
        "worker": worker,
        "name": "c",
        "origin": ORIGIN,
        "period": period,
        "durations": Durations(),
        "clock": clock,
        "random": lambda: 1.0,
        **changed,
    }
    return Controller(store, **settings)  # type: ignore[arg-type]  # the tests name parameters


def scene(folder: Path, *, period: QuietPeriod | None = None, **changed: object) -> Scene:
    """Make a scene. changed: parameters of the controller."""
    address = f"sqlite:///{folder / 'store.db'}"
    period = period or QuietPeriod(5, 60)
    store, others, clock = HookedStore(open_store(address)), open_store(address), Clock()
    return Scene(store, others, clock, _controller(store, clock, period, "w1", **changed), period)
