"""A sitting: a subject's way through the paper, as its events have it; and when an answer is over.
Pure, so that it can be computed again.

1. Text stands as a judge sees it: BackSpace takes the last character, a newline too.
2. What is typed after a line's Return, and before the next one's, came *after* that line. What
   comes when no answer was waited for any longer is *late*.
3. A piece is what came in one line after one line of the judge's. It *seems to belong* to what it
   came after; but where an earlier question has no answer yet, and the piece answers that better by
   the key, then to that one. Both are kept: the first is a fact, the second helps markers.
4. A question that a break of ours cut off was not asked; it is asked again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec

from contest.errors import BadOrder
from contest.record import season as kinds
from contest.record.body import Body
from contest.record.events import Event
from contest.screening.answers import suggest
from contest.screening.paper import Paper
from lpp.conversation import Conversation
from lpp.names import BACKSPACE_CHAR, char_of

How: TypeAlias = Literal["quiet", "too-long", "silent", "died"]
#: Questions back that a late answer is looked for.
BACK = 3
#: Milliseconds that a time can be set to.
LEAST, MOST = 100, 30 * 60_000


class Timing(msgspec.Struct, frozen=True):
    """Times in milliseconds, set by the logs of 2012 and the programs of the contest's time; the
    same for all subjects of a season.

    Attributes:
        quiet: without a key after a Return, until an answer is over. Programs that say several
            lines pause between them; gaps of people typing are a quarter of a second.
        unfinished: the same where the last line has no Return: some programs never send one.
        silence: without any answer to a question, until the next is asked. An entry is to answer
            within half a minute (conformance check 3/answers); half as much again is for a slow
            machine.
        statement: without any answer to a statement, which needs none.
        limit: from the question's Return, whatever still comes.
        ready: that a program has after its start before the first key, unless it says earlier that
            it is ready.
    """

    quiet: int = 6_000
    unfinished: int = 8_000
    silence: int = 45_000
    statement: int = 10_000
    limit: int = 120_000
    ready: int = 5_000

    @classmethod
    def of(cls, times: Mapping[str, int]) -> Timing:
        """Times by their names; the others as they are.

        Raises:
            BadOrder: if a name is none of these, or a time can't be used.
        """
        for name, value in times.items():
            if name not in cls.__struct_fields__:
                raise BadOrder(
                    f"there is no time {name!r}; there are {', '.join(cls.__struct_fields__)}"
                )
            if not LEAST <= value <= MOST:
                raise BadOrder(
                    f"the time {name} is {value / 1000:g} s; give {LEAST / 1000:g} to "
                    f"{MOST / 1000:g} s"
                )
        return cls(**times)

    def over_at(self, heard: Listening) -> tuple[float, How]:
        """When nothing more is waited for if no further key comes, on the clock of `heard`, and
        what that is called."""
        limit = heard.asked + self.limit / 1000
        if heard.said and heard.last is not None:
            wait, how = self.unfinished if heard.unfinished else self.quiet, "quiet"
            at = heard.last + wait / 1000
        else:
            wait, how = self.silence if heard.asks else self.statement, "silent"
            at = heard.asked + wait / 1000
            if heard.last is not None and heard.unfinished:
                # Something was typed and taken back: perhaps it is being thought over.
                at = max(at, heard.last + self.unfinished / 1000)
        if at > limit:
            return limit, "too-long"
        return at, "quiet" if how == "quiet" else "silent"


@dataclass(frozen=True, slots=True)
class Listening:
    """What has been heard since a line's Return; times in seconds of any one clock.

    Attributes:
        asks: whether the line is a question.
        asked: when its Return was pressed.
        last: when the last key came; None before the first.
        said: whether more than blanks stands.
        unfinished: whether the last line has no Return yet.
    """

    asks: bool
    asked: float
    last: float | None = None
    said: bool = False
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of an answer, or the part of one that came after one line of the judge's.

    Attributes:
        text: what stands of it.
        late: whether it began when no answer was waited for any longer.
        belongs: the question that it seems to belong to; empty for none.
    """

    text: str
    late: bool
    belongs: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A subject's answer to a question.

    Attributes:
        question: its id.
        how: why it was not waited for any longer.
        asked: local time at which it was asked.
        pieces: that came after it, in order, on time or late.
        elsewhere: that came after something else, and seem to belong to it.
    """

    question: str
    how: How
    asked: dt.datetime
    pieces: tuple[Piece, ...]
    elsewhere: tuple[Piece, ...] = ()

    @property
    def text(self) -> str:
        """What came on time, as lines."""
        return "\n".join(piece.text for piece in self.pieces if not piece.late)

    @property
    def belonging(self) -> str:
        """All that seems to belong to the question, wherever it came."""
        own = [piece for piece in self.pieces if piece.belongs == self.question]
        return "\n".join(piece.text for piece in (*own, *self.elsewhere))


@dataclass
class _Line:
    """A line that was asked; `how` it ended, None while it is under way; `void` where a break cut
    it off."""

    question: str
    asks: bool
    local: dt.datetime
    how: How | None = None
    void: bool = False

    @property
    def counts(self) -> bool:
        """Whether a question was asked to its end."""
        return self.asks and self.how is not None and not self.void


@dataclass
class Sitting:
    """A sitting as far as it goes.

    Attributes:
        subject: an entry's id, or a human's.
        human: whether it is one.
        ended: whether all was asked.
        starts: how often the program was started.
        deaths: how each life ended that we did not end.
    """

    subject: str
    human: bool = False
    ended: bool = False
    starts: int = 0
    deaths: list[str] = field(default_factory=list)
    _lines: list[_Line] = field(default_factory=list)
    #: Of what stands: character, the index of the line that it came after, whether it was late.
    _chars: list[tuple[str, int, bool]] = field(default_factory=list)
    _keys: list[tuple[str, str]] = field(default_factory=list)

    def apply(self, event: Event, body: Body) -> None:
        """Takes the next event of its chain."""
        match body:
            case kinds.SittingBegun():
                self.human, self.ended = body.human, False
                # A question that has not ended was not asked: nor were the statements before it.
                done = self.done
                for line in self._lines:
                    line.void = line.void or line.question not in done
            case kinds.ProgramStarted():
                self.starts += 1
            case kinds.ProgramEnded():
                self.deaths.append(body.how)
            case kinds.SittingKey():
                self._keys.append((body.author, body.key))
                if body.author == "entity":
                    self._press(body.key)
            case kinds.LineAsked():
                self._lines.append(_Line(body.question, body.asks, body.local))
            case kinds.LineEnded():
                last = self._lines[-1] if self._lines else None
                wanted = (body.question, body.asks, None)
                if last is None or (last.question, last.asks, last.how) != wanted:
                    # The program died each time before the line could be typed to its end.
                    at = dt.datetime.fromisoformat(event.at).replace(tzinfo=None)
                    last = _Line(body.question, body.asks, at)
                    self._lines.append(last)
                last.how = body.how
            case kinds.SittingEnded():
                self.ended = True

    def _press(self, key: str) -> None:
        char = char_of(key)
        if char == BACKSPACE_CHAR:
            del self._chars[-1:]
        elif char is not None:
            late = bool(self._lines) and self._lines[-1].how is not None
            self._chars.append((char, len(self._lines) - 1, late))

    @property
    def done(self) -> frozenset[str]:
        """The ids of the questions that were asked to their end."""
        return frozenset(line.question for line in self._lines if line.counts)

    @property
    def talk(self) -> list[tuple[str, str]]:
        """What was said, in reading order: `judge` or `entity`, and the text."""
        conversation = Conversation()
        for author, key in self._keys:
            conversation.press("judge" if author == "judge" else "entity", key)
        return [(block.author, block.text) for block in conversation.blocks if block.text.strip()]

    def answers(self, paper: Paper) -> dict[str, Answer]:
        """The answers to all questions that were asked, by their ids."""
        pieces = self._belonging(paper)
        return {
            line.question: Answer(
                *(line.question, line.how, line.local),
                tuple(piece for at, piece in pieces if at == index),
                tuple(
                    piece for at, piece in pieces if at != index and piece.belongs == line.question
                ),
            )
            for index, line in enumerate(self._lines)
            if line.counts and line.how is not None
        }

    def _pieces(self) -> list[tuple[int, Piece]]:
        """All that was said, each with the index of the line that it came after."""
        found = []
        for index, chars in groupby(self._chars, key=lambda each: each[1]):
            if index >= 0 and self._lines[index].void:
                continue
            for ends, group in groupby(chars, key=lambda each: each[0] == "\n"):
                line = list(group)
                text = "".join(char for char, _, _ in line).strip()
                if not ends and text:
                    found.append((index, Piece(text, line[0][2] and index >= 0)))
        return found

    def _belonging(self, paper: Paper) -> list[tuple[int, Piece]]:
        """The pieces, each with the question that it seems to belong to."""

        def fits(index: int, text: str) -> int:
            """Halves of a mark that the key suggests for a text."""
            line = self._lines[index]
            question = paper.find(line.question)
            return 0 if question is None else suggest(question, text, line.local, paper.facts).mark

        found: list[tuple[int, Piece]] = []
        served: set[int] = set()
        for at, piece in self._pieces():
            earlier = [
                index
                for index, line in enumerate(self._lines[: max(at, 0)])
                if line.asks and not line.void and index not in served
            ][-BACK:]
            asks = at >= 0 and self._lines[at].asks
            mine = fits(at, piece.text) if asks else 0
            best = max(earlier, key=lambda index: fits(index, piece.text), default=None)
            if best is not None and fits(best, piece.text) > mine:
                belongs = self._lines[best].question
            else:
                best, belongs = at, self._lines[at].question if asks else ""
            served.add(best)
            found.append((at, replace(piece, belongs=belongs)))
        return found
