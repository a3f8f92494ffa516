"""Flags made from the table of settings, for the commands that run until they are stopped."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import click

from mcs.settings import Setting

__all__ = ["given_flags", "option", "settings_file"]

F = TypeVar("F", bound=Callable[..., object])


def option(row: Setting) -> click.Option:
    """Return the flag of a setting."""
    shown = f" [default: {row.default}]" if row.default else ""
    text = f"{row.help}{' (may be given several times)' if row.many else ''}{shown} [env: {row.variable}]"
    text = text[0].upper() + text[1:]
    if row.metavar == "on|off":  # may be given as a bare flag
        return click.Option([row.flag, row.name], metavar=row.metavar, help=text, is_flag=False, flag_value="on")
    return click.Option([row.flag, row.name], metavar=row.metavar, help=text, multiple=row.many)


def settings_file(command: F) -> F:
    """Add `--settings` (or MCS_SETTINGS): the parameter `file`."""
    return click.option(
        "--settings",
        "file",
        metavar="FILE",
        envvar="MCS_SETTINGS",
        type=click.Path(path_type=Path),
        help="A TOML file of settings; its keys are the flags without the dashes in front. [env: MCS_SETTINGS]",
    )(command)


def given_flags(flags: Mapping[str, str | tuple[str, ...] | None]) -> dict[str, str | tuple[str, ...]]:
    """Return the flags that were given."""
    return {name: value for name, value in flags.items() if value is not None and value != ()}
