"""One target under atheris, in a process of its own: `python -m tests.fuzz.engine MODULE:FUNCTION PREFIX OPTION…`.

Started by tests.fuzz. The options are libFuzzer's, folders of inputs included. Only mcs.ignition is instrumented.
"""

import base64
import importlib
import sys
import traceback
from collections.abc import Callable

import atheris

with atheris.instrument_imports(include=["mcs.ignition"]):
    import tests.fuzz.targets  # noqa: F401  # brings in all that is to be instrumented
    from tests.fuzz.mutation import mutated

__all__ = ["FINDING", "main"]

FINDING = "finding: "


def main(arguments: list[str]) -> None:
    """Fuzz until a limit is reached, or the first finding. Does not return: libFuzzer ends the process."""
    address, prefix, *options = arguments
    module, _, function = address.partition(":")
    target: Callable[[bytes], None] = getattr(importlib.import_module(module), function)

    def tell_and_raise(data: bytes) -> None:
        try:
            target(data)
        except BaseException:
            text = base64.b64encode(data).decode()
            sys.stdout.write(f"{FINDING}{text}\n{traceback.format_exc()}")
            sys.stdout.flush()
            raise

    def mutate(data: bytes, largest: int, seed: int) -> bytes:
        # One in four is changed as bytes: texts that are nearly JSON matter too.
        changed = mutated(data, largest, seed, int(prefix)) if seed % 4 and int(prefix) >= 0 else None
        return atheris.Mutate(data, largest) if changed is None else changed

    atheris.Setup([sys.argv[0], *options], tell_and_raise, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
