"""A file of lines that are durable as soon as they stand in it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from lpp.private import open_private


class DurableLines:
    """A file that lines are appended to, all of them durable or none. It is new: nothing is ever
    written over.

    Arguments:
        path: where it is made, for its owner's eyes alone.

    Attributes:
        size: bytes that stand in it.

    Raises:
        OSError: if it can't be made, or is there already.
    """

    def __init__(self, path: Path) -> None:
        self._fd = open_private(path, os.O_EXCL | os.O_APPEND)
        self.size = 0
        self._whole = True

    def append(self, data: bytes) -> None:
        """Writes whole lines, and returns when they are durable.

        Raises:
            OSError: if they are not; then nothing of them stands there.
        """
        if not data:
            return
        if not self._whole:
            self.cut(self.size)
        rest = memoryview(data)
        try:
            self._whole = False
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            _sync(self._fd)
        except OSError:
            with contextlib.suppress(OSError):
                self.cut(self.size)
            raise
        self._whole = True
        self.size += len(data)

    def cut(self, size: int) -> None:
        """Takes away what stands beyond a size.

        Raises:
            OSError: if it can't be now; it is tried again before the next line.
        """
        self.size, self._whole = size, False
        os.ftruncate(self._fd, size)
        self._whole = True

    def close(self) -> None:
        """Closes the file."""
        os.close(self._fd)


def sync_names(folder: Path) -> None:
    """Makes the names of new files durable, where a system has to be told."""
    if os.name == "posix":
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _sync(fd: int) -> None:
    # What the data needs to be found again, and no more: two a key press.
    getattr(os, "fdatasync", os.fsync)(fd)
