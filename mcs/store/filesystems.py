"""Which file system a path lies on, told from the kernel's mount table, and which ones SQLite cannot live on.

WAL needs memory that all processes share and locks that all hosts see; over a network neither holds, and the file is
damaged without any error. Pure: the text of the mount table is handed in.
"""

import re

__all__ = ["NETWORK_FILE_SYSTEMS", "file_system_of", "network_file_system"]

# The type in the mount table, and what people call it.
NETWORK_FILE_SYSTEMS: dict[str, str] = {
    "9p": "Plan 9 (9p)",
    "afs": "AFS",
    "beegfs": "BeeGFS",
    "ceph": "CephFS",
    "cifs": "SMB (cifs)",
    "coda": "Coda",
    "davfs": "WebDAV",
    "fuse.beegfs": "BeeGFS",
    "fuse.ceph": "CephFS",
    "fuse.ceph-fuse": "CephFS",
    "fuse.curlftpfs": "FTP",
    "fuse.davfs": "WebDAV",
    "fuse.davfs2": "WebDAV",
    "fuse.gcsfuse": "Google Cloud Storage",
    "fuse.geesefs": "S3",
    "fuse.glusterfs": "GlusterFS",
    "fuse.goofys": "S3",
    "fuse.juicefs": "JuiceFS",
    "fuse.mount-s3": "S3",
    "fuse.moosefs": "MooseFS",
    "fuse.rclone": "rclone",
    "fuse.s3fs": "S3",
    "fuse.seaweedfs": "SeaweedFS",
    "fuse.sshfs": "SSH (sshfs)",
    "fuse.vmhgfs-fuse": "a VMware shared folder",
    "gfs2": "GFS2",
    "glusterfs": "GlusterFS",
    "gpfs": "GPFS",
    "lustre": "Lustre",
    "mfs": "MooseFS",
    "ncpfs": "NetWare",
    "nfs": "NFS",
    "nfs3": "NFS",
    "nfs4": "NFS",
    "ocfs2": "OCFS2",
    "orangefs": "OrangeFS",
    "prl_fs": "a Parallels shared folder",
    "pvfs2": "OrangeFS",
    "smb2": "SMB",
    "smb3": "SMB",
    "smbfs": "SMB",
    "vboxsf": "a VirtualBox shared folder",
}

_OCTAL = re.compile(r"\\([0-7]{3})")


def file_system_of(mountinfo: str, path: str) -> str | None:
    r"""Return the type of the file system that a path lies on, or None if the table does not tell.

    mountinfo: the text of /proc/self/mountinfo (proc(5): the mount point is the fifth field with blanks as `\040`, the
    type is the first field after ` - `). path: absolute, without symbolic links. The longest mount point that is a
    prefix wins; of two at one place the later, which covers the earlier.

    >>> file_system_of("1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 0:9 / /srv rw - nfs4 a:/b rw", "/srv/mcs")
    'nfs4'
    """
    best: tuple[int, str] | None = None
    for line in mountinfo.splitlines():
        place, separator, source = line.partition(" - ")
        fields, types = place.split(" "), source.split(" ")
        if not separator or len(fields) < 5:
            continue
        mounted = _OCTAL.sub(lambda match: chr(int(match[1], 8)), fields[4]).rstrip("/")
        inside = path == mounted or path.startswith(f"{mounted}/")
        if inside and (best is None or len(mounted) >= best[0]):
            best = (len(mounted), types[0])
    return best[1] if best is not None else None


def network_file_system(mountinfo: str, path: str) -> str | None:
    """Return the common name of the network file system that a path lies on, or None: it is local, or not known."""
    return NETWORK_FILE_SYSTEMS.get(file_system_of(mountinfo, path) or "")
