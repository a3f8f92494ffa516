"""Processes that use the embedded store: `python -m tests.store.processes ROLE PATH ARGUMENT`, and how to run one.

Each role prints one line for each thing that it did. A role that waits does so until its standard input is closed.
"""

import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from mcs.jsondata import integer_at, object_at
from mcs.machineconfig.names import Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Conflict, StoreError, StoreUnavailable
from tests.store.samples import hold, manifest

__all__ = ["output", "start"]

_ROOT = Path(__file__).resolve().parents[2]
_NOBODY = 65534


def start(role: str, path: Path, argument: str = "") -> subprocess.Popen[str]:
    """Start a process in a role."""
    command = [sys.executable, "-m", "tests.store.processes", role, str(path), argument]
    return subprocess.Popen(command, cwd=_ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def output(process: subprocess.Popen[str]) -> list[str]:
    """Let a process end and return the lines that it still printed; it must end well."""
    said, _ = process.communicate()
    assert process.returncode == 0
    return said.splitlines()


def _say(text: object) -> None:
    print(text, flush=True)  # noqa: T201 - this is how a role answers


def _wait() -> None:
    sys.stdin.read()


def _count(store: EmbeddedStore, argument: str) -> None:
    """Add one to the counter of the pool `shared`, as often as the argument says; print each resourceVersion."""
    done = 0
    while done < int(argument):
        try:
            seen = store.get(Kind.POOL, "shared")
            assert seen is not None
            count = (integer_at(seen.value, "spec", "count") or 0) + 1
            answer = store.patch(
                Kind.POOL, "shared", {"spec": {"count": count}}, uid=seen.uid, resource_version=seen.resource_version
            )
        except (Conflict, StoreUnavailable):
            continue
        _say(answer.resource_version)
        done += 1


def _pairs(store: EmbeddedStore, argument: str) -> None:
    """Write the argument and the numbers after it into two objects and a hold, again and again, until killed."""
    number = int(argument)
    while True:
        store.apply([manifest(Kind.CONFIG, name, spec={"n": number, "data": "x" * 50_000}) for name in ("a", "b")])
        store.put_hold(hold(renewed=float(number)), acked=None)
        _say(number)
        number += 1


def _lock(store: EmbeddedStore, argument: str) -> None:
    """Keep the file locked, by BEGIN IMMEDIATE or BEGIN EXCLUSIVE."""
    connection = sqlite3.connect(store._path, isolation_level=None)
    connection.execute(f"BEGIN {argument}")
    _say("locked")
    _wait()
    connection.execute("ROLLBACK")
    connection.close()


def _full(store: EmbeddedStore, argument: str) -> None:
    """Write until no more fits into the size that files may have; then lift the limit and write once more."""
    store.apply([manifest(Kind.CONFIG, "before")])
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(argument), hard))
    failed = ""
    for number in range(100):
        documents = [manifest(Kind.CONFIG, f"{name}{number}", spec={"data": "x" * 20_000}) for name in ("a", "b")]
        try:
            store.apply(documents)
        except StoreError as error:
            failed = f"{type(error).__name__}: {error}"
            break
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    _say(failed)
    store.apply([manifest(Kind.CONFIG, "after")])
    _say(",".join(stored.name for stored in store.objects(Kind.CONFIG)))
    broken = [stored for stored in store.objects(Kind.CONFIG) if not object_at(stored.value, "spec")]
    _say(len(broken))


def _unprivileged(store: EmbeddedStore, argument: str) -> None:
    """Read and write as somebody who is not root."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    for call in (store.pools, lambda: store.put_hold(hold(), acked=None)):
        try:
            call()
        except StoreError as error:
            _say(f"{type(error).__name__}: {error}")
        else:
            _say("done")


_ROLES: dict[str, Callable[[EmbeddedStore, str], None]] = {
    "count": _count,
    "pairs": _pairs,
    "lock": _lock,
    "full": _full,
    "unprivileged": _unprivileged,
}


if __name__ == "__main__":
    _, chosen, file, extra = sys.argv
    in_use = EmbeddedStore(Path(file))
    _ROLES[chosen](in_use, extra)
    in_use.close()
