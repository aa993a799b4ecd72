"""The kinds of event of asking; `contest.screening.bodies` has all kinds together."""

from __future__ import annotations

import datetime as dt
from typing import Literal

import msgspec

from contest.record.body import Body


class PaperSet(Body, frozen=True):
    """The paper that all entries get, as `contest.screening.papers.write` has it, the seed that
    its corrections of typing come from, and the times that hold for all, in milliseconds:
    `asking.timing.Timing`. Once for a season."""

    kind = "paper-set"
    paper: str
    typing_seed: int
    timing: dict[str, int]


class SittingBegun(Body, frozen=True):
    """A subject, an entry or a human who sits the paper to compare, begins, or goes on where a
    break cut it off: what was asked and not ended before does not count. In a talk of its own, as
    is all that follows up to `sitting-ended`."""

    kind = "sitting-begun"
    subject: str
    human: bool = False


class ProgramStarted(Body, frozen=True):
    """An entry's program was started with these words."""

    kind = "program-started"
    words: list[str]


class ProgramEnded(Body, frozen=True):
    """An entry's program has ended by itself: how, in words."""

    kind = "program-ended"
    how: str


class LineBegun(Body, frozen=True):
    """The judge begins to type a line of a question: its text, or one of the statements told
    before it. `again` where it is told again to a program that was started anew by us."""

    kind = "line-begun"
    question: str
    asks: bool
    again: bool = False


class ScreeningKey(Body, frozen=True):
    """A key press, as it was made or taken; `raw` is the name of the subject's directory, `broken`
    are the rules that it breaks."""

    kind = "key"
    author: Literal["judge", "entity"]
    key: str
    raw: str = ""
    broken: list[str] = msgspec.field(default_factory=list)


class LineAsked(Body, frozen=True):
    """The line stands, and its Return is pressed; `local` is the local time of the machine."""

    kind = "line-asked"
    question: str
    asks: bool
    local: dt.datetime


class LineEnded(Body, frozen=True):
    """No answer is waited for any longer: it has come and is over, it went on for too long, none
    came, or the program has ended. What comes from here on is late."""

    kind = "line-ended"
    question: str
    asks: bool
    how: Literal["quiet", "too-long", "silent", "died"]


class SittingEnded(Body, frozen=True):
    """All was asked."""

    kind = "sitting-ended"
    subject: str
