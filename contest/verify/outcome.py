"""Verification of the outcome: the seals against what was revealed, and the official result
against the tally computed anew."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from contest.errors import RecordTrouble
from contest.history.tallying import result_body
from contest.history.timeline import view
from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.record.logs import ListLog
from contest.state.model import State
from contest.state.reducer import apply
from contest.verify.findings import Check, Faults, quoted, several

#: A tally needs no keys, and their record may be larger than memory.
_NO_LOG = ListLog(())
_NONCE = re.compile(r"[0-9a-f]{32}")
_Desk = tuple[int, int, str]


class SealsCheck:
    """Takes all events in their order; `check` says what was found."""

    def __init__(self) -> None:
        self._faults = Faults()
        self._seals: dict[_Desk, str] = {}
        self._entities: dict[tuple[int, int, str, str], str] = {}
        self._revealed: dict[_Desk, str] = {}
        self._reveal: Event | None = None
        self._closed: dict[int, int] = {}
        self._confederates: set[str] = set()

    def take(self, event: Event, body: AnyBody | None) -> None:
        """Takes the next event."""
        match body:
            case bodies.ContestOpened():
                self._confederates = _confederates(body.schedule)
            case bodies.ScheduleChanged():
                self._confederates |= _confederates({"rounds": body.rounds})
            case bodies.SideSealed():
                desk = (body.round, body.attempt, body.judge)
                if desk in self._seals:
                    self._faults.at(event, f"the sides of {_named(desk)} were sealed before")
                self._seals.setdefault(desk, body.seal)
            case bodies.TalkOpened():
                desk = (body.round, body.attempt, body.judge)
                self._entities[*desk, body.side] = body.entity
            case bodies.RoundStarted():
                self._started(event, body)
            case bodies.RoundClosed():
                self._closed[body.round] = body.attempt
            case bodies.VerdictGiven() | bodies.RankingGiven() if self._reveal is not None:
                self._faults.at(event, "it was given after the sides were revealed")
            case bodies.Voided() if self._reveal is not None:
                self._faults.at(event, "it was voided after the sides were revealed")
            case bodies.BallotExcluded() if self._reveal is not None:
                self._faults.at(event, "the ballot was excluded after the sides were revealed")
            case bodies.SidesRevealed():
                self._reveal = event
                for side in body.sides:
                    self._open(event, side)
            case bodies.Result() if self._reveal is not None:
                self._all_open(self._reveal)
            case _:
                pass

    def check(self) -> Check:
        """What was found."""
        seals = several(len(self._seals), "seal")
        opened = f"{len(self._revealed)} opened" if self._reveal else "not opened yet"
        return self._faults.check("seals", f"{seals}, {opened}")

    def _started(self, event: Event, body: bodies.RoundStarted) -> None:
        for number, attempt, judge, _ in self._entities:
            if (number, attempt) == (body.round, body.attempt):
                desk = (number, attempt, judge)
                if desk not in self._seals:
                    self._faults.at(event, f"the sides of {_named(desk)} were not sealed before")
                    self._seals[desk] = ""

    def _open(self, event: Event, side: dict[str, Any]) -> None:
        match side:
            case {
                "round": int(number),
                "attempt": int(attempt),
                "judge": str(judge),
                "human": ("left" | "right") as human,
                "nonce": str(nonce),
            } if _NONCE.fullmatch(nonce):
                desk = (number, attempt, judge)
            case _:
                self._faults.at(event, f"it reveals something that is no side: {quoted(side)}")
                return
        self._revealed[desk] = human
        seal = self._seals.get(desk)
        if seal != hashlib.sha256(f"{human}:{nonce}".encode()).hexdigest():
            what = "was never sealed" if seal is None else "is not what was sealed"
            self._faults.at(event, f"the side that it reveals for {_named(desk)} {what}")
        entity = self._entities.get((*desk, human))
        if entity is not None and entity not in self._confederates:
            self._faults.at(
                event,
                f"it has the human of {_named(desk)} at the {human}, where {quoted(entity)} sat",
            )

    def _all_open(self, reveal: Event) -> None:
        for desk in self._seals:
            number, attempt, _ = desk
            if self._closed.get(number) == attempt and desk not in self._revealed:
                self._faults.at(reveal, f"it does not reveal the side of {_named(desk)}")


class TallyCheck:
    """Takes all events in their order; `check` says what was found.

    A result's warnings are words, which may be put better one day: they are not compared.
    """

    def __init__(self) -> None:
        self._faults = Faults()
        self._state = State()
        self._results = 0
        self._winners: list[str] = []

    def take(self, event: Event, body: AnyBody | None) -> None:
        """Takes the next event."""
        if isinstance(body, bodies.Result):
            self._compare(event, body)
        if event.talk is not None and not isinstance(body, bodies.TalkOpened):
            return
        try:
            apply(self._state, event, body)
        except ValueError as exc:
            self._faults.at(event, f"it can't be used: {exc}")

    def check(self) -> Check:
        """What was found."""
        said = "no official result yet"
        if self._results:
            won = ", ".join(self._winners) or "nobody"
            said = f"the official result, computed anew, is the same: {won} won"
        return self._faults.check("tally", said)

    def _compare(self, event: Event, given: bodies.Result) -> None:
        self._results += 1
        self._winners = given.winners
        try:
            anew = result_body(view(self._state, _NO_LOG))
        except RecordTrouble as exc:
            self._faults.at(event, f"the tally can't be computed anew: {exc}")
            return
        for part in ("table", "entries", "winners", "silver"):
            if getattr(given, part) != getattr(anew, part):
                self._faults.at(event, f"its {part} is not what the verdicts and rankings give")


def _confederates(schedule: Mapping[str, Any]) -> set[str]:
    rounds = schedule.get("rounds")
    if not isinstance(rounds, list) or not all(isinstance(each, list) for each in rounds):
        return set()
    pairings = [pairing for each in rounds for pairing in each if isinstance(pairing, dict)]
    return {str(pairing.get("confederate")) for pairing in pairings}


def _named(desk: _Desk) -> str:
    number, attempt, judge = desk
    return f"round {number}, attempt {attempt}, {quoted(judge)}"
