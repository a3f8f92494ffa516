"""Which file system a path lies on, from the text of a mount table."""

import pytest

from mcs.store.filesystems import NETWORK_FILE_SYSTEMS, file_system_of, network_file_system
from mcs.store.opening import mount_table

TABLE = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:20 / /proc rw - proc proc rw
30 22 0:40 / /srv rw shared:7 master:2 - nfs4 server:/export rw,vers=4.2
31 30 8:2 / /srv/local rw - xfs /dev/sdb rw
32 22 0:41 / /mnt/with\040blank rw - fuse.sshfs me@host: rw
33 22 0:42 / /mnt/over rw - cifs //server/share rw
34 33 8:3 / /mnt/over rw - btrfs /dev/sdc rw
a line that is none
""".strip()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("/var/lib/mcs/store.db", "ext4", id="the root"),
        pytest.param("/srv/mcs/store.db", "nfs4", id="below a mount"),
        pytest.param("/srv", "nfs4", id="a mount point"),
        pytest.param("/srvother/store.db", "ext4", id="no prefix by letters"),
        pytest.param("/srv/local/store.db", "xfs", id="the deepest mount wins"),
        pytest.param("/mnt/with blank/store.db", "fuse.sshfs", id="an escaped blank"),
        pytest.param("/mnt/over/store.db", "btrfs", id="a later mount covers an earlier"),
    ],
)
def test_the_file_system_of_a_path(path: str, expected: str) -> None:
    assert file_system_of(TABLE, path) == expected


@pytest.mark.parametrize("kind", sorted(NETWORK_FILE_SYSTEMS))
def test_each_network_file_system_is_told_by_a_name(kind: str) -> None:
    assert network_file_system(f"1 0 0:9 / / rw - {kind} source rw", "/a") == NETWORK_FILE_SYSTEMS[kind]


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "f2fs", "virtiofs", "fuseblk"])
def test_a_local_file_system_is_none(kind: str) -> None:
    assert network_file_system(f"1 0 0:9 / / rw - {kind} source rw", "/a") is None


def test_an_unknown_place_is_none() -> None:
    assert file_system_of("", "/a") is None
    assert network_file_system("", "/a") is None


def test_the_kernel_s_own_table_is_understood() -> None:
    assert file_system_of(mount_table(), "/proc/self") == "proc"
