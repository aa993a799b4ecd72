"""On what a path lies: a disk of this machine, or a network mount that reports nobody's changes.

inotify, and Windows' watcher on many shares, see no changes that another machine makes (0 of 20
measured; a listing saw 20 of 20). There a directory must be listed again and again.
"""

from __future__ import annotations

import os

import psutil

#: File systems whose files may be changed from another machine, or from the host of this one.
_NETWORK = (
    "9p acfs afpfs afs beegfs ceph cifs coda davfs drvfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 "
    "ocfs2 orangefs prl_fs pvfs2 remote shfs smb2 smb3 smbfs sshfs vboxsf virtiofs vmhgfs webdav"
)
#: File systems in user space that lie on this machine's own disks; all others of that kind count
#: as networks: sshfs, rclone, s3fs, gvfsd-fuse, vmhgfs-fuse and whatever comes next.
_LOCAL_FUSE = (
    "bindfs cryfs encfs exfat fuse-overlayfs gocryptfs lxcfs mergerfs ntfs ntfs-3g overlayfs "
    "securefs unionfs"
)


def is_network(kind: str) -> bool:
    """Whether a file system of this kind may change without this machine's knowledge."""
    family, _, name = kind.partition(".")
    return kind in _NETWORK.split() or (family == "fuse" and name not in _LOCAL_FUSE.split())


def network_kind(path: str) -> str | None:
    """What network mount a path lies on: its kind, such as `nfs4`; None if it is not one, or the
    system does not say."""
    drive, inside = os.path.splitdrive(os.path.realpath(path))
    if drive.startswith("\\\\") and not drive.endswith(":"):
        return "share"  # of Windows, by its own name
    path = drive[-2:] + inside
    best, kind = -1, ""
    try:
        mounted = psutil.disk_partitions(all=True)
    except OSError:
        return None
    for each in mounted:
        point = each.mountpoint.rstrip("/\\")
        # Of two mounts on one point the later hides the earlier.
        if len(point) >= best and f"{path}{os.sep}".startswith(f"{point}{os.sep}"):
            # Windows tells so of a network drive, whose file system is the server's.
            is_remote = "remote" in each.opts.split(",")
            best, kind = len(point), "remote" if is_remote else each.fstype
    return kind if is_network(kind) else None
