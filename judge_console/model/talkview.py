"""One talk as a seat sees it: what is shown, what is confirmed, and what has to be sent again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from lpp import wire
from lpp.names import shown_as
from lpp.wire import Author, Place

#: Which talk of which contest: the contest's id, round, attempt, place.
TalkKey: TypeAlias = tuple[str, int, int, Place]


@dataclass
class TalkView:
    """One talk as this seat sees it.

    Attributes:
        round, attempt, place: which talk.
        own: who sits here.
        shown: (author, key name) in the order of showing; own keys at once. The list grows; a
            snapshot puts another one in its place.
        taken: the highest own number that is durable at the server.
        heard: the number of the other side's last key.
    """

    round: int
    attempt: int
    place: Place
    own: Author
    shown: list[tuple[Author, str]] = field(default_factory=list)
    taken: int = 0
    heard: int = 0
    # Own keys with the numbers _base + 1, _base + 2, ...; what was typed at this seat before this
    # console came is below _base, and only the server has it.
    _base: int = 0
    _typed: list[str] = field(default_factory=list)
    _sent: int = 0
    _painted: int = 0
    _acknowledged: int = 0

    @property
    def last(self) -> int:
        """The number of the last own key; 0 if there is none."""
        return self._base + len(self._typed)

    @property
    def unconfirmed(self) -> int:
        """How many own keys the server has not confirmed yet."""
        return self.last - self.taken

    def press(self, key: str) -> int:
        """An own key was pressed.

        Returns:
            Its number.
        """
        self._typed.append(key)
        self.shown.append(_pair(self.own, key))
        return self.last

    def replace(self, frame: wire.Talk, earlier: Mapping[int, str]) -> None:
        """Takes the server's snapshot.

        Arguments:
            frame: it.
            earlier: own keys by their numbers that a console before this one has typed here, for
                those that the server may never have got.
        """
        if frame.taken > self.last:
            # Typed at this seat before this console came, or at another console meanwhile.
            self._base, self._typed = frame.taken, []
        if not self._contradicts(frame, earlier):
            while (key := earlier.get(self.last + 1)) is not None:
                self._typed.append(key)
        self.taken = max(frame.taken, self._base)
        self._sent = self.taken
        unconfirmed = self._typed[self.taken - self._base :]
        self.shown = [_pair(*pair) for pair in frame.keys]
        self.shown += [_pair(self.own, key) for key in unconfirmed]
        self.heard = sum(author != self.own for author, _ in frame.keys)
        self._painted = self._acknowledged = 0

    def _contradicts(self, frame: wire.Talk, earlier: Mapping[int, str]) -> bool:
        """Whether somebody has typed something else at another console since: then what is left
        of the earlier keys is the end of a line that is no longer there."""
        own = [key for author, key in frame.keys if author == self.own]
        if len(own) != frame.taken:
            return False  # keys that are not shown have numbers too
        return any(shown_as(earlier.get(n, key)) != key for n, key in enumerate(own, 1))

    def confirm(self, n: int) -> None:
        """Own keys up to number `n` are durable."""
        self.taken = max(self.taken, min(n, self.last))

    def hear(self, frame: wire.Key) -> bool:
        """Takes a key of the other side.

        Returns:
            Whether the view can still be trusted: it can't if a key is missing.
        """
        if frame.n == self.heard + 1:
            self.heard = frame.n
            self.shown.append(_pair(frame.author, frame.key))
        return frame.n <= self.heard

    def painted(self, heard: int) -> None:
        """The other side's keys up to number `heard` stand on the screen."""
        self._painted = max(self._painted, min(heard, self.heard))

    def unsent(self) -> list[wire.Press]:
        """Own keys to send now."""
        frames = []
        for key in self._typed[self._sent - self._base :]:
            self._sent += 1
            frames.append(wire.Press(self.round, self.attempt, self.place, self._sent, key))
        return frames

    def unacknowledged(self) -> list[wire.Shown]:
        """What is to be said of what stands on the screen."""
        if self._acknowledged >= self._painted:
            return []
        self._acknowledged = self._painted
        other: Author = "entity" if self.own == "judge" else "judge"
        return [wire.Shown(self.round, self.attempt, self.place, other, self._painted)]


@lru_cache(maxsize=4096)
def _pair(author: Author, key: str) -> tuple[Author, str]:
    # One for all presses of the same key: a talk has thousands of them, of some fifty kinds.
    return (author, key)
