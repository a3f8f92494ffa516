"""`mcs get`: shows what is stored, as a table for people or in full."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import click

from mcs.cli.documents import json_text, yaml_text
from mcs.cli.options import Word, opened, printable, store_option
from mcs.cli.streams import tell
from mcs.cli.tables import show
from mcs.cli.views import ATTEMPTS, BOOTS, CONFIGS, HOLDS, NODES, POOLS, View
from mcs.cli.world import World
from mcs.jsondata import JSON
from mcs.store.interface import Store, Stored

__all__ = ["get"]

T = TypeVar("T")

_VIEWS: tuple[View[object], ...] = (POOLS, CONFIGS, NODES, HOLDS, BOOTS, ATTEMPTS)  # type: ignore[assignment]  # each is used with what it reads itself
_WHAT = Word("what", {word: view for view in _VIEWS for word in view.words}, tuple(view.words[0] for view in _VIEWS))


@click.command(short_help="Show what is stored: pools, configs, nodes, holds, boots, attempts.")
@click.argument("view", type=_WHAT)
@click.argument("name", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["wide", "json", "yaml"]),
    help="More columns, or everything as JSON or YAML.",
)
@click.option("--pool", metavar="POOL", help="Only holds, boots or attempts of this pool.")
@click.option("--state", metavar="STATE", help="Only boots (fetched, joined, expired) or holds (live, expired) in it.")
@store_option
def get(
    view: View[object], name: str | None, output: str | None, pool: str | None, state: str | None, address: str
) -> None:
    """Show pools, configs, nodes, holds (what servers protect), boots (who fetched what) or attempts (who was refused).

    pools shows which config is served and why, and why it cannot be rendered (-o wide counts its machines). nodes: -o
    wide shows the pools of each, or why it is in none. configs shows the bytes of each spec and how many pools, nodes,
    holds and boots refer to it (-o wide names them). boots: a boot is fetched until a node joins with its id, or its
    lease expires. attempts: who was refused and why, the latest first; NAME is an address. What -o json or yaml prints
    of pools, configs and nodes can be applied again.

    Of holds, boots and attempts -o json and yaml print a list of records (one record if NAME is given), with members
    in camelCase, durations in seconds (durationSeconds) and times in UTC, such as 2026-01-31T12:00:00Z; what is not
    known is null. Besides what was recorded, a record has its state as in the table, when it expires and, a boot, the
    node that its machine became. -o wide shows more columns and the holds' whole names.
    """
    _check_filter("--pool", pool, [each for each in _VIEWS if each.pools is not None], view)
    _check_filter("--state", state, [each for each in _VIEWS if each.state is not None], view)
    if state is not None and state not in view.states:
        raise click.UsageError(f"--state {printable(state)}: {view.words[0]} are {', '.join(view.states)}")
    with opened(address) as store:
        _get(store, view, name, output, _Filter(pool, state))


@dataclass(frozen=True, slots=True)
class _Filter:
    """Which things are asked for; None: any."""

    pool: str | None
    state: str | None

    def lets(self, view: View[T], world: World, thing: Stored[T]) -> bool:
        """Tell whether a thing is among them."""
        of_pool = self.pool is None or (view.pools is not None and self.pool in view.pools(thing.value))
        in_state = self.state is None or (view.state is not None and view.state(world, thing) == self.state)
        return of_pool and in_state


def _check_filter(option: str, given: str | None, views: Sequence[View[object]], view: View[object]) -> None:
    if given is not None and view not in views:
        raise click.UsageError(f"{option} is for {', '.join(each.words[0] for each in views)}, not {view.words[0]}")


def _get(store: Store, view: View[T], name: str | None, output: str | None, wanted: _Filter) -> None:
    world = World.read(store, time.time())
    things = [thing for thing in view.stored(store) if name in {None, thing.name}]
    if name is not None and not things:
        raise click.ClickException(f"{view.words[1]} {printable(name)} does not exist")
    things = [thing for thing in things if wanted.lets(view, world, thing)]
    if output in _FORMATS:
        several = name is None or not view.names_one or not things
        document = view.documents(world, things) if several else view.document(world, things[0])
        tell(_FORMATS[output](document).encode(), nl=False)
    elif things:
        show(view.table(world, things, wide=output == "wide"))
    else:
        click.echo(f"there are no {view.words[0]}{'' if wanted == _ANY else ' like that'}", err=True)


_ANY = _Filter(None, None)


_FORMATS: dict[str | None, Callable[[JSON], str]] = {"json": json_text, "yaml": yaml_text}
