"""Which config a pool serves (design: "Which config a pool serves")."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from mcs.jsondata import JSONObject, integer_at, list_at, text_at, texts_at
from mcs.machineconfig.metadata import generation_of
from mcs.machineconfig.names import ANNOTATION_SERVE, is_dns_subdomain

__all__ = ["Serving", "last_served", "named_by", "resolve"]


@dataclass(frozen=True, slots=True)
class Serving:
    """config: the name that the pool serves, None where there is none. why: in words. notes: what to tell people.

    settling: why the pool has not settled, in words; None if it has, or if that decides nothing.
    """

    config: str | None
    why: str
    notes: tuple[str, ...] = ()
    settling: str | None = None


class _Held(Protocol):
    """What is read of a hold here."""

    @property
    def config(self) -> str: ...
    @property
    def pools(self) -> tuple[str, ...]: ...
    @property
    def renewed(self) -> float: ...


def last_served(pool: JSONObject, holds: Iterable[_Held], *, created: float, skew: float) -> str | None:
    """Return the config that a pool was served last: of the holds that are this pool's, that of the latest renewal.

    created: when the pool was made. skew: how far clocks may differ. Holds call pools by name, and a pool that was
    deleted and made anew is another one: what the old one served, secrets included, is not for its machines. So holds
    that were renewed no later than it was made do not count. Where the clocks leave that open, they do if the pool
    itself names their config.
    """
    name = text_at(pool, "metadata", "name")
    named = named_by(pool)
    own = (
        hold
        for hold in holds
        if name in hold.pools
        and (hold.renewed > created + skew or (hold.renewed > created - skew and hold.config in named))
    )
    latest = max(own, key=lambda hold: (hold.renewed, hold.config), default=None)
    return latest.config if latest is not None else None


def named_by(pool: JSONObject) -> frozenset[str]:
    """Return the configs that a pool names itself: in its spec, in its status, and by the annotation."""
    named = (
        text_at(pool, "spec", "configuration", "name"),
        text_at(pool, "status", "configuration", "name"),
        _override_text(pool),
    )
    return frozenset(name for name in named if name)


def resolve(
    pool: JSONObject,
    *,
    last: str | None,
    unservable: Callable[[str], str | None],
    settling: str | None = None,
) -> Serving:
    """Decide what a pool serves.

    pool: the MachineConfigPool. last: what it served last, None if unknown. unservable: tells in words why a config
    cannot be served, None if it can; asked only where it decides. settling: why the pool's inputs have not settled
    (mcs.boot.settling), None if they have or the pool is not gated.

    The first of these rules that applies decides:

    1. The annotation `mcs.internal/serve` says which config it is, settled or not. What it names but cannot be served
       leaves what was served last.
    2. While the inputs have not settled, what was served last is served on; where nothing was, or it cannot be served
       any more, nothing is: a config that may be half-complete never is.
    3. While the status does not speak of the current spec, rendering is degraded, or the config of rule 4 cannot be
       served, what was served last is served on, if it can be.
    4. spec.configuration if a node has proven it at the observed generation, else status.configuration, else, where
       that was never set, spec.configuration.
    """
    config, why, notes, annotated = _wanted(pool)
    if annotated:
        settling = None
    if last is not None and last == config:
        return Serving(config, why, notes, settling)
    if settling is not None:
        return _unsettled_serving(last, unservable, settling, notes)
    if last is None:
        return Serving(config, why, notes)
    waiting = _unobserved(pool) if not annotated else None
    if waiting is None and config is not None:
        problem = unservable(config)
        waiting = f"{config} {problem}" if problem is not None else None
    elif waiting is None:
        waiting = why
    if waiting is None:
        return Serving(config, why, notes)
    gone = unservable(last)
    if gone is not None:
        return Serving(config, why, (*notes, f"what was served last, {last}, {gone}"))
    return Serving(last, f"served last; {waiting}", notes)


def _unsettled_serving(
    last: str | None, unservable: Callable[[str], str | None], settling: str, notes: tuple[str, ...]
) -> Serving:
    why = f"not settled: {settling}"
    gone = unservable(last) if last is not None else None
    if gone is not None:
        return Serving(None, why, (*notes, f"what was served last, {last}, {gone}"), settling)
    if last is not None:
        why = f"served last; {why}"
    return Serving(last, why, notes, settling)


def _wanted(pool: JSONObject) -> tuple[str | None, str, tuple[str, ...], bool]:
    """Return the config that the pool asks for, why, what to tell people, and whether it is by an annotation."""
    named, notes = _override(pool)
    if named is not None:
        return named, f"annotation {ANNOTATION_SERVE}: {_override_text(pool)}", notes, True
    config, why = _by_rule(pool)
    return config, why, notes, False


def _by_rule(pool: JSONObject) -> tuple[str | None, str]:
    spec = text_at(pool, "spec", "configuration", "name")
    status = text_at(pool, "status", "configuration", "name")
    updated = integer_at(pool, "status", "updatedMachineCount") or 0
    if spec is not None and updated > 0 and _observed(pool):
        return spec, f"spec.configuration, proven by {updated} node{'s' if updated > 1 else ''}"
    if status is not None:
        return status, "status.configuration" if status != spec else "status.configuration, same as spec"
    if spec is not None:
        return spec, "spec.configuration; there is no status.configuration yet"
    return None, "neither spec.configuration nor status.configuration names a config"


def _observed(pool: JSONObject) -> bool | None:
    """Tell whether the status speaks of the current spec; None if it does not say."""
    observed = integer_at(pool, "status", "observedGeneration")
    return observed >= generation_of(pool) if observed is not None else None


def _unobserved(pool: JSONObject) -> str | None:
    """Return in words why the pool's status vouches for nothing, or None if it may."""
    for condition in list_at(pool, "status", "conditions"):
        if text_at(condition, "type") == "RenderDegraded" and text_at(condition, "status") == "True":
            return "rendering is degraded"
    if _observed(pool) is False:
        return "its status does not speak of its current spec yet"
    return None


def _override_text(pool: JSONObject) -> str | None:
    return texts_at(pool, "metadata", "annotations").get(ANNOTATION_SERVE)


def _override(pool: JSONObject) -> tuple[str | None, tuple[str, ...]]:
    """Return the config that the annotation names, and what to say of an annotation that is ignored."""
    text = _override_text(pool)
    if text is None:
        return None, ()
    if text in {"spec", "status"}:
        config = text_at(pool, text, "configuration", "name")
        if config is None:
            return None, (f"annotation {ANNOTATION_SERVE}: {text} is ignored: {text}.configuration names no config",)
        return config, ()
    if not is_dns_subdomain(text):
        return None, (f"annotation {ANNOTATION_SERVE} is ignored: {text!r} is not spec, status or a config's name",)
    return text, ()
