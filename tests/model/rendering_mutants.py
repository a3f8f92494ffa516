"""Variants of the shipped protocol of rendering, each without one of its rules: see tests.model.mutants."""

from collections.abc import Generator
from inspect import isgeneratorfunction
from types import FunctionType
from typing import Any

from mcs.boot.clock import Reading
from mcs.boot.durations import Durations
from mcs.boot.protocol import Claim, Now, Run
from mcs.controller import protocol
from mcs.controller.protocol import Create, Found, Outcome, Point, Publication, Reason
from mcs.machineconfig.metadata import Metadata
from tests.model.mutants import Mutant
from tests.model.renderer import ANY_VERSION
from tests.model.server import Protocol

__all__ = ["RENDERING_MUTANTS", "rendering_with"]


def rendering_with(**replaced: Any) -> Protocol:
    """Return the shipped generators, in which the named functions of the module of rendering are replaced."""
    missing = replaced.keys() - vars(protocol).keys()
    if missing:
        raise AttributeError(f"{protocol.__name__} has no {', '.join(sorted(missing))}: such a mutant would be none")
    names = {**vars(protocol), **replaced}
    for name, shipped in vars(protocol).items():
        if name not in replaced and isgeneratorfunction(shipped) and shipped.__module__ == protocol.__name__:
            names[name] = FunctionType(shipped.__code__, names, name, shipped.__defaults__, shipped.__closure__)
    return Protocol(publish=names["publish"])


def _holds_nothing(
    config: str, held: Claim | None, durations: Durations
) -> Generator[Any, Any, tuple[Reading, float, bool] | Outcome]:
    since = yield Now()
    return since, durations.hold, False


def _looks_first(publication: Publication, held: Claim | None, durations: Durations) -> Run[Outcome]:
    looked = yield from protocol._look(publication)
    if isinstance(looked, Outcome):
        return looked
    meta = looked[0].meta
    ended = (yield from protocol._take_mark_off(meta)) if meta.mark is not None else None
    if ended is not None:
        return ended
    holding = yield from protocol._hold(publication.config, held, durations)
    if isinstance(holding, Outcome):
        return holding
    claim = Claim(publication.config, meta.uid, meta.generation, *holding)
    if not publication.standing:
        yield protocol._pointing(publication)
    return Outcome(Reason.POINTED, "", claim)


def _leaves_the_mark(meta: Metadata) -> Generator[Any, Any, Outcome | None]:
    yield from ()
    return None


def _takes_what_exists(publication: Publication) -> Generator[Any, Any, tuple[Found, bool] | Outcome]:
    """Create without looking, and take it for good that it exists."""
    answer = yield Create(publication.config)
    if not isinstance(answer, protocol.Written | protocol.Exists):
        return Outcome(Reason.WRITE_UNKNOWN)
    meta = Metadata(name=publication.config, uid="uid-1", resource_version=1, generation=1, created=0.0)
    return Found(meta, publication.digest), True


def _whatever_the_pool_is(publication: Publication) -> Point:
    return Point(publication.pool, "", ANY_VERSION, publication.config, publication.source)


def _covers_for_ever(claim: Claim, now: Reading, durations: Durations) -> bool:
    return True


RENDERING_MUTANTS = (
    Mutant(
        "no-hold",
        "The pool is pointed without a hold",
        "The config is held, and the hold acknowledged, before it is looked at.",
        rendering_with(_hold=_holds_nothing),
        9,
        (
            "renderer: looks at N: it is there, without a mark",
            "collector: marks N",
            "collector: reads the holds: none",
            "collector: reads the pools: none names N",
            "collector: deletes N",
            "renderer: points the pool at N",
        ),
    ),
    Mutant(
        "look-before-hold",
        "The config is looked at before it is held",
        "The hold is acknowledged before the config is looked at.",
        rendering_with(publish=_looks_first),
        10,
        (
            "renderer: looks at N: it is there, without a mark",
            "collector: marks N",
            "collector: reads the holds: none",
            "collector: reads the pools: none names N",
            "collector: deletes N",
            "renderer: writes its hold on N",
            "renderer: points the pool at N",
        ),
    ),
    Mutant(
        "mark-left",
        "The pool is pointed at a config that bears a mark",
        "A mark is taken off, with preconditions, before the pool names the config.",
        rendering_with(_take_mark_off=_leaves_the_mark),
        10,
        (
            "collector: marks N",
            "collector: reads the holds: none",
            "renderer: writes its hold on N",
            "renderer: looks at N: it bears a mark",
            "collector: deletes N",
            "renderer: points the pool at N",
        ),
    ),
    Mutant(
        "existing-taken",
        "That the config exists is taken for enough",
        "Creating is not enough: what exists is looked at, and may bear a mark.",
        rendering_with(_look=_takes_what_exists),
        10,
        (
            "collector: marks N",
            "collector: reads the holds: none",
            "renderer: writes its hold on N",
            "renderer: creates N: it exists already",
            "collector: deletes N",
            "renderer: points the pool at N",
        ),
    ),
    Mutant(
        "hold-lapsed",
        "The pool is pointed after the hold has lapsed",
        "The pool is pointed only while the hold outlasts the write by a boot bound.",
        rendering_with(covers=_covers_for_ever),
        15,
        (
            "t=0 renderer: writes its hold on N",
            "t=0 collector: marks N",
            "t=3 renderer: reads its clock",
            "t=5 collector: reads the holds: none",
            "t=5 collector: deletes N",
            "t=5 renderer: points the pool at N",
        ),
    ),
    Mutant(
        "pool-unconditional",
        "The pool is pointed whatever it has become",
        "The pool is written with preconditions on its uid and on the version that was rendered.",
        rendering_with(_pointing=_whatever_the_pool_is),
        9,
        (
            "people: change the pool's MachineConfigs: they render to another config",
            "renderer: points the pool at N: no answer",
            "renderer: renders another config, and points the pool at it",
            "store: carries out the renderer's late write",
        ),
    ),
)
