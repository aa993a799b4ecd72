"""Files for their owner alone."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from lpp import private
from lpp.private import open_private


def written(file: Path, how: int, data: bytes) -> None:
    handle = open_private(file, how)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)


def test_bytes_stand_there_as_they_were_written(tmp_path: Path) -> None:
    """On Windows, too, where a file that is opened as text ends at Ctrl-Z."""
    file = tmp_path / "keys"
    written(file, os.O_EXCL, b"a\nb\x1a\r\n")
    written(file, os.O_APPEND, b"c\n")
    assert file.read_bytes() == b"a\nb\x1a\r\nc\n"
    written(file, os.O_TRUNC, b"d")
    assert file.read_bytes() == b"d"


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    written(tmp_path / "codes", os.O_EXCL, b"one")
    with pytest.raises(FileExistsError):
        open_private(tmp_path / "codes", os.O_EXCL)
    assert (tmp_path / "codes").read_bytes() == b"one"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX's flags and permissions")
def test_it_is_the_owners_and_opened_as_windows_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    # Any flag that can be seen again, in the place of the one that only Windows has.
    monkeypatch.setattr(private, "_BINARY", os.O_SYNC)
    handle = open_private(tmp_path / "x", 0)
    try:
        assert fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_SYNC == os.O_SYNC
        assert stat.S_IMODE(os.fstat(handle).st_mode) & 0o077 == 0
    finally:
        os.close(handle)
