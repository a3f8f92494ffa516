"""`mcs serve`: reads the settings and hands over to the server."""

from pathlib import Path

import click

from mcs.cli.options import one_line
from mcs.settings import Setting, Settings, SettingsError, load, table
from mcs.store import open_store
from mcs.store.interface import StoreUnusable

__all__ = ["serve"]


def _option(row: Setting) -> click.Option:
    shown = f" [default: {row.default}]" if row.default is not None else ""
    text = f"{row.help}{' (may be given several times)' if row.many else ''}{shown} [env: {row.variable}]"
    text = text[0].upper() + text[1:]
    if row.metavar == "on|off":  # may be given as a bare flag
        return click.Option([row.flag, row.name], metavar=row.metavar, help=text, is_flag=False, flag_value="on")
    return click.Option([row.flag, row.name], metavar=row.metavar, help=text, multiple=row.many)


@click.command(params=[_option(row) for row in table()])
@click.option(
    "--settings",
    "file",
    metavar="FILE",
    envvar="MCS_SETTINGS",
    type=click.Path(path_type=Path),
    help="A TOML file of settings; its keys are the flags without the dashes in front. [env: MCS_SETTINGS]",
)
def serve(file: Path | None, **flags: str | tuple[str, ...] | None) -> None:
    """Serve rendered Ignition configs to booting machines.

    A flag goes before its MCS_ variable, a variable before the settings file, the file before the default. Durations
    are numbers with a unit, such as 90s, 5m, 12h or 7d; without one they are seconds. A switch is on or off; a bare
    flag means on.
    """
    given = {name: value for name, value in flags.items() if value is not None and value != ()}
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
