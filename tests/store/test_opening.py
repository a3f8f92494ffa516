"""Opening the embedded store's file: which files and places are accepted, who may read it, how versions meet."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mcs.machineconfig.names import Kind
from mcs.store import open_store
from mcs.store.embedded import EmbeddedStore
from mcs.store.interface import StoreError, StoreUnavailable, StoreUnusable
from mcs.store.schema import APPLICATION_ID, MIGRATIONS
from tests.store.samples import RENDERED, attempt, heartbeat, hold, lease, manifest

VERSION_1 = Path(__file__).with_name("version-1.sql")
# An invented next version, as a later release may bring one.
NEXT = (*MIGRATIONS, ("ALTER TABLE objects ADD COLUMN extra TEXT", "CREATE TABLE more (id INTEGER PRIMARY KEY)"))


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def ask(path: Path, query: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchone()[0]


def modes(path: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.glob(f"{path.name}*")}


# ---- addresses


def test_a_relative_address_is_from_the_working_directory_of_its_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///store.db")
    monkeypatch.chdir("/")
    assert not (tmp_path / "store.db").exists()
    assert store.pools().pools == ()
    assert (tmp_path / "store.db").exists()
    assert store.address == "sqlite:///store.db"
    store.close()


@pytest.mark.parametrize("name", ["a b?mode=memory#%41.db", ":memory:", "file:x", "ü.db"])
def test_a_path_is_taken_literally(tmp_path: Path, name: str) -> None:
    store = open_store(f"sqlite:///{tmp_path}/{name}")
    store.apply([manifest(Kind.POOL, "a")])
    store.close()
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("address", "says"),
    [
        pytest.param("kubernetes", "only the embedded store", id="kubernetes"),
        pytest.param("kubernetes:prod", "only the embedded store", id="kubernetes with a context"),
        pytest.param("sqlite:///", "names no file", id="no path"),
        pytest.param("sqlite:////var/lib/", "names no file", id="a directory by its slash"),
        pytest.param("sqlite:///a\0b", "names no file", id="a zero byte"),
        pytest.param("sqlite://host/path", "no known form", id="two slashes"),
        pytest.param("/var/lib/mcs/store.db", "no known form", id="a bare path"),
        pytest.param("", "no known form", id="empty"),
        pytest.param("postgres://me:secret@host/db", "no known form", id="another database"),
    ],
)
def test_another_address_is_refused_with_what_to_write(address: str, says: str) -> None:
    with pytest.raises(StoreUnusable, match=says) as caught:
        open_store(address)
    assert "sqlite:///PATH" in str(caught.value)
    assert "secret" not in str(caught.value)


# ---- places


def test_the_directory_must_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match=r"missing of the store store\.db does not exist; make it first"):
        EmbeddedStore(tmp_path / "missing" / "store.db").pools()
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnusable, match="file of the store"):
        EmbeddedStore(tmp_path / "file" / "store.db").pools()


def test_a_directory_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="is a directory; name a file in it"):
        EmbeddedStore(tmp_path).pools()


def test_a_network_file_system_is_refused_before_anything_is_made(path: Path) -> None:
    table = f"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 0:9 / {path.parent} rw - nfs4 server:/export rw\n"
    store = EmbeddedStore(path, mounts=lambda: table)
    with pytest.raises(StoreUnusable, match="network file system, NFS, which SQLite cannot share"):
        store.pools()
    assert list(path.parent.iterdir()) == []


def test_a_link_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "remote").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "remote" / "store.db")
    table = f"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 0:9 / {tmp_path}/remote rw - cifs //server/share rw\n"
    with pytest.raises(StoreUnusable, match="SMB"):
        EmbeddedStore(tmp_path / "link.db", mounts=lambda: table).pools()
    store = EmbeddedStore(tmp_path / "link.db")
    store.apply([manifest(Kind.POOL, "a")])
    assert modes(tmp_path / "remote" / "store.db") == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}
    store.close()


# ---- modes


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_only_the_owner_may_read(store: EmbeddedStore, path: Path) -> None:
    store.apply([manifest(Kind.POOL, "a")])
    assert modes(path) == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}


@pytest.mark.usefixtures("open_umask")
def test_a_file_that_others_may_read_is_closed_to_them(store: EmbeddedStore, path: Path) -> None:
    store.pools()
    store.close()
    path.chmod(0o644)
    store.apply([manifest(Kind.POOL, "a")])
    assert modes(path) == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}


# ---- whose file


@pytest.mark.parametrize(
    "statements",
    [
        pytest.param(("CREATE TABLE t (a)",), id="tables"),
        pytest.param(("PRAGMA application_id = 17",), id="another application"),
        pytest.param(("PRAGMA user_version = 3",), id="a version without an application"),
        pytest.param(("PRAGMA application_id = 17", "CREATE TABLE t (a)"), id="another application's tables"),
    ],
)
def test_another_program_s_file_is_refused_and_left_alone(path: Path, statements: tuple[str, ...]) -> None:
    run(path, *statements)
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(StoreUnusable, match="is a database of another program; name another file"):
        EmbeddedStore(path).apply([manifest(Kind.POOL, "a")])
    assert path.read_bytes() == before
    assert modes(path) == {"store.db": 0o644}


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(b"x", StoreUnusable, id="a byte"),
        pytest.param(b"kind: Pool\n", StoreUnusable, id="a line"),
        pytest.param(b"kind: Pool\n" * 1000, StoreUnavailable, id="text"),
        pytest.param(b"\0" * 8192, StoreUnavailable, id="zeros"),
    ],
)
def test_what_is_no_database_is_refused_and_left_alone(path: Path, content: bytes, error: type[StoreError]) -> None:
    path.write_bytes(content)
    with pytest.raises(error, match="no SQLite file"):
        EmbeddedStore(path).apply([manifest(Kind.POOL, "a")])
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_store(store: EmbeddedStore, path: Path) -> None:
    path.touch()
    store.apply([manifest(Kind.POOL, "a")])
    assert ask(path, "PRAGMA application_id") == APPLICATION_ID
    assert ask(path, "PRAGMA user_version") == len(MIGRATIONS)
    assert ask(path, "PRAGMA journal_mode") == "wal"


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        pytest.param("synchronous", 2, id="an acknowledged write survives a loss of power (FULL)"),
        pytest.param("journal_mode", "wal", id="readers do not wait for a writer"),
        pytest.param("busy_timeout", 1000, id="a call waits a second for a lock"),
        pytest.param("foreign_keys", 1, id="a body goes with its object"),
        pytest.param("temp_store", 2, id="no secret in a temporary file (MEMORY)"),
    ],
)
def test_each_connection_is_set_up(store: EmbeddedStore, setting: str, value: object) -> None:
    store.pools()
    store.close()
    with store._connections.read() as connection:
        assert connection.execute(f"PRAGMA {setting}").fetchone() == (value,)


# ---- versions


def test_a_file_of_version_1_is_read_whole(store: EmbeddedStore, path: Path) -> None:
    """The file's text is frozen: it says what the first version wrote, whatever is written now."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1.read_text())
    config, pool = store.objects(Kind.CONFIG)[0], store.objects(Kind.POOL)[0]
    assert (config.name, config.uid, config.resource_version, config.created) == (
        RENDERED,
        "55555555-5555-4555-8555-555555555555",
        1,
        1700000000.5,
    )
    assert config.value == {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {
            "name": RENDERED,
            "uid": config.uid,
            "resourceVersion": "1",
            "generation": 1,
            "creationTimestamp": "2023-11-14T22:13:20Z",
            "labels": {"mcs.internal/pool": "worker"},
        },
        "spec": {"config": {"ignition": {"version": "3.4.0"}}},
    }
    assert pool.value["spec"] == {"paused": False}
    assert [stored.value for stored in store.holds()] == [hold()]
    assert [stored.value for stored in store.boot_leases()] == [lease("a"), lease("b", ended=1200.0, node="n1")]
    assert [stored.value for stored in store.heartbeats()] == [heartbeat()]
    ack = store.put_hold(hold(renewed=1001.0), acked=1000.0)
    assert (ack.lost, ack.store_clock) == (False, 1060.0)
    assert store.holds()[0].resource_version == 11
    assert ask(path, "PRAGMA user_version") == len(MIGRATIONS)
    assert store.attempts() == []  # the table came with version 2
    store.put_attempts([attempt()])
    assert store.attempts() == [attempt()]


def test_an_older_file_is_migrated_and_keeps_everything(store: EmbeddedStore, path: Path) -> None:
    store.apply([manifest(Kind.POOL, "a")])
    store.put_hold(hold(), acked=None)
    before = (store.objects(Kind.POOL), store.holds())
    store.close()
    later = EmbeddedStore(path, migrations=NEXT)
    assert (later.objects(Kind.POOL), later.holds()) == before
    assert ask(path, "PRAGMA user_version") == len(NEXT)
    assert ask(path, "SELECT count(*) FROM more") == 0
    later.close()


def test_a_migration_that_fails_changes_nothing(store: EmbeddedStore, path: Path) -> None:
    store.apply([manifest(Kind.POOL, "a")])
    store.close()
    failing = EmbeddedStore(path, migrations=(*NEXT, ("CREATE TABLE last (a)", "INSERT INTO nowhere VALUES (1)")))
    with pytest.raises(StoreUnavailable):
        failing.pools()
    assert ask(path, "PRAGMA user_version") == len(MIGRATIONS)
    assert ask(path, "SELECT count(*) FROM sqlite_master WHERE name IN ('more', 'last')") == 0
    assert [pool.name for pool in store.pools().pools] == ["a"]


def test_a_newer_file_is_refused(store: EmbeddedStore, path: Path) -> None:
    later = EmbeddedStore(path, migrations=NEXT)
    later.apply([manifest(Kind.POOL, "a")])
    later.close()
    with pytest.raises(
        StoreUnusable,
        match=rf"written by a newer version of mcs \(store version {len(NEXT)}, .* up to {len(MIGRATIONS)}\)",
    ):
        store.pools()


def test_a_file_that_is_migrated_under_a_running_process_is_no_longer_written_by_it(
    store: EmbeddedStore, path: Path
) -> None:
    store.apply([manifest(Kind.POOL, "a")])
    later = EmbeddedStore(path, migrations=NEXT)
    later.pools()
    later.close()
    with pytest.raises(StoreUnavailable, match="another version of mcs has just migrated it"):
        store.apply([manifest(Kind.POOL, "b")])
    with pytest.raises(StoreUnusable, match="newer version"):
        store.apply([manifest(Kind.POOL, "b")])
    assert ask(path, "SELECT count(*) FROM objects") == 1


def test_a_store_that_must_be_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with pytest.raises(StoreUnusable, match=f"there is no store at {path}"):
        open_store(f"sqlite:///{path}", create=False).pools()
    assert not path.exists()
    made = open_store(f"sqlite:///{path}")
    made.apply([manifest(Kind.POOL, "a")])
    made.close()
    opened = open_store(f"sqlite:///{path}", create=False)
    assert len(opened.pools().pools) == 1
    opened.close()


def test_an_empty_file_of_somebody_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.touch(mode=0o644)
    with pytest.raises(StoreUnusable, match="is empty; `mcs apply` and `mcs serve` make a store"):
        open_store(f"sqlite:///{path}", create=False).pools()
    assert (path.stat().st_size, stat.S_IMODE(path.stat().st_mode)) == (0, 0o644)


def test_a_device_is_no_store_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path, 0o644)
    with pytest.raises(StoreUnusable, match="is no regular file"):
        open_store(f"sqlite:///{path}").pools()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_stale_log_is_noticed_through_a_link_too(tmp_path: Path) -> None:
    real, link = tmp_path / "real.db", tmp_path / "link.db"
    link.symlink_to(real)
    store = open_store(f"sqlite:///{link}")
    store.apply([manifest(Kind.POOL, "a")])
    backup = tmp_path / "backup.db"
    with closing(sqlite3.connect(real)) as source, closing(sqlite3.connect(backup)) as target:
        source.backup(target)
    store.apply([manifest(Kind.POOL, "b")])
    backup.rename(real)
    with pytest.raises(StoreUnavailable, match=r"real\.db-wal of the former file is still there"):
        store.pools()
    store.close()
