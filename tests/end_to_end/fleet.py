"""The example fleet as its files say, read without any of the server's code."""

from functools import cache

import yaml

from mcs.jsondata import JSONObject, object_at, text_at
from tests.end_to_end.cluster import FLEET

__all__ = ["SERVED_BY", "pool", "served_config", "served_name"]

# Where each pool names what it serves: why is in the fleet's README.
SERVED_BY = {"master": "spec", "worker": "spec", "infra": "status", "edge": "spec"}

_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the pure one takes seconds


@cache
def _objects(file: str) -> tuple[JSONObject, ...]:
    return tuple(yaml.load_all((FLEET / file).read_text(encoding="utf-8"), _LOADER))


def _named(file: str, name: str) -> JSONObject:
    for document in _objects(file):
        if text_at(document, "metadata", "name") == name:
            return document
    raise LookupError(f"{file} has no {name}")


def pool(name: str) -> JSONObject:
    """Return a pool."""
    return _named("pools.yaml", name)


def served_name(name: str) -> str:
    """Return the name of the rendered config that a pool's machines get."""
    configuration = object_at(pool(name), SERVED_BY[name], "configuration")
    return str(configuration["name"])


def served_config(name: str) -> JSONObject:
    """Return the rendered config that a pool's machines get."""
    return _named(f"rendered-{name}.yaml", served_name(name))
