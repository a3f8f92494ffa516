"""The `mcs` command: what people and scripts call. Exit status: 0 done, 1 refused or failed, 2 wrong usage.

Nothing but the standard library is imported here, so that a package that is missing is told in one line.
"""

import sys

__all__ = ["COMMANDS", "main"]

# Each subcommand's module and name there; imported only when it is called or described.
COMMANDS: dict[str, tuple[str, str]] = {
    "serve": ("mcs.cli.serve", "serve"),
    "controller": ("mcs.cli.controller", "controller"),
    "apply": ("mcs.cli.apply", "apply"),
    "render": ("mcs.cli.render", "render_command"),
    "get": ("mcs.cli.get", "get"),
    "delete": ("mcs.cli.delete", "delete"),
    "ignition": ("mcs.cli.ignition", "ignition"),
    "store": ("mcs.cli.store", "store"),
    "tls": ("mcs.cli.tls", "tls"),
}


def main() -> None:
    """Run the `mcs` command: the console entry point."""
    try:
        from mcs.cli.command import mcs

        mcs.main(prog_name="mcs")
    except ModuleNotFoundError as error:
        sys.exit(f"mcs: {_missing(error)}")


_PACKAGES = {"yaml": "pyyaml", "prometheus_client": "prometheus-client"}


def _missing(error: ModuleNotFoundError) -> str:
    """Say which package is not installed, and what to do. A module of mcs itself that is missing is raised."""
    module = (error.name or "").partition(".")[0]
    if module in {"", "mcs"}:
        raise error
    package = _PACKAGES.get(module, module)
    return (
        f"the package {package} is not installed: install mcs with its dependencies,"
        " or click and pyyaml where `mcs ignition` is all that is wanted"
    )
