"""What tests of hints have in common: a watch that counts its wakes, and what is left behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lpp.hints import Hint


class Watched:
    """A watch that counts its wakes.

    Arguments:
        hint: what wakes it.
        path: the directory that is watched.
    """

    def __init__(self, hint: Hint, path: Path) -> None:
        self.wakes = 0
        self.path = path
        self._number = 0
        self.end = hint.watch(str(path), self.wake)

    def wake(self) -> None:
        self.wakes += 1

    def key(self) -> None:
        """Makes a key press in the directory."""
        self._number += 1
        (self.path / f"{self._number:010d}.a.other").mkdir()


def watchdogs() -> list[threading.Thread]:
    """watchdog's threads that live."""
    return [each for each in threading.enumerate() if type(each).__module__.startswith("watchdog")]


@contextmanager
def nothing_stays_open() -> Iterator[None]:
    """What is done within leaves no descriptor of this process open."""
    before = len(os.listdir("/proc/self/fd"))
    yield
    assert len(os.listdir("/proc/self/fd")) <= before
