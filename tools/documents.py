"""Writes the parts of documents that are made from code: `python tools/documents.py`. A test says if they are old."""

import re
from collections.abc import Callable
from pathlib import Path

from mcs.boot.reasons import Reason
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


# Which document has which parts; each stands between two comments that name it.
PARTS: dict[str, dict[str, Callable[[], str]]] = {
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
