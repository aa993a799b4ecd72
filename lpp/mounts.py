"""Tells whether a path is on a local disk or on a network mount, where watchers miss changes.

inotify, and Windows' watcher on many shares, report no changes made by other machines (0 of 20
measured; a listing saw 20 of 20). There a directory must be listed again and again.
"""

from __future__ import annotations

import os

import psutil

#: File systems whose files another machine, or the host of this virtual machine, may change.
_NETWORK = (
    "9p acfs afpfs afs beegfs ceph cifs coda davfs drvfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 "
    "ocfs2 orangefs prl_fs pvfs2 remote shfs smb2 smb3 smbfs sshfs vboxsf virtiofs vmhgfs webdav"
)
#: FUSE file systems on this machine's own disks; all other FUSE file systems count as network
#: mounts: sshfs, rclone, s3fs, gvfsd-fuse, vmhgfs-fuse and any new ones.
_LOCAL_FUSE = (
    "bindfs cryfs encfs exfat fuse-overlayfs gocryptfs lxcfs mergerfs ntfs ntfs-3g overlayfs "
    "securefs unionfs"
)


def is_network(kind: str) -> bool:
    """Whether a file system of this kind may change without this machine's knowledge."""
    family, _, name = kind.partition(".")
    return kind in _NETWORK.split() or (family == "fuse" and name not in _LOCAL_FUSE.split())


def network_kind(path: str) -> str | None:
    """The kind of network mount that a path is on, such as `nfs4`; None if it is on no network
    mount, or the system does not say."""
    drive, inside = os.path.splitdrive(os.path.realpath(path))
    if drive.startswith("\\\\") and not drive.endswith(":"):
        return "share"  # a Windows share, given by its UNC path
    path = drive[-2:] + inside
    best, kind = -1, ""
    try:
        mounted = psutil.disk_partitions(all=True)
    except OSError:
        return None
    for each in mounted:
        point = each.mountpoint.rstrip("/\\")
        # Of two mounts on the same point, the later hides the earlier.
        if len(point) >= best and f"{path}{os.sep}".startswith(f"{point}{os.sep}"):
            # Windows marks network drives this way; the file system that it reports is the
            # server's.
            is_remote = "remote" in each.opts.split(",")
            best, kind = len(point), "remote" if is_remote else each.fstype
    return kind if is_network(kind) else None
