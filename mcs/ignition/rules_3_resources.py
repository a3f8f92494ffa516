"""The rules of spec 3 for what a client fetches and how: sources, hashes, HTTP headers, proxies. Pure."""

from collections.abc import Iterator
from types import MappingProxyType

from mcs.ignition import urls
from mcs.ignition.members import is_set, items, plain
from mcs.ignition.rules import Found, Rules, error, problem, warning
from mcs.ignition.values import HEADERS_NOT_SENT, compression_problem, hash_problem
from mcs.ignition.versions import V3_0, SpecVersion
from mcs.jsondata import JSONObject, object_at

__all__ = ["RULES"]

_NO_SOURCE = "source is required"


def _resource(resource: JSONObject, version: SpecVersion) -> Iterator[Found]:
    """Check a place that names content. In 3.0 only the contents of files are such a place."""
    yield from problem(compression_problem(plain(resource, "compression")), "compression")
    if is_set(object_at(resource, "verification"), "hash") and not is_set(resource, "source"):
        yield error("source must be specified if verification is specified", "verification", "hash")
    yield from _source(resource, version)
    if version > V3_0 and items(resource, "httpHeaders"):
        source = plain(resource, "source")
        message = urls.http_problem_of(source, HEADERS_NOT_SENT) if source else urls.UNPARSABLE
        yield from problem(message, "httpHeaders")


def _resource_since_3_1(resource: JSONObject, version: SpecVersion) -> Iterator[Found]:
    return _resource(resource, version) if version > V3_0 else _source(resource, version)


def _source(resource: JSONObject, version: SpecVersion) -> Iterator[Found]:
    source = plain(resource, "source")
    if source:
        yield from problem(urls.problem_of(source, version), "source")


def _authority(authority: JSONObject, version: SpecVersion) -> Iterator[Found]:
    if version > V3_0:
        yield from _resource(authority, version)
    else:  # a plain member, which has to be a URL
        yield from problem(urls.problem_of(plain(authority, "source"), version), "source")


# Where a source is required, the list's own owner looks at it once more.


def _merged(references: JSONObject, version: SpecVersion) -> Iterator[Found]:
    return _required_sources(references, "merge", version)


def _authorities(tls: JSONObject, version: SpecVersion) -> Iterator[Found]:
    return _required_sources(tls, "certificateAuthorities", version)


def _required_sources(owner: JSONObject, name: str, version: SpecVersion) -> Iterator[Found]:
    if version == V3_0:
        return
    for index, resource in enumerate(items(owner, name)):
        source = plain(resource, "source")
        yield from problem(urls.problem_of(source, version) if source else _NO_SOURCE, name, index)


def _verification(verification: JSONObject, version: SpecVersion) -> Iterator[Found]:
    if is_set(verification, "hash"):
        yield from problem(hash_problem(plain(verification, "hash"), version), "hash")


def _header(header: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if not plain(header, "name"):
        yield error("HTTP header name can't be empty", "name")
    if header.get("value") == "":
        yield error("unable to parse HTTP header", "value")


def _proxy(proxy: JSONObject, _: SpecVersion) -> Iterator[Found]:
    for name in ("httpProxy", "httpsProxy"):
        if not is_set(proxy, name):
            continue
        url = plain(proxy, name)
        yield from problem(urls.http_problem_of(url, "proxies must be http(s)"), name)
        if name == "httpsProxy" and urls.scheme_of(url) == "http":
            yield warning("insecure plaintext HTTP proxy specified for HTTPS resources", name)


RULES: Rules = MappingProxyType(
    {
        "contents": (_resource,),
        "config reference": (_resource_since_3_1,),
        "certificate authority": (_authority,),
        "config references": (_merged,),
        "tls": (_authorities,),
        "verification": (_verification,),
        "HTTP header": (_header,),
        "proxy": (_proxy,),
    }
)
