"""Lines out of key presses. Two readings of BackSpace live side by side (rules.md, section 2):

* a `Pane` is what a judge sees, and the final text of a transcript: BackSpace takes the last
  character, a newline too, as the contest's own judge program did;
* a `LineEditor` is what a bot keeps: it edits within its unsent line only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from lpp.names import BACKSPACE_CHAR, char_of


class Pane:
    """The text of one author on one side, as key presses build it; `typed` has all their names."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self.typed: list[str] = []
        self._chars: list[str] = []
        for key in keys:
            self.press(key)

    def press(self, key: str) -> None:
        """Takes one key press, by its name; a name that types nothing changes only `typed`."""
        self.typed.append(key)
        char = char_of(key)
        if char == BACKSPACE_CHAR:
            del self._chars[-1:]
        elif char is not None:
            self._chars.append(char)

    @property
    def text(self) -> str:
        """What stands."""
        return "".join(self._chars)

    @property
    def lines(self) -> list[str]:
        """What stands, by lines; the last one is unfinished unless it is empty."""
        return self.text.split("\n")


class LineEditor:
    """The lines that a program takes out of key presses."""

    def __init__(self) -> None:
        self._line = Pane()

    def press(self, key: str) -> str | None:
        """Takes one key press, by its name; gives the finished line at a Return, without the
        newline, else None."""
        if char_of(key) == "\n":
            return self.take()
        self._line.press(key)
        return None

    @property
    def unsent(self) -> str:
        """The line as it stands before its Return."""
        return self._line.text

    def take(self) -> str:
        """Ends the line here, as where the other never presses Return, and gives it back."""
        line, self._line = self.unsent, Pane()
        return line


#: Accents above or below one letter that are drawn.
MOST_ACCENTS = 4


def drawn(text: str, after: str = "") -> str:
    """What stands, as it is drawn: accents stacked on one letter beyond `MOST_ACCENTS` are cut off,
    because they would cover the lines around.

    The drawing of a text begins with that of any beginning of the text.

    Arguments:
        text: what stands.
        after: what stands right before it, and is drawn already.
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
