"""What judges and confederates agreed to, as a record says it: who withholds, and how each is
called in public.

Persons sit at a seat in turn: the first is number 0, and each who replaces another the next. What
one of them has agreed to holds for that one alone, and for what was played in that turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.record import bodies
from contest.record.bodies import AnyBody


class Consents:
    """Takes the events of a record; what it says holds as of the last one.

    Of a person who gave no answer the settings' `[publication] default` holds. Settings without
    that table are those of a version that played with scripted people only: it is published.
    """

    def __init__(self) -> None:
        self._publish = True
        self._entries: set[str] = set()
        self._turns: dict[str, int] = {}
        self._given: dict[tuple[str, int], bodies.ConsentGiven] = {}
        self._talks: dict[str, tuple[int, int]] = {}

    def take(self, body: AnyBody) -> None:
        """Takes the body of the next event."""
        match body:
            case bodies.ContestOpened():
                self._open(body.settings)
            case bodies.ConsentGiven():
                place = (body.seat, self.turn(body.seat))
                before = self._given.get(place)
                if before is None or body.version >= before.version:
                    self._given[place] = body
            case bodies.PersonReplaced():
                self._turns[body.seat] = self.turn(body.seat) + 1
            case bodies.TalkOpened():
                turns = (self.turn(body.judge), self.turn(body.entity))
                self._talks.setdefault(_name(body), turns)
            case _:
                pass

    def _open(self, settings: Mapping[str, Any]) -> None:
        publication = settings.get("publication")
        if isinstance(publication, dict):
            self._publish = publication.get("default") == "publish"
        entries = settings.get("entry")
        if isinstance(entries, list):
            self._entries = {str(each.get("id")) for each in entries if isinstance(each, dict)}

    def turn(self, who: str) -> int:
        """Whose turn it is at a seat: how many persons sat there before."""
        return self._turns.get(who, 0)

    def turns(self, talk: bodies.TalkOpened) -> tuple[int, int]:
        """Whose turn it was at the judge's and at the entity's seat when a talk was opened."""
        now = (self.turn(talk.judge), self.turn(talk.entity))
        return self._talks.get(_name(talk), now)

    def withholds(self, who: str, turn: int | None = None) -> bool:
        """Whether nothing of a person may be published; programs are not asked.

        Arguments:
            who: the seat's id, or an entry's.
            turn: which person of that seat; the present one if left out.
        """
        if who in self._entries:
            return False
        given = self.last(who, turn)
        return not (self._publish if given is None else given.publish)

    def withholds_talk(self, judge: str, entity: str) -> bool:
        """Whether a talk between these two, as they sit there now, is left out: if either
        withholds."""
        return self.withholds(judge) or self.withholds(entity)

    def withholds_opened(self, talk: bodies.TalkOpened) -> bool:
        """Whether a talk is left out: if either of those who sat there withholds."""
        judge, entity = self.turns(talk)
        return self.withholds(talk.judge, judge) or self.withholds(talk.entity, entity)

    def name(self, who: str, name: str, turn: int | None = None) -> str:
        """How a person is called in public.

        Arguments:
            who: the seat's id.
            name: as the settings, or the event that replaced another, have it.
            turn: which person of that seat; the present one if left out.

        Returns:
            The pseudonym if there is one, else the name; empty for one who withholds, whom the
            id alone stands for.
        """
        if self.withholds(who, turn):
            return ""
        given = self.last(who, turn)
        return name if given is None else given.pseudonym or name

    def last(self, who: str, turn: int | None = None) -> bodies.ConsentGiven | None:
        """The answer that holds of a person of a seat, or None."""
        return self._given.get((who, self.turn(who) if turn is None else turn))

    def holds(self, answer: bodies.ConsentGiven) -> bool:
        """Whether an answer is the last of whoever gave it."""
        return any(
            seat == answer.seat and given.version == answer.version
            for (seat, _), given in self._given.items()
        )


def _name(talk: bodies.TalkOpened) -> str:
    return bodies.talk_id(talk.round, talk.attempt, talk.judge, talk.side)
