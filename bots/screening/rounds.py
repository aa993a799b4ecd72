"""Questions on the contest and its rounds (rules 2010, section 4, set 1).

The rules' background facts hold "whether or not the time and venue of the contest has been
changed": it starts at 9:30 AM on Saturday, 23 October 2010, with 6 rounds of 30 minutes each. A
round begins with its first minute and ends where the next one begins.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import NamedTuple

from bots.screening.clock import clock_face, date_of, minutes_of
from bots.screening.rules import Match, Rules
from bots.screening.wording import number, number_word, ordinals


@dataclass(frozen=True, slots=True)
class Contest:
    """The contest's timetable.

    Attributes:
        start: when the first round begins, local time.
        rounds: how many rounds there are.
        round_length: how long each takes.
    """

    start: datetime.datetime = datetime.datetime(2010, 10, 23, 9, 30)
    rounds: int = 6
    round_length: datetime.timedelta = datetime.timedelta(minutes=30)

    @property
    def end(self) -> datetime.datetime:
        """When the last round ends."""
        return self.start_of(self.rounds + 1)

    def start_of(self, nth: int) -> datetime.datetime:
        """When a round begins; rounds count from 1."""
        return self.start + (nth - 1) * self.round_length

    def round_at(self, now: datetime.datetime) -> int:
        """The number of the round: 0 before the contest, `rounds` + 1 after it."""
        if now < self.start:
            return 0
        return min((now - self.start) // self.round_length, self.rounds) + 1


class Asked(NamedTuple):
    """What the answers need: the timetable and the wall clock."""

    contest: Contest
    now: datetime.datetime

    @property
    def here(self) -> int:
        """The round that it is; see Contest.round_at."""
        return self.contest.round_at(self.now)

    @property
    def playing(self) -> bool:
        """Whether it is neither before nor after the contest."""
        return 1 <= self.here <= self.contest.rounds


RULES: Rules[Asked] = Rules()

_NTH = r"(?:number |the )?(?:\d+(?:st|nd|rd|th)?|[a-z]+)"
_IS_THIS = r"\b(?:is|are|was) (?:this|it|we) (?:now |still |already )?(?:in |on |at )?"
_CONTEST = r"\b(?:contest|competition|tournament|loebner prize)\b"
_ENDS = re.compile(r"\b(?:ends?|ended|ending|finish(?:es|ed)?|over|stops?)\b")


@RULES.on(
    rf"{_IS_THIS}(?:the )?(?P<nth>{_NTH}) round\b",
    rf"{_IS_THIS}round (?P<nth>{_NTH})\b",
)
def _is_round(match: Match, asked: Asked) -> str | None:
    nth = _round_number(match["nth"], asked.contest)
    if nth is None:
        return None
    if not asked.playing:
        return _round(match, asked)
    yes = "Yes" if nth == asked.here else "No"
    return f"{yes}, this is round {asked.here} of {asked.contest.rounds}."


@RULES.on(
    r"\bhow (?:much (?:time|longer)|long|many minutes)\b.*"
    r"\b(?:left|remain|until|till|before|to go)\b.*"
)
def _time_left(match: Match, asked: Asked) -> str | None:
    if "round" not in match[0]:
        return None
    if not asked.playing:
        return _round(match, asked)
    left = asked.contest.start_of(asked.here + 1) - asked.now
    return f"About {minutes_of(left)}: round {asked.here} ends at {clock_face(asked.now + left)}."


@RULES.on(r"\bhow (?:long|many minutes)\b.*\brounds?\b", r"\blength of (?:a|each|the|this) round\b")
def _round_length(match: Match, asked: Asked) -> str | None:
    return f"Each round takes {minutes_of(asked.contest.round_length)}."


@RULES.on(r"\bhow many (?:more )?rounds\b.*", r"\bnumber of rounds\b.*")
def _how_many(match: Match, asked: Asked) -> str | None:
    contest = asked.contest
    if re.search(r"\b(?:left|remain|remaining|to go|more|still to)\b", match[0]):
        if asked.here == 0:
            return f"All {number_word(contest.rounds)}, for the contest has not started yet."
        left = contest.rounds - min(asked.here, contest.rounds)
        if not asked.playing or not left:
            return "None, this is the last one." if asked.playing else "None, the contest is over."
        return f"{number_word(left).capitalize()} after this one."
    if re.search(r"\b(?:so far|already|been|finished|over|passed|played|had|done)\b", match[0]):
        done = max(0, asked.here - 1)
        return f"{number_word(done).capitalize()} {'is' if done == 1 else 'are'} over so far."
    return f"There are {number_word(contest.rounds)} rounds."


@RULES.on(
    rf"\b(?:when|what time)\b.*\b(?P<nth>this|current|next|{_NTH}) round\b",
    rf"\b(?:when|what time)\b.*\bround (?P<nth>{_NTH})\b",
)
def _when(match: Match, asked: Asked) -> str | None:
    contest, here = asked.contest, asked.here
    relative = {"this": here, "the": here, "the current": here, "current": here}
    relative |= {"next": here + 1, "the next": here + 1}
    nth = relative.get(match["nth"], _round_number(match["nth"], contest))
    if nth is None:
        return None
    if not 1 <= nth <= contest.rounds:
        return _round(match, asked) if not asked.playing else "There is no round after this one."
    ends = _ENDS.search(match.string) is not None
    moment = contest.start_of(nth + 1 if ends else nth)
    past = moment <= asked.now
    verb = ("ended" if past else "ends") if ends else ("began" if past else "begins")
    return f"Round {nth} {verb} at {clock_face(moment)}."


@RULES.on(
    r"\b(?:what|which)\b.*\b(?P<way>next|after|follows|previous|last|before)\b.*\bround\b",
    r"\b(?:what|which) round\b.*\b(?P<way>next|after|follows|previous|last|before)\b",
)
def _neighbour(match: Match, asked: Asked) -> str | None:
    if not asked.playing:
        return _round(match, asked)
    if match["way"] == "last" and " was " not in match.string:
        last = asked.contest.rounds
        return f"Round {last}, at {clock_face(asked.contest.start_of(last))}."
    there = asked.here + (1 if match["way"] in ("next", "after", "follows") else -1)
    if there < 1:
        return "None, this is the first round."
    if there > asked.contest.rounds:
        return f"None, round {asked.here} is the last one."
    return f"Round {there}."


@RULES.on(
    r"\b(?:what|which)\b.*\bround(?: (?:is|are|it|this|we|now|number|of|do|did|today)\b|$)",
    r"\bround (?:number )?(?:is this|is it|are we)\b",
    r"^(?:this |the )?round(?: number)?$",
)
def _round(match: Match, asked: Asked) -> str | None:
    contest = asked.contest
    if asked.here == 0:
        return (
            "The contest has not started yet: round 1 begins at "
            f"{clock_face(contest.start)} on {date_of(contest.start)}."
        )
    if asked.here > contest.rounds:
        return (
            f"No round, the contest is over: round {contest.rounds}, the last one, ended at "
            f"{clock_face(contest.end)} on {date_of(contest.end)}."
        )
    return f"This is round {asked.here} of {contest.rounds}."


@RULES.on(
    rf"\b(?:has|have|had|did|is) (?:the |this |we )?.*(?:{_CONTEST}.*)?"
    r"\b(?:started|begun|begin|start|over|ended|finished|end)\b"
)
def _has_begun(match: Match, asked: Asked) -> str | None:
    if not re.search(_CONTEST, match.string) or re.search(r"\b(?:when|time|how)\b", match.string):
        return None
    over = _ENDS.search(match.string) is not None
    yes = asked.now >= (asked.contest.end if over else asked.contest.start)
    return f"{'Yes' if yes else 'No'}. {_contest_moment(asked, over)}"


@RULES.on(rf"\bhow (?:long|much time|many (?:hours|minutes|days))\b.*{_CONTEST}.*")
def _span(match: Match, asked: Asked) -> str | None:
    contest, now = asked.contest, asked.now
    if re.search(r"\b(?:until|till|before|left|to go)\b", match[0]):
        if now >= contest.end:
            return _round(match, asked)
        if asked.playing and re.search(r"\b(?:starts?|begins?)\b", match[0]):
            return f"It has begun already. {_contest_moment(asked, end=False)}"
        there, what = (contest.end, "ends") if asked.playing else (contest.start, "starts")
        return f"About {minutes_of(there - now)} until the contest {what}."
    if re.search(r"\b(?:been|ago|since)\b", match[0]):
        if now < contest.start:
            return _round(match, asked)
        return f"It began {minutes_of(now - contest.start)} ago, at {clock_face(contest.start)}."
    whole = minutes_of(contest.end - contest.start)
    return f"{whole.capitalize()}: {contest.rounds} rounds of {minutes_of(contest.round_length)}."


@RULES.on(
    rf"\b(?:when|what time|what day|which day|what date|what year|what month|which month)\b"
    rf".*{_CONTEST}.*",
    rf"\b(?:date|day|time|start|end) of (?:the |this )?{_CONTEST}.*",
)
def _contest_when(match: Match, asked: Asked) -> str | None:
    return _contest_moment(asked, _ENDS.search(match[0]) is not None)


def _contest_moment(asked: Asked, end: bool) -> str:
    moment = asked.contest.end if end else asked.contest.start
    past = moment <= asked.now
    verb = ("ended" if past else "ends") if end else ("started" if past else "starts")
    return f"The contest {verb} at {clock_face(moment)} on {date_of(moment)}."


def _round_number(nth: str, contest: Contest) -> int | None:
    word = nth.removeprefix("the ").removeprefix("number ")
    if word in ("last", "final"):
        return contest.rounds
    if word in ordinals():
        return ordinals().index(word) + 1
    return number(re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word)) if word not in ("a", "an") else None
