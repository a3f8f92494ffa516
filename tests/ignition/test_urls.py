import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.urls import INVALID_SCHEME, UNPARSABLE, problem_of, scheme_of
from mcs.ignition.versions import NEWEST, SPEC_2, SPEC_3, V2_0, V2_1, V3_0, V3_2, V3_4, SpecVersion

EVER = SPEC_2 + SPEC_3
ARN = "invalid S3 ARN format"
VERSION_ID = "invalid S3 object VersionId"


@pytest.mark.parametrize(
    ("url", "versions"),
    [
        pytest.param("http://a.example/b", EVER, id="http"),
        pytest.param("https://a.example/b", EVER, id="https"),
        pytest.param("data:,a", EVER, id="data"),
        pytest.param("oem:///a", SPEC_2, id="oem"),
        pytest.param("tftp://a.example/b", (*SPEC_2[1:], *SPEC_3), id="tftp"),
        pytest.param("s3://bucket/key", (*SPEC_2[1:], *SPEC_3), id="s3"),
        pytest.param("gs://bucket/object", SPEC_3[2:], id="gs"),
        pytest.param("arn:aws:s3:::bucket/key", SPEC_3[4:], id="arn"),
        pytest.param("ftp://a.example/b", (), id="ftp"),
        pytest.param("file:///a", (), id="file"),
        pytest.param("a.example/b", (), id="no-scheme"),
        pytest.param("/a", (), id="path"),
        pytest.param("*", (), id="asterisk"),
        pytest.param("", SPEC_2, id="nothing"),
    ],
)
def test_each_spec_has_its_schemes(url: str, versions: tuple[SpecVersion, ...]) -> None:
    assert {version: problem_of(url, version) for version in EVER} == {
        version: None if version in versions else INVALID_SCHEME for version in EVER
    }


@pytest.mark.parametrize(
    ("url", "version", "message"),
    [
        pytest.param("HTTPS://a.example", NEWEST, None, id="upper-case-scheme"),
        pytest.param("https:", NEWEST, None, id="nothing-but-a-scheme"),
        pytest.param("http:a%zz", NEWEST, None, id="no-host-and-nothing-looked-at"),
        pytest.param("s3://bucket/key?versionId=1", NEWEST, None, id="s3-version"),
        pytest.param("s3://bucket/key?versionId=", NEWEST, VERSION_ID, id="s3-empty-version"),
        pytest.param("s3://bucket/key?a=b&version%49d", NEWEST, VERSION_ID, id="s3-escaped-version"),
        pytest.param("s3://bucket/key?versionId=1&versionId=", NEWEST, None, id="s3-the-first-version-counts"),
        pytest.param("s3://bucket/key?versionId=;", NEWEST, None, id="s3-pair-with-semicolon-is-none"),
        pytest.param("s3://bucket/key?versionId=&a=%zz", NEWEST, VERSION_ID, id="s3-broken-pair-beside-it"),
        pytest.param("s3://bucket/key?versionId=%zz&versionId=", NEWEST, VERSION_ID, id="s3-broken-pair-is-none"),
        pytest.param("arn:aws:s3:::bucket", NEWEST, ARN, id="arn-without-key"),
        pytest.param("arn:aws:s3:bucket/key", NEWEST, ARN, id="arn-with-too-few-parts"),
        pytest.param("arn:aws:sqs:::bucket/key", NEWEST, ARN, id="arn-of-another-service"),
        pytest.param("arn:aws:s3:eu:1:accesspoint/a", NEWEST, ARN, id="arn-of-an-access-point"),
        pytest.param("arn:aws:s3:eu:1:accesspoint/a/object/b", NEWEST, None, id="arn-of-an-object-behind-one"),
        pytest.param("arn:/aws:s3:::bucket/key", NEWEST, ARN, id="arn-that-is-a-path"),
        pytest.param("ARN:aws:s3:::bucket/a:b", NEWEST, None, id="arn-in-upper-case"),
        pytest.param("arn:aws:s3:::bucket/key?versionId=", NEWEST, VERSION_ID, id="arn-empty-version"),
        pytest.param("arn:aws:s3:::bucket?versionId=", NEWEST, ARN, id="arn-before-version"),
        pytest.param("data:,a b", V2_0, "invalid data character", id="data-in-2.0"),
        pytest.param("DATA:,a", NEWEST, "missing data prefix", id="upper-case-data"),
        pytest.param("data:,a#b", NEWEST, "invalid data character", id="fragment-of-data"),
        pytest.param("data:,a\n", NEWEST, UNPARSABLE, id="newline-in-data"),
        pytest.param("tftp://a b/", V2_1, UNPARSABLE, id="unparsable-in-spec-2"),
        pytest.param("gs://a b/", V3_0, UNPARSABLE, id="unparsable-before-scheme"),
        pytest.param("gs://a", V3_2, None, id="gs"),
        pytest.param("arn:", V3_4, ARN, id="arn-of-nothing"),
    ],
)
def test_problems(url: str, version: SpecVersion, message: str | None) -> None:
    assert problem_of(url, version) == message


@pytest.mark.parametrize(
    ("url", "scheme"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("a.example", "", id="name"),
        pytest.param("//a.example/b", "", id="host-without-scheme"),
        pytest.param("///a b", "", id="three-slashes"),
        pytest.param("a/b:c", "", id="colon-in-second-segment"),
        pytest.param("x-1+2.3:a", "x-1+2.3", id="signs-in-scheme"),
        pytest.param("1x:a", None, id="digit-first"),
        pytest.param(":80", None, id="no-scheme-before-colon"),
        pytest.param("a_b:c", None, id="colon-in-first-segment"),
        pytest.param("127.0.0.1:80", None, id="address-and-port"),
        pytest.param("http://a/\x07", None, id="control-character"),
        pytest.param("http://a/\x7f", None, id="delete"),
        pytest.param("http://a/#\x07", "http", id="control-character-in-fragment"),
        pytest.param("http://a/#%zz", None, id="escape-in-fragment"),
        pytest.param("http://a/%zz", None, id="escape-in-path"),
        pytest.param("http://a/?%zz", "http", id="escape-in-query"),
        pytest.param("http://a/ b|ä", "http", id="any-character-in-path"),
        pytest.param("http://a%41/", None, id="escaped-letter-in-host"),
        pytest.param("http://a%c3%a4%25/", "http", id="escaped-umlaut-and-percent-in-host"),
        pytest.param("http://ä/", "http", id="umlaut-in-host"),
        pytest.param("http://a b/", None, id="space-in-host"),
        pytest.param("http://a^b/", None, id="circumflex-in-host"),
        pytest.param('http://a<"]>/', "http", id="odd-signs-in-host"),
        pytest.param("http://a:80/", "http", id="port"),
        pytest.param("http://a:/", "http", id="empty-port"),
        pytest.param("http://a:b/", None, id="port-of-letters"),
        pytest.param("http://a:1:2/", None, id="two-colons-in-http"),
        pytest.param("s3://a:1:2/", "s3", id="two-colons-in-another-scheme"),
        pytest.param("http://[::1]/", "http", id="address-of-version-6"),
        pytest.param("http://[::1]:80/", "http", id="address-of-version-6-and-port"),
        pytest.param("http://[::1]a/", None, id="letter-after-bracket"),
        pytest.param("http://[::1/", None, id="no-closing-bracket"),
        pytest.param("http://a[::1]/", None, id="letter-before-bracket"),
        pytest.param("http://[1.2.3.4]/", None, id="address-of-version-4-in-brackets"),
        pytest.param("http://[::ffff:1.2.3.4]/", "http", id="address-of-version-4-in-version-6"),
        pytest.param("http://[fe80::1%25en0]/", "http", id="zone"),
        pytest.param("http://[fe80::1%25en%20%410]/", "http", id="escapes-in-zone"),
        pytest.param("http://[fe80::1%25en%2f]/", None, id="escaped-slash-in-zone"),
        pytest.param("http://[fe80::1%25]/", None, id="empty-zone"),
        pytest.param("http://[fe80::1%en0]/", None, id="zone-without-escape"),
        pytest.param("http://user:p@ss%20word@a/", "http", id="user"),
        pytest.param("http://us er@a/", None, id="space-in-user"),
        pytest.param("http://%zz@a/", None, id="escape-in-user"),
    ],
)
def test_a_url_is_read_as_go_reads_it(url: str, scheme: str | None) -> None:
    assert scheme_of(url) == scheme


PIECES = ["http", ":", "//", "/", "[", "]", "::1", "%25", "%", "%41", "@", "a b", "é", "#", "?", "versionId", "=", "&"]


@given(st.text() | st.lists(st.sampled_from([*PIECES, "s3:", "data:,", "arn:aws:s3:::"]), max_size=8).map("".join))
def test_any_text_has_an_answer(url: str) -> None:
    is_parsable = scheme_of(url) is not None

    for version in SPEC_3:
        assert (problem_of(url, version) == UNPARSABLE) is not is_parsable
