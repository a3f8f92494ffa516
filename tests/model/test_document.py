"""docs/protocol.md quotes the checker: what it says of stories and figures is what the checker says today."""

import pytest

from tests.model.document import PAGE, quoted, with_quote, written_out


def test_text_is_put_between_the_comments() -> None:
    page = "# Head\n<!-- stories:begin -->\nold\n<!-- stories:end -->\ntail\n"
    changed = with_quote(page, "new\nlines")
    assert changed == "# Head\n<!-- stories:begin -->\nnew\nlines\n<!-- stories:end -->\ntail\n"
    assert quoted(changed) == "new\nlines"


@pytest.mark.slow
def test_page_quotes_the_checker() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert quoted(page) == written_out(), "run: python -m tests.model --write"
