"""`mcs controller`: reads the settings and hands over to the loops that write."""

from pathlib import Path

import click

from mcs.cli.options import one_line
from mcs.cli.settings_options import given_flags, option, settings_file
from mcs.settings import SettingsError, controller_table, load
from mcs.store import open_store
from mcs.store.interface import StoreUnusable

__all__ = ["controller"]


@click.command(params=[option(row) for row in controller_table()])
@settings_file
def controller(file: Path | None, **flags: str | tuple[str, ...] | None) -> None:
    """Render pools when their MachineConfigs change, and look after what was rendered.

    It runs in the foreground until SIGTERM. Once a pool and its MachineConfigs have been quiet for a while, it renders
    them, and points the pool at the rendered config. It takes a collector's mark off what a pool names, and ends the
    boots of machines that have joined. A node that first booted into a custom pool gets the labels of that pool. The
    settings file may be that of mcs serve. The store has to be there already.
    """
    from mcs.controller.process import period_of, run  # rendering is slow to import, and few commands need it

    try:
        settings = load(given_flags(flags), file=file)
        period_of(settings)
    except SettingsError as error:
        for problem in error.problems:
            click.echo(f"mcs controller: {problem}", err=True)
        raise SystemExit(2) from None
    except ValueError as error:
        raise click.UsageError(f"--quiet-period, --quiet-cap: {error}") from error
    try:
        open_store(settings.store)  # only looks at the address
    except StoreUnusable as error:
        raise click.UsageError(one_line(str(error))) from error
    run(settings)
