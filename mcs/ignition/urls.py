"""Which URLs a config may name as a source, by spec; read as Go's net/url reads them. Nothing is ever fetched here."""

import re
from ipaddress import AddressValueError, IPv6Address
from typing import NamedTuple
from urllib.parse import unquote_plus

from mcs.ignition import dataurl
from mcs.ignition.versions import SPEC_2, SPEC_3, V2_0, V3_2, V3_4, SpecVersion

__all__ = ["INVALID_SCHEME", "UNPARSABLE", "http_problem_of", "problem_of", "scheme_of"]

UNPARSABLE = "unable to parse url"
INVALID_SCHEME = "invalid url scheme"
_INVALID_ARN = "invalid S3 ARN format"
_INVALID_VERSION_ID = "invalid S3 object VersionId"


def _schemes(version: SpecVersion) -> frozenset[str]:
    schemes = {"http", "https", "data"}
    if version.major == 2:
        schemes.add("oem")
    if version > V2_0:
        schemes |= {"tftp", "s3"}
    if version >= V3_2:
        schemes.add("gs")
    if version >= V3_4:
        schemes.add("arn")
    return frozenset(schemes)


_SCHEMES = {version: _schemes(version) for version in SPEC_2 + SPEC_3}

# What net/url refuses, part by part.  Escapes in an opaque part and in a query are nobody's business there.
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_USER = re.compile(r"(?:[A-Za-z0-9\-._:~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})*")
_PORT = re.compile(r"(?::[0-9]*)?")
_HOST_SIGN = r"""[A-Za-z0-9\-._~!$&'()*+,;=:\[\]<>"\u0080-\U0010ffff]"""
_HOST = re.compile(rf"(?:{_HOST_SIGN}|%25|%[89A-Fa-f][0-9A-Fa-f])*")  # only other bytes than ASCII are escaped
_ZONE = re.compile(rf"(?:{_HOST_SIGN}|%[0-9A-Fa-f]{{2}})*")
_ESCAPED_IN_ZONE = re.compile(r"%(?!25|20)([0-9A-Fa-f]{2})")  # a space may be escaped, though it is no sign of a host
_ONE_HOST_SIGN = re.compile(_HOST_SIGN)


class _URL(NamedTuple):
    """A URL that could be read. scheme: in lower case, or empty; opaque: what follows it, where that is no path."""

    scheme: str
    opaque: str
    query: str


def problem_of(url: str, version: SpecVersion) -> str | None:
    """Return what is wrong with a source of a config of that spec, in Ignition's words, or None.

    >>> problem_of("https://a.example/b", SpecVersion(3, 0)) is None
    True
    >>> problem_of("gs://bucket/object", SpecVersion(3, 1))
    'invalid url scheme'

    The empty text is a source in spec 2 and none in spec 3 (most of whose rules let it pass before they ask here).
    """
    if not url and version.major == 2:
        return None
    parsed = _parse(url)
    if parsed is None:
        return UNPARSABLE
    if parsed.scheme not in _SCHEMES[version]:
        return INVALID_SCHEME
    if parsed.scheme == "data":
        return dataurl.problem_of(url)
    if parsed.scheme == "arn" and not _is_s3_arn(parsed.opaque):
        return _INVALID_ARN
    if parsed.scheme in ("arn", "s3") and _has_empty_version_id(parsed.query):
        return _INVALID_VERSION_ID
    return None


def scheme_of(url: str) -> str | None:
    """Return the scheme in lower case, the empty text where there is none, or None for what is no URL.

    >>> scheme_of("HTTP://a.example"), scheme_of("/a"), scheme_of(":80") is None
    ('http', '', True)
    """
    parsed = _parse(url)
    return None if parsed is None else parsed.scheme


def http_problem_of(url: str, otherwise: str) -> str | None:
    """Return why the text is no URL, or `otherwise` where it is one of another scheme than http and https, or None.

    >>> http_problem_of("s3://a/b", "no web page"), http_problem_of("https://a.example", "no web page")
    ('no web page', None)
    """
    scheme = scheme_of(url)
    if scheme is None:
        return UNPARSABLE
    return None if scheme in ("http", "https") else otherwise


def _parse(url: str) -> _URL | None:
    before_fragment, _, fragment = url.partition("#")
    if _CONTROL.search(before_fragment) is not None or _BAD_ESCAPE.search(fragment) is not None:
        return None
    match = _SCHEME.match(before_fragment)
    scheme = "" if match is None else match[1].lower()
    rest, _, query = before_fragment[0 if match is None else match.end() :].partition("?")
    if not rest.startswith("/"):
        if scheme:
            return _URL(scheme, rest, query)
        if ":" in rest.partition("/")[0]:  # looks like a scheme, but is none
            return None
    path = rest
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        if not _is_authority(scheme, authority):
            return None
        path = slash + path
    if _BAD_ESCAPE.search(path) is not None:
        return None
    return _URL(scheme, "", query)


def _is_authority(scheme: str, authority: str) -> bool:
    user, _, host = authority.rpartition("@")
    if _USER.fullmatch(user) is None:
        return False
    bracket = host.rfind("[")
    if bracket == 0:
        return _is_bracketed(host)
    if bracket > 0:
        return False
    _, colon, port = host.partition(":") if scheme in ("http", "https") else host.rpartition(":")
    return (not colon or _PORT.fullmatch(colon + port) is not None) and _HOST.fullmatch(host) is not None


def _is_bracketed(host: str) -> bool:
    """Tell whether it is an IPv6 address in brackets, with or without a zone (RFC 6874) and a port."""
    inner, bracket, port = host[1:].rpartition("]")
    if not bracket or _PORT.fullmatch(port) is None:
        return False
    address, percent, zone = inner.partition("%25")
    if percent and (not zone or _ZONE.fullmatch(zone) is None or not _are_host_signs(zone)):
        return False
    try:
        IPv6Address(address)
    except AddressValueError:
        return False
    return "%" not in address


def _are_host_signs(zone: str) -> bool:
    escaped = (chr(int(match[1], 16)) for match in _ESCAPED_IN_ZONE.finditer(zone))
    return all(_ONE_HOST_SIGN.fullmatch(sign) is not None and sign < "\x80" for sign in escaped)


def _is_s3_arn(opaque: str) -> bool:
    """Tell whether `arn:` and this name an object in a bucket or behind an access point."""
    parts = opaque.split(":", 4)
    if len(parts) < 5 or parts[1] != "s3":
        return False
    return opaque.count("/") >= (2 if parts[4].startswith("accesspoint/") else 1)


def _has_empty_version_id(query: str) -> bool:
    """Tell whether the first versionId of a query says nothing; Go leaves out pairs that it cannot read."""
    for pair in query.split("&"):
        if ";" in pair or _BAD_ESCAPE.search(pair) is not None:
            continue
        name, _, value = pair.partition("=")
        if unquote_plus(name) == "versionId":
            return not value
    return False
