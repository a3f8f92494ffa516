"""The rules of specs 2.0 to 2.4 for versions, numbers, sources, users: what is said, how gravely, where, since when."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.ignition.report import Entry, Kind
from mcs.ignition.rules_2 import entries
from mcs.ignition.versions import SPEC_2, V2_0, V2_1, V2_2, V2_3, V2_4, SpecVersion
from mcs.jsondata import JSON, JSONObject
from tests.ignition.said_2 import at, contents, ignition, said, told
from tests.ignition.strategies import configs, thorough
from tests.ignition.valid_configs_2 import valid_configs

HASH = f"sha512-{'0a' * 64}"
CREATION = "the create object has been deprecated in favor of user-level options"


# The version


@pytest.mark.parametrize(
    ("version", "declared", "message"),
    [
        pytest.param(V2_0, None, "incorrect config version (too old)", id="2.0 takes none for 0.0.0"),
        pytest.param(V2_0, "2.x", "invalid config version (couldn't parse)", id="2.0, not a version"),
        pytest.param(V2_0, "1.0.0", "incorrect config version (too old)", id="2.0, too old"),
        pytest.param(V2_0, "2.1.0", "incorrect config version (too new)", id="2.0, too new"),
        pytest.param(V2_4, None, "invalid config version (couldn't parse)", id="none"),
        pytest.param(V2_4, "2.4", "invalid config version (couldn't parse)", id="two numbers"),
        pytest.param(V2_4, "1.9.0", "incorrect config version (too old)", id="too old"),
        pytest.param(V2_4, "2.4.1", "incorrect config version (too new)", id="a later patch level"),
        pytest.param(V2_4, "3.0.0", "incorrect config version (too new)", id="3.0"),
        pytest.param(V2_1, "2.2.0", "incorrect config version (too new)", id="2.1, too new"),
    ],
)
def test_a_version_that_the_spec_cannot_read(version: SpecVersion, declared: str | None, message: str) -> None:
    found = list(entries({"ignition": {"version": declared}}, version))
    assert [told(entry) for entry in found] == [f"error $.ignition.version {message}"]


@pytest.mark.parametrize("declared", ["2.0.0", "2.4.0", "2.4.0-experimental", "2.4.0+a", "02.3.9"])
def test_a_version_that_2_4_reads(declared: str) -> None:
    assert list(entries({"ignition": {"version": declared}}, V2_4)) == []


@pytest.mark.parametrize("version", [V2_1, V2_4], ids=str)
def test_a_config_without_anything_lacks_a_version(version: SpecVersion) -> None:
    assert [told(entry) for entry in entries({}, version)] == [
        "error $.ignition.version invalid config version (couldn't parse)"
    ]


# Numbers


@pytest.mark.parametrize(
    ("sections", "place"),
    [
        pytest.param({"passwd": {"groups": [{"gid": -1}]}}, "passwd.groups.0.gid", id="group"),
        pytest.param({"passwd": {"users": [{"create": {"uid": -1}}]}}, "passwd.users.0.create.uid", id="user"),
        *(
            pytest.param(
                {"storage": {"disks": [{"device": "/dev/a", "partitions": [{name: -2048}]}]}},
                f"storage.disks.0.partitions.0.{name}",
                id=name,
            )
            for name in ("size", "start")
        ),
    ],
)
def test_numbers_that_have_no_sign_in_2_0(sections: JSONObject, place: str) -> None:
    assert said(V2_0, **sections) == [f"error $.{place} the number is negative"]
    assert not [text for text in said(V2_1, **sections) if "negative" in text]


# Sources


@pytest.mark.parametrize(
    ("version", "source", "message"),
    [
        pytest.param(V2_0, "", None, id="2.0 empty"),
        pytest.param(V2_0, "oem:///a", None, id="2.0 oem"),
        pytest.param(V2_0, "s3://a/b", "invalid url scheme", id="2.0 s3"),
        pytest.param(V2_0, "tftp://a/b", "invalid url scheme", id="2.0 tftp"),
        pytest.param(V2_1, "s3://a/b", None, id="2.1 s3"),
        pytest.param(V2_1, "tftp://a/b", None, id="2.1 tftp"),
        pytest.param(V2_1, "s3://a/b?versionId=", "invalid S3 object VersionId", id="2.1 s3 without version"),
        pytest.param(V2_2, "gs://a/b", "invalid url scheme", id="2.2 gs"),
        pytest.param(V2_4, "/a", "invalid url scheme", id="2.4 no scheme"),
        pytest.param(V2_4, "http://a b", "unable to parse url", id="2.4 unparsable"),
        pytest.param(V2_4, "", None, id="2.4 empty"),
    ],
)
def test_what_a_source_may_be(version: SpecVersion, source: str, message: str | None) -> None:
    reference: JSON = {"source": source}
    expected = [] if message is None else [f"error {{}} {message}"]
    of_configs = ignition(version, config={"append": [{}, reference], "replace": reference})
    places = ("$.ignition.config.append.1.source", "$.ignition.config.replace.source")
    assert of_configs == [text.format(place) for place in places for text in expected]
    prefix = f'error $.storage.files.0.contents.source invalid url "{source}": '
    in_file = f"error $.storage.files.0.contents.source {message}" if version < V2_3 else f"{prefix}{message}"
    assert contents(version, source=source) == ([] if message is None else [in_file])


def test_the_url_of_a_file_is_quoted_from_2_3_on() -> None:
    assert contents(V2_2, source='a"\n') == ["error $.storage.files.0.contents.source unable to parse url"]
    assert contents(V2_3, source='a"\n') == [
        r'error $.storage.files.0.contents.source invalid url "a\"\n": unable to parse url'
    ]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        pytest.param(V2_1, [], id="2.1 does not know it"),
        pytest.param(
            V2_2, at("ignition.security.tls.certificateAuthorities.0", "error .source invalid url scheme"), id="2.2"
        ),
    ],
)
def test_sources_of_certificate_authorities(version: SpecVersion, expected: list[str]) -> None:
    assert ignition(version, security={"tls": {"certificateAuthorities": [{"source": "x:y"}]}}) == expected


@pytest.mark.parametrize(
    ("version", "text", "message"),
    [
        *(pytest.param(version, HASH, None, id=f"{version} right") for version in SPEC_2),
        pytest.param(V2_4, None, None, id="none"),
        pytest.param(V2_0, "sha512", "malformed hash specifier", id="2.0 malformed"),
        pytest.param(V2_4, "", "malformed hash specifier", id="2.4 empty"),
        pytest.param(V2_0, f"sha256-{'0a' * 32}", "unrecognized hash function", id="2.0 sha256"),
        pytest.param(V2_4, f"sha256-{'0a' * 32}", "unrecognized hash function", id="2.4 sha256"),
        pytest.param(V2_0, "sha512-00", "incorrect size for hash sum", id="2.0 short"),
        pytest.param(V2_4, "sha512-00", "incorrect size for hash sum", id="2.4 short"),
    ],
)
def test_what_a_hash_may_be(version: SpecVersion, text: str | None, message: str | None) -> None:
    expected = [] if message is None else [f"error $.storage.files.0.contents.verification.hash {message}"]
    assert contents(version, verification={"hash": text}) == expected


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_how_content_may_be_compressed(version: SpecVersion) -> None:
    assert [contents(version, compression=text) for text in ("", "gzip")] == [[], []]
    assert contents(version, compression="xz") == [
        "error $.storage.files.0.contents.compression invalid compression method"
    ]


@pytest.mark.parametrize(
    ("source", "headers", "expected"),
    [
        pytest.param("https://a", [{"name": "a"}, {"name": "b", "value": ""}], [], id="no value is fine"),
        pytest.param("data:,a", [], [], id="none"),
        pytest.param("https://a", [None], ["error .0.name HTTP header name can't be empty"], id="nothing"),
        pytest.param(
            "https://a",
            [{"name": "a"}, {"name": ""}, {"name": "a"}, {"name": "a"}, {"name": "A"}],
            [
                "error .1.name HTTP header name can't be empty",
                'error .2.name Found duplicate HTTP header: "a"',
                'error .3.name Found duplicate HTTP header: "a"',
            ],
            id="every one",
        ),
        pytest.param(
            "data:,a", [{"name": "a"}], ["error @ cannot use HTTP headers with this source scheme"], id="scheme"
        ),
        pytest.param("", [{"name": "a"}], ["error @ cannot use HTTP headers with this source scheme"], id="no source"),
    ],
)
def test_http_headers_since_2_4(source: str, headers: list[JSON], expected: list[str]) -> None:
    reference: JSON = {"source": source, "httpHeaders": headers}
    assert contents(V2_4, source=source, httpHeaders=headers) == at("storage.files.0.contents.httpHeaders", *expected)
    assert contents(V2_3, source=source, httpHeaders=headers) == []
    assert ignition(V2_4, config={"replace": reference}) == at("ignition.config.replace.httpHeaders", *expected)
    authorities: JSON = {"tls": {"certificateAuthorities": [reference]}}
    place = "ignition.security.tls.certificateAuthorities.0.httpHeaders"
    assert ignition(V2_4, security=authorities) == at(place, *expected)


def test_http_headers_of_what_is_no_url() -> None:
    assert ignition(V2_4, config={"append": [{"source": "http://a b", "httpHeaders": [{"name": "a"}]}]}) == [
        "error $.ignition.config.append.0.source unable to parse url",
        "error $.ignition.config.append.0.httpHeaders unable to parse url",
    ]


# Users


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gecos", "a"),
        ("groups", ["a"]),
        ("homeDir", "/a"),
        ("noCreateHome", True),
        ("noLogInit", True),
        ("noUserGroup", True),
        ("primaryGroup", "a"),
        ("shell", "/a"),
        ("system", True),
        ("uid", 0),
    ],
)
def test_creation_of_a_user_excludes_user_level_fields(name: str, value: JSON) -> None:
    for version in SPEC_2:
        expected = at(
            "passwd.users.0",
            f"warning .create {CREATION}",
            f"error .{name} cannot use both the create object and the user-level {name} field",
        )
        user: JSON = {"name": "a", "create": {}, name: value}
        assert said(version, passwd={"users": [user]}) == ([] if version == V2_0 else expected)
        assert said(version, passwd={"users": [{"name": "a", name: value}]}) == []


def test_creation_of_a_user_alone_is_deprecated_in_2_1() -> None:
    user: JSON = {"name": "a", "create": {"uid": 1}, "gecos": "", "groups": [], "system": False, "uid": None}
    assert said(V2_0, passwd={"users": [user]}) == []
    assert said(V2_1, passwd={"users": [user]}) == [f"warning $.passwd.users.0.create {CREATION}"]


# Laws


@thorough
@given(st.sampled_from(SPEC_2).flatmap(lambda version: st.tuples(configs(version), st.just(version))))
def test_every_well_typed_config_is_judged(pair: tuple[JSONObject, SpecVersion]) -> None:
    config, version = pair
    before = copy.deepcopy(config)
    found = list(entries(config, version))
    assert config == before
    assert all(entry.message and points_into_a_config(entry, config) for entry in found)


def points_into_a_config(entry: Entry, config: JSONObject) -> bool:
    """Whether every list index of the path is one of the config; the last members of a path may be absent."""
    value: JSON = config
    for key in entry.path:
        if isinstance(key, int):
            if not isinstance(value, list) or key >= len(value):
                return False
            value = value[key]
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return True


@thorough
@given(st.sampled_from(SPEC_2).flatmap(lambda version: st.tuples(valid_configs(version), st.just(version))))
def test_no_rule_refuses_a_valid_config(pair: tuple[JSONObject, SpecVersion]) -> None:
    config, version = pair
    assert [told(entry) for entry in entries(config, version) if entry.kind is Kind.ERROR] == []
