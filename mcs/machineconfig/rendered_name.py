"""The name of a rendered config: a hash of its spec, the same that the Machine Config Operator computes. Pure."""

import hashlib

from mcs.jsondata import JSONObject
from mcs.machineconfig.hash_input import hash_input

__all__ = ["rendered_name"]

_SALT = bytes.fromhex(
    "107ccee48b38afaf4fe586769d9ad36e195d2ffdac6a2507ae0da0b96e115734db830cceda8d7487"
    "bcb5c097e93e7ea54053b3770fa8d0c5926b3ae385bcee1a211aebca20ad1fea2990944f06ce1716"
)


def rendered_name(pool: str, spec: JSONObject) -> str:
    """Return the name of a pool's rendered config with this spec.

    Raises UnhashableSpec for a spec that has no name. MD5 protects nothing here: it is what the name is made of.
    """
    digest = hashlib.md5(_SALT + hash_input(spec).encode(), usedforsecurity=False)
    return f"rendered-{pool}-{digest.hexdigest()}"
