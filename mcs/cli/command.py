"""The `mcs` command's group: its subcommands, each imported only when it is called or described."""

from importlib import import_module

import click

from mcs import __version__
from mcs.cli import COMMANDS
from mcs.cli.groups import Group

__all__ = ["mcs"]


class _Commands(Group):
    """The subcommands of the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name]
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mcs")
def mcs() -> None:
    """Serve rendered Ignition configs to booting machines, and look after what is served.

    Commands that use a store take it from --store or MCS_STORE, such as sqlite:///mcs.db. Exit status: 0 done,
    1 refused or failed, 2 wrong usage.
    """
