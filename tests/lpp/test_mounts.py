"""Tests which hint is chosen for a path, depending on its mount."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from lpp import hints
from lpp.hints import INOTIFY, OBSERVER, NoHint, choose
from lpp.mounts import network_kind

MOUNTS = {
    "/": "ext4",
    "/dev/shm": "tmpfs",
    "/mnt/nfs": "nfs4",
    "/mnt/two words": "cifs",
    "/mnt/nfs/local": "xfs",
    "/mnt/ssh": "fuse.sshfs",
    "/home/me/Talks": "fuse.ntfs-3g",
    "/mnt/drive": "NTFS",
}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", None),
        ("/dev/shm/loebner/E1", None),
        ("/mnt/nfs", "nfs4"),
        ("/mnt/nfs/talks/E1", "nfs4"),
        ("/mnt/nfsish/E1", None),
        ("/mnt/nfs/local/E1", None),
        ("/mnt/two words/E1", "cifs"),
        ("/mnt/ssh/E1", "fuse.sshfs"),
        ("/home/me/Talks/E1", None),
        ("/mnt/drive/E1", "remote"),
    ],
)
def test_the_kind_of_mount_is_found(
    path: str, kind: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = [
        SimpleNamespace(mountpoint=point, fstype=fstype, opts="rw,remote" if "NT" in fstype else "")
        for point, fstype in MOUNTS.items()
    ]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: table)
    assert network_kind(path) == kind


def test_network_mounts_get_no_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for system, wanted in (("linux", INOTIFY), ("win32", OBSERVER)):
        monkeypatch.setattr("sys.platform", system)
        assert choose(str(tmp_path)) == (wanted, 0.25)
    monkeypatch.undo()
    monkeypatch.setattr(hints, "network_kind", lambda path: "nfs4")
    hint, sweep = choose(str(tmp_path))
    assert isinstance(hint, NoHint)
    assert sweep == 0.02
