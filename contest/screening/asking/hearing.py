"""Answers out of what was recorded of a sitting: pure, so that it can be computed again.

1. Text stands as a judge sees it: BackSpace takes the last character, a newline too, as in
   `lpp.lines.Pane`.
2. What is typed after a line's Return, and before the next one's, came *after* that line. What
   comes when no answer was waited for any longer is *late*.
3. A piece is what came in one line after one line of the judge's. It *seems to belong* to what it
   came after; but where an earlier question has no answer yet, and the piece answers that better
   by the key (`contest.screening.answers`), then to that one. Both are kept: what it came after
   is a fact, the other is a help to whoever marks.
4. A question that a break of ours cut off was not asked; it is asked anew.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from contest.record.events import Event
from contest.screening.asking.bodies import (
    LineAsked,
    LineEnded,
    ProgramEnded,
    ProgramStarted,
    ScreeningKey,
    SittingBegun,
    SittingEnded,
)
from contest.screening.asking.timing import How
from contest.screening.bodies import AnyBody
from contest.screening.papers import Paper, suggest
from lpp.conversation import Conversation
from lpp.names import BACKSPACE_CHAR, char_of

#: Questions back that a late answer is looked for.
BACK = 3
#: Before all talks of sittings.
TALK = "screening."


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of an answer, or the part of one that came after one line of the judge's.

    Attributes:
        text: what stands of it.
        after: the question that it came after; of a statement that of the question it was told
            before; empty before the first line.
        asks: whether it came after the question itself, and not after a statement.
        late: whether it began when no answer was waited for any longer.
        belongs: the question that it seems to belong to; empty for none.
    """

    text: str
    after: str
    asks: bool
    late: bool
    belongs: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a subject has to say to a question.

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


@dataclass(frozen=True, slots=True)
class Heard:
    """A sitting as far as it goes.

    Attributes:
        subject: an entry's id, or a human's.
        human: whether it is one.
        answers: of all questions that were asked, by their ids.
        ended: whether all was asked.
        starts: how often the program was started.
        deaths: how each life ended that we did not end.
        talk: what was said, in reading order: `judge` or `entity`, and the text.
    """

    subject: str
    human: bool
    answers: dict[str, Answer]
    ended: bool
    starts: int
    deaths: tuple[str, ...]
    talk: tuple[tuple[str, str], ...]


@dataclass
class _Line:
    question: str
    asks: bool
    local: dt.datetime
    how: How | None = None
    void: bool = False


@dataclass
class _Taking:
    """What one chain's events add up to."""

    subject: str
    human: bool = False
    ended: bool = False
    starts: int = 0
    deaths: list[str] = field(default_factory=list)
    lines: list[_Line] = field(default_factory=list)
    chars: list[tuple[str, int, bool]] = field(default_factory=list)
    keys: list[tuple[str, str]] = field(default_factory=list)

    def take(self, event: Event, body: AnyBody) -> None:
        match body:
            case SittingBegun():
                self.human, self.ended = body.human, False
                self._break_off()
            case ProgramStarted():
                self.starts += 1
            case ProgramEnded():
                self.deaths.append(body.how)
            case ScreeningKey():
                self.keys.append((body.author, body.key))
                if body.author == "entity":
                    self._press(body.key)
            case LineAsked():
                self.lines.append(_Line(body.question, body.asks, body.local))
            case LineEnded():
                self._end(event, body)
            case SittingEnded():
                self.ended = True

    def _end(self, event: Event, body: LineEnded) -> None:
        last = self.lines[-1] if self.lines else None
        if (
            last is None
            or last.how is not None
            or (last.question, last.asks) != (body.question, body.asks)
        ):
            # The program died each time before the line could be typed to its end.
            at = dt.datetime.fromisoformat(event.at).replace(tzinfo=None)
            last = _Line(body.question, body.asks, at)
            self.lines.append(last)
        last.how = body.how

    def _break_off(self) -> None:
        """A question that has not ended was not asked: nor were the statements before it."""
        ended = {line.question for line in self.lines if line.asks and line.how is not None}
        for line in self.lines:
            line.void = line.void or line.question not in ended

    def _press(self, key: str) -> None:
        char = char_of(key)
        if char is None:
            return
        if char == BACKSPACE_CHAR:
            if self.chars:
                self.chars.pop()
            return
        late = bool(self.lines) and self.lines[-1].how is not None
        self.chars.append((char, len(self.lines) - 1, late))

    def pieces(self) -> list[tuple[int, Piece]]:
        """All that was said, each with the index of the line that it came after."""
        found = []
        for index, chars in groupby(self.chars, key=lambda each: each[1]):
            if index >= 0 and self.lines[index].void:
                continue
            after = self.lines[index] if index >= 0 else None
            line: list[tuple[str, int, bool]] = []
            for each in [*chars, ("\n", index, False)]:
                if each[0] != "\n":
                    line.append(each)
                    continue
                text = "".join(char for char, _, _ in line).strip()
                if text:
                    late = line[0][2] if after is not None else False
                    name = after.question if after is not None else ""
                    found.append((index, Piece(text, name, after is not None and after.asks, late)))
                line = []
        return found


def heard(subject: str, chain: Iterable[tuple[Event, AnyBody]], paper: Paper) -> Heard:
    """What a subject has answered so far.

    Arguments:
        subject: its id.
        chain: the events of its talk, in order.
        paper: what was asked.
    """
    taken = _Taking(subject)
    for event, body in chain:
        taken.take(event, body)
    pieces = _belonging(taken, paper)
    answers = {}
    for index, line in enumerate(taken.lines):
        if line.asks and line.how is not None and not line.void:
            own = tuple(piece for at, piece in pieces if at == index)
            elsewhere = tuple(
                piece for at, piece in pieces if at != index and piece.belongs == line.question
            )
            answers[line.question] = Answer(line.question, line.how, line.local, own, elsewhere)
    return Heard(
        subject,
        taken.human,
        answers,
        taken.ended,
        taken.starts,
        tuple(taken.deaths),
        _talk(taken.keys),
    )


def _talk(keys: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    conversation = Conversation()
    for author, key in keys:
        conversation.press("judge" if author == "judge" else "entity", key)
    return tuple((block.author, block.text) for block in conversation.blocks if block.text.strip())


def _belonging(taken: _Taking, paper: Paper) -> list[tuple[int, Piece]]:
    """The pieces, each with the question that it seems to belong to (rule 3)."""
    found: list[tuple[int, Piece]] = []
    pieces = taken.pieces()
    served: set[int] = set()
    for at, piece in pieces:
        earlier = [
            index
            for index, line in enumerate(taken.lines[: max(at, 0)])
            if line.asks and not line.void and index not in served
        ][-BACK:]
        best = max(
            earlier,
            key=lambda index: _fits(paper, taken.lines[index], piece.text),
            default=None,
        )
        own = taken.lines[at] if at >= 0 else None
        mine = _fits(paper, own, piece.text) if own is not None and own.asks else 0
        if best is not None and _fits(paper, taken.lines[best], piece.text) > mine:
            served.add(best)
            found.append((at, replace(piece, belongs=taken.lines[best].question)))
        else:
            served.add(at)
            found.append((at, replace(piece, belongs=piece.after if piece.asks else "")))
    return found


def _fits(paper: Paper, line: _Line, text: str) -> int:
    """Halves of a mark that the key suggests for a text."""
    try:
        question = paper[line.question]
    except KeyError:
        return 0
    return suggest(question, text, line.local).mark
