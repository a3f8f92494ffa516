"""What several subcommands share: which store, which kind of thing, and text that is safe to print."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import click

from mcs.store import open_store
from mcs.store.interface import Store, StoreUnusable

__all__ = ["Word", "one_line", "opened", "printable", "store_option"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


def _named(_context: click.Context, _parameter: click.Parameter, address: str | None) -> str:
    if not address:
        raise click.UsageError("no store is named: pass --store sqlite:///PATH, or set MCS_STORE=sqlite:///PATH")
    return address


def store_option(command: F) -> F:
    """Add `--store` (or MCS_STORE): the parameter `address`, never empty."""
    return click.option(
        "--store",
        "address",
        envvar="MCS_STORE",
        metavar="ADDRESS",
        callback=_named,
        help="The store: sqlite:///PATH, with four slashes for an absolute path. [env: MCS_STORE]",
    )(command)


@contextmanager
def opened(address: str, *, create: bool = False) -> Iterator[Store]:
    """Open a store for a block; an address of no known form is wrong usage. create: make one that is not there."""
    try:
        store = open_store(address, create=create)
    except StoreUnusable as error:
        raise click.UsageError(one_line(str(error))) from error
    try:
        yield store
    finally:
        store.close()


class Word(click.ParamType[T]):
    """An argument that is one of several words, each with the value it stands for; case does not matter."""

    def __init__(self, name: str, words: Mapping[str, T], shown: tuple[str, ...]) -> None:
        self.name = name
        self.words = words
        self.shown = shown

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - click's signature
        """Return what the usage line shows."""
        return "{" + "|".join(self.shown) + "}"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> T:
        """Return the value that the word stands for."""
        found = self.words.get(str(value).lower())
        if found is None:
            self.fail(f"{str(value)!r} is none of {', '.join(self.shown)}", param, ctx)
        return found


def printable(text: str) -> str:
    r"""Replace what a terminal would obey instead of showing: foreign text, such as a User-Agent, gets printed.

    >>> printable("Ignition\x1b[2J")
    'Ignition\\x1b[2J'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def one_line(text: str) -> str:
    """Make a message one printable line."""
    return printable(" ".join(text.split()))
