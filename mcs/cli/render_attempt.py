"""One pool's part in `mcs render`: reads what it selects, renders it and, if it is to be written, publishes it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcs.boot.durations import Durations, of_pool
from mcs.controller.causes import selects_nothing
from mcs.controller.driver import Publisher
from mcs.controller.protocol import Outcome, Reason, spec_digest
from mcs.jsondata import JSONObject, object_at, text_at, texts_at
from mcs.machineconfig import lost_images as images
from mcs.machineconfig.hash_input import UnhashableSpec
from mcs.machineconfig.names import Kind
from mcs.machineconfig.render_error import Reason as WhyNot
from mcs.machineconfig.render_error import RenderError
from mcs.machineconfig.rendering import Origin, Rendered, render, selected
from mcs.store.interface import Store, Stored

__all__ = ["Asked", "CannotError", "NotRenderedError", "Work", "done", "lost_images"]

_ATTEMPTS = 5  # at publishing while others write the same objects
_RACED = (Reason.POOL_CHANGED, Reason.CONFIG_CHANGED, Reason.CONFIG_MISSING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for, beside which pools. images: as they were given, None where one was not."""

    origin: Origin
    images: Mapping[str, str | None]
    dry_run: bool
    output: str | None
    diff: bool
    explain: str | None
    show_secrets: bool
    allow_unreachable: bool

    @property
    def writes(self) -> bool:
        """Whether anything is to be written."""
        return not (self.dry_run or self.looks)

    @property
    def looks(self) -> bool:
        """Whether a person wants to see what would be, be it allowed or not."""
        return self.diff or self.explain is not None


@dataclass(frozen=True, slots=True)
class Work:
    """A pool and what was rendered for it. current: the config that it names now; stored: what has the new name.

    refusal: why it would not be written, though it can be looked at.
    """

    pool: Stored[JSONObject]
    chosen: Sequence[JSONObject]
    rendered: Rendered
    current: JSONObject | None
    stored: JSONObject | None
    refusal: str | None = None


class CannotError(Exception):
    """A pool cannot be rendered or published; the text is for people."""


class NotRenderedError(Exception):
    """A pool is not for rendering."""


def done(store: Store, pool: str, asked: Asked, publisher: Publisher | None) -> tuple[Work, Outcome | None]:
    """Render and, if there is a publisher, publish. Raises CannotError and NotRenderedError."""
    if publisher is None:
        work = _rendered(store, pool, asked)
        if work.stored is not None and not _is_spec(work.stored, work.rendered):
            raise CannotError(f"there is a MachineConfig {work.rendered.name} with another spec")
        if not asked.looks:
            _keep_images(work, asked)
        return work, None
    for _ in range(_ATTEMPTS):
        work = _rendered(store, pool, asked)
        _keep_images(work, asked)
        durations, _notes = of_pool(texts_at(work.pool.value, "metadata", "annotations"), Durations())
        outcome = publisher.publish(work.pool, work.rendered, durations)
        if outcome.reason not in _RACED:
            break
    if not outcome.published:
        again = "; try again" if outcome.reason.may_pass else ""
        raise CannotError(f"{outcome.detail or outcome.reason.code}{again}")
    return work, outcome


def _rendered(store: Store, name: str, asked: Asked) -> Work:
    # The pool is read before its MachineConfigs: what is rendered of older ones than the pool's meets a conflict.
    pool = store.get(Kind.POOL, name)
    if pool is None:
        raise CannotError("there is no such pool")
    if selects_nothing(pool.value):
        raise NotRenderedError("it is not rendered: its spec.machineConfigSelector is empty or absent")
    configs = {config.name: config.value for config in store.objects(Kind.CONFIG)}
    current = configs.get(text_at(pool.value, "spec", "configuration", "name") or "")
    refusal = None
    try:
        chosen = selected(pool.value, configs.values())
        made = render(pool.value, chosen, asked.origin, None if asked.allow_unreachable or asked.looks else current)
        if asked.looks and not asked.allow_unreachable:
            refusal = _refusal(pool.value, chosen, asked.origin, current)
    except RenderError as error:
        raise CannotError(_said(error)) from error
    return Work(pool, chosen, made, current, configs.get(made.name), refusal)


def _refusal(pool: JSONObject, chosen: Sequence[JSONObject], origin: Origin, current: JSONObject | None) -> str | None:
    try:
        render(pool, chosen, origin, current)
    except RenderError as error:
        return _said(error)
    return None


def _said(error: RenderError) -> str:
    way_out = "; --allow-unreachable renders it all the same" if error.reason is WhyNot.IRRECONCILABLE else ""
    return f"{error}{way_out}"


def _keep_images(work: Work, asked: Asked) -> None:
    lost = "; ".join(lost_images(work, asked))
    if lost:
        raise CannotError(lost)


def _is_spec(stored: JSONObject, rendered: Rendered) -> bool:
    try:
        return spec_digest(object_at(stored, "spec")) == spec_digest(rendered.spec)
    except UnhashableSpec:
        return False


def lost_images(work: Work, asked: Asked) -> Iterator[str]:
    """Say which image machines would be left without, though nobody asked for that: it was not given this time."""
    return images.lost_images(work.current, work.rendered.spec, asked.images)
