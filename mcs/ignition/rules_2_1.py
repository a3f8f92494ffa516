"""The rules of specs 2.1 to 2.4 for the config as a whole, its version, its sources and its users. Pure."""

from collections.abc import Iterator
from types import MappingProxyType

from mcs.ignition import urls
from mcs.ignition.errors import InvalidVersion
from mcs.ignition.members import is_set, items, plain
from mcs.ignition.rules import Found, Rules, error, problem, warning
from mcs.ignition.rules_2_shared import (
    compatible,
    compression,
    hash_of_content,
    names_of_filesystems,
    references_to_filesystems,
    source,
)
from mcs.ignition.unitfile import quoted
from mcs.ignition.values import HEADERS_NOT_SENT
from mcs.ignition.versions import V2_3, V2_4, SpecVersion, parse_semantic
from mcs.jsondata import JSONObject

__all__ = ["MEMBERS", "OWN"]

# Members that user creation has as well.
_USER_LEVEL = (
    "gecos",
    "groups",
    "homeDir",
    "noCreateHome",
    "noLogInit",
    "noUserGroup",
    "primaryGroup",
    "shell",
    "system",
)


def _version(ignition: JSONObject, version: SpecVersion) -> Iterator[Found]:
    try:
        declared = parse_semantic(plain(ignition, "version"))
    except InvalidVersion:
        yield error("invalid config version (couldn't parse)", "version")
    else:
        yield from compatible(declared, version)


def _source_of_file(contents: JSONObject, version: SpecVersion) -> Iterator[Found]:
    url = plain(contents, "source")
    message = urls.problem_of(url, version)
    if message is not None:
        yield error(message if version < V2_3 else f"invalid url {quoted(url)}: {message}", "source")


def _headers(reference: JSONObject, version: SpecVersion) -> Iterator[Found]:
    if version < V2_4:
        return
    headers = items(reference, "httpHeaders")
    if headers:
        yield from problem(urls.http_problem_of(plain(reference, "source"), HEADERS_NOT_SENT), "httpHeaders")
    seen: set[str] = set()
    for index, header in enumerate(headers):
        name = plain(header, "name")
        if not name:
            yield error("HTTP header name can't be empty", "httpHeaders", index, "name")
        elif name in seen:
            yield error(f"Found duplicate HTTP header: {quoted(name)}", "httpHeaders", index, "name")
        seen.add(name)


def _user(user: JSONObject, _: SpecVersion) -> Iterator[Found]:
    if not is_set(user, "create"):
        return
    yield warning("the create object has been deprecated in favor of user-level options", "create")
    for name in _USER_LEVEL:
        if user.get(name):
            yield _beside_creation(name)
    if is_set(user, "uid"):
        yield _beside_creation("uid")


def _beside_creation(name: str) -> Found:
    return error(f"cannot use both the create object and the user-level {name} field", name)


OWN: Rules = MappingProxyType(
    {
        "config": (references_to_filesystems, names_of_filesystems),
        "ignition": (_version,),
        "verification": (hash_of_content,),
        "user": (_user,),
    }
)
MEMBERS: Rules = MappingProxyType(
    {
        "config reference": (source, _headers),
        "certificate authority": (source, _headers),
        "contents": (compression, _source_of_file, _headers),
    }
)
