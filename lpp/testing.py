"""A directory in memory, for tests of code that speaks LPP. For the other side of the talk, a test
can use `lpp.blocking.Talk`, or its own channel over the same directory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from lpp.directory import Directory


class MemoryDirectory(Directory):
    """A communications directory in memory, which is also a reliable hint. Everything runs on the
    loop's thread, so that it works with virtual time.

    Arguments:
        path: a name for messages.

    Attributes:
        entries: the names in it.
    """

    def __init__(self, path: str = "memory") -> None:
        self._path = path
        self.entries: set[str] = set()
        self._watches: list[MemoryWatch] = []

    @property
    def path(self) -> str:
        """A name for messages."""
        return self._path

    def iter_names(self) -> Iterator[str]:
        """See lpp.directory.Directory."""
        return iter(list(self.entries))

    def make(self, name: str) -> None:
        """See lpp.directory.Directory."""
        if name in self.entries:
            raise FileExistsError(17, "File exists", name)
        self.entries.add(name)
        for watch in list(self._watches):
            watch.wake()

    def remove_at_once(self, name: str) -> bool:
        """See lpp.directory.Directory."""
        self.entries.discard(name)
        return True

    def remove(self, name: str) -> str | None:
        """See lpp.directory.Directory."""
        self.entries.discard(name)
        return None

    def watch(self, path: str, wake: Callable[[], None]) -> MemoryWatch:
        """See lpp.hints.Hint."""
        watch = MemoryWatch(self._watches, wake)
        self._watches.append(watch)
        return watch


class MemoryWatch:
    """A watch on a `MemoryDirectory`."""

    def __init__(self, among: list[MemoryWatch], wake: Callable[[], None]) -> None:
        self.wake = wake
        self._among = among

    def alive(self) -> bool:
        """See lpp.hints.Watch."""
        return True

    def end(self) -> None:
        """See lpp.hints.Watch."""
        with contextlib.suppress(ValueError):
            self._among.remove(self)
