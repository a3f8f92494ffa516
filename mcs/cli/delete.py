"""`mcs delete`: removes an object that nobody needs; never a rendered config."""

import time

import click

from mcs.cli.options import Word, opened, printable, store_option
from mcs.cli.views import OBJECT_VIEWS
from mcs.cli.world import World
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import Kind
from mcs.store.interface import NotFound

__all__ = ["delete"]

_WORDS = {word: kind for kind, view in OBJECT_VIEWS.items() for word in view.words}
_KIND = Word("kind", _WORDS, ("pool", "config", "node"))


@click.command(short_help="Delete a pool, a node or an unused MachineConfig.")
@click.argument("kind", type=_KIND)
@click.argument("name")
@store_option
def delete(kind: Kind, name: str, address: str) -> None:
    """Delete a pool, a node, or a MachineConfig that is not rendered and that nothing refers to.

    Rendered configs are refused: a machine that is still booting may need one. Removing them is the collector's
    business (mcs-gc), which looks for such machines first.
    """
    with opened(address) as store:
        found = store.get(kind, name)
        if found is None:
            raise NotFound(kind.kind, printable(name))
        if kind is Kind.CONFIG:
            if is_rendered(found.value):
                raise click.ClickException(
                    f"{name} is a rendered config: that is the collector's business: mcs-gc "
                    "(this version's mcs-gc collects nothing yet, so it stays)"
                )
            references = World.read(store, time.time()).references.get(name)
            if references:
                listed = ", ".join(str(reference) for reference in references[:5])
                more = f" and {len(references) - 5} more" if len(references) > 5 else ""
                raise click.ClickException(f"{name} is still referred to by {listed}{more}; it was not deleted")
        store.delete(kind, name, uid=found.uid, resource_version=found.resource_version)
    click.echo(f"{kind.kind.lower()}/{name} deleted")
