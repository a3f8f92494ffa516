"""`mcs render --explain`: where something is from, what it overrode, and what is not there."""

import shlex

import pytest

from mcs.jsondata import JSON, JSONObject
from tests.cli.commands import ROOT, Place
from tests.cli.rendering import apply, config, file, ignition, of_files, pool
from tests.cli.test_fleet import FLEET

PAGE = (ROOT / "docs" / "render.md").read_text(encoding="utf-8")


def test_where_something_is_from_in_the_order_of_merging(place: Place) -> None:
    apply(
        place,
        pool(),
        config("10-b", config=of_files(file("/a", "b\n", mode=0o600))),
        config("00-a", config=of_files(file("/a", "a\n", mode=0o600), file("/b"))),
    )

    outcome = place.mcs("render", "worker", "--explain", "/a")

    assert outcome.out[1:] == [
        "file /a",
        "  00-a  gives contents.source, mode",
        "  10-b  replaces contents.source of 00-a; repeats mode",
    ]


def test_what_is_not_there_is_an_error_with_what_was_meant(place: Place) -> None:
    apply(place, pool(), config("00-a", config=of_files(file("/etc/chrony.conf"))))

    outcome = place.mcs("render", "worker", "--explain", "/etc/crony.conf")

    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err == ["mcs render: pool worker: nothing is called /etc/crony.conf; did you mean /etc/chrony.conf?"]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        pytest.param("extensions", "extensions: the pool has none", id="a-list"),
        pytest.param(
            "config.ignition.timeouts.httpTotal",
            "config.ignition.timeouts.httpTotal: the pool has none",
            id="a-member-of-the-config",
        ),
        pytest.param("extension", "nothing is called extension", id="no-member"),
        pytest.param("/" + "a" * 50_000, f"nothing is called /{'a' * 199}…", id="long"),
        pytest.param("\x1b[2J", "nothing is called \\x1b[2J", id="nothing-that-a-terminal-obeys"),
    ],
)
def test_what_a_pool_has_none_of(place: Place, what: str, said: str) -> None:
    apply(place, pool(), config("00-a", config=of_files(file("/etc/chrony.conf"))))

    outcome = place.mcs("render", "worker", "--explain", what)

    assert (outcome.status, outcome.out, outcome.err) == (1, [], [f"mcs render: pool worker: {said}"])


def test_a_unit_names_its_drop_ins(place: Place) -> None:
    dropins: JSON = [{"name": "10-a.conf", "contents": "[Unit]\n"}]
    unit: JSONObject = {"name": "u.service", "enabled": True, "dropins": dropins}
    apply(place, pool(), config("00-a", config=ignition(systemd={"units": [unit]})))

    whole = place.mcs("render", "worker", "--explain", "u.service")
    part = place.mcs("render", "worker", "--explain", "u.service/10-a.conf")

    assert whole.out[1:] == [
        "unit u.service",
        "  00-a  gives enabled",
        "  its drop-ins are explained by their names: u.service/10-a.conf",
    ]
    assert part.out[1:] == ["drop-in u.service/10-a.conf", "  00-a  gives contents"]


def test_no_fips_is_from_who_says_it(place: Place) -> None:
    apply(place, pool(), config("00-a"), config("10-b", fips=False))

    assert place.mcs("render", "worker", "--explain", "fips").out[1:] == ["fips", "  10-b  gives it"]


def test_a_header_that_is_sent_to_the_source_of_another_one_is_warned_of(place: Place) -> None:
    headers: JSON = [{"name": "Authorization", "value": "abc"}]
    own: JSON = {"source": "https://a.example/", "httpHeaders": headers}
    other: JSON = {"source": "https://b.example/"}
    apply(
        place,
        pool(),
        config("00-a", config=of_files({"path": "/a", "contents": own})),
        config("10-b", config=of_files({"path": "/a", "contents": other})),
    )

    outcome = place.mcs("render", "worker", "--explain", "/a")

    header = "contents.httpHeaders[Authorization]"
    assert outcome.err == [
        f"warning: pool worker: file /a: {header} is of 00-a, and is sent to the source that 10-b gives"
    ]
    assert (outcome.status, outcome.out[1:]) == (
        0,
        ["file /a", f"  00-a  gives contents.source, {header}", "  10-b  replaces contents.source of 00-a"],
    )


def test_of_all_pools_those_that_have_it_explain_it(place: Place) -> None:
    apply(
        place,
        pool("alpha"),
        pool("beta"),
        config("00-a", role="alpha", kernelArguments=["x"]),
        config("00-b", role="beta", kernelArguments=["y"]),
    )

    outcome = place.mcs("render", "--all", "--explain", "y")

    assert (outcome.status, outcome.out[1:]) == (1, ["kernel argument y", "  00-b  gives it"])
    assert outcome.err == ["pool alpha: nothing is called y", "mcs render: 1 of 2 pools failed"]


# ---- the examples of the documents


def test_the_page_shows_what_the_example_fleet_gives(place: Place) -> None:
    assert place.mcs("apply", "-f", FLEET).status == 0
    [block] = [each for each in PAGE.split("```") if each.startswith("\n$ mcs render")]
    shown = [line for line in block.splitlines() if line]

    commands = [line.removeprefix("$ mcs ") for line in shown if line.startswith("$ mcs ")]
    said = [line for each in commands for line in (f"$ mcs {each}", *place.mcs(*shlex.split(each)).out)]

    assert said == shown


@pytest.mark.parametrize(
    "member", ["osImageURL", "kernelArguments", "config.storage.filesystems", "config.ignition.version"]
)
def test_the_members_that_the_page_names_are_in_the_example_fleet(place: Place, member: str) -> None:
    assert place.mcs("apply", "-f", FLEET).status == 0

    assert f"`{member}`" in PAGE
    assert place.mcs("render", "edge", "--explain", member).status == 0
