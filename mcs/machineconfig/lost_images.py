"""Which images machines would be left without because nobody said one this time. Pure.

An empty image is no wish: machines would reboot without the system that they were given. Who means it says so.
"""

from collections.abc import Iterator, Mapping

from mcs.jsondata import JSONObject, text_at
from mcs.machineconfig.masking import without_secrets

__all__ = ["EXTENSIONS_IMAGE", "OS_IMAGE", "lost_images"]

OS_IMAGE, EXTENSIONS_IMAGE = "osImageURL", "baseOSExtensionsContainerImage"
_OPTIONS = {OS_IMAGE: "--os-image", EXTENSIONS_IMAGE: "--extensions-image"}


def lost_images(current: JSONObject | None, spec: JSONObject, given: Mapping[str, str | None]) -> Iterator[str]:
    """Say of each image that would become empty what it was, and how to say that this is meant.

    current: the MachineConfig that machines have now, None if there is none. spec: what was rendered for them. given:
    the images that were said, by the member of a spec; None where none was, while an empty text means it.

    >>> current = {"spec": {"osImageURL": "os@sha256:1"}}
    >>> [text.partition(":")[2] for text in lost_images(current, {"osImageURL": ""}, {"osImageURL": None})]
    ["1 and would become empty: give --os-image IMAGE, or --os-image '' if that is meant"]
    >>> list(lost_images(current, {"osImageURL": ""}, {"osImageURL": ""}))
    []
    """
    for member, option in _OPTIONS.items():
        before = text_at(current, "spec", member)
        if before is not None and not spec.get(member) and given.get(member) is None:
            was = f"{member} was {without_secrets(before)} and would become empty"
            yield f"{was}: give {option} IMAGE, or {option} '' if that is meant"
