"""`mcs render`: merges pools' MachineConfigs into rendered configs, and says what would change and where it is from.

Merging is mcs.machineconfig.rendering's business, and writing that of the protocol in mcs.controller.
"""

import os
import secrets
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence

import click

from mcs import __version__
from mcs.cli.documents import json_text, yaml_text
from mcs.cli.options import one_line, opened, printable, store_option
from mcs.cli.render_attempt import Asked, CannotError, NotRenderedError, Work, done, lost_images
from mcs.cli.render_words import difference_lines, explanation_lines, foreign_header_line, order_line, summary
from mcs.cli.streams import reported, tell
from mcs.clock import read_clock
from mcs.controller.driver import Publisher
from mcs.controller.protocol import Outcome, Reason
from mcs.jsondata import JSON, object_at, text_at
from mcs.machineconfig.comparing import differences, reordered
from mcs.machineconfig.components import component
from mcs.machineconfig.explaining import Explanation, explain, is_known, near
from mcs.machineconfig.hash_input import UnhashableSpec
from mcs.machineconfig.manifest_documents import quoted
from mcs.machineconfig.masking import without_secrets
from mcs.machineconfig.names import Kind, rendered_pool
from mcs.machineconfig.rendered_name import rendered_name
from mcs.machineconfig.rendering import Origin
from mcs.store.interface import Store

__all__ = ["render_command"]

_FORMATS: dict[str, Callable[[JSON], str]] = {"json": json_text, "yaml": yaml_text}
_MOST_ECHOED = 200  # characters of what was asked for


def _variable(name: str) -> Callable[[], str | None]:
    """Return what reads a variable: an empty one says an empty text, as it does to `mcs controller`."""
    return lambda: os.environ.get(name)


def _image(_context: click.Context, _parameter: click.Parameter, image: str | None) -> str | None:
    if image is not None and not image.isprintable():
        raise click.BadParameter(f"{quoted(image)} is no image: it has control characters")
    return image


def _not_empty(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
    if text == "":
        raise click.BadParameter("it is empty")
    return text


@click.command("render", short_help="Merge a pool's MachineConfigs into its rendered config.")
@click.argument("pool", required=False, callback=_not_empty)
@click.option("--all", "every_pool", is_flag=True, help="All pools; one that cannot be rendered keeps no other back.")
@click.option("--dry-run", is_flag=True, help="Write nothing: say what would be written.")
@click.option("-o", "--output", type=click.Choice([*_FORMATS]), help="Print the rendered config.")
@click.option("--diff", is_flag=True, help="Show what would change against what the pool names now; write nothing.")
@click.option(
    "--explain",
    "explained",
    metavar="PATH",
    callback=_not_empty,
    help="Show which MachineConfig a file, unit, UNIT/DROP-IN, user, argument or member (such as osImageURL) is from, "
    "and which it overrode; write nothing.",
)
@click.option("--show-secrets", is_flag=True, help="With --diff: secrets as they are, not as digits of a hash.")
@click.option(
    "--allow-unreachable",
    is_flag=True,
    help="Render even what running machines cannot be brought to unless they are installed anew.",
)
@click.option(
    "--verify",
    "verified",
    metavar="NAME",
    multiple=True,
    help="Compute the name of a stored rendered config anew, and say whether it holds; may be given several times.",
)
@click.option(
    "--os-image",
    metavar="IMAGE",
    default=_variable("MCS_OS_IMAGE"),
    callback=_image,
    help="osImageURL, where no MachineConfig says another. [env: MCS_OS_IMAGE]",
)
@click.option(
    "--extensions-image",
    metavar="IMAGE",
    default=_variable("MCS_EXTENSIONS_IMAGE"),
    callback=_image,
    help="baseOSExtensionsContainerImage, where no MachineConfig says another. [env: MCS_EXTENSIONS_IMAGE]",
)
@click.option(
    "--build",
    metavar="TEXT",
    envvar="MCS_BUILD",
    default=__version__,
    show_default=True,
    help="The build that is noted on the config; MachineConfigs that another build generated are refused. "
    "[env: MCS_BUILD]",
)
@click.option(
    "--release",
    metavar="TEXT",
    envvar="MCS_RELEASE",
    default="",
    help="The cluster's release that is noted on the config. [env: MCS_RELEASE]",
)
@store_option
def render_command(
    pool: str | None,
    every_pool: bool,
    verified: tuple[str, ...],
    os_image: str | None,
    extensions_image: str | None,
    build: str,
    release: str,
    explained: str | None,
    show_secrets: bool,
    dry_run: bool,
    output: str | None,
    diff: bool,
    allow_unreachable: bool,
    address: str,
) -> None:
    """Merge the MachineConfigs that POOL selects into its rendered config, store that, and point the pool at it.

    The name of a rendered config is a hash of what is in it: nothing is written where nothing has changed. What is
    written obeys the rules of those who serve: the config is held first, then looked at, then created or kept, and only
    then does the pool name it. What running machines cannot be brought to from the config that the pool names now is
    refused (docs/render.md). Exit status: 1 if any pool could not be rendered, or a name does not hold.

    \b
    Examples:
      mcs render worker --dry-run
      mcs render worker --diff
      mcs render worker --explain /etc/chrony.conf
      mcs render --all
      mcs render --verify rendered-worker-0123456789abcdef0123456789abcdef
    """
    if sum((pool is not None, every_pool, bool(verified))) != 1:
        raise click.UsageError("name a POOL, or give --all or --verify, and only one of them")
    if sum((output is not None, diff, explained is not None)) > 1:
        raise click.UsageError("--output, --diff and --explain exclude one another")
    if verified and (dry_run or output or diff or explained is not None or allow_unreachable):
        raise click.UsageError("--verify renders nothing: it goes with no other option but --store")
    if show_secrets and not diff:
        raise click.UsageError("--show-secrets is for --diff")
    asked = Asked(
        origin=Origin(build=build, release=release, os_image=os_image or "", extensions_image=extensions_image or ""),
        images={"osImageURL": os_image, "baseOSExtensionsContainerImage": extensions_image},
        dry_run=dry_run,
        output=output,
        diff=diff,
        explain=explained,
        show_secrets=show_secrets,
        allow_unreachable=allow_unreachable,
    )
    with opened(address) as store:
        if verified:
            _verify(store, verified)
        elif pool is not None:
            _render_one(store, pool, asked)
        else:
            _render_all(store, asked)


# ---- which pools


def _render_one(store: Store, pool: str, asked: Asked) -> None:
    try:
        work, outcome = done(store, pool, asked, _publisher(store, asked))
        _say(work, outcome, asked)
    except (CannotError, NotRenderedError) as error:
        raise click.ClickException(f"pool {printable(pool)}: {one_line(str(error))}") from error
    if asked.output is not None:
        with reported(_reported(asked)):
            tell(_FORMATS[asked.output](work.rendered.document(pool)).encode(), nl=False)


def _render_all(store: Store, asked: Asked) -> None:
    publisher = _publisher(store, asked)
    pools = [pool.name for pool in store.objects(Kind.POOL)]
    documents: list[JSON] = []
    failed = 0
    for pool in pools:
        try:
            work, outcome = done(store, pool, asked, publisher)
            _say(work, outcome, asked)
        except NotRenderedError as error:
            click.echo(f"pool {printable(pool)}: {one_line(str(error))}", err=True)
        except CannotError as error:
            failed += 1
            click.echo(f"pool {printable(pool)}: {one_line(str(error))}", err=True)
        else:
            documents.append(work.rendered.document(pool))
    if asked.output is not None:
        listed: JSON = {"apiVersion": "v1", "kind": "List", "items": documents}
        with reported(_reported(asked)):
            tell(_FORMATS[asked.output](listed).encode(), nl=False)
    elif not pools:
        click.echo("there are no pools", err=True)
    if failed:
        raise click.ClickException(f"{failed} of {len(pools)} pools failed")


def _reported(asked: Asked) -> str:
    """Say what was done, for when that cannot be printed."""
    return "everything was written" if asked.writes else "nothing was to be written"


def _publisher(store: Store, asked: Asked) -> Publisher | None:
    """Return what publishes, None if nothing is to be written."""
    if not asked.writes:
        return None
    name = f"mcs render on {socket.gethostname()}"
    return Publisher(store, worker=secrets.token_hex(16), server=name, clock=read_clock)


# ---- what is said of it


def _say(work: Work, outcome: Outcome | None, asked: Asked) -> None:
    refusal = [] if work.refusal is None else [f"it would be refused: {work.refusal}"]
    explained = [] if asked.explain is None else _explained(work, asked.explain)
    foreign = [foreign_header_line(each.subject, header) for each in explained for header in each.foreign_headers]
    for warning in (*refusal, *lost_images(work, asked), *foreign):
        click.echo(f"warning: pool {work.pool.name}: {printable(warning)}", err=True)
    if asked.diff:
        lines = _difference(work, asked.show_secrets)
    elif asked.explain is not None:
        lines = _explanation(work, explained)
    elif asked.output is None:
        lines = iter([_done_line(work, outcome)])
    else:
        return
    with reported(_reported(asked)):
        for line in lines:
            tell(line)


def _done_line(work: Work, outcome: Outcome | None) -> str:
    named = text_at(work.pool.value, "spec", "configuration", "name")
    parts = len(work.rendered.source)
    said = f"{work.pool.name}: {work.rendered.name} from {parts} MachineConfig{'' if parts == 1 else 's'}"
    if outcome is None:
        exists = "there already" if work.stored is not None else "new"
        what = "the pool names it" if named == work.rendered.name else f"{exists}, the pool names {named or 'none'}"
        return printable(f"{said}: {what} (dry run)")
    if outcome.reason is Reason.STANDING:
        return printable(f"{said}: the pool names it already")
    done = "created" if outcome.created else "there already"
    unmarked = ", no longer marked for collection" if outcome.unmarked else ""
    return printable(f"{said}: {done}{unmarked}, and the pool names it now")


def _difference(work: Work, show_secrets: bool) -> Iterator[str]:
    named = text_at(work.pool.value, "spec", "configuration", "name")
    if work.current is None:
        yield printable(
            f"{work.pool.name}: {work.rendered.name}; there is no {named or 'config yet'} to compare it with"
        )
        return
    if named == work.rendered.name:
        yield printable(f"{work.pool.name}: {work.rendered.name}: nothing would change")
        return
    yield printable(f"{work.pool.name}: {named} -> {work.rendered.name}")
    before = object_at(work.current, "spec")
    found = differences(before, work.rendered.spec)
    yield from difference_lines(found, show_secrets=show_secrets)
    for leaf in reordered(before, work.rendered.spec):
        yield order_line(leaf, show_secrets=show_secrets)
    yield summary(found) if found else "only its order or how it is written would change"


def _explained(work: Work, what: str) -> list[Explanation]:
    by_name = {text_at(config, "metadata", "name"): config for config in work.chosen}
    parts = [component(by_name[name]) for name in work.rendered.source]
    found = explain(what, parts, work.rendered.spec)
    if found:
        return found
    if is_known(what):
        raise CannotError(f"{what}: the pool has none")
    shown = what if len(what) <= _MOST_ECHOED else f"{what[:_MOST_ECHOED]}…"
    nearest = near(what, work.rendered.spec)
    hint = f"; did you mean {without_secrets(nearest)}?" if nearest is not None else ""
    raise CannotError(f"nothing is called {shown}{hint}")


def _explanation(work: Work, explained: Iterable[Explanation]) -> Iterator[str]:
    yield printable(f"{work.pool.name}: {work.rendered.name}")
    for explanation in explained:
        yield from explanation_lines(explanation)


# ---- names


def _verify(store: Store, names: Sequence[str]) -> None:
    wrong = 0
    for name in names:
        said = _verdict(store, name)
        if said is None:
            tell(f"{printable(name)}: the name holds")
        else:
            wrong += 1
            click.echo(f"{printable(name)}: {one_line(said)}", err=True)
    if wrong:
        raise click.ClickException(f"{wrong} of {len(names)} names do not hold")


def _verdict(store: Store, name: str) -> str | None:
    """Return why a name does not hold, None if it does."""
    pool = rendered_pool(name)
    if pool is None:
        return "it is no name of a rendered config, rendered-POOL-HASH"
    config = store.get(Kind.CONFIG, name)
    if config is None:
        return "there is no such MachineConfig"
    try:
        computed = rendered_name(pool, object_at(config.value, "spec"))
    except UnhashableSpec as error:
        return f"no name can be computed: spec.{str(error).removeprefix('$.')}"
    return None if computed == name else f"the name does not hold: by its spec it is {computed}"
