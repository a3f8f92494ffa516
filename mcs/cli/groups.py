"""Groups of subcommands: what one of them raises becomes a line that begins with the command, as in `mcs apply:`."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import NoReturn

import click

from mcs.cli.options import one_line, printable
from mcs.cli.streams import abandon_unwritable
from mcs.store.interface import StoreError

__all__ = ["Group"]


class Group(click.Group):
    """A group whose errors all look alike, and that knows what a mistyped subcommand was meant to be."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """Read the group's own options."""
        with _told(lambda: info_name or ""):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; an error is printed and ends the command with its exit status."""
        with _told(lambda: " ".join(filter(None, (ctx.command_path, ctx.invoked_subcommand)))):
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand that is named first."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise click.UsageError(f"there is no command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


@contextmanager
def _told(path: Callable[[], str]) -> Iterator[None]:
    """Print what the block raises. path: the command, asked for only once something was raised."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:  # it shows the help, and is no error of a person's
        raise
    except click.UsageError as error:
        context = error.ctx
        if context is None:
            _end(path(), error.format_message(), error.exit_code)
        usage = f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n\n"
        _end(context.command_path, error.format_message(), error.exit_code, usage)
    except click.ClickException as error:
        _end(path(), error.format_message(), error.exit_code)
    except StoreError as error:
        _end(path(), one_line(str(error)), 1)
    except BrokenPipeError:  # click ends the command without a word
        raise
    except OSError as error:
        _end(path(), f"{_place(error)}: {error.strerror or error}", 1)


def _place(error: OSError) -> str:
    """Say where an error occurred: that of a file has its name; a stream's and the current directory's have none."""
    if error.filename is not None:
        return printable(os.fsdecode(error.filename))
    return "the current directory" if error.errno in {errno.ENOENT, errno.EACCES} else "the output cannot be written"


def _end(path: str, message: str, status: int, usage: str = "") -> NoReturn:
    with suppress(OSError):  # then the exit status alone tells
        click.echo(f"{usage}{path}: {message}", err=True)
    abandon_unwritable()
    raise click.exceptions.Exit(status)
