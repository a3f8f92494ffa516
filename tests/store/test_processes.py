"""The embedded store among several processes and threads: no lost update, no half-written object, whoever is killed."""

import os
import random
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from mcs.jsondata import JSONObject, integer_at
from mcs.machineconfig.names import Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import Conflict, StoreError, StoreUnavailable
from tests.store.processes import output, start
from tests.store.samples import hold, manifest


def count_of(store: EmbeddedStore) -> int:
    stored = store.get(Kind.POOL, "shared")
    assert stored is not None
    return integer_at(stored.value, "spec", "count") or 0


def assert_one_sequence(versions: list[list[int]]) -> None:
    """Each writer saw its versions grow, and no two writes had one."""
    assert all(written == sorted(written) for written in versions)
    together = [version for written in versions for version in written]
    assert len(set(together)) == len(together)


@pytest.mark.slow
def test_processes_lose_no_update(store: EmbeddedStore, path: Path) -> None:
    store.apply([manifest(Kind.POOL, "shared", spec={"count": 0})])
    writers = [start("count", path, "40") for _ in range(3)]
    versions = [[int(line) for line in output(writer)] for writer in writers]
    assert count_of(store) == 120
    assert [len(written) for written in versions] == [40, 40, 40]
    assert_one_sequence(versions)


def test_threads_lose_no_update(store: EmbeddedStore) -> None:
    store.apply([manifest(Kind.POOL, "shared", spec={"count": 0})])
    versions: list[list[int]] = [[] for _ in range(4)]

    def write(written: list[int]) -> None:
        while len(written) < 25:
            try:
                seen = store.get(Kind.POOL, "shared")
                assert seen is not None
                count = (integer_at(seen.value, "spec", "count") or 0) + 1
                patch: JSONObject = {"spec": {"count": count}}
                answer = store.patch(Kind.POOL, "shared", patch, resource_version=seen.resource_version)
            except (Conflict, StoreUnavailable):
                continue
            written.append(answer.resource_version)

    threads = [threading.Thread(target=write, args=[written]) for written in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count_of(store) == 100
    assert_one_sequence(versions)


def open_at_once(path: Path, processes: int) -> list[str]:
    """Let forked processes make and open one file at the same moment; return what went wrong."""
    ready, go = os.pipe()
    answer, said = os.pipe()
    children = []
    for _ in range(processes):
        child = os.fork()
        if child == 0:
            os.close(go)
            os.read(ready, 1)  # ends when the parent closes its side
            try:
                EmbeddedStore(path).pools()
            except StoreError as error:
                os.write(said, f"{error}\n".encode())
            finally:
                os._exit(0)
        children.append(child)
    for descriptor in (ready, go, said):
        os.close(descriptor)
    with os.fdopen(answer) as lines:
        wrong = lines.read().splitlines()
    for child in children:
        os.waitpid(child, 0)
    return wrong


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_processes_that_make_one_file_at_once_agree(tmp_path: Path) -> None:
    assert [open_at_once(tmp_path / f"{number}.db", 6) for number in range(60)] == [[]] * 60


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_the_old_state_or_the_new(store: EmbeddedStore, path: Path) -> None:
    chance = random.Random(3)
    number = 1
    for _ in range(8):
        with ExitStack() as ending:
            writer = start("pairs", path, str(number))
            ending.callback(writer.wait)
            assert writer.stdin is not None
            assert writer.stdout is not None
            ending.enter_context(writer.stdin)
            ending.enter_context(writer.stdout)
            ending.callback(writer.kill)
            for _ in range(chance.randint(1, 12)):
                acked = int(writer.stdout.readline())
            threading.Event().wait(chance.random() * 0.01)  # anywhere in a later write; nothing depends on where
            writer.kill()
            acked = max([acked, *(int(line) for line in writer.stdout.read().splitlines())])
        configs = store.objects(Kind.CONFIG)
        (held,) = store.holds()
        written = {integer_at(stored.value, "spec", "n") for stored in configs}
        assert len(configs) == 2
        assert written <= {acked, acked + 1}
        assert len(written) == 1
        assert held.value == hold(renewed=held.value.renewed)
        assert held.value.renewed in (acked, acked + 1)
        number = max(acked, int(held.value.renewed)) + 1
