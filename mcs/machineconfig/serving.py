"""Which config a pool serves (design: "Which config a pool serves")."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from mcs.jsondata import JSONObject, integer_at, list_at, text_at, texts_at
from mcs.machineconfig.metadata import generation_of
from mcs.machineconfig.names import ANNOTATION_SERVE, is_dns_subdomain

__all__ = ["Serving", "last_served", "resolve"]


@dataclass(frozen=True, slots=True)
class Serving:
    """config: the name that the pool serves, None where there is none. why: in words. notes: what to tell people."""

    config: str | None
    why: str
    notes: tuple[str, ...] = ()


class _Held(Protocol):
    """What is read of a hold here."""

    @property
    def config(self) -> str: ...
    @property
    def pools(self) -> tuple[str, ...]: ...
    @property
    def renewed(self) -> float: ...


def last_served(pool: str, holds: Iterable[_Held]) -> str | None:
    """Return the config that a pool was served last: of all holds that name the pool, that of the latest renewal."""
    latest = max(
        (hold for hold in holds if pool in hold.pools), key=lambda hold: (hold.renewed, hold.config), default=None
    )
    return latest.config if latest is not None else None


def resolve(pool: JSONObject, *, last: str | None, unservable: Callable[[str], str | None]) -> Serving:
    """Decide what a pool serves.

    pool: the MachineConfigPool. last: what it served last, None if unknown. unservable: tells in words why a config
    cannot be served, None if it can; asked only where it decides.

    The annotation `mcs.internal/serve` says which config it is; else spec.configuration if a node has proven it at the
    observed generation, else status.configuration, else, where that was never set, spec.configuration. While the pool
    has not settled, or that config cannot be served, what it served last is served on.
    """
    config, why, notes, unsettled = _wanted(pool)
    if last is None or last == config:
        return Serving(config, why, notes)
    waiting = unsettled
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


def _wanted(pool: JSONObject) -> tuple[str | None, str, tuple[str, ...], str | None]:
    """Return the config that the pool asks for, why, what to tell people, and why it has not settled if so."""
    named, notes = _override(pool)
    if named is not None:
        return named, f"annotation {ANNOTATION_SERVE}: {_override_text(pool)}", notes, None
    config, why = _by_rule(pool)
    return config, why, notes, _unsettled(pool)


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


def _unsettled(pool: JSONObject) -> str | None:
    """Return in words why the pool's rendering has not settled, or None if it has."""
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
