import re
from pathlib import Path

import pytest

from tools.documents import PARTS, renewed

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/*.md")) + sorted(ROOT.glob("*/*/README.md"))


@pytest.mark.parametrize(("path", "name"), [(path, name) for path, parts in PARTS.items() for name in parts])
def test_what_is_made_from_code_is_up_to_date(path: str, name: str) -> None:
    document = (ROOT / path).read_text(encoding="utf-8")
    assert renewed(document, name, PARTS[path][name]()) == document, "run: .venv/bin/python tools/documents.py"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            assert (document.parent / target).exists(), target
