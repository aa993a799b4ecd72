"""A recording as text, line by line, safe to show."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

import click

from loebner.replaying.writing import paced
from lpp.clock import Clock
from lpp.conversation import ends_like_a_sentence, is_full
from lpp.lines import drawn
from lpp.log2012 import Author, Place
from lpp.names import BACKSPACE_CHAR, char_of
from lpp.recording import Recorded, Recording


def visible(text: str) -> str:
    """A text of unknown origin, safe to show: control characters, bytes that are no text, and
    marks that turn the direction of writing become escapes such as `\\x1b`; accents are stacked no
    higher than elsewhere."""
    return drawn("".join(char if _is_harmless(char) else repr(char)[1:-1] for char in text))


def _is_harmless(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"


@dataclass
class Lines:
    """The lines of one author on one side, as a pane has them (see lpp.lines.Pane). Each is to be
    printed when it is finished by Return, or settled (see lpp.conversation)."""

    done: list[str] = field(default_factory=list)
    #: With the Return that ended it, if there was one.
    current: str = ""
    #: The current line was printed before, and a BackSpace took some of it.
    reopened: bool = False

    @property
    def continued(self) -> bool:
        """Whether the current line follows another without a Return."""
        return bool(self.done) and not self.done[-1].endswith("\n")

    def press(self, key: str) -> bool:
        """Takes one key press.

        Returns:
            Whether the current line is finished.
        """
        char = char_of(key)
        if char == BACKSPACE_CHAR:
            if not self.current and self.done:
                self.current, self.reopened = self.done.pop(), True
            self.current = self.current[:-1]
        elif char is not None:
            self.current += char
        return char == "\n"

    def settle(self) -> None:
        """Begins another line: the current one was printed."""
        self.done.append(self.current)
        self.current, self.reopened = "", False


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
    """Prints each line when it is finished or settled, and at the end those that never were."""
    for line in recording.about:
        click.echo(visible(line))
    click.echo()
    talk = Talk(recording)
    async for press in paced(recording, clock):
        lines = talk.take(press)
        if lines is None:
            continue
        char = char_of(press.key)
        if char is not None and is_full(lines.current, char):
            _print_line(talk, press.side, press.author)
            lines.settle()
        if not lines.press(press.key):
            continue
        other: Author = "entity" if press.author == "judge" else "judge"
        going_on = talk.lines[press.side, other]
        if ends_like_a_sentence(going_on.current):
            _print_line(talk, press.side, other)
            going_on.settle()
        _print_line(talk, press.side, press.author)
        lines.settle()
    for (side, author), lines in talk.lines.items():
        if lines.current or lines.reopened:
            _print_line(talk, side, author, " (unfinished)")


def _print_line(talk: Talk, side: Place, author: Author, state: str | None = None) -> None:
    lines = talk.lines[side, author]
    if state is None:
        state = " (again)" if lines.reopened else " (continued)" if lines.continued else ""
    text = visible(lines.current.removesuffix("\n"))
    click.echo(f"{talk.offset}  {side:<5}  {talk.who(side, author)}{state}: {text}")
