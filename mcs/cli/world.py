"""What a store holds, read once, and what follows from it: who serves and who refers to what. Only `read` does I/O."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mcs.boot.durations import Durations
from mcs.boot.endings import BootState, ended_by, is_expired, state
from mcs.boot.records import BootLease, Hold
from mcs.boot.settling import Inputs, inputs_of, is_gated, mismatch
from mcs.jsondata import JSONObject, text_at, texts_at
from mcs.machineconfig.membership import Membership, membership
from mcs.machineconfig.names import ANNOTATION_SERVE, Kind
from mcs.machineconfig.nodes import NodeView, node_view
from mcs.machineconfig.servable import why_unservable
from mcs.machineconfig.serving import Serving, last_served, resolve
from mcs.store.interface import Store, Stored

__all__ = ["Reference", "World", "configs_named_by"]


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """Something that names a config. kind: pool, node, hold or boot. roles: how it names it, as in spec and served."""

    kind: str
    name: str
    roles: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" + (f" ({', '.join(self.roles)})" if self.roles else "")


@dataclass(frozen=True)
class World:
    """Everything but the configs' contents. now, skew: seconds. boot_leases: oldest fetch first.

    unservable: of the configs that pools name or were served last, why nobody can be served some, by name.
    inputs: what the pools are made of that say so, by name.
    """

    now: float
    pools: tuple[Stored[JSONObject], ...]
    nodes: tuple[Stored[JSONObject], ...]
    holds: tuple[Stored[Hold], ...]
    boot_leases: tuple[Stored[BootLease], ...]
    config_names: frozenset[str]
    unservable: Mapping[str, str]
    inputs: Mapping[str, Inputs]
    skew: float = Durations().skew

    @classmethod
    def read(cls, store: Store, now: float) -> "World":
        """Read a store. now: seconds since 1970."""
        pools = tuple(store.objects(Kind.POOL))
        holds = tuple(store.holds())
        configs = store.all_metadata(Kind.CONFIG)
        return cls(
            now=now,
            pools=pools,
            nodes=tuple(store.objects(Kind.NODE)),
            holds=holds,
            boot_leases=tuple(store.boot_leases()),
            config_names=frozenset(metadata.name for metadata in configs),
            unservable=_unservable(store, pools, holds),
            inputs={pool.name: inputs_of(pool.value, configs) for pool in pools if is_gated(pool.value)},
        )

    @cached_property
    def serving(self) -> Mapping[str, Serving]:
        """What each pool serves, and why, by the pool's name."""
        return {pool.name: self._serving(pool) for pool in self.pools}

    @cached_property
    def memberships(self) -> Mapping[str, Membership]:
        """Which pools each node is in, by the node's name."""
        pools = [pool.value for pool in self.pools]
        return {node.name: membership(node.value, pools) for node in self.nodes}

    def why_unservable(self, config: str) -> str | None:
        """Say why a config that a pool names, or was served last, cannot be served; None if it can."""
        return self.unservable.get(config) if config in self.config_names else "does not exist"

    @cached_property
    def joined(self) -> Mapping[str, str]:
        """The node as which a boot lease's machine joined, by the lease's name; other leases are absent."""
        leases = [stored.value for stored in self.boot_leases]
        pairs = ((lease.name, lease.node or ended_by(lease, leases, self.node_views)) for lease in leases)
        return {name: node for name, node in pairs if node is not None}

    @cached_property
    def node_views(self) -> tuple[NodeView, ...]:
        """What matters of each node."""
        return tuple(node_view(node.value) for node in self.nodes)

    @cached_property
    def references(self) -> Mapping[str, tuple[Reference, ...]]:
        """Who refers to each config, by the config's name; configs that nothing refers to are absent."""
        found: defaultdict[str, list[Reference]] = defaultdict(list)
        for config, reference in self._all_references():
            found[config].append(reference)
        return {config: tuple(references) for config, references in found.items()}

    def boot_state(self, lease: BootLease) -> BootState:
        """What became of a boot by now."""
        return state(lease, self.joined.get(lease.name), self.now, self.skew)

    def is_live(self, hold: Hold) -> bool:
        """Tell whether a hold still protects, or may do so by another clock."""
        return not is_expired(hold.renewed, hold.duration, self.now, self.skew)

    def _serving(self, pool: Stored[JSONObject]) -> Serving:
        """Return what servers serve. Only they know how long a pool has been quiet; their holds show if they wait."""
        last, inputs = self._last_served(pool), self.inputs.get(pool.name)
        settling = mismatch(inputs) if inputs is not None else None
        serving = resolve(pool.value, last=last, unservable=self.why_unservable, settling=settling)
        if inputs is None or settling is not None or last is None or last == serving.config:
            return serving
        if self.why_unservable(last) is not None:
            return serving
        settling = f"no server has switched to {serving.config} yet: the pool must have been quiet for a while"
        return resolve(pool.value, last=last, unservable=self.why_unservable, settling=settling)

    def _last_served(self, pool: Stored[JSONObject]) -> str | None:
        holds = (hold.value for hold in self.holds)
        return last_served(pool.value, holds, created=pool.created, skew=self.skew)

    def _all_references(self) -> Iterator[tuple[str, Reference]]:
        for pool in self.pools:
            roles = {
                "spec": text_at(pool.value, "spec", "configuration", "name"),
                "status": text_at(pool.value, "status", "configuration", "name"),
                "served": self.serving[pool.name].config,
                "served last": self._last_served(pool),
            }
            yield from _by_config("pool", pool.name, roles)
        for node in self.node_views:
            roles = {"current": node.current_config, "desired": node.desired_config, "first": node.first_config}
            yield from _by_config("node", node.name, roles)
        for hold in self.holds:
            if self.is_live(hold.value):
                yield hold.value.config, Reference("hold", hold.name)
        for lease in self.boot_leases:
            if self.boot_state(lease.value) is BootState.FETCHED:
                yield lease.value.config, Reference("boot", lease.name)


def _unservable(store: Store, pools: Sequence[Stored[JSONObject]], holds: Sequence[Stored[Hold]]) -> Mapping[str, str]:
    names = {name for pool in pools for name in configs_named_by(pool.value).values()}
    names |= {hold.value.config for hold in holds if hold.value.pools}
    whys = {}
    for name in sorted(names):
        found = store.get(Kind.CONFIG, name)
        why = why_unservable(found.value) if found is not None else None
        if why is not None:
            whys[name] = why
    return whys


def configs_named_by(pool: JSONObject) -> dict[str, str]:
    """Return the configs that a pool names itself, by where: spec, status, or the annotation that overrides both."""
    override = texts_at(pool, "metadata", "annotations").get(ANNOTATION_SERVE)
    named = {
        "spec": text_at(pool, "spec", "configuration", "name"),
        "status": text_at(pool, "status", "configuration", "name"),
        ANNOTATION_SERVE: override if override not in {"spec", "status"} else None,
    }
    return {where: name for where, name in named.items() if name}


def _by_config(kind: str, name: str, roles: Mapping[str, str | None]) -> Iterator[tuple[str, Reference]]:
    for config in dict.fromkeys(config for config in roles.values() if config is not None):
        yield config, Reference(kind, name, tuple(role for role, named in roles.items() if named == config))
