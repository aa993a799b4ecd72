"""A recording as text, line by line, safe to show."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

import click

from lpp.clock import Clock
from lpp.lines import drawn
from lpp.log2012 import Author, Place
from lpp.names import BACKSPACE_CHAR, char_of
from lpp.recording import Recorded, Recording
from lpp.replay import paced


def visible(text: str) -> str:
    """A text of unknown origin, safe to show: control characters, bytes that are no text, and
    marks that turn the direction of writing become escapes such as `\\x1b`; accents are stacked no
    higher than elsewhere."""
    return drawn("".join(char if _is_harmless(char) else repr(char)[1:-1] for char in text))


def _is_harmless(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"


@dataclass
class Lines:
    """The lines of one author on one side, as a pane has them (see lpp.lines.Pane)."""

    done: list[str] = field(default_factory=list)
    current: str = ""
    #: The current line was finished before, and a BackSpace took its Return.
    reopened: bool = False

    def press(self, key: str) -> str | None:
        """Takes one key press.

        Returns:
            The line that it finishes, else None.
        """
        char = char_of(key)
        if char == "\n":
            self.done.append(self.current)
            self.current, self.reopened = "", False
            return self.done[-1]
        if char == BACKSPACE_CHAR:
            if self.current:
                self.current = self.current[:-1]
            elif self.done:
                self.current, self.reopened = self.done.pop(), True
        elif char is not None:
            self.current += char
        return None


class Talk:
    """Who types what, over all sides and both authors of a recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._first: int | None = None
        self.seconds = 0.0
        self.lines: dict[tuple[Place, Author], Lines] = {}
        for side in recording.sitters:
            self.lines[side, "judge"] = Lines()
            self.lines[side, "entity"] = Lines()

    def take(self, press: Recorded) -> Lines | None:
        """Takes a key press; gives its author's lines, None if he is not in this recording."""
        if self._first is None:
            self._first = press.time_us
        self.seconds = (press.time_us - self._first) / 1_000_000
        return self.lines.get((press.side, press.author))

    def who(self, side: Place, author: Author) -> str:
        """What an author is called."""
        return "judge" if author == "judge" else visible(self._recording.sitters[side])

    @property
    def offset(self) -> str:
        """The time of the last key press since the first, in minutes and seconds."""
        minutes, tenths = divmod(round(max(0.0, self.seconds) * 10), 600)
        return f"{minutes:02d}:{tenths // 10:02d}.{tenths % 10}"


async def show_lines(recording: Recording, clock: Clock | None) -> None:
    """Prints each line when it is finished, and at the end those that never were."""
    for line in recording.about:
        click.echo(visible(line))
    click.echo()
    talk = Talk(recording)
    async for press in paced(recording, clock):
        lines = talk.take(press)
        if lines is None:
            continue
        again = " (again)" if lines.reopened else ""
        finished = lines.press(press.key)
        if finished is not None:
            _print_line(talk, press.side, press.author, again, finished)
    for (side, author), lines in talk.lines.items():
        if lines.current or lines.reopened:
            _print_line(talk, side, author, " (unfinished)", lines.current)


def _print_line(talk: Talk, side: Place, author: Author, state: str, text: str) -> None:
    click.echo(f"{talk.offset}  {side:<5}  {talk.who(side, author)}{state}: {visible(text)}")
