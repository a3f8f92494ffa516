"""What `mcs render` says: lines that a terminal only shows, whatever is in the configs, and how they are worded."""

import base64
import gzip

import pytest
from hypothesis import given

from mcs.cli.render_words import difference_lines, explanation_lines, foreign_header_line, summary
from mcs.jsondata import JSON, JSONObject
from mcs.machineconfig.comparing import differences
from mcs.machineconfig.contents import LIMIT, TOTAL
from mcs.machineconfig.explaining import Contribution, Explanation, ForeignHeader
from mcs.machineconfig.subjects import Subject
from tests.machineconfig.specs import SPECS


def said(before: JSONObject, after: JSONObject, *, show_secrets: bool = False) -> list[str]:
    return list(difference_lines(differences(before, after), show_secrets=show_secrets))


def with_config(**sections: JSON) -> JSONObject:
    return {"config": {"ignition": {"version": "3.5.0"}, **sections}}


@given(SPECS, SPECS)
def test_every_difference_is_said_in_lines_that_a_terminal_only_shows(one: JSONObject, other: JSONObject) -> None:
    for show_secrets in (False, True):
        lines = said(one, other, show_secrets=show_secrets)
        assert bool(lines) is bool(differences(one, other))
        assert all(char.isprintable() or char == "\t" for line in lines for char in line)


def units(contents: str) -> JSONObject:
    return with_config(systemd={"units": [{"name": "a", "contents": contents}]})


def files(*items: JSON) -> JSONObject:
    return with_config(storage={"files": list(items)})


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
        return files({"path": "/a", **members})

    assert said(spec(before), spec(after)) == ["changed file /a", line]


# ---- lists and their items


def user(*groups: JSON) -> JSONObject:
    return with_config(passwd={"users": [{"name": "core", "shell": "a", "groups": list(groups)}]})


def options(*said: JSON) -> JSONObject:
    return with_config(storage={"filesystems": [{"device": "/dev/a", "format": "xfs", "options": list(said)}]})


def appended(*resources: JSON, **members: JSON) -> JSONObject:
    return files({"path": "/a", "append": list(resources), **members})


def partitions(*said: JSON) -> JSONObject:
    return with_config(storage={"disks": [{"device": "/dev/a", "partitions": list(said)}]})


ADDRESS = "https://a.example/"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        pytest.param(options("-a", "-b"), options("-a", "-b", "-a"), ["  options:", "    +-a"], id="once-more"),
        pytest.param(options("-a", "-b", "-a"), options("-a", "-b"), ["  options:", "    --a"], id="once-less"),
        pytest.param(options("-a", "-b"), options("-b", "-a"), ["  options: in another order"], id="order"),
        pytest.param(
            options("-a", "-b"),
            options("-b", "-c", "-a"),
            ["  options:", "    +-c", "    the others in another order"],
            id="order-and-one-more",
        ),
        pytest.param(
            user(),
            with_config(passwd={"users": [{"name": "core", "shell": "a"}]}),
            ["  groups: [] -> nothing"],
            id="empty-and-absent",
        ),
        pytest.param(
            partitions({"number": 1, "sizeMiB": 1}, {"number": 0, "label": "1", "sizeMiB": 1}),
            partitions({"number": 1, "sizeMiB": 2}, {"number": 0, "label": "1", "sizeMiB": 3}),
            ["  partitions[number 1].sizeMiB: 1 -> 2", "  partitions[label 1].sizeMiB: 1 -> 3"],
            id="partitions-by-number-and-by-label",
        ),
        pytest.param(
            appended({"source": ADDRESS, "compression": "gzip"}, {"source": ADDRESS}),
            appended({"source": ADDRESS}, {"source": ADDRESS, "compression": "gzip"}),
            [
                f'  append[{ADDRESS}].compression: "gzip" -> nothing',
                f'  append[{ADDRESS} #2].compression: "gzip"',
            ],
            id="two-of-one-source",
        ),
    ],
)
def test_items(before: JSONObject, after: JSONObject, lines: list[str]) -> None:
    assert said(before, after)[1:] == lines


def test_headers_of_two_that_are_appended_from_one_source() -> None:
    def spec(value: str) -> JSONObject:
        headers: JSON = [{"name": "X", "value": value}]
        return appended({"source": ADDRESS}, {"source": ADDRESS, "httpHeaders": headers})

    lines = said(spec("a"), spec("b"))

    assert len(lines) == 2
    assert lines[1].startswith(f"  append[{ADDRESS} #2].httpHeaders: (secret ")


def test_what_is_appended_to_a_file_that_others_may_not_read_is_hidden() -> None:
    lines = said(appended({"source": "data:,a"}, mode=0o600), appended({"source": "data:,hunter"}, mode=0o600))

    assert lines[1].startswith("  append[0]: (secret ")
    assert lines[1].endswith(" of 6 bytes")
    assert len(lines) == 2


# ---- how much is done for one comparison


def packed(text: str) -> JSON:
    raw = gzip.compress(text.encode())
    return {"source": f"data:;base64,{base64.b64encode(raw).decode()}", "compression": "gzip"}


def test_no_more_is_unpacked_than_the_limit_of_all_contents() -> None:
    few, many = TOTAL // LIMIT, TOTAL // LIMIT + 3
    spec = files(
        *({"path": f"/{number}", "contents": packed("\0" * (LIMIT - 1) + str(number))} for number in range(many))
    )

    lines = [line for line in said({}, spec) if line.startswith("  contents:")]

    assert len(lines) == many
    assert all(line.startswith(f"  contents: binary, {LIMIT} bytes, SHA-256 ") for line in lines[:few])
    beyond = f"  contents: packed, beyond the {TOTAL} bytes that are unpacked of all contents, SHA-256 "
    assert all(line.startswith(beyond) for line in lines[few:])


def test_no_more_lines_are_compared_than_the_limit_of_all_contents() -> None:
    def spec(last: str) -> JSONObject:
        listed: list[JSON] = [{"name": f"{number}.service", "contents": "a\n" * 9_999 + last} for number in range(7)]
        return with_config(systemd={"units": listed})

    lines = said(spec("b\n"), spec("c\n"))

    assert lines.count("    +c") == 5
    assert lines.count("    not compared line by line, beyond the 100000 lines of all contents that are") == 2


# ---- names


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
        pytest.param(Contribution("00", "user", repeated=("groups",)), "repeats groups", id="repeated"),
        pytest.param(Contribution("00", "kernel argument of the first boot", repeated=("",)), "repeats it", id="again"),
        pytest.param(
            Contribution("00", "file", removed=(("contents.compression", "99"),)),
            "takes away contents.compression of 99",
            id="removed",
        ),
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


def test_a_unit_says_how_its_drop_ins_are_explained() -> None:
    explanation = Explanation(
        Subject("unit", "a.service"),
        (Contribution("00", "unit", new=("enabled",)),),
        dropins=("a.service/1.conf", "a.service/\x1b.conf"),
    )

    assert list(explanation_lines(explanation)) == [
        "unit a.service",
        "  00  gives enabled",
        "  its drop-ins are explained by their names: a.service/1.conf, a.service/\\x1b.conf",
    ]


@pytest.mark.parametrize(
    ("subject", "header", "line"),
    [
        pytest.param(
            Subject("file", "/a"),
            ForeignHeader("contents.httpHeaders[X]", "00", "01"),
            "file /a: contents.httpHeaders[X] is of 00, and is sent to the source that 01 gives",
            id="file",
        ),
        pytest.param(
            Subject("member", "config.ignition.config.replace.httpHeaders"),
            ForeignHeader("httpHeaders[X]", "00", "01"),
            "config.ignition.config.replace.httpHeaders: httpHeaders[X] is of 00, "
            "and is sent to the source that 01 gives",
            id="member",
        ),
    ],
)
def test_a_header_that_is_sent_elsewhere(subject: Subject, header: ForeignHeader, line: str) -> None:
    assert foreign_header_line(subject, header) == line


def test_an_item_is_called_by_its_source_without_the_password_in_it() -> None:
    def spec(mode: str) -> JSONObject:
        return appended({"source": "https://me:hunter@a.example/b", "compression": mode})

    lines = said(spec("gzip"), spec(""))

    assert any("a.example" in line for line in lines)
    assert not any("hunter" in line for line in lines)
