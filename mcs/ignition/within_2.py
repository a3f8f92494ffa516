"""A config of spec 2 said in a later spec 2, as a client does that speaks the later one. Pure.

Every later spec can say it, but what an earlier one takes for granted is then said explicitly.
"""

from mcs.ignition.members import items
from mcs.ignition.schema_2 import CONFIG
from mcs.ignition.versions import V2_0, V2_2, SpecVersion, declared_version, declaring
from mcs.ignition.walk import Walk
from mcs.jsondata import JSONObject, object_at

__all__ = ["upgrade"]

_NODES = ("files", "directories", "links")


def upgrade(config: JSONObject, to: SpecVersion) -> JSONObject:
    """Return the config in spec `to`; the input stays as it is, and shares no list or object with the result.

    config: of a spec 2 not later than `to`; well-typed. What its own spec does not know is left out, whatever it would
    mean in a later one. Nothing is validated. What becomes explicit, by the spec that asks for it:
    2.1  the user and group 0 of a file; an empty password hash becomes none
    2.2  the mode 0 of a file or directory; its owners are objects, maybe empty ones, and those of a link as well
    2.3  the empty label, the size 0 and the start 0 of a partition, both in sectors

    >>> upgrade({"ignition": {"version": "2.1.0"}, "storage": {"files": [{"path": "/a"}]}}, SpecVersion(2, 3))
    {'ignition': {'version': '2.3.0'}, 'storage': {'files': [{'path': '/a', 'user': {}, 'group': {}, 'mode': 0}]}}

    Raises InvalidConfig at the first value of a wrong type; InvalidVersion and UnknownVersion for the config's version.
    """
    source = declared_version(config)
    assert source.major == to.major
    assert source <= to
    upgraded = Walk(source).object(CONFIG, config, (), source)
    if source < min(to, V2_2):
        _add_owners(upgraded)
    upgraded = Walk(source).object(CONFIG, upgraded, (), to)
    if source == V2_0 < to:
        _drop_empty_hashes(upgraded)
    return declaring(upgraded, to)


def _add_owners(config: JSONObject) -> None:
    """Give every node a user and a group object, even if there is nothing in it. Changes `config`."""
    for name in _NODES:
        for node in items(object_at(config, "storage"), name):
            for owner in ("user", "group"):
                if node.get(owner) is None:
                    node[owner] = {}


def _drop_empty_hashes(config: JSONObject) -> None:
    """Say nothing of the password where it is empty: that is what it means in 2.0. Changes `config`."""
    for user in items(object_at(config, "passwd"), "users"):
        if not user.get("passwordHash"):
            user.pop("passwordHash", None)
