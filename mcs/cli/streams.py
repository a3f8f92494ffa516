"""Standard input and output that are closed, full or of a narrow encoding: one sentence for each, never a traceback."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

__all__ = ["abandon_unwritable", "read_input", "reported", "tell"]


def tell(output: str | bytes, *, nl: bool = True) -> None:
    """Write to standard output: text, with escapes for what its encoding lacks, or bytes as they are.

    nl: whether to end with a new line. Raises OSError if standard output is closed or cannot take it.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "it is closed")
    try:
        click.echo(output, nl=nl)
    except UnicodeEncodeError as error:
        assert isinstance(output, str)
        click.echo(output.encode(error.encoding, "backslashreplace"), nl=nl)


def read_input(limit: int) -> bytes:
    """Read standard input, at most so many bytes. Raises OSError if it is closed or cannot be read."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer.read(limit)


@contextmanager
def reported(done: str) -> Iterator[None]:
    """Say what was done if the block, which reports it, cannot write. done: a sentence, as in "all was applied"."""
    try:
        yield
    except BrokenPipeError:  # whoever read the report has had enough of it
        raise
    except OSError as error:
        raise click.ClickException(f"{done}, but that could not be reported: {error.strerror or error}") from error


def abandon_unwritable() -> None:
    """Throw away what a stream that fails still holds: Python would try it again at its end, for a status of 120."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):  # a stream without a descriptor
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
