"""The desks of a running contest as the organizer sees them: for each pairing how its judge, its
confederate and its entry do, in words and in a short code, and how long keys take on either side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contest.links.link import UNREAD, LinkStatus, status_of
from contest.live.conductor import Conductor
from contest.live.fairness import Delay, Delays, difference
from contest.record.bodies import Author, DelaysDiffer, Place
from contest.state.incidents import differing_in_words
from contest.state.model import Talk, desk
from contest.state.phases import TYPING, Phase, coming
from scheduler import Pairing

#: Seconds of contest time in which keys are counted.
LATELY = 10.0

_PLACES: tuple[Place, Place] = ("left", "right")


@dataclass(frozen=True, slots=True)
class State:
    """How somebody does.

    Attributes:
        code: `away`, `ended` (an entry's program), `stalled` (an entry that does not read),
            `typing` (in the last ten seconds), `quiet`, `decides`, `decided` (a judge), `here`.
        words: the same for a person, without a full stop.
    """

    code: str
    words: str

    def as_json(self) -> dict[str, str]:
        """For programs."""
        return {"code": self.code, "words": self.words}


class Desks:
    """Looks at the desks.

    Arguments:
        conductor: plays the contest.
        delays: what was measured.
    """

    def __init__(self, conductor: Conductor, delays: Delays) -> None:
        self._conductor = conductor
        self._delays = delays

    def rows(self) -> list[dict[str, Any]]:
        """A row for each pairing of the round that is on, or was; where the start is waited for,
        of the one that comes next."""
        conductor = self._conductor
        status = conductor.status()
        round_, attempt = status.round, status.attempt
        following = coming(conductor.state)
        if conductor.waits and following is not None:
            round_, attempt = following
        if not round_:
            return []
        pairings = conductor.schedule.rounds[round_ - 1]
        return [self._row(pairing, attempt) for pairing in pairings]

    def talks(self, judge: str, round_: int, attempt: int) -> dict[Place, Talk]:
        """The talks of a judge's desk: none before it is seated."""
        return {
            talk.side: talk
            for talk in self._conductor.hub.talks.values()
            if (talk.round, talk.attempt, talk.judge) == (round_, attempt, judge)
        }

    def differing(self, talks: Mapping[Place, Talk]) -> DelaysDiffer | None:
        """What a judge could notice at a desk, or None."""
        if len(talks) < len(_PLACES):
            return None
        authors: tuple[Author, Author] = ("judge", "entity")
        measured = {
            (talk.id, author): self._delay(talk, author)
            for talk in talks.values()
            for author in authors
        }
        return difference(talks["left"], talks["right"], measured)

    def _row(self, pairing: Pairing, attempt: int) -> dict[str, Any]:
        talks = self.talks(pairing.judge, pairing.round, attempt)
        program = next((t for t in talks.values() if t.entity == pairing.entry), None)
        human = next((t for t in talks.values() if t.entity == pairing.confederate), None)
        link = status_of(self._conductor.links, pairing.entry)
        differing = self.differing(talks)
        return {
            "round": pairing.round,
            "attempt": attempt,
            "judge": pairing.judge,
            "entry": pairing.entry,
            "confederate": pairing.confederate,
            "states": {
                "judge": self._judge(pairing.judge, list(talks.values())).as_json(),
                "entry": self._entry(pairing.entry, link, program).as_json(),
                "confederate": self._person(pairing.confederate, human, "entity").as_json(),
            },
            **{place: self._side(talks.get(place)) for place in _PLACES},
            "oldest_unread": round(link.oldest, 1),
            "delays": {
                "judge": _console(
                    [self._delay(talk, "entity") for talk in talks.values()],
                ),
                "confederate": _console(
                    [] if human is None else [self._delay(human, "judge")],
                ),
                "entry": None if link.delay is None else round(link.delay * 1000),
            },
            "warning": "" if differing is None else differing_in_words(differing),
        }

    def _side(self, talk: Talk | None) -> dict[str, Any] | None:
        if talk is None:
            return None
        to_judge, to_entity = self._delay(talk, "entity"), self._delay(talk, "judge")
        return {
            "talk": talk.id,
            "entity": talk.entity,
            "keys": {"judge": self._lately(talk, "judge"), "entity": self._lately(talk, "entity")},
            "to_judge_ms": None if to_judge is None else to_judge.whole,
            "to_entity_ms": None if to_entity is None else to_entity.whole,
        }

    # How they do

    def _judge(self, judge: str, talks: list[Talk]) -> State:
        seat = self._conductor.seats.seats[judge]
        status = self._conductor.status()
        if seat.outlet is None:
            return _AWAY
        if status.phase is Phase.SCORING and talks:
            place = desk(status.round, status.attempt, judge)
            return _DECIDED if place in self._conductor.state.verdicts else _DECIDES
        if self._typing() and talks:
            typed = any(self._lately(talk, "judge") for talk in talks)
            return _TYPES if typed else _QUIET
        return _HERE

    def _person(self, seat: str, talk: Talk | None, author: Author) -> State:
        if self._conductor.seats.seats[seat].outlet is None:
            return _AWAY
        if self._typing() and talk is not None:
            return _TYPES if self._lately(talk, author) else _QUIET
        return _HERE

    def _entry(self, entry: str, link: LinkStatus, talk: Talk | None) -> State:
        if not link.here:
            return State("away", "its link is not here")
        if link.running is False:
            return State("ended", "its program has ended")
        if stalled(link):
            words = f"does not read: {link.standing} keys unread, for {link.oldest:.0f} s"
            return State("stalled", words)
        if self._typing() and talk is not None:
            return _TYPES if self._lately(talk, "entity") else _QUIET
        return State("here", "its link is here")

    def _typing(self) -> bool:
        return self._conductor.status().phase in TYPING

    def _lately(self, talk: Talk, author: Author) -> int:
        since = self._now() - round(LATELY * 1e9)
        count = 0
        for (who, _), at in zip(reversed(talk.shown), reversed(talk.shown_ns), strict=True):
            if at < since:
                break
            count += who == author
        return count

    def _delay(self, talk: Talk, author: Author) -> Delay | None:
        return self._delays.of(talk, author, self._conductor.hub.times(talk), self._now())

    def _now(self) -> int:
        return self._conductor.now_ns()


_AWAY = State("away", "no console is here")
_HERE = State("here", "is here")
_TYPES = State("typing", "types")
_QUIET = State("quiet", "is here and does not type")
_DECIDES = State("decides", "has given no verdict yet")
_DECIDED = State("decided", "has given a verdict")


def stalled(link: LinkStatus) -> bool:
    """Whether an entry has left the judge's keys unread for so long that it is told of."""
    return bool(link.standing) and link.oldest >= UNREAD


def _console(delays: list[Delay | None]) -> int | None:
    """The way to a console and back, of what its talks say: the longest."""
    return max((delay.console for delay in delays if delay is not None), default=None)
