"""The `mcs-gc` command. It deletes nothing yet, and says so."""

import click

__all__ = ["main"]


@click.command(name="mcs-gc", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mcs")
@click.pass_context
def main(context: click.Context) -> None:
    """Collect rendered configs that no machine needs.

    This version collects nothing: it has no collector yet. Every rendered config stays until you run a version that
    has one.
    """
    click.echo(context.get_help())


if __name__ == "__main__":
    main(prog_name="mcs-gc")
