import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcs.ignition import (
    SPEC_3,
    TARGETS,
    Asking22,
    Malformed,
    Negotiated,
    NotSpoken,
    Serve,
    ServeStored,
    SpecVersion,
    negotiate,
)
from mcs.ignition.versions import V2_2, V2_4, V3_0, V3_1

IGNITION = "application/vnd.coreos.ignition+json"


def old(version: str) -> str:
    """What Ignition 0.4 to 0.35, and 2.0.0 and 2.0.1, send."""
    return f"{IGNITION}; version={version}, {IGNITION}; version=1; q=0.5, */*; q=0.1"


def new(version: str) -> str:
    """What Ignition 2.1 and later send."""
    return f"{IGNITION};version={version}, */*;q=0.1"


def serve(minor: int, asked: str | None = None) -> Serve:
    return Serve(SpecVersion(3, minor), asked or f"3.{minor}.0")


CLIENTS = [
    pytest.param(old("2.0.0"), NotSpoken("2.0.0"), id="ignition-0.4-to-0.16"),
    pytest.param(old("2.1.0"), NotSpoken("2.1.0"), id="ignition-0.17-to-0.21"),
    pytest.param(old("2.2.0"), Serve(V2_2, "2.2.0"), id="ignition-0.22-to-0.35"),
    pytest.param(old("2.3.0"), Serve(V2_2, "2.3.0"), id="spec-2.3-which-none-asks-for"),
    pytest.param(old("2.4.0"), Serve(V2_4, "2.4.0"), id="spec-2.4-which-none-asks-for"),
    pytest.param(old("2.5.0-experimental"), Serve(V2_4, "2.5.0-experimental"), id="spec-2.5-which-was-never-stable"),
    *(pytest.param(new(str(version)), serve(version.minor), id=f"spec-{version}") for version in SPEC_3),
    pytest.param(None, ServeStored(), id="after-a-redirect"),
]

# The header parsing table of the Machine Config Operator's own tests, with our outcome.
OPERATOR = [
    pytest.param(old("2.4.0"), Serve(V2_4, "2.4.0"), id="1-IgnV0"),
    pytest.param(new("3.5.0"), serve(5), id="2-IgnV2_35"),
    pytest.param(new("3.4.0"), serve(4), id="3-IgnV2_34"),
    pytest.param(new("3.3.0"), serve(3), id="4-IgnV2_33"),
    pytest.param(new("3.2.0"), serve(2), id="5-IgnV2_32"),
    pytest.param(new("3.1.0"), serve(1), id="6-IgnV2_31"),
    pytest.param(IGNITION, ServeStored(), id="7-IgnNoVersion"),
    pytest.param("text/plain", ServeStored(), id="8-Text"),
    pytest.param("an-invalid-accept-header", ServeStored(), id="9-Invalid"),
    pytest.param(new("3.99.0"), serve(6, "3.99.0"), id="10-newer-minor"),
    pytest.param(new("4.0.0"), NotSpoken("4.0.0"), id="11-unsupported-major"),
]

NO_VERSION = [
    pytest.param("", ServeStored(), id="empty"),
    pytest.param("*/*", ServeStored(), id="anything"),
    pytest.param("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", ServeStored(), id="browser"),
    pytest.param("application/json;version=3.2.0", ServeStored(), id="a-version-of-another-type"),
    pytest.param("application/json;version=what", ServeStored(), id="a-bad-version-of-another-type"),
    pytest.param("application/*, */*", ServeStored(), id="wildcards"),
    pytest.param(f"{IGNITION};charset=utf-8", ServeStored(), id="another-parameter"),
    pytest.param(f'text/plain;a="{IGNITION};version=4.0.0"', ServeStored(), id="a-range-within-quotes"),
]

CHOICE = [
    pytest.param(f"*/*, {IGNITION};version=3.2.0;q=0.2", serve(2), id="anything-does-not-count-beside-a-version"),
    pytest.param(f"{IGNITION};version=3.2.0;q=0.2, {IGNITION};version=3.4.0;q=0.9", serve(4), id="the-greater-q-first"),
    pytest.param(f"{IGNITION};version=3.4.0;q=0.5, {IGNITION};version=3.2.0", serve(2), id="no-q-is-one"),
    pytest.param(f"{IGNITION};version=3.1.0, {IGNITION};version=3.4.0", serve(1), id="equal-q-in-order"),
    pytest.param(f"{IGNITION};version=4.0.0, {IGNITION};version=3.2.0;q=0.5", serve(2), id="the-first-that-is-spoken"),
    pytest.param(
        f"{IGNITION};version=2.2.0, {IGNITION};version=3.0.0;q=0.5", Serve(V2_2, "2.2.0"), id="spec-2-then-spec-3"
    ),
    pytest.param(f"{IGNITION};version=2.1.0, {IGNITION};version=3.0.0;q=0.5", serve(0), id="spec-2.1-then-spec-3"),
    pytest.param(f"{IGNITION};version=3.5.0;q=0, {IGNITION};version=3.2.0;q=0.1", serve(2), id="q-0-is-refused"),
    pytest.param(f"{IGNITION};version=3.5.0;q=0.000, */*", ServeStored(), id="q-0-leaves-anything"),
    pytest.param(f"{IGNITION};version=3.2.0, {IGNITION};version=3.5.0;q=7", serve(2), id="q-above-one-is-one"),
    pytest.param(f"{IGNITION};version=3.5.0;q=high, {IGNITION};version=3.2.0", serve(5), id="q-that-is-none-is-one"),
    pytest.param(f"{IGNITION};version=3.5.0;q=-1", serve(5), id="negative-q-is-none"),
    pytest.param(f"{IGNITION};version=3.5.0;q=nan", serve(5), id="nan-is-none"),
    pytest.param(f"{IGNITION}, {IGNITION};version=3.2.0;q=0.5", serve(2), id="a-version-before-none"),
    pytest.param(f"{IGNITION};version=4.0.0, {IGNITION};q=0.5", ServeStored(), id="none-after-one-not-spoken"),
    pytest.param(f"{IGNITION};version=4.0.0;q=0.5, {IGNITION};version=5.0.0", NotSpoken("5.0.0"), id="the-best-of-two"),
    pytest.param(f"{IGNITION};version=1", NotSpoken("1"), id="spec-1-as-old-clients-write-it"),
    pytest.param(f"{IGNITION};version=1.0.0", NotSpoken("1.0.0"), id="spec-1"),
    pytest.param(f"{IGNITION};version=0.1.0", NotSpoken("0.1.0"), id="major-0"),
]

VERSION_TEXT = [
    pytest.param(f'{IGNITION};version="3.2.0"', serve(2), id="quoted"),
    pytest.param(f'{IGNITION};version="3\\.2.0"', serve(2), id="quoted-pair"),
    pytest.param("Application/VND.CoreOS.Ignition+JSON;Version=3.2.0;Q=1", serve(2), id="case"),
    pytest.param(f"\t{IGNITION} ; version = 3.2.0 ; q = 1 ", serve(2), id="blanks-everywhere"),
    pytest.param(f"{IGNITION};a=b;version=3.2.0;;", serve(2), id="other-and-empty-parameters"),
    pytest.param(f"{IGNITION};version=3.2.0;version=3.4.0", serve(2), id="the-first-of-two"),
    pytest.param(f",, {IGNITION};version=3.2.0,,", serve(2), id="empty-items"),
    pytest.param(f'a/b;c="d,e;f\\"", {IGNITION};version=3.2.0', serve(2), id="separators-within-quotes"),
    pytest.param(f"{IGNITION};version=3.2.7", serve(2, "3.2.7"), id="patch-level"),
    pytest.param(f"{IGNITION};version=3.4.0-experimental", serve(4, "3.4.0-experimental"), id="pre-release"),
    pytest.param(f"{IGNITION};version=3.7.0-experimental", serve(6, "3.7.0-experimental"), id="newer-pre-release"),
    pytest.param(f"{IGNITION};version=3.2.0+build", serve(2, "3.2.0+build"), id="metadata"),
    pytest.param(f"{IGNITION};version=03.02.0", serve(2, "03.02.0"), id="leading-zeros"),
    pytest.param(f"{IGNITION};version=3.2", Malformed("3.2"), id="two-numbers"),
    pytest.param(f"{IGNITION};version=3", Malformed("3"), id="one-number"),
    pytest.param(f"{IGNITION};version=", Malformed(""), id="empty"),
    pytest.param(f"{IGNITION};version", Malformed(""), id="no-value"),
    pytest.param(f"{IGNITION};version=new, */*", Malformed("new"), id="a-word"),
    pytest.param(f"{IGNITION};version=@;q=0.5, {IGNITION};version=#", Malformed("#"), id="the-best-of-two"),
    pytest.param(f'{IGNITION};version="3.2.0, */*', Malformed('"3.2.0, */*'), id="a-quote-that-is-not-closed"),
    pytest.param(f"{IGNITION};version={'9' * 5000}.0.0", Malformed("9" * 5000 + ".0.0"), id="five-thousand-digits"),
    pytest.param(f"{IGNITION};version=bad, {IGNITION};version=3.2.0;q=0.1", serve(2), id="bad-beside-good"),
    pytest.param(f"{IGNITION};version=bad, {IGNITION};version=4.0.0", NotSpoken("4.0.0"), id="bad-beside-not-spoken"),
    pytest.param(f"{IGNITION};version=bad;q=0", ServeStored(), id="bad-but-refused"),
    pytest.param(f"{IGNITION};version=\N{ARABIC-INDIC DIGIT THREE}.2.0", Malformed("\u0663.2.0"), id="other-digits"),
]


@pytest.mark.parametrize(("accept", "outcome"), [*CLIENTS, *OPERATOR, *NO_VERSION, *CHOICE, *VERSION_TEXT])
def test_negotiate(accept: str | None, outcome: Negotiated) -> None:
    assert negotiate(accept) == outcome


READS_3_0_ALONE = [
    "Ignition/2.0.0",
    "Ignition/2.0.1",
    "Ignition/v2.0.1",
    "Ignition/v2.0.0-3-g0123abc",
    "Ignition/2.0.1-dirty",
    "Ignition/2.0.10+ds1",
    "Ignition/2.0.1 (linux; amd64)",
]
OTHERS = [
    None,
    "",
    "Ignition/",
    "Ignition/0.35.0",
    "Ignition/v0.35.0-2-g4db553d",
    "Ignition/0.2.0",
    "Ignition/0.32.0.1",
    "Ignition/2.1.0",
    "Ignition/2.19.0",
    "Ignition/2.14.0-2.0.1",
    "Ignition/Debian 2.14.0+ds1-1+b6",
    "Ignition/12.0.1",
    "Ignition/2.0",
    "Ignition/2.0.",
    "Ignition/2.0.x",
    "Ignition/V2.0.1",
    "Ignition/Debian 2.0.1+ds1-1",
    "ignition/2.0.1",
    "xIgnition/2.0.1",
    " Ignition/2.0.1",
    "curl/8 Ignition/2.0.1",
    "Ignition/2.0.\N{ARABIC-INDIC DIGIT ONE}",
    "Ignition 2.0.1",
    "Go-http-client/1.1",
    "curl/2.0.1",
    "Ignition/" + "x" * 5000 + "2.0.1",
    "Ignition/" + "2" * 5000 + ".0.1",
]


@pytest.mark.parametrize("client", READS_3_0_ALONE)
def test_ignition_2_0_asks_for_2_2_and_means_3_0(client: str) -> None:
    assert negotiate(old("2.2.0"), client) == Serve(V3_0, "2.2.0")


@pytest.mark.parametrize("client", OTHERS)
def test_all_others_that_ask_for_2_2_mean_it(client: str | None) -> None:
    assert negotiate(old("2.2.0"), client) == Serve(V2_2, "2.2.0")


@pytest.mark.parametrize("client", [*READS_3_0_ALONE, *OTHERS])
@pytest.mark.parametrize(
    ("setting", "outcome"),
    [
        pytest.param(Asking22.ALWAYS_2_2, Serve(V2_2, "2.2.0"), id="always-2.2"),
        pytest.param(Asking22.ALWAYS_3_0, Serve(V3_0, "2.2.0"), id="always-3.0"),
    ],
)
def test_a_setting_overrides_the_name(setting: Asking22, outcome: Negotiated, client: str | None) -> None:
    assert negotiate(old("2.2.0"), client, asking_2_2=setting) == outcome


@pytest.mark.parametrize("setting", Asking22)
@pytest.mark.parametrize("client", ["Ignition/2.0.1", "Ignition/0.35.0", None])
@pytest.mark.parametrize(
    ("accept", "outcome"),
    [
        pytest.param(old("2.1.0"), NotSpoken("2.1.0"), id="2.1"),
        pytest.param(old("2.3.0"), Serve(V2_2, "2.3.0"), id="2.3"),
        pytest.param(old("2.4.0"), Serve(V2_4, "2.4.0"), id="2.4"),
        pytest.param(new("3.4.0"), serve(4), id="3.4"),
        pytest.param("*/*", ServeStored(), id="no-version"),
        pytest.param(None, ServeStored(), id="no-header"),
    ],
)
def test_name_and_setting_matter_only_where_2_2_is_asked_for(
    accept: str | None, outcome: Negotiated, client: str | None, setting: Asking22
) -> None:
    assert negotiate(accept, client, asking_2_2=setting) == outcome


@pytest.mark.parametrize("setting", Asking22)
@pytest.mark.parametrize("client", ["Ignition/2.0.1", "Go-http-client/1.1", None])
@pytest.mark.parametrize(
    "accept",
    [
        pytest.param(None, id="no-header"),
        pytest.param("", id="empty"),
        pytest.param("*/*", id="anything"),
        pytest.param("text/plain", id="another-type"),
        pytest.param(IGNITION, id="no-version"),
        pytest.param(f"{IGNITION};version=3.5.0;q=0, */*", id="refused"),
    ],
)
def test_what_is_served_where_no_version_is_asked_for_can_be_set(
    accept: str | None, client: str | None, setting: Asking22
) -> None:
    assert negotiate(accept, client, asking_2_2=setting, unasked=V2_2) == Serve(V2_2, None)


@pytest.mark.parametrize(
    ("accept", "outcome"),
    [
        pytest.param(new("3.4.0"), serve(4), id="spoken"),
        pytest.param(old("2.0.0"), NotSpoken("2.0.0"), id="not-spoken"),
        pytest.param(f"{IGNITION};version=x", Malformed("x"), id="malformed"),
    ],
)
def test_it_changes_nothing_where_a_version_is_asked_for(accept: str, outcome: Negotiated) -> None:
    assert negotiate(accept, unasked=V2_2) == outcome


@pytest.mark.parametrize(
    ("accept", "outcome"),
    [
        pytest.param(old("2.2.0"), NotSpoken("2.2.0"), id="another-major"),
        pytest.param(new("3.0.0"), NotSpoken("3.0.0"), id="none-is-old-enough"),
        pytest.param(new("3.6.0"), Serve(V3_1, "3.6.0"), id="the-newest-of-that-major"),
    ],
)
def test_what_is_spoken_decides(accept: str, outcome: Negotiated) -> None:
    assert negotiate(accept, "Ignition/2.0.1", spoken=[V3_1]) == outcome


BLANK = st.sampled_from(["", " ", "\t", "  "])
WORDS = f"{IGNITION} */* text/html version= version q= 3.2.0 2.2.0 4.0.0 1 3 0.5 0 1.0 {'9' * 30}".split()
PIECE = st.sampled_from([*WORDS, *'"\\,;=.-+ \t\n\x00ä'])
VERSION = st.sampled_from(["1", "2.2.0", "3.0.0", "3.2.0", "3.6.0", "3.9.1", "4.0.0", "3.4.0-rc.1", "bad", ""])
QUOTED = st.text(st.characters(codec="latin-1"), max_size=6).map(lambda text: f'"{text}"')
PARAMETER = st.tuples(
    st.sampled_from([";", " ; "]),
    st.sampled_from(["version", "Version", "q", "Q", "charset", "version*", ""]),
    st.sampled_from(["=", " = "]),
    VERSION | VERSION.map('"{}"'.format) | QUOTED | st.sampled_from(["0", "0.5", "1", "0.001", "2", "x"]),
).map("".join)
RANGE = st.builds(
    lambda media_type, parameters: media_type + "".join(parameters),
    st.sampled_from([IGNITION, IGNITION, IGNITION.upper(), "*/*", "application/json", ""]),
    st.lists(PARAMETER, max_size=3),
)
HEADER = st.lists(st.builds("{}{}{}".format, BLANK, RANGE, BLANK), max_size=5).map(",".join)
ANY_HEADER = HEADER | st.lists(PIECE, max_size=20).map("".join) | st.text()


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(ANY_HEADER, st.sampled_from([*READS_3_0_ALONE, *OTHERS]) | st.text(), st.sampled_from(Asking22))
@example('"' * 50_000, "Ignition/" * 5000, Asking22.BY_NAME)
@example(f"{IGNITION};version=" + "0" * 50_000, "", Asking22.BY_NAME)
@example(",;=\\" * 20_000, "", Asking22.BY_NAME)
@example(old("2.2.0"), "Ignition/" * 5000, Asking22.BY_NAME)
@example(old("2.2.0"), "Ignition/" + "1" * 50_000, Asking22.BY_NAME)
def test_no_header_raises_and_each_outcome_says_what_the_headers_say(
    accept: str, client: str | None, setting: Asking22
) -> None:
    outcome = negotiate(accept, client, asking_2_2=setting)

    match outcome:
        case Serve(version, asked):
            assert version in TARGETS
            assert asked is not None
            major, minor = map(int, asked.split(".")[:2])
            assert version <= (major, minor) or (version, (major, minor)) == (V3_0, V2_2)
            assert version.major == major or version == V3_0
        case NotSpoken(asked):
            assert asked == "1" or not re.match(r"0*(3\.|2\.0*[2-9])", asked)
        case Malformed(asked):
            assert not re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18}){2}", asked)
        case ServeStored():
            pass
    if not isinstance(outcome, ServeStored):
        assert IGNITION in accept.lower()
        assert "version" in accept.lower()


@given(HEADER, st.sampled_from(["text/plain", "*/*;q=0.1", "a/b;version=3.1.0"]))
def test_ranges_of_other_types_change_nothing(accept: str, other: str) -> None:
    assert negotiate(f"{other}, {accept}") == negotiate(accept)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 1000)), min_size=1, max_size=5, unique_by=lambda pair: pair[1])
)
def test_the_greatest_q_wins_in_any_order(pairs: list[tuple[int, int]]) -> None:
    header = ", ".join(f"{IGNITION};version=3.{minor}.0;q={q / 1000:.3f}" for minor, q in pairs)
    best, _ = max(pairs, key=lambda pair: pair[1])

    assert negotiate(header) == serve(min(best, 6), f"3.{best}.0")
