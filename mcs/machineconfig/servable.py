"""Whether a stored MachineConfig can be served at all, to any client."""

from mcs.ignition import IgnitionError, declared_version
from mcs.jsondata import JSONObject, object_at

__all__ = ["why_unservable"]


def why_unservable(machine_config: JSONObject) -> str | None:
    """Return in words why nobody can be served this config, None if somebody can.

    >>> why_unservable({"spec": {"config": {"ignition": {"version": "9.0.0"}}}})
    'cannot be served: Ignition spec 9.0.0 is not known here'
    """
    try:
        declared_version(object_at(machine_config, "spec", "config"))
    except IgnitionError as error:
        return f"cannot be served: {error}"
    return None
