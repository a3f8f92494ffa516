"""The embedded store when its file fails: what is raised, in which words, and that it recovers by itself."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mcs.machineconfig.names import Kind
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import StoreError, StoreUnavailable, StoreUnusable
from tests.store.processes import output, start
from tests.store.samples import RENDERED, heartbeat, hold, lease, manifest, rendered

CALLS: dict[str, Callable[[EmbeddedStore], object]] = {
    "get": lambda store: store.get(Kind.CONFIG, RENDERED),
    "metadata": lambda store: store.metadata(Kind.CONFIG, RENDERED),
    "objects": lambda store: store.objects(Kind.CONFIG),
    "all_metadata": lambda store: store.all_metadata(Kind.CONFIG),
    "version": lambda store: store.version(Kind.CONFIG),
    "pools": lambda store: store.pools(),
    "apply": lambda store: store.apply([rendered({"config": 1})]),
    "patch": lambda store: store.patch(Kind.CONFIG, RENDERED, {"metadata": {"labels": {"a": "1"}}}),
    "delete": lambda store: store.delete(Kind.CONFIG, RENDERED),
    "put_hold": lambda store: store.put_hold(hold(), acked=None),
    "holds": lambda store: store.holds(),
    "put_boot_leases": lambda store: store.put_boot_leases([lease("a")]),
    "boot_leases": lambda store: store.boot_leases(),
    "count_boot_leases": lambda store: store.count_boot_leases(at=0.0),
    "put_heartbeat": lambda store: store.put_heartbeat(heartbeat()),
    "heartbeats": lambda store: store.heartbeats(),
}
SQL = ("SELECT", "INSERT", "UPDATE", "BEGIN", "PRAGMA")


def edit(path: Path, statement: str) -> None:
    """Change the file as somebody else would."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def assert_plain(error: StoreError, path: Path) -> None:
    """The message names the file and shows no SQL."""
    assert str(path) in str(error)
    assert not any(word in str(error) for word in SQL)


# ---- locked


def test_a_locked_file_is_unavailable_for_writes_and_recovers(store: EmbeddedStore, path: Path) -> None:
    store.apply([rendered({"config": 1})])
    locker = start("lock", path, "IMMEDIATE")
    assert locker.stdout is not None
    assert locker.stdout.readline() == "locked\n"
    with pytest.raises(StoreUnavailable, match="another process has kept it locked") as caught:
        store.put_hold(hold(), acked=None)
    assert_plain(caught.value, path)
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    assert store.metadata(Kind.CONFIG, RENDERED) is not None
    assert store.holds() == []
    output(locker)
    store.put_hold(hold(), acked=None)
    assert len(store.holds()) == 1


def test_a_file_that_is_locked_while_it_is_opened_is_unavailable_and_recovers(path: Path) -> None:
    path.touch()
    locker = start("lock", path, "EXCLUSIVE")
    assert locker.stdout is not None
    assert locker.stdout.readline() == "locked\n"
    store = EmbeddedStore(path)
    with pytest.raises(StoreUnavailable, match="another process has kept it locked"):
        store.pools()
    output(locker)
    assert store.pools().pools == ()
    store.close()


# ---- full


def test_a_full_disk_is_unavailable_and_recovers(path: Path) -> None:
    failed, names, broken = output(start("full", path, "400000"))
    assert failed.startswith(f"StoreUnavailable: store {path}: ")
    assert not any(word in failed for word in SQL)
    written = names.split(",")
    assert {"before", "after", "a0", "b0"} <= set(written)
    # Both of a pair or none: an object that did not fit took its partner with it.
    assert {name[1:] for name in written if name[0] == "a"} - {"fter"} == {
        name[1:] for name in written if name[0] == "b"
    } - {"efore"}
    assert broken == "0"


def test_a_full_file_is_unavailable_and_recovers(store: EmbeddedStore, path: Path) -> None:
    store.apply([rendered({"config": 1})])
    with store._connections.read() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    store._connections._mine.slot.opened.connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable, match="no space left") as caught:
        store.apply([manifest(Kind.CONFIG, "small"), manifest(Kind.CONFIG, "large", spec={"data": "x" * 100_000})])
    assert_plain(caught.value, path)
    # The connection was given up, and with it the limit.
    assert [stored.name for stored in store.objects(Kind.CONFIG)] == [RENDERED]
    store.apply([manifest(Kind.CONFIG, "large", spec={"data": "x" * 100_000})])


# ---- damaged


@pytest.mark.parametrize("damage", ["first page", "all pages but the first", "tables gone"])
def test_a_damaged_file_is_unavailable_to_every_call(store: EmbeddedStore, path: Path, damage: str) -> None:
    store.apply([rendered({"data": "x" * 50_000}), manifest(Kind.POOL, "worker")])
    store.close()
    if damage == "tables gone":
        for table in ("bodies", "objects", "holds", "boot_leases", "heartbeats", "changed"):
            edit(path, f"DROP TABLE {table}")
    else:
        content = path.read_bytes()
        noise = bytes(range(256)) * (len(content) // 256)
        split = 4096
        path.write_bytes(noise[:split] + content[split:] if damage == "first page" else content[:split] + noise[split:])
    for call in CALLS.values():
        with pytest.raises(StoreUnavailable) as caught:
            call(store)
        assert_plain(caught.value, path)


def test_a_file_that_is_repaired_is_used_again(store: EmbeddedStore, path: Path) -> None:
    store.apply([manifest(Kind.POOL, "worker")])
    store.close()
    good = path.read_bytes()
    path.write_bytes(b"\xff" * len(good))
    with pytest.raises(StoreUnavailable, match="no SQLite file"):
        store.pools()
    path.write_bytes(good)
    assert [pool.name for pool in store.pools().pools] == ["worker"]


@pytest.mark.parametrize(
    ("statement", "call", "names"),
    [
        pytest.param("UPDATE bodies SET body = '{\"spec\"'", "get", f"MachineConfig {RENDERED}", id="cut short"),
        pytest.param("UPDATE bodies SET body = '[1]'", "objects", f"MachineConfig {RENDERED}", id="no object"),
        pytest.param("UPDATE bodies SET body = x'00'", "get", f"MachineConfig {RENDERED}", id="no text"),
        pytest.param("DELETE FROM bodies", "get", f"MachineConfig {RENDERED}", id="no body"),
        pytest.param("UPDATE objects SET metadata = 'x'", "metadata", f"MachineConfig {RENDERED}", id="metadata"),
        pytest.param(
            "UPDATE objects SET metadata = 'x'", "all_metadata", f"MachineConfig {RENDERED}", id="all metadata"
        ),
        pytest.param("UPDATE objects SET created = 'x'", "get", f"MachineConfig {RENDERED}", id="creation time"),
        pytest.param("UPDATE objects SET generation = 'x'", "get", f"MachineConfig {RENDERED}", id="generation"),
        pytest.param("UPDATE holds SET pools = '{'", "holds", "hold hold-", id="pools of a hold"),
        pytest.param("UPDATE holds SET pools = '[1]'", "put_hold", "hold hold-", id="pools of a hold, no texts"),
        pytest.param("UPDATE holds SET renewed = 'soon'", "holds", "hold hold-", id="a time"),
        pytest.param("UPDATE holds SET created = 'soon'", "holds", "hold hold-", id="creation time of a record"),
        pytest.param("UPDATE holds SET resource_version = 'x'", "holds", "hold hold-", id="version of a record"),
        pytest.param("UPDATE boot_leases SET count = 1.5", "boot_leases", "boot lease a ", id="a count"),
        pytest.param("UPDATE boot_leases SET node = x'00'", "boot_leases", "boot lease a ", id="a node"),
        pytest.param("UPDATE heartbeats SET recorded = 'x'", "heartbeats", "heartbeat heartbeat-", id="a heartbeat"),
    ],
)
def test_a_damaged_row_is_named(store: EmbeddedStore, path: Path, statement: str, call: str, names: str) -> None:
    for fill in ("apply", "put_hold", "put_boot_leases", "put_heartbeat"):
        CALLS[fill](store)
    edit(path, statement)
    with pytest.raises(StoreUnavailable, match=f"the stored {names}"):
        CALLS[call](store)


def test_text_that_is_no_utf_8_is_damage_too(store: EmbeddedStore, path: Path) -> None:
    CALLS["apply"](store)
    edit(path, "UPDATE bodies SET body = CAST(x'7bff7d' AS TEXT)")
    with pytest.raises(StoreUnavailable, match="cannot be read as text") as caught:
        CALLS["get"](store)
    assert_plain(caught.value, path)


def test_a_damaged_row_leaves_no_old_snapshot_behind(store: EmbeddedStore, path: Path) -> None:
    store.apply([manifest(Kind.POOL, "a"), manifest(Kind.POOL, "b"), manifest(Kind.POOL, "c")])
    edit(path, "UPDATE bodies SET body = '{'")
    with pytest.raises(StoreUnavailable) as caught:
        store.objects(Kind.POOL)
    edit(path, "UPDATE bodies SET body = '{}'")
    assert caught.value.__traceback__ is not None  # it keeps the failed call's frames alive
    assert len(store.objects(Kind.POOL)) == 3


# ---- gone or replaced


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """Return a file of another state."""
    other = EmbeddedStore(tmp_path / "backup.db")
    other.apply([manifest(Kind.POOL, "restored")])
    other.close()
    return tmp_path / "backup.db"


def test_a_file_that_was_replaced_is_opened_anew(store: EmbeddedStore, path: Path, backup: Path) -> None:
    store.apply([manifest(Kind.POOL, "old")])
    assert [pool.name for pool in store.pools().pools] == ["old"]
    for file in path.parent.glob("store.db-*"):
        file.unlink()
    backup.rename(path)
    assert [pool.name for pool in store.pools().pools] == ["restored"]


def test_a_file_that_was_replaced_without_its_log_is_not_touched(
    store: EmbeddedStore, path: Path, backup: Path
) -> None:
    store.apply([manifest(Kind.POOL, "old")])
    backup.rename(path)
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match=r"store\.db-wal of the former file is still there"):
            store.pools()
    path.with_name("store.db-wal").unlink()
    assert [pool.name for pool in store.pools().pools] == ["restored"]


@pytest.mark.parametrize("removed", ["store.db", "store.db*"], ids=["alone", "with its log"])
def test_a_hold_in_a_file_that_was_removed_is_lost_and_told(store: EmbeddedStore, path: Path, removed: str) -> None:
    store.put_hold(hold(), acked=None)
    for file in path.parent.glob(removed):
        file.unlink()
    assert store.put_hold(hold(renewed=1010.0), acked=1000.0).lost
    assert store.put_hold(hold(renewed=1020.0), acked=1010.0).lost is False


def test_a_write_into_a_file_that_is_replaced_meanwhile_is_not_acknowledged(
    store: EmbeddedStore, path: Path, tmp_path: Path
) -> None:
    store.pools()
    write = store._connections.write()
    connection = write.__enter__()
    connection.execute("UPDATE clock SET latest = 7")
    path.rename(tmp_path / "moved.db")
    with pytest.raises(StoreUnavailable, match="was replaced"):
        write.__exit__(None, None, None)


# ---- not allowed


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """Return a directory that everybody can reach."""
    directory = Path(tempfile.mkdtemp(prefix="mcs-store-"))
    directory.chmod(0o755)
    yield directory
    directory.chmod(0o755)
    shutil.rmtree(directory)


def test_a_directory_that_cannot_be_written_is_unavailable(open_directory: Path) -> None:
    open_directory.chmod(0o555)
    path = open_directory / "store.db"
    for said in output(start("unprivileged", path)):
        assert said.startswith(f"StoreUnavailable: store {path}: ")
        assert "check the file, its directory" in said


def test_a_file_that_cannot_be_read_is_unavailable(open_directory: Path) -> None:
    path = open_directory / "store.db"
    store = EmbeddedStore(path)
    store.pools()
    store.close()
    path.chmod(0)
    for said in output(start("unprivileged", path)):
        assert said.startswith(f"StoreUnavailable: store {path}: it cannot be opened")


def test_a_directory_that_vanishes_is_told_and_its_return_is_enough(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    store = EmbeddedStore(directory / "store.db")
    store.apply([manifest(Kind.POOL, "a")])
    directory.rename(tmp_path / "away")
    with pytest.raises(StoreUnusable, match=r"data of the store store\.db does not exist; make it first"):
        store.pools()
    (tmp_path / "away").rename(directory)
    assert [pool.name for pool in store.pools().pools] == ["a"]
    store.close()
