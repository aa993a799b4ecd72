"""Turns key presses into lines. BackSpace has two meanings (docs/reference/lpp.md):

* in a `Pane`, which gives a judge's view and the final text of a transcript, BackSpace deletes the
  last character, even a newline, as in the contest's original judge program;
* in a `LineEditor`, which bots use, it edits only the unsent line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from lpp.names import BACKSPACE_CHAR, char_of


class Pane:
    """The text of one author on one side, built from key presses. `standing` has the indexes, among
    these, of the keys whose characters remain."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self.standing: list[int] = []
        self._chars: list[str] = []
        self._pressed = 0
        for key in keys:
            self.press(key)

    def press(self, key: str) -> None:
        """Adds one key press, given its name. A name that types nothing adds no text, but counts
        as a key."""
        char = char_of(key)
        if char == BACKSPACE_CHAR:
            del self._chars[-1:], self.standing[-1:]
        elif char is not None:
            self._chars.append(char)
            self.standing.append(self._pressed)
        self._pressed += 1

    @property
    def text(self) -> str:
        """The current text."""
        return "".join(self._chars)

    @property
    def lines(self) -> list[str]:
        """The current text as lines; the last one is unfinished unless it is empty."""
        return self.text.split("\n")


class LineEditor:
    """Assembles key presses into lines for a program."""

    def __init__(self) -> None:
        self._line = Pane()

    def press(self, key: str) -> str | None:
        """Adds one key press, given its name.

        Returns:
            The finished line without its newline if the key is Return, else None.
        """
        if char_of(key) == "\n":
            return self.take()
        self._line.press(key)
        return None

    @property
    def unsent(self) -> str:
        """The line so far, before its Return."""
        return self._line.text

    def take(self) -> str:
        """Ends the line here, for a talk partner that never presses Return, and returns it."""
        line, self._line = self.unsent, Pane()
        return line


#: The most accents shown above or below one letter.
MOST_ACCENTS = 4


def limit_accents(text: str, after: str = "") -> str:
    """Cuts off accents stacked on one letter beyond `MOST_ACCENTS`, which would cover the
    neighbouring lines.

    The result for a text begins with the result for any prefix of it.

    Arguments:
        text: the text.
        after: the text right before it, which is already on the screen.
    """
    if text.isascii():
        return text
    stacked = 0
    for char in reversed(after):
        if not _is_stacked(char):
            break
        stacked += 1
    kept = []
    for char in text:
        stacked = stacked + 1 if _is_stacked(char) else 0
        if stacked <= MOST_ACCENTS:
            kept.append(char)
    return "".join(kept)


def _is_stacked(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me")
