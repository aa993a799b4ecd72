"""Tests what the audience may see: closed desks, words for phases, and only the text of each
key."""

from __future__ import annotations

from typing import Any

import pytest

from contest.audience.frames import Desk
from contest.audience.show import Show
from contest.record import bodies
from contest.record.bodies import AnyBody, Place
from contest.record.events import Event
from tests.contest.audience.feed_contest import PLAN, SETTINGS


class Taken:
    """A show that gets its events without a delay."""

    def __init__(self, settings: dict[str, Any] = SETTINGS) -> None:
        self.show = Show()
        self._seq = 0
        self.now = 0.0
        self.take(bodies.ContestOpened(1, "test", settings, PLAN, 1000))

    def take(self, body: AnyBody, talk: str | None = None) -> None:
        """Passes an event to the show, at `now`, in seconds."""
        self._seq += 1
        event = Event(
            *(self._seq, talk, "", round(self.now * 1e9), "", body.kind),
            *(bodies.to_json(body), "", ""),
        )
        self.show.note(event, body)
        self.show.take(event, body)

    def round(self, number: int = 1, attempt: int = 1, human: Place = "left") -> None:
        """Opens a round."""
        self.take(bodies.RoundOpened(number, attempt))
        other: Place = "right" if human == "left" else "left"
        for pairing in PLAN["rounds"][number - 1]:
            for entity, side in ((pairing["entry"], other), (pairing["confederate"], human)):
                opened = bodies.TalkOpened(number, attempt, pairing["judge"], entity, side)
                self.take(opened, bodies.talk_id(number, attempt, pairing["judge"], side))

    def desks(self) -> list[Desk]:
        """The current desks."""
        return self.show.whole(round(self.now * 1e9)).desks

    def phase(self, now: float) -> tuple[str, str, int | None, bool]:
        """The phase at a moment in seconds."""
        at = self.show.at(round(now * 1e9))
        return at.phase, at.words, at.remaining_ms, at.runs


def test_each_phase_has_words_and_remaining_time() -> None:
    t = Taken()
    assert t.phase(0) == ("before", "The contest has not begun yet", None, False)
    t.now = 10
    t.round()
    assert t.phase(10) == ("waiting", "Round 1 of 2 is about to begin", None, False)
    t.take(bodies.RoundStarted(1, 1, 300))
    assert t.phase(20) == ("interaction", "Round 1 of 2: the talks are in progress", 290_000, True)
    t.now = 30
    t.take(bodies.RoundPaused(1, 1, "the program of J2 hangs"))
    assert t.phase(50) == ("paused", "Round 1 of 2 is paused", 280_000, False)
    t.now = 60
    t.take(bodies.RoundResumed(1, 1))
    t.take(bodies.RoundExtended(1, 1, 60, "E1 was late"))
    assert t.phase(60) == ("interaction", "Round 1 of 2: the talks are in progress", 340_000, True)
    assert t.phase(401) == ("scoring", "Round 1 of 2: the judges are deciding", 59_000, True)
    t.now = 100
    t.take(bodies.RoundEnded(1, 1, "Ben has to go"))
    assert t.phase(110) == ("scoring", "Round 1 of 2: the judges are deciding", 50_000, True)
    t.now = 120
    t.take(bodies.ScoringClosed(1, 1, "all are sure"))
    assert t.phase(120) == ("closed", "Round 1 of 2 is over", None, False)
    t.round(1, 2)
    assert t.phase(120)[:2] == ("waiting", "Round 1 of 2 (attempt 2) is about to begin")
    t.take(bodies.RoundStarted(1, 2, 300))
    assert t.phase(120)[:2] == (
        "interaction",
        "Round 1 of 2 (attempt 2): the talks are in progress",
    )
    t.take(bodies.RankingOpened())
    assert t.phase(130) == ("ranking", "The judges are ranking everybody they met", None, False)
    t.take(bodies.RankingClosed("done"))
    assert t.phase(130)[:2] == ("over", "Everything is decided")
    t.take(bodies.SidesRevealed([]))
    assert t.phase(130)[:2] == ("over", "Everything is decided: the result")
    t.take(bodies.ContestClosed({}))
    assert t.phase(130)[:2] == ("over", "The contest is over")


def test_desks_and_schedule_are_in_the_order_of_the_judges() -> None:
    t = Taken()
    t.round()
    assert [(desk.number, desk.judge, desk.name) for desk in t.desks()] == [
        (1, "J1", "Harriet"),
        (2, "J2", "Ines"),
    ]
    plan = t.show.whole(0).plan
    assert [[judge.id for judge in judges] for judges in plan] == [["J1", "J2"]] * 2
    assert [talk.side for talk in t.desks()[0].talks] == ["left", "right"]


WITHHOLD = {**SETTINGS, "publication": {"default": "withhold"}}


@pytest.mark.parametrize("human", ["left", "right"])
def test_a_desk_is_closed_unless_both_people_consent(human: Place) -> None:
    t = Taken(WITHHOLD)
    t.round(human=human)
    for seat in ("J1", "J2", "C2"):
        assert t.desks()[0].closed
        assert t.desks()[0].talks == []
        t.take(bodies.ConsentGiven(seat, True, 1))
    assert list(t.show.open_desks()) == ["J2"]
    assert [desk.closed for desk in t.desks()] == [True, False]
    t.take(bodies.ConsentGiven("C1", True, 1))
    assert [desk.closed for desk in t.desks()] == [False, False]
    assert t.show.open_desks()["J1"] == ["1.1.J1.left", "1.1.J1.right"]


def test_names_are_shown_as_people_agreed() -> None:
    t = Taken(WITHHOLD)
    t.round()
    assert [desk.name for desk in t.desks()] == ["J1", "J2"]
    t.take(bodies.ConsentGiven("J1", True, 1, "Grey Heron"))
    t.take(bodies.ConsentGiven("J2", True, 1))
    assert [desk.name for desk in t.desks()] == ["Grey Heron", "Ines"]


def test_a_replacement_has_its_own_name_and_consent() -> None:
    t = Taken()
    t.round()
    t.take(bodies.ConsentGiven("C1", False, 1))
    assert t.desks()[0].closed
    # The new person at C1 can't consent for the one who sat there before.
    t.take(bodies.PersonReplaced("C1", "Lucia", "Ben is ill"))
    t.take(bodies.PersonReplaced("J1", "Otto", "Harriet is ill"))
    assert t.desks()[0].closed
    assert t.desks()[0].name == "Harriet"
    t.round(2)
    assert not t.desks()[0].closed
    assert t.desks()[0].name == "Otto"


def test_a_changed_schedule_is_shown() -> None:
    t = Taken()
    rest = [[{"judge": "J2", "entry": "E1", "confederate": "C1"}]]
    t.take(bodies.ScheduleChanged(2, rest, "J1 has to go"))
    plan = t.show.whole(0).plan
    assert [[judge.id for judge in judges] for judges in plan] == [["J1", "J2"], ["J2"]]
