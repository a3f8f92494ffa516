"""Prints the checker's stories and figures as Markdown: `python -m tests.model`; with --write into docs/protocol.md."""

import sys

from tests.model.document import PAGE, SECTIONS, with_quote, written_out

for section in SECTIONS:
    text = written_out(section)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(with_quote(PAGE.read_text(encoding="utf-8"), section.name, text), encoding="utf-8")
    else:
        sys.stdout.write(text + "\n")
