"""What somebody saw of a talk: timed keys, and the lines that they make.

Terms: a *timed key* is (seconds, author, key name); the seconds are those of any clock that never
runs back. A *line* is what one author typed up to a Return. As not every program ever sends a
Return, a line also ends where its author pauses for `PAUSE` seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lpp.names import BACKSPACE_CHAR, char_of
from lpp.wire import Author

TimedKey: TypeAlias = tuple[float, Author, str]

#: Seconds without a key after which an unfinished line is taken for finished.
PAUSE = 4.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line that somebody typed.

    Attributes:
        author: who.
        began, ended: the times of its first and its last key, in seconds.
        text: what stood in the end, without the newline.
        keys: how many keys it took, Return and BackSpace included.
        corrections: how many of them were BackSpace.
        returned: whether a Return ended it.
    """

    author: Author
    began: float
    ended: float
    text: str
    keys: int
    corrections: int
    returned: bool


@dataclass(slots=True)
class _Unfinished:
    chars: list[str] = field(default_factory=list)
    began: float = 0.0
    last: float = 0.0
    keys: int = 0
    corrections: int = 0


class Seen:
    """A talk as it unfolds before somebody's eyes.

    Arguments:
        keys: what has been seen so far.

    Attributes:
        keys: all timed keys, in order.
        lines: all finished lines of both authors, in the order of their ends.
    """

    def __init__(self, keys: Iterable[TimedKey] = ()) -> None:
        self.keys: list[TimedKey] = []
        self.lines: list[Line] = []
        self._open: dict[Author, _Unfinished] = {"judge": _Unfinished(), "entity": _Unfinished()}
        for at, author, key in keys:
            self.see(at, author, key)

    def see(self, at: float, author: Author, key: str) -> None:
        """Takes one key.

        Arguments:
            at: when it was seen, in seconds.
            author: who pressed it.
            key: its name; one that types nothing counts as a key of its line.
        """
        self.keys.append((at, author, key))
        line = self._open[author]
        if line.keys and at - line.last >= PAUSE:
            self._finish(author, returned=False)
            line = self._open[author]
        if not line.keys:
            line.began = at
        line.last = at
        line.keys += 1
        char = char_of(key)
        if char == BACKSPACE_CHAR:
            line.corrections += 1
            if line.chars:
                line.chars.pop()
        elif char == "\n":
            self._finish(author, returned=True)
        elif char is not None:
            line.chars.append(char)

    def catch_up(self, shown: Sequence[tuple[Author, str]], at: float, replaced: bool) -> None:
        """Brings this up to what a screen shows.

        Arguments:
            shown: all that stands there, as (author, key name).
            at: the time for what is new, in seconds.
            replaced: whether the screen may have changed further back, and not at its end only.
                What was seen before keeps its time: the n-th key of an author is the n-th key.
        """
        if not replaced:
            for author, key in shown[len(self.keys) :]:
                self.see(at, author, key)
            return
        times: dict[Author, list[float]] = {"judge": [], "entity": []}
        for seen_at, author, _ in self.keys:
            times[author].append(seen_at)
        met: dict[Author, int] = {"judge": 0, "entity": 0}
        latest = 0.0
        again: list[TimedKey] = []
        for author, key in shown:
            known = times[author]
            when = known[met[author]] if met[author] < len(known) else at
            met[author] += 1
            latest = max(latest, when)
            again.append((latest, author, key))
        fresh = Seen(again)
        self.keys, self.lines, self._open = fresh.keys, fresh.lines, fresh._open

    def by(self, author: Author) -> list[Line]:
        """The finished lines of one author."""
        return [line for line in self.lines if line.author == author]

    def unsent(self, author: Author) -> str:
        """What an author has typed of the line that is not finished."""
        return "".join(self._open[author].chars)

    @property
    def news(self) -> tuple[int, bool, bool]:
        """Changes whenever somebody begins or ends a line."""
        return len(self.lines), self._open["judge"].keys > 0, self._open["entity"].keys > 0

    def last_key(self, author: Author) -> float | None:
        """When an author's last key was seen; None before the first."""
        if self._open[author].keys:
            return self._open[author].last
        return next((line.ended for line in reversed(self.lines) if line.author == author), None)

    def close(self, author: Author | None = None) -> None:
        """Takes unfinished lines for finished: an author's, or both at the end of a talk."""
        each: Author
        for each in ("judge", "entity"):
            if author in (None, each) and self._open[each].keys:
                self._finish(each, returned=False)

    def _finish(self, author: Author, returned: bool) -> None:
        line = self._open[author]
        self._open[author] = _Unfinished()
        self.lines.append(
            Line(
                author,
                line.began,
                line.last,
                "".join(line.chars),
                line.keys,
                line.corrections,
                returned,
            )
        )


def lines_of(keys: Iterable[TimedKey]) -> list[Line]:
    """All lines of a talk that is over, those cut off by its end included, in the order of their
    ends."""
    seen = Seen(keys)
    seen.close()
    return seen.lines
