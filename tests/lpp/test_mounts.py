"""Which hint a path gets: where it lies is told from texts, so every system's can be tried here."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from lpp import hints, mounts
from lpp.hints import INOTIFY, OBSERVER, NoHint, choose
from lpp.mounts import is_network, is_network_path_of_windows, kind_by_mountinfo

MOUNTINFO = r"""
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
25 22 0:23 / /dev/shm rw,nosuid,nodev shared:3 - tmpfs tmpfs rw
31 22 0:41 / /mnt/nfs rw,relatime shared:9 master:2 - nfs4 server:/export rw,vers=4.2
32 22 0:42 / /mnt/two\040words rw - cifs //server/share rw
33 22 0:43 / /mnt/nfs/local rw - xfs /dev/vdb rw
34 22 0:44 / /mnt/hidden rw - ext4 /dev/vdc rw
35 34 0:45 / /mnt/hidden rw - fuse.sshfs me@there: rw
36 22 0:46 / /mnt/back\134slash rw - 9p C:\134 rw
37 22 0:47 / /home/me/Talks rw - fuse.ntfs-3g /dev/sdb1 rw
a line that says nothing
38 22 0:48 / /mnt/broken rw -
"""


@pytest.mark.parametrize(
    ("path", "kind", "network"),
    [
        ("/", "ext4", False),
        ("/home/me/talk", "ext4", False),
        ("/dev/shm/loebner/E1", "tmpfs", False),
        ("/mnt/nfs", "nfs4", True),
        ("/mnt/nfs/talks/E1", "nfs4", True),
        ("/mnt/nfsish/E1", "ext4", False),
        ("/mnt/nfs/local/E1", "xfs", False),
        ("/mnt/two words/E1", "cifs", True),
        ("/mnt/hidden/E1", "fuse.sshfs", True),
        ("/mnt/back\\slash/E1", "9p", True),
        ("/home/me/Talks/E1", "fuse.ntfs-3g", False),
        ("/mnt/broken/E1", "ext4", False),
    ],
)
def test_what_a_path_of_linux_lies_on(path: str, kind: str, network: bool) -> None:
    assert kind_by_mountinfo(path, MOUNTINFO) == kind
    assert is_network(kind) is network


@pytest.mark.parametrize(
    ("path", "network"),
    [
        (r"C:\loebner\E1", False),
        (r"Z:\loebner\E1", True),
        ("z:/loebner/E1", True),
        (r"\\server\share\E1", True),
        ("//server/share/E1", True),
        (r"\\?\UNC\server\share\E1", True),
        (r"\\?\C:\loebner\E1", False),
        (r"\\?\Z:\loebner\E1", True),
        (r"loebner\E1", False),
    ],
)
def test_shares_of_windows(path: str, network: bool) -> None:
    asked = {"C:\\": 3, "Z:\\": mounts.DRIVE_REMOTE}
    assert is_network_path_of_windows(path, lambda root: asked[root.upper()]) is network


def test_the_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "inotify_c", SimpleNamespace(InotifyFD=1))
    for version, system in (("7.1.0", INOTIFY), ("6.0.0", OBSERVER)):
        monkeypatch.setattr(hints, "version", lambda package, version=version: version)
        assert choose(str(tmp_path)) == (system, 0.25)
    monkeypatch.setattr(hints, "network_kind", lambda path: "nfs4")
    hint, sweep = choose(str(tmp_path))
    assert isinstance(hint, NoHint)
    assert sweep == 0.02
