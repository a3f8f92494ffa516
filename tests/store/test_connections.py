"""The embedded store among threads and forked processes: one connection a thread, none across a fork."""

import gc
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mcs.machineconfig.names import Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import PoolsView
from tests.store.samples import manifest

# Newer Pythons warn of any fork beside threads; that is the case under test.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def test_each_thread_has_its_connection_and_leaves_none_behind(store: EmbeddedStore) -> None:
    store.pools()
    assert store._connections.open_count() == 1
    seen: list[PoolsView] = []
    threads = [threading.Thread(target=lambda: seen.append(store.pools())) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert len(seen) == 5
    assert store._connections.open_count() == 1
    assert len(store._connections._slots) == 1


def test_close_closes_the_connections_of_all_threads(store: EmbeddedStore) -> None:
    opened, closed = threading.Event(), threading.Event()
    answers = []

    def use() -> None:
        store.pools()
        opened.set()
        closed.wait(10)
        answers.append(store.pools().pools)

    thread = threading.Thread(target=use)
    thread.start()
    assert opened.wait(10)
    store.pools()
    assert store._connections.open_count() == 2
    store.close()
    assert store._connections.open_count() == 0
    closed.set()
    thread.join()
    assert answers == [()]


def test_close_waits_for_a_call_of_another_thread(store: EmbeddedStore) -> None:
    store.apply([manifest(Kind.POOL, "a")])
    inside, leave = threading.Event(), threading.Event()
    seen: list[int] = []

    def call() -> None:
        with store._connections.read() as connection:
            inside.set()
            leave.wait(10)
            seen.append(connection.execute("SELECT count(*) FROM objects").fetchone()[0])

    thread = threading.Thread(target=call)
    thread.start()
    assert inside.wait(10)
    threading.Timer(0.05, leave.set).start()
    store.close()
    thread.join()
    assert seen == [1]


def in_child(action: str, store: EmbeddedStore) -> str:
    """Run an action in a forked child and return what it says."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, ACTIONS[action](store).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    os.waitpid(pid, 0)
    return said


def _descriptors(store: EmbeddedStore) -> list[str]:
    """Return the store's files that this process has open."""
    links = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_file()]
    return sorted(link for link in links if link.startswith(str(store._path)))


def _write(store: EmbeddedStore) -> str:
    store.apply([manifest(Kind.POOL, "child")])
    return ",".join(pool.name for pool in store.pools().pools)


def _write_and_close(store: EmbeddedStore) -> str:
    said = _write(store)
    store.close()
    return said


ACTIONS: dict[str, Callable[[EmbeddedStore], str]] = {
    "open files": lambda store: ",".join(_descriptors(store)),
    "connections": lambda store: str(store._connections.open_count()),
    "write": _write,
    "write, then close": _write_and_close,
}


def test_a_forked_child_inherits_no_connection(store: EmbeddedStore) -> None:
    store.apply([manifest(Kind.POOL, "parent")])
    assert _descriptors(store) != []
    assert in_child("open files", store) == ""
    assert in_child("connections", store) == "0"


def test_parent_and_child_both_go_on_after_a_fork(store: EmbeddedStore) -> None:
    store.apply([manifest(Kind.POOL, "parent")])
    assert in_child("write", store) == "child,parent"
    assert in_child("write, then close", store) == "child,parent"
    store.apply([manifest(Kind.POOL, "later")])
    assert [pool.name for pool in store.pools().pools] == ["child", "later", "parent"]


def test_a_fork_waits_for_a_call_of_another_thread(store: EmbeddedStore) -> None:
    store.apply([manifest(Kind.POOL, "parent")])
    inside, leave = threading.Event(), threading.Event()

    def call() -> None:
        with store._connections.read():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=call)
    thread.start()
    assert inside.wait(10)
    threading.Timer(0.05, leave.set).start()
    assert in_child("open files", store) == ""
    assert leave.is_set()
    thread.join()


def test_a_connection_that_came_through_a_fork_unnoticed_is_never_used(store: EmbeddedStore) -> None:
    store.pools()
    slot = store._connections._mine.slot
    inherited = slot.opened
    slot.pid = os.getpid() + 1  # as a fork by foreign code leaves it
    store.pools()
    assert slot.opened is not inherited
    assert slot.pid == os.getpid()
