"""On what a path lies: a disk of this machine, or a network mount that reports nobody's changes.

inotify, and Windows' watcher on many shares, see no changes that another machine makes (0 of 20
measured; a listing saw 20 of 20). There a directory must be listed again and again. Found out from
texts and numbers that the system gives, by functions without I/O.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Final

#: File systems whose files may be changed from another machine, or from the host of this one.
_NETWORK = (
    "9p acfs afs beegfs ceph cifs coda davfs drvfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2 "
    "orangefs prl_fs pvfs2 shfs smb2 smb3 smbfs sshfs vboxsf virtiofs vmhgfs"
)
#: File systems in user space that lie on this machine's own disks; all others of that kind count
#: as networks: sshfs, rclone, s3fs, gvfsd-fuse, vmhgfs-fuse and whatever comes next.
_LOCAL_FUSE = (
    "bindfs cryfs encfs exfat fuse-overlayfs gocryptfs lxcfs mergerfs ntfs ntfs-3g overlayfs "
    "securefs unionfs"
)
#: What Windows' GetDriveType calls a network drive.
DRIVE_REMOTE: Final = 4

_ESCAPED = re.compile(r"\\([0-7]{3})")


def is_network(kind: str) -> bool:
    """Whether a file system of this kind may change without this machine's knowledge."""
    family, _, name = kind.partition(".")
    return kind in _NETWORK.split() or (family == "fuse" and name not in _LOCAL_FUSE.split())


def kind_by_mountinfo(path: str, mountinfo: str) -> str | None:
    """The kind of file system, such as "nfs4", that an absolute path without links lies on, by the
    text of Linux's /proc/self/mountinfo; None if the text does not say."""
    best, kind = -1, None
    for line in mountinfo.splitlines():
        fields, dash, rest = line.partition(" - ")
        words = fields.split(" ")
        if not dash or len(words) < 5 or not rest.split(" ")[0]:
            continue
        point = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), words[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        # Of two mounts on one point the later hides the earlier.
        if inside and len(point) >= best:
            best, kind = len(point), rest.split(" ")[0]
    return kind


def is_network_path_of_windows(path: str, drive_type: Callable[[str], int]) -> bool:
    """Whether an absolute path of Windows leads to a share; `drive_type` is GetDriveType, which
    takes a drive's root."""
    path = path.replace("/", "\\")
    if path[:8].upper() == "\\\\?\\UNC\\":
        return True
    if path[:4] in ("\\\\?\\", "\\\\.\\"):
        path = path[4:]
    if path.startswith("\\\\"):
        return True
    return path[1:2] == ":" and drive_type(path[:2] + "\\") == DRIVE_REMOTE


def network_kind(path: str, system: str = sys.platform) -> str | None:
    """What network mount a path lies on.

    Returns:
        Its kind, in a word or two; None if it is not one, or on macOS and BSD, which don't say in a
        way that Python reads.
    """
    if system == "win32":
        return "share" if is_network_path_of_windows(os.path.abspath(path), _drive_type) else None
    if not system.startswith("linux"):
        return None
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            kind = kind_by_mountinfo(os.path.realpath(path), file.read())
    except (OSError, ValueError):
        return None
    return kind if kind is not None and is_network(kind) else None


def _drive_type(root: str) -> int:
    import ctypes

    windll = getattr(ctypes, "windll", None)
    return 0 if windll is None else int(windll.kernel32.GetDriveTypeW(root))
