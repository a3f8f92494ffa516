"""Where objects and records are kept: one interface, several implementations. Nothing above knows which."""

from pathlib import Path

from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Store, StoreUnusable

__all__ = ["open_store"]

_EMBEDDED = "sqlite:///"
_CLUSTER = "kubernetes"
_FORMS = "sqlite:///PATH (with an absolute path: sqlite:////var/lib/mcs/store.db)"


def open_store(address: str, *, create: bool = True) -> Store:
    """Return the store at an address; it is opened at its first use, so this may be called before a fork.

    address: `sqlite:///PATH`, PATH from the working directory or, with a fourth slash, absolute; taken literally.
    create: whether a store that is not there is made. Raises StoreUnusable for any other address. What is wrong with
    the file itself is raised by the first use.
    """
    if address.startswith(_EMBEDDED):
        path = address.removeprefix(_EMBEDDED)
        if path.endswith("/") or not path.strip() or "\0" in path:
            raise StoreUnusable(f"the store address names no file; use {_FORMS}")
        return EmbeddedStore(Path(path), address=address, create=create)
    if address == _CLUSTER or address.startswith(f"{_CLUSTER}:"):
        raise StoreUnusable(f"this version of mcs has only the embedded store, not yet that of a cluster; use {_FORMS}")
    # Not repeated in the message: an address of some other kind may hold a password.
    raise StoreUnusable(f"the store address is of no known form; use {_FORMS}")
