"""Baselines for the channel: an inotify reader that lists no directory, and a loop of mkdir and
rmdir."""

from __future__ import annotations

import ctypes
import os
import struct
import time
from collections.abc import Callable
from types import TracebackType

from benchmarks.keys import name_of_number, number_of_name

IN_CREATE = 0x00000100
_HEADER = struct.Struct("iIII")
_BUFFER = 64 * 1024


class InotifyReader:
    """Reads the events of one directory, as directly as Python can.

    Arguments:
        path: the directory.

    Raises:
        OSError: if this system has no inotify, or refuses an instance.
    """

    def __init__(self, path: str) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        if not hasattr(libc, "inotify_init1"):
            raise OSError("this system has no inotify")
        self._fd = int(libc.inotify_init1(os.O_CLOEXEC))
        if self._fd < 0 or libc.inotify_add_watch(self._fd, os.fsencode(path), IN_CREATE) < 0:
            raise OSError(ctypes.get_errno(), "inotify refuses to watch the directory")

    def __enter__(self) -> InotifyReader:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the reader."""
        os.close(self._fd)

    def fileno(self) -> int:
        """The file descriptor, which is readable when there are events."""
        return self._fd

    def names(self) -> list[str]:
        """Waits for events; returns the names of the directories made."""
        buffer = os.read(self._fd, _BUFFER)
        found, offset = [], 0
        while offset < len(buffer):
            *_, length = _HEADER.unpack_from(buffer, offset)
            offset += _HEADER.size
            found.append(buffer[offset : offset + length].rstrip(b"\0").decode())
            offset += length
        return found


def times_seen(path: str, count: int, go: Callable[[], None]) -> list[int]:
    """Reads `count` keys using only events, and removes each.

    Arguments:
        path: the directory.
        count: how many keys, numbered from 0.
        go: starts the writer; called when the directory is being watched.

    Returns:
        When each was seen, by number, in ns of the monotonic clock.
    """
    seen = [0] * count
    left = count
    with InotifyReader(path) as reader:
        go()
        while left:
            names = reader.names()
            now = time.perf_counter_ns()
            for name in names:
                seen[number_of_name(name)] = now
                left -= 1
                os.rmdir(f"{path}/{name}")
    return seen


def pairs_per_second(path: str, count: int) -> float:
    """The rate of a bare loop that makes a key press's directory and removes it.

    Arguments:
        path: an empty directory.
        count: how many pairs.
    """
    names = [f"{path}/{name_of_number(number)}" for number in range(count)]
    begun = time.perf_counter_ns()
    for name in names:
        os.mkdir(name)
        os.rmdir(name)
    return count * 1e9 / (time.perf_counter_ns() - begun)
