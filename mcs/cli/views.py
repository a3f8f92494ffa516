"""What `mcs get` shows of each kind of thing: its columns as a table of functions, and its full document. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Generic, TypeVar

from mcs.boot.endings import BootState
from mcs.boot.records import Attempt, BootLease, Hold
from mcs.cli.tables import Table, age, moment
from mcs.cli.world import World
from mcs.controller.conditions import RENDER_DEGRADED, condition_of
from mcs.jsondata import JSON, JSONObject, compact, integer_at, list_at, lookup, text_at, texts_at
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import (
    ANNOTATION_BOOT,
    ANNOTATION_CURRENT_CONFIG,
    ANNOTATION_DESIRED_CONFIG,
    ANNOTATION_FIRST_CONFIG,
    ANNOTATION_MARK,
    ANNOTATION_STATE,
    LABEL_BOOT,
    Kind,
    rendered_pool,
)
from mcs.store.interface import Store, Stored

__all__ = ["ATTEMPTS", "BOOTS", "CONFIGS", "HOLDS", "NODES", "OBJECT_VIEWS", "POOLS", "View"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Column(Generic[T]):
    title: str
    cell: Callable[[World, Stored[T]], str]
    only_wide: bool = False
    folds: bool = False  # on a terminal it may go over several lines
    shortened: bool = False  # on a terminal the end of it may be left out, unless the table is wide


@dataclass(frozen=True, slots=True)
class View(Generic[T]):
    """One kind of thing. words: what it may be called, the plural first. stored: reads all of them.

    names_one: whether a name stands for one thing, or for as many as bear it. pools, state: the pools and the state of
    a thing, where its kind has any. states: all that there are.
    """

    words: tuple[str, ...]
    stored: Callable[[Store], Sequence[Stored[T]]]
    columns: tuple[_Column[T], ...]
    document: Callable[[World, Stored[T]], JSONObject]
    are_objects: bool
    names_one: bool = True
    pools: Callable[[T], tuple[str, ...]] | None = None
    state: Callable[[World, Stored[T]], str] | None = None
    states: tuple[str, ...] = ()

    def table(self, world: World, things: Sequence[Stored[T]], *, wide: bool) -> Table:
        """Return the table of some things."""
        columns = [column for column in self.columns if wide or not column.only_wide]
        rows = tuple(tuple(column.cell(world, thing) for column in columns) for thing in things)
        return Table(
            tuple(column.title for column in columns),
            rows,
            folding=frozenset(column.title for column in columns if column.folds),
            shortened=frozenset(column.title for column in columns if column.shortened and not wide),
        )

    def documents(self, world: World, things: Sequence[Stored[T]]) -> JSON:
        """Return some things in full: objects as a List, which `mcs apply` reads again; records as a list."""
        documents: list[JSON] = [self.document(world, thing) for thing in things]
        return {"apiVersion": "v1", "kind": "List", "items": documents} if self.are_objects else documents


# ---- objects


def _name(_world: World, thing: Stored[T]) -> str:
    return thing.name


def _age(world: World, thing: Stored[T]) -> str:
    return age(world.now - thing.created)


def _object(_world: World, thing: Stored[JSONObject]) -> JSONObject:
    return thing.value


def _at(*keys: str) -> Callable[[World, Stored[JSONObject]], str]:
    """Show the text or integer at some member names."""

    def cell(_world: World, thing: Stored[JSONObject]) -> str:
        number = integer_at(thing.value, *keys)
        return str(number) if number is not None else text_at(thing.value, *keys) or ""

    return cell


def _annotation(*keys: str) -> Callable[[World, Stored[JSONObject]], str]:
    """Show the first annotation or label of some keys that is there."""

    def cell(_world: World, thing: Stored[JSONObject]) -> str:
        found = texts_at(thing.value, "metadata", "labels") | texts_at(thing.value, "metadata", "annotations")
        return next((found[key] for key in keys if key in found), "")

    return cell


def _trouble(world: World, pool: Stored[JSONObject]) -> str | None:
    """Say why what a pool resolves to cannot be served."""
    config = world.serving[pool.name].config
    why = world.why_unservable(config) if config is not None else None
    return f"{config} {why}" if why is not None else None


def _served(world: World, pool: Stored[JSONObject]) -> str:
    return (world.serving[pool.name].config or "") if _trouble(world, pool) is None else ""


def _why(world: World, pool: Stored[JSONObject]) -> str:
    """Show why a pool serves what it serves, what else is to be said, and first what is wrong."""
    serving = world.serving[pool.name]
    trouble = _trouble(world, pool)
    settling = serving.settling if serving.settling is not None and serving.settling not in serving.why else None
    return "; ".join(filter(None, (trouble, _degraded(pool.value), serving.why, settling, *serving.notes)))


def _degraded(pool: JSONObject) -> str | None:
    """Say why a pool cannot be rendered, with the MachineConfig that causes it, as its condition has it."""
    condition = condition_of(pool, RENDER_DEGRADED)
    if condition is None or not condition.holds:
        return None
    return f"{RENDER_DEGRADED}: " + (condition.message or condition.reason or "nobody says why")


POOLS = View(
    words=("pools", "pool", "machineconfigpools", "machineconfigpool", "mcp"),
    stored=lambda store: store.objects(Kind.POOL),
    columns=(
        _Column("NAME", _name),
        _Column("SERVED", _served),
        _Column("SPEC", _at("spec", "configuration", "name"), only_wide=True),
        _Column("STATUS", _at("status", "configuration", "name"), only_wide=True),
        _Column("MACHINES", _at("status", "machineCount"), only_wide=True),
        _Column("UPDATED", _at("status", "updatedMachineCount"), only_wide=True),
        _Column("READY", _at("status", "readyMachineCount"), only_wide=True),
        _Column("UNAVAILABLE", _at("status", "unavailableMachineCount"), only_wide=True),
        _Column("DEGRADED", _at("status", "degradedMachineCount"), only_wide=True),
        _Column("AGE", _age),
        _Column("WHY", _why, folds=True),
    ),
    document=_object,
    are_objects=True,
)


def _size(_world: World, config: Stored[JSONObject]) -> str:
    return str(len(compact(lookup(config.value, "spec")).encode()))


def _count_references(world: World, config: Stored[JSONObject]) -> str:
    return str(len(world.references.get(config.name, ())))


def _list_references(world: World, config: Stored[JSONObject]) -> str:
    return ", ".join(str(reference) for reference in world.references.get(config.name, ()))


def _pool_of(_world: World, config: Stored[JSONObject]) -> str:
    return (rendered_pool(config.name) or "") if is_rendered(config.value) else ""


CONFIGS = View(
    words=("configs", "config", "machineconfigs", "machineconfig", "mc"),
    stored=lambda store: store.objects(Kind.CONFIG),
    columns=(
        _Column("NAME", _name),
        _Column("BYTES", _size),
        _Column("SPEC", _at("spec", "config", "ignition", "version")),
        _Column("AGE", _age),
        _Column("REFERENCES", _count_references),
        _Column("RENDERED-FOR", _pool_of, only_wide=True),
        _Column("MARK", _annotation(ANNOTATION_MARK), only_wide=True),
        _Column("REFERRED-TO-BY", _list_references, only_wide=True, folds=True),
    ),
    document=_object,
    are_objects=True,
)


def _pools_of_node(world: World, node: Stored[JSONObject]) -> str:
    found = world.memberships[node.name]
    return found.problem or ", ".join(found.pools)


def _addresses(_world: World, node: Stored[JSONObject]) -> str:
    return ",".join(text_at(address, "address") or "" for address in list_at(node.value, "status", "addresses"))


NODES = View(
    words=("nodes", "node"),
    stored=lambda store: store.objects(Kind.NODE),
    columns=(
        _Column("NAME", _name),
        _Column("STATE", _annotation(ANNOTATION_STATE)),
        _Column("CURRENT", _annotation(ANNOTATION_CURRENT_CONFIG)),
        _Column("DESIRED", _annotation(ANNOTATION_DESIRED_CONFIG)),
        _Column("POOLS", _pools_of_node, only_wide=True, folds=True),
        _Column("FIRST", _annotation(ANNOTATION_FIRST_CONFIG), only_wide=True),
        _Column("BOOT", _annotation(ANNOTATION_BOOT, LABEL_BOOT), only_wide=True),
        _Column("AGE", _age),
        _Column("ADDRESSES", _addresses, folds=True),
    ),
    document=_object,
    are_objects=True,
)


OBJECT_VIEWS: dict[Kind, View[JSONObject]] = {Kind.POOL: POOLS, Kind.CONFIG: CONFIGS, Kind.NODE: NODES}


# ---- records


_TIMES = frozenset({"acquired", "ended", "fetched", "first", "last", "renewed"})
_SECONDS = frozenset({"duration"})


def _fields(value: Hold | BootLease | Attempt) -> JSONObject:
    """Write a record's fields the way Kubernetes writes them: camelCase, times in UTC as text, seconds named so."""
    written: JSONObject = {}
    for name, member in asdict(value).items():
        first, *others = name.split("_")
        key = first + "".join(map(str.capitalize, others))
        if name in _TIMES:
            written[key] = moment(member) if member is not None else None
        elif name in _SECONDS:
            written[f"{key}Seconds"] = member
        else:
            written[key] = list(member) if isinstance(member, tuple) else member
    return written


def _record(record: Stored[Hold] | Stored[BootLease], **computed: JSON) -> JSONObject:
    """Write a record in full. computed: what follows from the rest of the store; it goes before what was recorded."""
    stored: JSONObject = {
        "name": record.name,
        "uid": record.uid,
        "resourceVersion": str(record.resource_version),
        "creationTimestamp": moment(record.created),
    }
    return {**stored, **_fields(record.value), "expires": moment(record.value.expires), **computed}


_LIVE, _EXPIRED = "live", "expired"


def _hold_state(world: World, hold: Stored[Hold]) -> str:
    return _LIVE if world.is_live(hold.value) else _EXPIRED


def _boot_state(world: World, boot: Stored[BootLease]) -> str:
    return world.boot_state(boot.value).value


def _boot_node(world: World, boot: Stored[BootLease]) -> str | None:
    return world.joined.get(boot.name)


HOLDS: View[Hold] = View(
    words=("holds", "hold"),
    stored=lambda store: store.holds(),
    columns=(
        _Column("NAME", _name, shortened=True),
        _Column("CONFIG", lambda _, hold: hold.value.config),
        _Column("POOLS", lambda _, hold: ",".join(hold.value.pools)),
        _Column("SERVER", lambda _, hold: hold.value.server),
        _Column("WORKER", lambda _, hold: hold.value.worker, only_wide=True),
        _Column("ACQUIRED", lambda _, hold: moment(hold.value.acquired), only_wide=True),
        _Column("RENEWED", lambda _, hold: moment(hold.value.renewed)),
        _Column("EXPIRES", lambda _, hold: moment(hold.value.expires)),
        _Column("STATE", _hold_state),
    ),
    document=lambda world, hold: _record(hold, state=_hold_state(world, hold)),
    are_objects=False,
    pools=lambda hold: hold.pools,
    state=_hold_state,
    states=(_LIVE, _EXPIRED),
)


BOOTS: View[BootLease] = View(
    words=("boots", "boot"),
    stored=lambda store: store.boot_leases(),
    columns=(
        _Column("BOOT", lambda _, boot: boot.value.boot_id or boot.name),
        _Column("ADDRESS", lambda _, boot: boot.value.network or boot.value.address),
        _Column("POOL", lambda _, boot: boot.value.pool),
        _Column("FETCHED", lambda _, boot: moment(boot.value.fetched)),
        _Column("STATE", _boot_state),
        _Column("CONFIG", lambda _, boot: boot.value.config),
        _Column("SPEC", lambda _, boot: boot.value.served),
        _Column("CLIENT", lambda _, boot: boot.value.client, folds=True),
        _Column("NODE", lambda world, boot: _boot_node(world, boot) or "", only_wide=True),
        _Column("ASKED", lambda _, boot: boot.value.asked or "", only_wide=True),
        _Column("COUNT", lambda _, boot: str(boot.value.count), only_wide=True),
        _Column("SERVER", lambda _, boot: boot.value.server, only_wide=True),
        _Column("EXPIRES", lambda _, boot: moment(boot.value.expires), only_wide=True),
    ),
    document=lambda world, boot: _record(boot, state=_boot_state(world, boot), node=_boot_node(world, boot)),
    are_objects=False,
    pools=lambda boot: (boot.pool,),
    state=_boot_state,
    states=tuple(state.value for state in BootState),
)


def _attempts(store: Store) -> list[Stored[Attempt]]:
    # The store gives them no name, uid or version: an attempt goes by its address.
    return [Stored(attempt.address, "", 0, attempt.first, attempt) for attempt in store.attempts()]


ATTEMPTS: View[Attempt] = View(
    words=("attempts", "attempt"),
    stored=_attempts,
    columns=(
        _Column("LAST", lambda _, attempt: moment(attempt.value.last)),
        _Column("FIRST", lambda _, attempt: moment(attempt.value.first), only_wide=True),
        _Column("ADDRESS", _name),
        _Column("CLIENT", lambda _, attempt: attempt.value.client, folds=True),
        _Column("POOL", lambda _, attempt: attempt.value.pool),
        _Column("REASON", lambda _, attempt: attempt.value.reason),
        _Column("COUNT", lambda _, attempt: str(attempt.value.count)),
    ),
    document=lambda _, attempt: _fields(attempt.value),
    are_objects=False,
    names_one=False,
    pools=lambda attempt: (attempt.pool,),
)
