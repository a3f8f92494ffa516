"""`mcs get`: shows what is stored, as a table for people or in full."""

import json
import time
from collections.abc import Callable
from typing import TypeVar

import click

from mcs.cli.options import Word, opened, printable, store_option
from mcs.cli.tables import show
from mcs.cli.views import BOOTS, CONFIGS, HOLDS, NODES, POOLS, View
from mcs.cli.world import World
from mcs.jsondata import JSON
from mcs.machineconfig.manifests import write_yaml
from mcs.store.interface import Store

__all__ = ["get"]

T = TypeVar("T")

_VIEWS: tuple[View[object], ...] = (POOLS, CONFIGS, NODES, HOLDS, BOOTS)  # type: ignore[assignment]  # each is used with what it reads itself
_WHAT = Word("what", {word: view for view in _VIEWS for word in view.words}, tuple(view.words[0] for view in _VIEWS))


@click.command(short_help="Show what is stored: pools, configs, nodes, holds, boots.")
@click.argument("view", type=_WHAT)
@click.argument("name", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["wide", "json", "yaml"]),
    help="More columns, or everything as JSON or YAML.",
)
@store_option
def get(view: View[object], name: str | None, output: str | None, address: str) -> None:
    """Show pools, configs, nodes, holds (what servers protect) or boots (who fetched what).

    pools shows which config is served and why. configs shows the bytes of each spec and how many pools, nodes, holds
    and boots refer to it (-o wide names them). boots: a boot is fetched until a node joins with its id, or its lease
    expires. What -o json or yaml prints of pools, configs and nodes can be applied again.
    """
    with opened(address) as store:
        _get(store, view, name, output)


def _get(store: Store, view: View[T], name: str | None, output: str | None) -> None:
    world = World.read(store, time.time())
    things = [thing for thing in view.stored(store) if name in {None, thing.name}]
    if name is not None and not things:
        raise click.ClickException(f"{view.words[1]} {printable(name)} does not exist")
    if output in _FORMATS:
        document = view.documents(world, things) if name is None else view.document(world, things[0])
        click.echo(_FORMATS[output](document), nl=False)
    elif things:
        show(view.table(world, things, wide=output == "wide"))
    else:
        click.echo(f"there are no {view.words[0]}", err=True)


def _json(document: JSON) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


_FORMATS: dict[str | None, Callable[[JSON], str]] = {"json": _json, "yaml": write_yaml}
