"""The layout of a talk on a screen: blocks of text in reading order.

Both sides type at once, character by character, and corrections show as they happen. The input is
one sequence of key presses, but people want to read turns. The rules:

1. A block holds a line of one author. It is open until that author's Return.
2. An ended line is placed after all lines ended before it: lines are in the order of their Returns.
   The other side's open line stays below it, because it is still being written.
3. Some programs never press Return. If an open line ends like a sentence when the other side ends
   a line, it is settled: it keeps its place, and its author's next text starts a block below.
4. A very long line is split into blocks between words, because a screen draws a block as a whole.
5. BackSpace deletes the author's last character wherever it is, even a newline, as in a pane
   (docs/reference/lpp.md).
6. The line of the person at the screen is in the input line (`draft`) until Return.

So for each author, the blocks and the draft joined together always equal the text of a
`lpp.lines.Pane`.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lpp.names import BACKSPACE_CHAR, char_of

Author: TypeAlias = Literal["judge", "entity"]

#: The lengths from which a block is split at the next space, and at any character.
SOFT_LIMIT, HARD_LIMIT = 400, 800

_SENTENCE_ENDS = (".", "?", "!", "…")
_CLOSING = "\"')]»”’ "


@dataclass(eq=False, slots=True)
class Block:
    """Some text of one author.

    Attributes:
        author: who wrote it.
        text: its text, without a newline.
        ended: whether Return was pressed after it.
        continues: whether it continues the same author's previous block without a newline.
        settled: whether its author's next text goes into another block, although it is not ended.
    """

    author: Author
    text: str
    ended: bool = False
    continues: bool = False
    settled: bool = False

    @property
    def is_open(self) -> bool:
        """Whether its author is still writing in it."""
        return not self.ended and not self.settled


@dataclass(frozen=True, slots=True)
class Change:
    """What must be redrawn: all blocks from `first` on, except the first `kept` characters of
    that block."""

    first: int
    kept: int


class Conversation:
    """Both authors' key presses as blocks.

    Arguments:
        own: the person at the screen; None shows both authors' open lines as blocks.

    Attributes:
        blocks: the blocks in reading order.
    """

    def __init__(self, own: Author | None = None) -> None:
        self.own = own
        self.blocks: list[Block] = []
        self._of: dict[Author, list[Block]] = {"judge": [], "entity": []}
        self._draft: list[str] = []
        self._change: Change | None = None

    @property
    def draft(self) -> str:
        """The unsent line of the person at the screen."""
        return "".join(self._draft)

    def text(self, author: Author) -> str:
        """The whole text of one author, as a pane would show it."""
        text = "".join(block.text + "\n" * block.ended for block in self._of[author])
        return text + self.draft if author == self.own else text

    def take_change(self) -> Change | None:
        """What has changed since the last call; None if nothing has."""
        change, self._change = self._change, None
        return change

    def press(self, author: Author, key: str) -> None:
        """Adds a key press, given its name; a name that types nothing is ignored."""
        char = char_of(key)
        if char is None:
            return
        if author == self.own:
            self._press_own(char)
        elif char == BACKSPACE_CHAR:
            self._take_back(author)
        elif char == "\n":
            self._end(author)
        else:
            self._write(author, char)

    # The person at the screen

    def _press_own(self, char: str) -> None:
        assert self.own is not None
        if char == "\n":
            line, self._draft = self.draft, []
            for each in line:
                self._write(self.own, each)
            self._end(self.own)
        elif char != BACKSPACE_CHAR:
            self._draft.append(char)
        elif self._draft:
            self._draft.pop()
        elif self._of[self.own]:
            line = ""
            while True:
                block = self._of[self.own][-1]
                line = block.text + line
                self._remove(block)
                if not block.continues:
                    break
            self._draft = list(line)

    # The others

    def _write(self, author: Author, char: str) -> None:
        last = self._last_unended(author)
        if last is None:
            self._append(Block(author, char))
        elif last.settled:
            self._append(Block(author, char, continues=True))
        elif is_full(last.text, char):
            block = Block(author, char, continues=True)
            index = self._index(last) + 1
            self.blocks.insert(index, block)
            self._of[author].append(block)
            self._touch(index, 0)
        else:
            self._touch(self._index(last), len(last.text))
            last.text += char

    def _end(self, author: Author) -> None:
        last = self._last_unended(author)
        if last is None:
            self._of[author].append(Block(author, "", ended=True))
            self._insert(self._of[author][-1:])
            return
        last.ended, last.settled = True, False
        self._touch(self._index(last), len(last.text))
        line = self._line_of(last)
        start = self._index(line[0])
        # Removed and inserted again even if it is the last: an open line before it may now be
        # settled, or move below it.
        del self.blocks[start : start + len(line)]
        self._touch(start, 0)
        self._insert(line)

    def _take_back(self, author: Author) -> None:
        mine = self._of[author]
        if not mine:
            return
        last = mine[-1]
        if last.ended:
            last.ended = False
            self._touch(self._index(last), len(last.text))
        else:
            last.text = last.text[:-1]
            last.settled = False
            self._touch(self._index(last), len(last.text))
        if not last.text:
            # An open line without characters is not a line yet.
            self._remove(last)

    # Positions

    def _insert(self, line: list[Block]) -> None:
        """Inserts an ended line below all others, but above one that is still being written."""
        place = len(self.blocks)
        if self.blocks and self.blocks[-1].is_open:
            unfinished = self.blocks[-1]
            if ends_like_a_sentence(unfinished.text):
                unfinished.settled = True
            else:
                place -= len(self._line_of(unfinished))
        self.blocks[place:place] = line
        self._touch(place, 0)

    def _line_of(self, last: Block) -> list[Block]:
        """A block, with the adjacent blocks before it that it continues."""
        end = self._index(last) + 1
        start = end - 1
        while (
            self.blocks[start].continues
            and start > 0
            and self.blocks[start - 1].author == last.author
            and not self.blocks[start - 1].settled
        ):
            start -= 1
        return self.blocks[start:end]

    def _last_unended(self, author: Author) -> Block | None:
        mine = self._of[author]
        return mine[-1] if mine and not mine[-1].ended else None

    def _append(self, block: Block) -> None:
        self.blocks.append(block)
        self._of[block.author].append(block)
        self._touch(len(self.blocks) - 1, 0)

    def _remove(self, block: Block) -> None:
        """Removes an author's last block."""
        index = self._index(block)
        del self.blocks[index]
        self._of[block.author].pop()
        self._touch(index, 0)

    def _index(self, block: Block) -> int:
        # Nearly always it is the last block, or the one before it.
        for index in range(len(self.blocks) - 1, -1, -1):
            if self.blocks[index] is block:
                return index
        raise AssertionError("the block is not in this conversation")

    def _touch(self, index: int, kept: int) -> None:
        change = self._change
        if change is None or (index, kept) < (change.first, change.kept):
            self._change = Change(index, kept)


def is_full(text: str, char: str) -> bool:
    """Whether a block with this text is split before the next character."""
    if len(text) < SOFT_LIMIT:
        return False
    if text[-1] == " ":
        return True
    # A character composed of several code points is not split.
    return len(text) >= HARD_LIMIT and unicodedata.category(char)[0] not in "MC"


def ends_like_a_sentence(text: str) -> bool:
    """Whether an open line with this text is settled when the other side ends one."""
    return text.rstrip(_CLOSING).endswith(_SENTENCE_ENDS)
