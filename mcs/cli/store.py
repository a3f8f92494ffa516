"""`mcs store`: care for the store itself."""

import click

from mcs.cli.groups import Group
from mcs.cli.options import opened, store_option
from mcs.cli.streams import reported, tell
from mcs.store.embedded import EmbeddedStore

__all__ = ["store"]


@click.group(cls=Group)
def store() -> None:
    """Look after the store itself."""


@store.command("reset-clock")
@store_option
def reset_clock(address: str) -> None:
    """Set the embedded store's idea of now to this host's clock.

    The store remembers the latest time at which anybody wrote a record. If a host whose clock was ahead has written,
    every server finds its own clock too far behind that time, and answers 503 with the reason clock-off, until the
    time has come. Only then is this command needed. First correct or stop the host whose clock was ahead, and make
    sure that the clock of this host is right: times that are compared with it decide how long configs are protected.
    """
    with opened(address) as opened_store:
        if not isinstance(opened_store, EmbeddedStore):
            raise click.ClickException("only the embedded store (sqlite:///PATH) has a clock of its own")
        opened_store.reset_clock()
    done = "the store's clock is this host's clock now"
    with reported(done):
        tell(done)
