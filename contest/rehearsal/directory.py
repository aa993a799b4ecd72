"""A communications directory in memory that remembers what was ever made in it, and the view of a
program that can be stopped."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from lpp.keypress import Side, parse
from lpp.testing import MemoryDirectory


class RememberingDirectory(MemoryDirectory):
    """A directory in memory.

    Attributes:
        made: every name that was ever made, with the mark that was set then, in order.
        mark: set from outside, to tell one talk's names from another's.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.made: list[tuple[str, str]] = []
        self.mark = ""

    def make(self, name: str) -> None:
        """See lpp.directory.Directory."""
        super().make(name)
        self.made.append((self.mark, name))

    def standing(self) -> list[str]:
        """The judge's key presses that stand unread."""
        parsed = ((name, parse(name)) for name in sorted(self.entries))
        return [name for name, press in parsed if press and press[0].side is Side.JUDGE]


class ProgramsView:
    """The directory as a program of its own sees it; while that is stopped, it sees nothing new.

    Arguments:
        inner: the directory.
    """

    def __init__(self, inner: RememberingDirectory) -> None:
        self._inner = inner
        self._frozen: set[str] | None = None
        self._wakes: list[Callable[[], None]] = []

    def stop(self) -> None:
        """From now on nothing new is seen."""
        self._frozen = set(self._inner.entries)

    def go_on(self) -> None:
        """All is seen again."""
        self._frozen = None
        for wake in list(self._wakes):
            wake()

    @property
    def path(self) -> str:
        """See lpp.directory.Directory; so all that follow."""
        return self._inner.path

    @property
    def slow(self) -> bool:
        """Never."""
        return False

    def check(self) -> None:
        """Always fit."""

    def scan(self) -> Iterator[str]:
        """What the program sees."""
        return iter(self.names())

    def names(self) -> list[str]:
        """What the program sees."""
        names = self._inner.names()
        return names if self._frozen is None else [name for name in names if name in self._frozen]

    def make(self, name: str) -> None:
        """Makes a key press."""
        self._inner.make(name)

    def remove_at_once(self, name: str) -> bool:
        """Removes a key press."""
        return self._inner.remove_at_once(name)

    def remove(self, name: str) -> str | None:
        """Removes a key press."""
        return self._inner.remove(name)

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        """See lpp.hints.Hint."""
        unwatch = self._inner.watch(path, wake)
        self._wakes.append(wake)

        def end() -> None:
            with contextlib.suppress(ValueError):
                self._wakes.remove(wake)
            unwatch()

        return end

    def healthy(self) -> bool:
        """See lpp.hints.Hint."""
        return True
