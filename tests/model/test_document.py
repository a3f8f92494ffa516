"""docs/protocol.md quotes the checker: what it says of stories and figures is what the checker says today."""

import pytest

from tests.model.document import PAGE, SECTIONS, Section, quoted, with_quote, written_out


def test_text_is_put_between_the_comments() -> None:
    page = "# Head\n<!-- stories:begin -->\nold\n<!-- stories:end -->\ntail\n"
    changed = with_quote(page, "stories", "new\nlines")
    assert changed == "# Head\n<!-- stories:begin -->\nnew\nlines\n<!-- stories:end -->\ntail\n"
    assert quoted(changed, "stories") == "new\nlines"


@pytest.mark.slow
@pytest.mark.parametrize("section", [pytest.param(section, id=section.name) for section in SECTIONS])
def test_page_quotes_the_checker(section: Section) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert quoted(page, section.name) == written_out(section), "run: python -m tests.model --write"
