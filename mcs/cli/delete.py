"""`mcs delete`: removes an object that nobody needs; never a rendered config."""

import secrets
import time
from contextlib import suppress
from datetime import UTC, datetime

import click

from mcs.cli.options import Word, opened, printable, store_option
from mcs.cli.streams import reported, tell
from mcs.cli.views import OBJECT_VIEWS
from mcs.cli.world import World
from mcs.jsondata import JSONObject
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.store.interface import Conflict, NotFound, Store

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
            _delete_unreferenced(store, name, found.uid, found.resource_version)
        else:
            store.delete(kind, name, uid=found.uid, resource_version=found.resource_version)
    with reported(f"{kind.kind.lower()}/{name} was deleted"):
        tell(f"{kind.kind.lower()}/{name} deleted")


def _delete_unreferenced(store: Store, name: str, uid: str, seen: int) -> None:
    """Delete a MachineConfig that nothing refers to, in the order that the collection protocol has.

    The mark goes first: a server that holds the config after the references were read sees it and sends nothing, or
    takes it off, and then the version is no longer the one that may be deleted.
    """
    mark = f"{datetime.now(UTC).isoformat(timespec='seconds')} {secrets.token_hex(8)} mcs delete"
    marking: JSONObject = {"metadata": {"annotations": {ANNOTATION_MARK: mark}}}
    marked = store.patch(Kind.CONFIG, name, marking, uid=uid, resource_version=seen).resource_version
    references = World.read(store, time.time()).references.get(name)
    if references:
        unmarking: JSONObject = {"metadata": {"annotations": {ANNOTATION_MARK: None}}}
        with suppress(Conflict, NotFound):  # somebody took it off, who needs the config
            store.patch(Kind.CONFIG, name, unmarking, uid=uid, resource_version=marked)
        listed = ", ".join(str(reference) for reference in references[:5])
        more = f" and {len(references) - 5} more" if len(references) > 5 else ""
        raise click.ClickException(f"{name} is still referred to by {listed}{more}; it was not deleted")
    store.delete(Kind.CONFIG, name, uid=uid, resource_version=marked)
