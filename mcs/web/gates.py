"""The stability gate of each pool, as one worker sees it: reads what pools are made of, and only after a change."""

from collections.abc import Mapping
from dataclasses import dataclass

from mcs.boot.clock import Reading
from mcs.boot.settling import Inputs, Seen, inputs_of, is_gated, observed, unsettled, waiting
from mcs.clock import Clock
from mcs.machineconfig.metadata import Metadata
from mcs.machineconfig.names import Kind
from mcs.store.interface import PoolsView, Store

__all__ = ["Gates"]


@dataclass(frozen=True, slots=True)
class _Known:
    """The inputs of all gated pools, by uid, and the versions of pools and MachineConfigs that they were read at."""

    pools: int
    configs: int
    inputs: Mapping[str, Inputs]


class Gates:
    """For one thread that looks; others may ask meanwhile. pool: its uid, for one that is made anew is another one."""

    def __init__(self, store: Store, clock: Clock, quiet: float) -> None:
        """quiet: the quiet period in seconds; 0: no gate is ever shut, and nothing is read."""
        self._store = store
        self._clock = clock
        self._quiet = quiet
        self._known: _Known | None = None
        self._seen: Mapping[str, Seen] = {}

    def look(self, view: PoolsView, asked: Reading) -> None:
        """Take note of how all pools' inputs are. asked: when the view was asked for. Raises StoreError."""
        if self._quiet <= 0:
            return
        inputs = self._inputs(view)
        known = Reading(asked.wall - view.age, asked.boot - view.age)
        answered = self._clock()
        before = self._seen
        self._seen = {pool: observed(before.get(pool), each, known, answered) for pool, each in inputs.items()}

    def unsettled(self, pool: str) -> str | None:
        """Return why a pool has not settled, in words that stay the same until something happens; None if it has."""
        seen = self._seen.get(pool)
        return unsettled(seen, self._quiet) if seen is not None else None

    def waiting(self, pool: str, now: Reading) -> str | None:
        """Return the same with how long ago the wait began."""
        seen = self._seen.get(pool)
        return waiting(seen, now, self._quiet) if seen is not None else None

    def _inputs(self, view: PoolsView) -> Mapping[str, Inputs]:
        gated = [pool for pool in view.pools if is_gated(pool.value)]
        if not gated:
            self._known = None
            return {}
        # The version is read before what it is the version of: a change in between is found by the next look.
        version = self._store.version(Kind.CONFIG)
        known = self._known
        if known is None or (known.pools, known.configs) != (view.version, version):
            configs: list[Metadata] = self._store.all_metadata(Kind.CONFIG)
            inputs = {pool.uid: inputs_of(pool.value, configs) for pool in gated}
            self._known = known = _Known(view.version, version, inputs)
        return known.inputs
