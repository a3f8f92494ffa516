"""What `mcs render` says: lines that a terminal only shows, whatever is in the configs, and how they are worded."""

import pytest
from hypothesis import given

from mcs.cli.render_words import difference_lines, explanation_lines, summary
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.comparing import differences
from mcs.machineconfig.explaining import Contribution, Explanation
from mcs.machineconfig.subjects import Subject
from tests.machineconfig.specs import SPECS


def said(before: JSONObject, after: JSONObject, *, show_secrets: bool = False) -> list[str]:
    return [
        line
        for difference in differences(before, after)
        for line in difference_lines(difference, show_secrets=show_secrets)
    ]


@given(SPECS, SPECS)
def test_every_difference_is_said_in_lines_that_a_terminal_only_shows(one: JSONObject, other: JSONObject) -> None:
    for show_secrets in (False, True):
        lines = said(one, other, show_secrets=show_secrets)
        assert bool(lines) is bool(differences(one, other))
        assert all(char.isprintable() or char == "\t" for line in lines for char in line)


def units(contents: str) -> JSONObject:
    return {"config": {"ignition": {"version": "3.5.0"}, "systemd": {"units": [{"name": "a", "contents": contents}]}}}


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        pytest.param(
            units("a\n"),
            units("a"),
            ["    @@ -1 +1 @@", "    -a", "    +a (no line feed at the end)"],
            id="the-last-end",
        ),
        pytest.param(
            units("a\n" * 12_000), units("b\n" * 12_000), ["    too long to be compared line by line"], id="too-long"
        ),
    ],
)
def test_texts(before: JSONObject, after: JSONObject, lines: list[str]) -> None:
    assert said(before, after)[2:] == lines


def test_what_is_new_is_shown_up_to_some_lines() -> None:
    lines = said({}, units("a\n" * 50))

    assert lines[-1] == "    ... and 10 more lines"
    assert lines.count("    +a") == 40


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        pytest.param({"mode": 0o644}, {"mode": 0o4755}, "  mode: 0644 -> 4755", id="mode"),
        pytest.param({"user": {"name": "a"}}, {}, "  user.name: a -> nothing", id="gone"),
        pytest.param({}, {"overwrite": False}, "  overwrite: false", id="new"),
        pytest.param({"group": {"name": ""}}, {"group": {"name": "b"}}, '  group.name: "" -> b', id="empty"),
    ],
)
def test_members(before: JSONObject, after: JSONObject, line: str) -> None:
    def spec(members: JSONObject) -> JSONObject:
        listed: list[JSON] = [{"path": "/a", **members}]
        return {"config": {"ignition": {"version": "3.5.0"}, "storage": {"files": listed}}}

    assert said(spec(before), spec(after)) == ["changed file /a", line]


def test_a_certificate_authority_is_named_by_its_digits() -> None:
    def spec(*sources: str) -> JSONObject:
        listed: list[JSON] = [{"source": source} for source in sources]
        security: JSON = {"tls": {"certificateAuthorities": listed}}
        return {"config": {"ignition": {"version": "3.5.0", "security": security}}}

    assert said(spec(), spec("data:,abc")) == ["added certificate authority ba7816bf8f01cfea"]


def test_a_summary_counts() -> None:
    found = differences({"kernelArguments": ["a", "b"], "fips": False}, {"kernelArguments": ["c"], "fips": True})

    assert summary(found) == "1 added, 1 changed, 2 removed"


@pytest.mark.parametrize(
    ("contribution", "words"),
    [
        pytest.param(Contribution("00", "unit", new=("enabled", "contents")), "gives enabled, contents", id="new"),
        pytest.param(Contribution("00", "member", replaced=(("", "99"),)), "replaces that of 99", id="replaced"),
        pytest.param(Contribution("00", "user", added=("groups",)), "adds to groups", id="added"),
        pytest.param(Contribution("00", "unit"), "names it", id="nothing-but-the-name"),
        pytest.param(
            Contribution("00", "file", new=("contents",), instead_of=(Subject("link", "/a"), "99")),
            "makes it a file instead of the link of 99; gives contents",
            id="another-kind",
        ),
    ],
)
def test_a_contribution_in_words(contribution: Contribution, words: str) -> None:
    explanation = Explanation(Subject(contribution.kind, "a"), (contribution,))

    assert list(explanation_lines(explanation))[1:] == [f"  00  {words}"]


def test_an_argument_that_is_given_once_more() -> None:
    explanation = Explanation(
        Subject("kernel argument", "a"),
        (Contribution("00", "kernel argument", new=("",)), Contribution("01-long", "kernel argument", added=("",))),
    )

    assert list(explanation_lines(explanation)) == [
        "kernel argument a",
        "  00       gives it",
        "  01-long  gives it once more",
    ]


def test_an_item_is_called_by_its_source_without_the_password_in_it() -> None:
    def spec(mode: str) -> JSONObject:
        appended: JSON = [{"source": "https://me:hunter@a.example/b", "compression": mode}]
        config: JSON = {"ignition": {"version": "3.5.0"}, "storage": {"files": [{"path": "/a", "append": appended}]}}
        return {"config": config}

    lines = said(spec("gzip"), spec(""))

    assert any("a.example" in line for line in lines)
    assert not any("hunter" in line for line in lines)
