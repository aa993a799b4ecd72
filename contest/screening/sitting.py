"""A sitting: a subject's progress through the paper, computed from its events. Without I/O.

1. Text is kept as a judge sees it: BackSpace removes the last character, even a newline.
2. A line that the subject began between a line's Return and the next line's Return came *after*
   that line. It is *late* if the wait for an answer was over.
3. If a question got no answer, the subject is *behind*: from then on, text that came after the next
   line may be the answer, and is given with both questions.
4. A question cut off by an interruption does not count as asked; it is asked again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec

from contest.errors import BadOrder
from contest.record import season as kinds
from contest.record.events import Body, Event
from contest.screening.paper import Paper
from lpp.conversation import Conversation
from lpp.names import BACKSPACE_CHAR, RETURN, char_of

How: TypeAlias = Literal["quiet", "too-long", "silent", "died"]
#: Seconds between two keys of one line; as pauses in `contest.results.rhythm`.
PAUSE = 2.0


class Timing(msgspec.Struct, frozen=True):
    """Times in milliseconds, the same for all subjects of a season; chosen from the 2012 logs.

    Attributes:
        quiet: an answer is over if no key comes for this long after a Return.
        unfinished: the same for a last line without a Return, because some programs never send one.
        silence: how long to wait for any answer to a question (30 s as in conformance check
            3/answers, and half as much again for a slow machine).
        statement: how long to wait for any answer to a statement, which needs none.
        limit: the longest time from the line's Return, even if keys still come.
        ready: how long to wait for a program to start, unless it says earlier that it is ready.
    """

    quiet: int = 6_000
    unfinished: int = 8_000
    silence: int = 45_000
    statement: int = 10_000
    limit: int = 120_000
    ready: int = 5_000

    @classmethod
    def of(cls, times: Mapping[str, int]) -> Timing:
        """Sets times by name, leaving the others at their defaults; raises BadOrder if one is
        unknown."""
        try:
            return cls(**times)
        except TypeError as exc:
            raise BadOrder(f"its times can't be used: {exc}") from exc

    def over_at(self, asks: bool, asked: float, last: float | None, text: str) -> tuple[float, How]:
        """When an answer is over if no further key comes, and how it will have ended.

        Arguments:
            asks: whether the line is a question.
            asked: when its Return was pressed, in seconds on any clock.
            last: when the last key since then came; None before the first.
            text: the text since then.
        """
        limit = asked + self.limit / 1000
        unfinished = bool(text) and not text.endswith("\n")
        pause = (last or 0) + (self.unfinished if unfinished else self.quiet) / 1000
        how: How = "silent"
        at = asked + (self.silence if asks else self.statement) / 1000
        if last is not None and text.strip():
            at, how = pause, "quiet"
        elif last is not None and unfinished:
            at = max(at, pause)
        return (limit, "too-long") if at > limit else (at, how)


class Answer(msgspec.Struct, frozen=True):
    """A subject's answer to a question.

    Attributes:
        question: the question's id.
        how: why the wait for an answer ended.
        asked: the local time of the question's Return.
        text: the lines that came after it in time.
        belonging: all lines that may belong to the question.
        late: lines that began after the wait had ended.
        later: lines that came after the next line, if the subject was behind.
    """

    question: str
    how: How
    asked: dt.datetime
    text: str
    belonging: str
    late: list[str]
    later: list[str]


@dataclass
class LineBegunBefore:
    """Tells whether a key of the subject continues a line that it began before the judge's last
    Return. After a pause it does not, because some programs never press Return."""

    _unfinished: bool = False
    _continues: bool = False
    _last: float = 0.0

    def asked(self) -> None:
        """Notes a Return of the judge."""
        self._continues = self._unfinished

    def press(self, key: str, now: float) -> bool:
        """Takes a key of the subject, at a time in seconds on any clock."""
        continues = self._continues and now - self._last < PAUSE
        self._last, self._unfinished = now, key != RETURN
        self._continues = continues and self._unfinished
        return continues


@dataclass
class _Line:
    """A typed line: `how` it ended, None until then; `void` if an interruption cut it off. It
    `counts` if it is a question that was asked to its end."""

    question: str
    asks: bool
    local: dt.datetime
    how: How | None = None
    void: bool = False

    @property
    def counts(self) -> bool:
        return self.asks and self.how is not None and not self.void


@dataclass
class Sitting:
    """A subject's sitting so far: whether everything was asked, how often its program was started,
    and how it ended each time it ended by itself."""

    subject: str
    human: bool = False
    ended: bool = False
    starts: int = 0
    deaths: list[str] = field(default_factory=list)
    _lines: list[_Line] = field(default_factory=list)
    #: The characters of the text: character, index of the line before it, whether it is late.
    _chars: list[tuple[str, int, bool]] = field(default_factory=list)
    _keys: list[tuple[str, str]] = field(default_factory=list)
    _before: LineBegunBefore = field(default_factory=LineBegunBefore)

    def apply(self, event: Event, body: Body) -> None:
        """Takes the next event of its chain."""
        match body:
            case kinds.SittingBegun():
                self.human, self.ended = body.human, False
                # A question that has not ended does not count, nor do the statements before it.
                done = self.done
                for line in self._lines:
                    line.void |= line.question not in done
            case kinds.ProgramStarted():
                self.starts += 1
            case kinds.ProgramEnded():
                self.deaths.append(body.how)
            case kinds.SittingKey():
                self._keys.append((body.author, body.key))
                if body.author == "entity":
                    self._press(body.key, event.mono_ns / 1e9)
            case kinds.LineAsked():
                self._lines.append(_Line(body.question, body.asks, body.local))
                self._before.asked()
            case kinds.LineEnded():
                last = self._lines[-1] if self._lines else None
                wanted = (body.question, body.asks, None)
                if last is None or (last.question, last.asks, last.how) != wanted:
                    # Each time, the program died before the line was fully typed.
                    at = dt.datetime.fromisoformat(event.at).replace(tzinfo=None)
                    last = _Line(body.question, body.asks, at)
                    self._lines.append(last)
                last.how = body.how
            case kinds.SittingEnded():
                self.ended = True

    def _press(self, key: str, now: float) -> None:
        char, continues = char_of(key), self._before.press(key, now)
        if char == BACKSPACE_CHAR:
            del self._chars[-1:]
        elif char is not None and continues and self._chars:
            self._chars.append((char, *self._chars[-1][1:]))
        elif char is not None:
            late = bool(self._lines) and self._lines[-1].how is not None
            self._chars.append((char, len(self._lines) - 1, late))

    @property
    def done(self) -> frozenset[str]:
        """The ids of the questions that were asked to their end."""
        return frozenset(line.question for line in self._lines if line.counts)

    @property
    def talk(self) -> list[tuple[str, str]]:
        """The talk in reading order: `judge` or `entity`, and the text."""
        conversation = Conversation()
        for author, key in self._keys:
            conversation.press("judge" if author == "judge" else "entity", key)
        return [(block.author, block.text) for block in conversation.blocks if block.text.strip()]

    def answers(self, paper: Paper) -> dict[str, Answer]:
        """The answers to the questions of a paper that were asked to their end, by id."""
        said, found = self._said(), dict[str, Answer]()
        behind = False
        for index, line in enumerate(self._lines):
            if not line.counts or line.how is None or paper.find(line.question) is None:
                continue
            own = said.get(index, [])
            behind = behind or line.how == "silent"
            later = [text for text, _ in said.get(index + 1, [])] if behind else []
            found[line.question] = Answer(
                *(line.question, line.how, line.local),
                text="\n".join(text for text, late in own if not late),
                belonging="\n".join([*(text for text, _ in own), *later]),
                late=[text for text, late in own if late],
                later=later,
            )
        return found

    def _said(self) -> dict[int, list[tuple[str, bool]]]:
        """The index of a line to the subject's lines after it, and whether each is late."""
        found: dict[int, list[tuple[str, bool]]] = {}
        for index, chars in groupby(self._chars, key=lambda each: each[1]):
            if index >= 0 and self._lines[index].void:
                continue
            for ends, group in groupby(chars, key=lambda each: each[0] == "\n"):
                line = list(group)
                text = "".join(char for char, _, _ in line).strip()
                if text and not ends:
                    found.setdefault(index, []).append((text, line[0][2] and index >= 0))
        return found
