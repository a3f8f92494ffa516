import pytest

from mcs.ignition.versions import NEWEST, SPEC_3, V3_0, V3_1, V3_2, V3_4, SpecVersion
from mcs.jsondata import JSON, JSONObject
from tests.ignition.said import about, before_and_since

CONTENTS = "$.storage.files.0.contents"
APPENDED = "$.storage.files.0.append.0"
REPLACED = "$.ignition.config.replace"
KEY = "$.storage.luks.0.keyFile"
MERGED = "$.ignition.config.merge.0"
AUTHORITY = "$.ignition.security.tls.certificateAuthorities.0"
SHA256 = "sha256-" + "0" * 64


def at(place: str, resource: JSON) -> JSONObject:
    """Make a config that has a resource at a place, and nothing else that anything is to be said of."""
    storage: JSONObject = {"files": [{"path": "/a"}]}
    file: JSONObject = {"path": "/a"}
    configs: dict[str, JSONObject] = {
        CONTENTS: {"storage": {"files": [file | {"contents": resource}]}},
        APPENDED: {"storage": {"files": [file | {"append": [resource]}]}},
        REPLACED: {"ignition": {"config": {"replace": resource}}, "storage": storage},
        KEY: {"storage": {"luks": [{"name": "a", "device": "/dev/a", "keyFile": resource}]}},
        MERGED: {"ignition": {"config": {"merge": [resource]}}},
        AUTHORITY: {"ignition": {"security": {"tls": {"certificateAuthorities": [resource]}}}},
    }
    return configs[place]


OPTIONAL = (CONTENTS, APPENDED, REPLACED)
REQUIRED = (MERGED, AUTHORITY)


@pytest.mark.parametrize("place", [*OPTIONAL, *REQUIRED, KEY])
@pytest.mark.parametrize(
    ("resource", "errors"),
    [
        pytest.param({"source": "https://a", "compression": "gzip"}, [], id="gzip"),
        pytest.param({"source": "https://a", "compression": ""}, [], id="no-compression"),
        pytest.param({"source": "https://a", "verification": {"hash": SHA256}}, [], id="hash"),
        pytest.param({"source": "https://a", "verification": {"hash": None}}, [], id="null-hash"),
        pytest.param({"source": "https://a", "httpHeaders": [{"name": "a", "value": "b"}]}, [], id="header"),
        pytest.param({"source": "HTTP://a", "httpHeaders": [{"name": "a"}]}, [], id="header-without-value"),
        pytest.param(
            {"source": "https://a", "compression": "xz"}, [".compression: invalid compression method"], id="xz"
        ),
        pytest.param(
            {"source": "https://a", "verification": {"hash": ""}},
            [".verification.hash: malformed hash specifier"],
            id="empty-hash",
        ),
        pytest.param(
            {"source": "data:,a", "httpHeaders": [{"name": "a"}]},
            [".httpHeaders: cannot use HTTP headers with this source scheme"],
            id="header-for-data",
        ),
        pytest.param(
            {"source": "https://a", "httpHeaders": [{"value": "a"}, {"name": "b", "value": ""}]},
            [
                ".httpHeaders.0.name: HTTP header name can't be empty",
                ".httpHeaders.1.value: unable to parse HTTP header",
            ],
            id="headers-that-are-none",
        ),
        pytest.param(
            {"source": "https://a", "httpHeaders": [None]},
            [".httpHeaders.0.name: HTTP header name can't be empty"],
            id="null-header",
        ),
    ],
)
def test_all_resources_have_the_same_rules_from_3_2_on(place: str, resource: JSONObject, errors: list[str]) -> None:
    for version in SPEC_3[2:]:
        assert about(at(place, resource), version) == [f"error at {place}{error}" for error in errors]


@pytest.mark.parametrize("place", OPTIONAL)
@pytest.mark.parametrize(
    ("resource", "errors"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"source": None}, [], id="null"),
        pytest.param({"source": ""}, [], id="empty"),
        pytest.param({"source": "ftp://a"}, [".source: invalid url scheme"], id="scheme"),
        pytest.param({"source": "data:,%"}, [".source: rfc2396: unexpected end of unescape sequence"], id="data"),
        pytest.param({"httpHeaders": [{"name": "a"}]}, [".httpHeaders: unable to parse url"], id="header-alone"),
        pytest.param(
            {"source": "http://%", "httpHeaders": [{"name": "a"}]},
            [".source: unable to parse url", ".httpHeaders: unable to parse url"],
            id="header-for-no-url",
        ),
        pytest.param(
            {"verification": {"hash": SHA256}},
            [".verification.hash: source must be specified if verification is specified"],
            id="hash-alone",
        ),
        pytest.param({"source": "", "verification": {"hash": SHA256}}, [], id="hash-of-nothing"),
    ],
)
def test_sources_that_may_be_absent(place: str, resource: JSONObject, errors: list[str]) -> None:
    assert about(at(place, resource), NEWEST) == [f"error at {place}{error}" for error in errors]


@pytest.mark.parametrize("place", REQUIRED)
@pytest.mark.parametrize(
    ("resource", "errors"),
    [
        pytest.param({}, [": source is required"], id="nothing"),
        pytest.param(None, [": source is required"], id="null"),
        pytest.param({"source": ""}, [": source is required"], id="empty"),
        pytest.param({"source": "ftp://a"}, [": invalid url scheme", ".source: invalid url scheme"], id="scheme"),
    ],
)
def test_sources_that_have_to_be_there_are_looked_at_twice(place: str, resource: JSON, errors: list[str]) -> None:
    for version in SPEC_3[1:]:
        assert about(at(place, resource), version) == [f"error at {place}{error}" for error in errors]


@pytest.mark.parametrize(
    ("place", "resource", "errors"),
    [
        pytest.param(MERGED, {}, [], id="merged-without-source"),
        pytest.param(MERGED, {"source": "ftp://a"}, [".source: invalid url scheme"], id="merged-scheme"),
        pytest.param(MERGED, {"verification": {"hash": "sha512-" + "0" * 128}}, [], id="merged-hash-alone"),
        pytest.param(REPLACED, {"compression": "xz"}, [], id="no-compression-of-configs-yet"),
        pytest.param(REPLACED, {"httpHeaders": [{}]}, [], id="no-headers-yet"),
        pytest.param(CONTENTS, {"source": "data:,a", "httpHeaders": [{}]}, [], id="no-headers-of-files-yet"),
        pytest.param(CONTENTS, {"compression": "xz"}, [".compression: invalid compression method"], id="compression"),
        pytest.param(AUTHORITY, {}, [".source: invalid url scheme"], id="authority-without-source"),
        pytest.param(AUTHORITY, {"source": "https://a", "compression": "xz"}, [], id="authority"),
    ],
)
def test_3_0_tells_resources_apart(place: str, resource: JSONObject, errors: list[str]) -> None:
    assert about(at(place, resource), V3_0) == [f"error at {place}{error}" for error in errors]


@pytest.mark.parametrize(
    ("version", "resource", "error"),
    [
        pytest.param(
            V3_1,
            {"source": "https://a", "verification": {"hash": SHA256}},
            ".verification.hash: unrecognized hash function",
            id="sha256",
        ),
        pytest.param(V3_2, {"source": "gs://a/b"}, ".source: invalid url scheme", id="gs"),
        pytest.param(V3_4, {"source": "arn:aws:s3:::a/b"}, ".source: invalid url scheme", id="arn"),
    ],
)
def test_what_later_specs_allow(version: SpecVersion, resource: JSONObject, error: str) -> None:
    before_and_since(version, at(CONTENTS, resource), [f"error at {CONTENTS}{error}"], [])


@pytest.mark.parametrize(
    ("proxy", "lines"),
    [
        pytest.param({"httpProxy": "http://a", "httpsProxy": "https://b", "noProxy": ["c"]}, [], id="fine"),
        pytest.param({"httpProxy": "HTTPS://a", "httpsProxy": None}, [], id="https-for-http"),
        pytest.param(
            {"httpsProxy": "http://a"},
            ["warning at $.ignition.proxy.httpsProxy: insecure plaintext HTTP proxy specified for HTTPS resources"],
            id="http-for-https",
        ),
        pytest.param(
            {"httpProxy": "socks://a", "httpsProxy": ""},
            [
                "error at $.ignition.proxy.httpProxy: proxies must be http(s)",
                "error at $.ignition.proxy.httpsProxy: proxies must be http(s)",
            ],
            id="other-schemes",
        ),
        pytest.param({"httpProxy": ":80"}, ["error at $.ignition.proxy.httpProxy: unable to parse url"], id="no-url"),
    ],
)
def test_proxies(proxy: JSONObject, lines: list[str]) -> None:
    before_and_since(V3_1, {"ignition": {"proxy": proxy}}, [], lines)
