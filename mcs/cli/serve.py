"""`mcs serve`: reads the settings and hands over to the server."""

from pathlib import Path

import click

from mcs.cli.options import one_line
from mcs.cli.settings_options import given_flags, option, settings_file
from mcs.settings import Settings, SettingsError, load, table
from mcs.store import open_store
from mcs.store.interface import StoreUnusable

__all__ = ["serve"]


@click.command(params=[option(row) for row in table()])
@settings_file
def serve(file: Path | None, **flags: str | tuple[str, ...] | None) -> None:
    """Serve rendered Ignition configs to booting machines.

    A flag goes before its MCS_ variable, a variable before the settings file, the file before the default. Durations
    are numbers with a unit, such as 90s, 5m, 12h or 7d; without one they are seconds. A switch is on or off; a bare
    flag means on.
    """
    given = given_flags(flags)
    from mcs.web.gunicorn import run  # gunicorn is slow to import, and only this command needs it

    def read() -> Settings:
        settings = load(given, file=file)
        open_store(settings.store)  # only looks at the address: nothing is opened before workers fork
        return settings

    try:
        run(read)
    except SettingsError as error:
        for problem in error.problems:
            click.echo(f"mcs serve: {problem}", err=True)
        raise SystemExit(2) from None
    except StoreUnusable as error:
        raise click.UsageError(one_line(str(error))) from error
