"""A talk as it stands on a screen: blocks of text, in the order in which people read them.

Both sides type at once, character by character, and corrections are seen as they happen. What was
pressed is one sequence of keys; what a person wants to read is turns. The rules:

1. A block holds a line of one author. It is open until that author's Return.
2. A line that is ended takes its place after all that was ended before: lines are in the order of
   their Returns. An open line of the other side stays below it, because it is still going on.
3. Some programs never press Return. An open line that ends like a sentence when the other side
   ends one is settled: it keeps its place, and what comes next is a block below.
4. A very long line is cut into blocks between words, for a screen draws a block as a whole.
5. BackSpace takes the author's last character wherever it stands, a newline too, as a pane does
   (rules.md, section 2).
6. The own line, for the person at the screen, is in the input line (`draft`) until Return.

So for each author the blocks and the draft, put together, are always exactly the text of a
`lpp.lines.Pane`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lpp.names import BACKSPACE_CHAR, char_of

Author: TypeAlias = Literal["judge", "entity"]

#: Characters of a block after which it is cut at the next space, and at any character.
SOFT_LIMIT, HARD_LIMIT = 400, 800

_SENTENCE_ENDS = (".", "?", "!", "…")
_CLOSING = "\"')]»”’ "


@dataclass(eq=False, slots=True)
class Block:
    """Some text of one author.

    Attributes:
        author: whose.
        text: what is in it, without a newline.
        ended: whether Return was pressed after it.
        continues: whether it goes on with the same author's block before it, without a newline.
        settled: it is not ended, but what comes next goes into another block.
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
    """What has to be drawn again: all blocks from `first` on, but the first `kept` characters of
    that one."""

    first: int
    kept: int


class Conversation:
    """Both authors' key presses as blocks.

    Arguments:
        own: who sits at the screen; None shows both authors' open lines as blocks.
        keys: (author, key name) of what was pressed so far.

    Attributes:
        blocks: what stands, in reading order.
    """

    def __init__(self, own: Author | None = None, keys: Iterable[tuple[Author, str]] = ()) -> None:
        self.own = own
        self.blocks: list[Block] = []
        self._of: dict[Author, list[Block]] = {"judge": [], "entity": []}
        self._draft: list[str] = []
        self._change: Change | None = None
        for author, key in keys:
            self.press(author, key)

    @property
    def draft(self) -> str:
        """The own line as it stands before its Return."""
        return "".join(self._draft)

    def text(self, author: Author) -> str:
        """All that stands of one author, as a pane would show it."""
        text = "".join(block.text + "\n" * block.ended for block in self._of[author])
        return text + self.draft if author == self.own else text

    def take_change(self) -> Change | None:
        """What has changed since this was asked last; None for nothing."""
        change, self._change = self._change, None
        return change

    def press(self, author: Author, key: str) -> None:
        """Takes a key press, by its name; one that types nothing changes nothing."""
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

    # Who sits here

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
        # Taken out and inserted again even where it is the last: an open line before it may now be
        # settled, or go below.
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

    # Places

    def _insert(self, line: list[Block]) -> None:
        """Puts an ended line in its place: below all others, but above one that goes on."""
        place = len(self.blocks)
        if self.blocks and self.blocks[-1].is_open:
            going_on = self.blocks[-1]
            if ends_like_a_sentence(going_on.text):
                going_on.settled = True
            else:
                place -= len(self._line_of(going_on))
        self.blocks[place:place] = line
        self._touch(place, 0)

    def _line_of(self, last: Block) -> list[Block]:
        """A block with those before it that it goes on from, as far as they stand together."""
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
        """Takes an author's last block away."""
        index = self._index(block)
        del self.blocks[index]
        self._of[block.author].pop()
        self._touch(index, 0)

    def _index(self, block: Block) -> int:
        # What is written in is nearly always the last one, or the one before it.
        for index in range(len(self.blocks) - 1, -1, -1):
            if self.blocks[index] is block:
                return index
        raise AssertionError("a block that is in no conversation")

    def _touch(self, index: int, kept: int) -> None:
        change = self._change
        if change is None or (index, kept) < (change.first, change.kept):
            self._change = Change(index, kept)


def is_full(text: str, char: str) -> bool:
    """Whether a block with this text is cut before the next character."""
    if len(text) < SOFT_LIMIT:
        return False
    if text[-1] == " ":
        return True
    # A sign made of several code points is not cut.
    return len(text) >= HARD_LIMIT and unicodedata.category(char)[0] not in "MC"


def ends_like_a_sentence(text: str) -> bool:
    """Whether an open line with this text is settled when the other side ends one."""
    return text.rstrip(_CLOSING).endswith(_SENTENCE_ENDS)
