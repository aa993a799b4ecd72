"""Directories and hints with the faults of real ones."""

from __future__ import annotations

import asyncio
import errno
import random
import zlib
from collections.abc import Callable, Iterator, Sequence

from lpp.directory import Directory
from lpp.hints import Hint, Watch


class FaultyDirectory(Directory):
    """A directory with faults of real ones, while they are set.

    Arguments:
        inner: the wrapped directory.

    Attributes:
        list_error, make_error, remove_error: if set, raised by that operation: disk full,
            permission denied, held by a virus scanner. May also be a function of the name (for
            listings, of the path) that returns an error or None.
        removals: the number of calls of `remove`, including refused ones.
        scattered: if true, a listing yields the names in no particular order and sees changes while
            it is read: it can miss a name and contain a later one, as on ext4, and it yields some
            names twice, as in memory.
    """

    def __init__(self, inner: Directory) -> None:
        self._inner = inner
        self.slow = inner.slow
        self.scattered = False
        self.list_error: Fault = None
        self.make_error: Fault = None
        self.remove_error: Fault = None
        self.removals = 0

    @property
    def path(self) -> str:
        """The path of the wrapped directory."""
        return self._inner.path

    def check(self) -> None:
        """See lpp.directory.Directory."""
        self._inner.check()

    def iter_names(self) -> Iterator[str]:
        """See lpp.directory.Directory."""
        _raise(self.list_error, self.path)
        return self._scattered() if self.scattered else self._inner.iter_names()

    def names(self) -> list[str]:
        """See lpp.directory.Directory."""
        _raise(self.list_error, self.path)
        return self._inner.names()

    def make(self, name: str) -> None:
        """See lpp.directory.Directory."""
        _raise(self.make_error, name)
        self._inner.make(name)

    def remove_at_once(self, name: str) -> bool:
        """Never removes anything, so that `remove` is called for each name."""
        return False

    def remove(self, name: str) -> str | None:
        """See lpp.directory.Directory."""
        self.removals += 1
        _raise(self.remove_error, name)
        return self._inner.remove(name)

    def _scattered(self) -> Iterator[str]:
        passed = -1
        while True:
            ahead = [(_place(name), name) for name in self._inner.names()]
            piece = sorted(each for each in ahead if each[0] > passed)[:5]
            if not piece:
                return
            for place, name in piece:
                yield name
                if place % 4 == 0:
                    yield name
                passed = place


def _place(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


#: The error to raise: none, always the same, or one that depends on the name.
Fault = OSError | Callable[[str], OSError | None] | None


def _raise(fault: Fault, name: str) -> None:
    error = fault(name) if callable(fault) else fault
    if error is not None:
        raise error


class FaultyHint:
    """A hint with faults of real ones: wakes that are lost, late, repeated or unnecessary, and
    watches that are refused. Needs a running loop.

    Arguments:
        inner: the wrapped hint.
        rng: the source of randomness.
        refused: the probability that a watch is refused.
        delays: possible delays of a wake, in seconds of the loop; so wakes may be out of order.
        copies: how often a wake may come; 0 means that it is lost.
    """

    def __init__(
        self,
        inner: Hint,
        rng: random.Random,
        *,
        refused: float = 0.2,
        delays: Sequence[float] = (0, 0, 0.1, 3),
        copies: Sequence[int] = (0, 1, 1, 2, 60),
    ) -> None:
        self._inner = inner
        self._rng = rng
        self._refused = refused
        self._delays = delays
        self._copies = copies

    def watch(self, path: str, wake: Callable[[], None]) -> Watch:
        """See lpp.hints.Hint."""
        if self._rng.random() < self._refused:
            raise OSError(errno.EMFILE, "inotify instance limit reached")
        loop = asyncio.get_running_loop()

        def faulty_wake() -> None:
            for _ in range(self._rng.choice(self._copies)):
                loop.call_soon_threadsafe(loop.call_later, self._rng.choice(self._delays), wake)

        faulty_wake()  # although nothing was created
        watch = self._inner.watch(path, faulty_wake)
        return FaultyWatch(watch, self._rng)


class FaultyWatch:
    """A watch of a `FaultyHint`, which sometimes claims not to be alive."""

    def __init__(self, inner: Watch, rng: random.Random) -> None:
        self._inner, self._rng = inner, rng

    def alive(self) -> bool:
        """See lpp.hints.Watch."""
        return self._inner.alive() and self._rng.random() < 0.9

    def end(self) -> None:
        """See lpp.hints.Watch."""
        self._inner.end()
