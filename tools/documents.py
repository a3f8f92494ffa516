"""Writes the parts of documents that are made from code: `python tools/documents.py`. A test says if they are old."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mcs.boot.reasons import Reason
from mcs.ignition import schema_2
from mcs.ignition.fields import CONCATENATED, ITSELF, Field, ListOf, Scalar
from mcs.ignition.lacking_2 import LACKS
from mcs.ignition.schema import Row, rows
from mcs.ignition.versions import SPEC_2, SPEC_3, SpecVersion
from mcs.ignition.words import WORDS
from mcs.settings import table
from mcs.web.metric_table import TABLE, Across, Kind, Shown

ROOT = Path(__file__).resolve().parent.parent


def reasons() -> str:
    """Return the table of reasons."""
    rows = ["| reason | status | what it says |", "|---|---|---|"]
    rows += [f"| `{reason.code}` | {reason.status} | {reason.title} |" for reason in Reason]
    return "\n".join(rows)


def settings() -> str:
    """Return the table of settings."""
    rows = ["| flag | variable | default | meaning |", "|---|---|---|---|"]
    for row in table():
        default = "this host's name" if row.name == "name" else row.default or ""
        meaning = row.help.replace("|", "\\|").replace("; default: this host's name", "")
        rows.append(f"| `{row.flag}` | `{row.variable}` | {default} | {meaning} |")
    return "\n".join(rows)


def metrics() -> str:
    """Return the table of metrics."""
    across = {Across.LEAST: "least", Across.SUM: "sum", Across.LATEST: "latest"}
    rows = ["| metric | kind | labels | of several workers | meaning |", "|---|---|---|---|---|"]
    for row in TABLE:
        labels = ", ".join(f"`{label}`" for label in row.labels)
        # An age is kept as the moment of its beginning: the least moment is the largest age.
        one = "sum" if row.kind is not Kind.GAUGE else "largest" if row.shown is Shown.SINCE else across[row.across]
        rows.append(f"| `{row.name}` | {row.kind.value} | {labels} | {one} | {row.help} |")
    return "\n".join(rows)


def buckets() -> str:
    """Return the upper bounds of the histograms."""
    rows = ["| histogram | upper bounds in seconds |", "|---|---|"]
    rows += [f"| `{row.name}` | {', '.join(f'{bound:g}' for bound in row.buckets)} |" for row in TABLE if row.buckets]
    return "\n".join(rows)


def fields_3() -> str:
    """Return the table of the fields of spec 3."""
    return _fields(rows())


def fields_2() -> str:
    """Return the table of the fields of spec 2."""
    return _fields(rows(schema_2.CONFIG, since=SPEC_2[0]))


def _fields(table_rows: Iterable[Row]) -> str:
    lines = ["| field | what it holds | since | values that need a later spec |", "|---|---|---|---|"]
    for row in table_rows:
        later = "; ".join(dict.fromkeys(f"{words}: {_short(since)}" for since, words in _features(row.field)))
        lines.append(f"| `{row.path}` | {_holds(row.field)} | {_short(row.since)} | {later} |")
    return "\n".join(lines)


def _features(field: Field) -> Iterator[tuple[SpecVersion, str]]:
    """List the features of a field, the oldest first."""
    for feature in reversed(field.features):
        yield feature.since, feature.words


def _holds(field: Field) -> str:
    if isinstance(field.type, ListOf):
        return "strings" if isinstance(field.type.element, Scalar) else "objects"
    return WORDS[field.type.python if isinstance(field.type, Scalar) else dict]


def _short(version: SpecVersion) -> str:
    return f"{version.major}.{version.minor}"


def refusals() -> str:
    """Return what a conversion within spec 3 refuses: a line for each spec and each thing it brought."""
    places: dict[tuple[SpecVersion, str], list[Row]] = {}
    for row in rows():
        field = row.field
        new = [(field.since, field.words)] if field.since > SPEC_3[0] and not _is_covered(row) else []
        for brought in (*new, *_features(field)):
            places.setdefault(brought, []).append(row)
    lines = ["| to a spec below | what is refused | where | but not |", "|---|---|---|---|"]
    for (since, words), found in sorted(places.items(), key=lambda item: item[0][0]):
        defaults = {f"`{json.dumps(row.field.default)}`" for row in found if row.field.default is not None}
        where = _places(found, [row for row in rows() if row.since < since])
        lines.append(f"| {_short(since)} | {words} | {where} | {', '.join(defaults)} |")
    return "\n".join(lines)


def _is_covered(row: Row) -> bool:
    """Tell whether an object around the field is as new as the field: it is the one that is named."""
    above = row.path.rpartition(".")[0]
    return any(other.path == above and other.since >= row.since for other in rows())


def _places(found: list[Row], known: Iterable[Row]) -> str:
    """Name fields; those that bear one name, and are all of that name among the known ones, by the name alone."""
    names = {_last(row) for row in found}
    paths = {row.path for row in found}
    if len(found) > 2 and len(names) == 1 and paths >= {row.path for row in known if _last(row) in names}:
        return f"every `{names.pop()}`"
    return ", ".join(f"`{row.path}`" for row in found)


def _last(row: Row) -> str:
    return row.path.rpartition(".")[2]


def refusals_2() -> str:
    """Return what a conversion from spec 3 to spec 2 refuses, besides what came after 3.1."""
    targets: dict[str, set[SpecVersion]] = {}
    places: dict[str, list[str]] = {}
    for lack in LACKS:
        targets.setdefault(lack.words, set()).update(lack.targets)
        places.setdefault(lack.words, []).extend(f"`{place}`" for place in lack.places)
    lines = ["| to | what is refused | where |", "|---|---|---|"]
    for words, found in places.items():
        to = ", ".join(map(_short, sorted(targets[words])))
        lines.append(f"| {to} | {words} | {', '.join(dict.fromkeys(found))} |")
    return "\n".join(lines)


def merge_keys() -> str:
    """Return by which key the items of each list are told apart when two configs are merged."""
    lists: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows():
        if isinstance(row.field.type, ListOf):
            lists.setdefault((_last(row), _key(row.field.type), row.field.type.group), []).append(row)
    lines = ["| list | key | shares its keys with |", "|---|---|---|"]
    for (name, key, group), found in lists.items():
        others = [f"`{other}`" for other, _, its in lists if its == group and other != name] if group else []
        lines.append(f"| {_places(found, rows())} | {key} | {', '.join(others)} |")
    return "\n".join(lines)


def _key(kind: ListOf) -> str:
    if kind.key is CONCATENATED:
        return "none: the child's items follow the parent's"
    return "the string" if kind.key == ITSELF else ", else ".join(f"`{name}`" for name in kind.key)


# Which document has which parts; each stands between two comments that name it.
PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "docs/ignition.md": {
        "refusals": refusals,
        "refusals-2": refusals_2,
        "merge-keys": merge_keys,
        "fields-3": fields_3,
        "fields-2": fields_2,
    },
    "docs/metrics.md": {"metrics": metrics, "buckets": buckets},
    "docs/operate.md": {"reasons": reasons},
    "docs/serve.md": {"settings": settings},
}


def renewed(document: str, name: str, part: str) -> str:
    """Return the document with one part renewed."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if begin not in document or end not in document:
        raise SystemExit(f"the document has no place for {name}: {begin} … {end}")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    return pattern.sub(lambda _: f"{begin}\n{part}\n{end}", document)


def main() -> None:
    """Write all parts."""
    for path, parts in PARTS.items():
        file = ROOT / path
        document = file.read_text(encoding="utf-8")
        for name, part in parts.items():
            document = renewed(document, name, part())
        file.write_text(document, encoding="utf-8")


if __name__ == "__main__":
    main()
