"""What makes an item of a list the same as another one, for merging and for finding duplicates. Pure."""

from collections.abc import Hashable
from typing import TypeAlias

from mcs.ignition.fields import ListOf, Struct
from mcs.jsondata import JSON

__all__ = ["Key", "key_of"]

Key: TypeAlias = Hashable  # a text, or a member's name and its value


def key_of(kind: ListOf, item: JSON) -> Key:
    """Return what identifies a well-typed item of a keyed list; items that say nothing of it are all the same one.

    Of several members the first that is set counts, with its name. No number is 0, but any text is one: 0 comes from a
    plain member, an empty text from an optional one. A null item is one with nothing in it.

    >>> partitions = ListOf(Struct("partition", {}), ("number", "label"))
    >>> key_of(partitions, {"number": 0, "label": "a"}), key_of(partitions, {"number": 2}), key_of(partitions, {})
    (('label', 'a'), ('number', 2), '')
    """
    if item is None and not isinstance(kind.element, Struct):
        return kind.element.zero
    if not isinstance(item, dict):
        return item if isinstance(item, (str, int)) else ""
    names = kind.key or ()
    for name in names:
        member = item.get(name)
        if isinstance(member, (str, int)) and member != 0:
            return member if len(names) == 1 else (name, member)
    return ""
