"""The seats: who sits there, what each is told, and what each may say.

A seat sees its own talks only and can do only its own: a frame about anything else is refused. A
console that comes back gets the same text, sides and remaining time, for all of it comes from the
hub and the clock, never from the console.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from contest.bodies import Author, RankingGiven, SeatJoined, SeatLeft, VerdictGiven
from contest.events import Event
from contest.hub import Durable, Hub, Talk
from contest.journal import Journal
from contest.phases import Phase
from lpp import wire
from lpp.names import SILENT_KEYS, is_bare, is_strict

log = logging.getLogger(__name__)

#: Characters of a verdict's reason that are kept.
REASON_LIMIT = 4000


class Outlet(Protocol):
    """A console's connection."""

    def send(self, frame: wire.ToSeat) -> None:
        """Sends a frame; never blocks."""

    def close(self, why: str) -> None:
        """Ends the connection."""


class SeatRefused(Exception):
    """A console can't have this seat; `code` is the wire's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Seat:
    """A place at a console.

    Attributes:
        id: a judge's or confederate's id.
        role: which of both.
        talks: what sits at this seat's places in the round that is on.
        labels: while ranking: label to the talks it stands for.
    """

    id: str
    role: wire.Role
    outlet: Outlet | None = None
    talks: dict[wire.Place, Talk] = field(default_factory=dict)
    labels: dict[str, list[Talk]] = field(default_factory=dict)
    verdicts: dict[tuple[int, int], int] = field(default_factory=dict)
    rankings: int = 0
    saved_verdicts: set[tuple[int, int]] = field(default_factory=set)
    saved_ranking: bool = False

    @property
    def author(self) -> Author:
        """Under which name this seat's keys go."""
        return "judge" if self.role == "judge" else "entity"

    def tell(self, frame: wire.ToSeat) -> None:
        """Sends a frame, if anybody sits here."""
        if self.outlet is not None:
            self.outlet.send(frame)


@dataclass(frozen=True, slots=True)
class Status:
    """What every seat is told of the contest: see wire.State."""

    phase: Phase
    round: int
    attempt: int
    remaining: float | None
    reason: str = ""


class Seats:
    """All seats of a contest.

    Arguments:
        roles: seat id to its role.
        title: the contest's name.
        rounds: how many there are.
        hub: where keys go.
        journal: the record.
        status: what the contest is doing now.
        speed: of the contest's clock, for the consoles' countdown.
    """

    def __init__(
        self,
        roles: Mapping[str, wire.Role],
        title: str,
        rounds: int,
        hub: Hub,
        journal: Journal,
        status: Callable[[], Status],
        speed: float = 1.0,
    ) -> None:
        self.seats = {id_: Seat(id_, role) for id_, role in roles.items()}
        self._title = title
        self._rounds = rounds
        self._hub = hub
        self._journal = journal
        self._status = status
        self._speed = speed
        self.changed = asyncio.Event()

    # Coming and going

    def join(self, seat_id: str, outlet: Outlet, client: str, take_over: bool) -> Seat:
        """A console sits down.

        Arguments:
            seat_id: which seat its code opened.
            outlet: its connection.
            client: its name and version.
            take_over: whether it may take the seat from another console.

        Raises:
            SeatRefused: if somebody sits there.
        """
        seat = self.seats[seat_id]
        if seat.outlet is not None:
            if not take_over:
                raise SeatRefused(
                    "seat-taken", f"another console sits at {seat_id}; take it over, or ask"
                )
            seat.tell(wire.Refused("seat-taken", "another console has taken this seat over"))
            seat.outlet.close("another console took this seat over")
        seat.outlet = outlet
        self._journal.write(None, seat_id, SeatJoined(seat_id, client[:200]))
        seat.tell(wire.Welcome(seat_id, seat.role, self._title, self._rounds))
        self._tell_all(seat)
        self.changed.set()
        return seat

    def leave(self, seat: Seat, outlet: Outlet, reason: str) -> None:
        """A console's connection ended."""
        if seat.outlet is outlet:
            seat.outlet = None
            self._journal.write(None, seat.id, SeatLeft(seat.id, reason[:200]))
            self.changed.set()

    def everybody_here(self) -> bool:
        """Whether a console sits at each seat."""
        return all(seat.outlet is not None for seat in self.seats.values())

    # What the seats are told

    def assign(self, seat_id: str, place: wire.Place, talk: Talk) -> None:
        """Puts a talk at a seat's place."""
        seat = self.seats[seat_id]
        seat.talks[place] = talk

        def hear(talk: Talk, key: Durable) -> None:
            self._hear(seat, place, talk, key)

        talk.listeners.append(hear)

    def clear(self) -> None:
        """Takes all talks from all seats."""
        for seat in self.seats.values():
            for talk in seat.talks.values():
                talk.listeners.clear()
            seat.talks = {}

    def broadcast(self, *, snapshots: bool = False) -> None:
        """Tells every seat the state, and with `snapshots` its talks as they stand."""
        for seat in self.seats.values():
            if snapshots:
                self._tell_all(seat)
            else:
                seat.tell(self._state(seat))

    def ask_for_ranking(self, seat_id: str, labels: Mapping[str, list[Talk]]) -> None:
        """Asks a judge to rank all whom he met, under neutral labels."""
        seat = self.seats[seat_id]
        seat.labels = dict(labels)
        seat.tell(self._rank_these(seat))

    def _tell_all(self, seat: Seat) -> None:
        seat.tell(self._state(seat))
        for place, talk in seat.talks.items():
            seat.tell(
                wire.Talk(
                    talk.round,
                    talk.attempt,
                    place,
                    list(talk.shown),
                    talk.durable[seat.author],
                )
            )
        if seat.labels:
            seat.tell(self._rank_these(seat))

    def _state(self, seat: Seat) -> wire.State:
        status = self._status()
        return wire.State(
            status.phase.value,
            status.round,
            status.attempt,
            tuple(seat.talks),
            None if status.remaining is None else round(status.remaining * 1000),
            status.reason,
            self._speed,
        )

    @staticmethod
    def _rank_these(seat: Seat) -> wire.RankThese:
        return wire.RankThese(
            {
                label: [(talk.round, talk.side) for talk in talks]
                for label, talks in seat.labels.items()
            }
        )

    def _hear(self, seat: Seat, place: wire.Place, talk: Talk, key: Durable) -> None:
        if key.author == seat.author:
            seat.tell(wire.Taken(talk.round, talk.attempt, place, key.n))
        elif key.shown is not None:
            seat.tell(wire.Key(talk.round, talk.attempt, place, key.author, key.shown, key.key))

    # What the seats say

    def handle(self, seat: Seat, frame: wire.ToServer) -> None:
        """Takes a frame of a seated console."""
        match frame:
            case wire.Press():
                self._press(seat, frame)
            case wire.Shown():
                talk = self._talk(seat, frame.round, frame.attempt, frame.place)
                if talk is not None and frame.author != seat.author:
                    self._hub.seen(talk, frame.author, frame.n)
            case wire.Verdict():
                self._verdict(seat, frame)
            case wire.Ranks():
                self._ranks(seat, frame)
            case wire.Hello():
                self._refuse(seat, "hello", "this console sits here already")

    def _talk(self, seat: Seat, round_: int, attempt: int, place: wire.Place) -> Talk | None:
        talk = seat.talks.get(place)
        if talk is None or (talk.round, talk.attempt) != (round_, attempt):
            return None
        return talk

    def _press(self, seat: Seat, frame: wire.Press) -> None:
        talk = self._talk(seat, frame.round, frame.attempt, frame.place)
        if talk is None:
            self._refuse(seat, "no-talk", "no such talk is on at this seat")
        elif not _may_press(frame.key):
            self._refuse(seat, "bad-key", f"{frame.key[:40]!r} is no key press")
        elif not self._hub.press(talk, seat.author, seat.id, frame.key, frame.n):
            # Taken before, and on its way to being confirmed; or a number was left out.
            if frame.n > talk.accepted[seat.author] + 1:
                self._refuse(seat, "gap", f"key {talk.accepted[seat.author] + 1} is missing")
            elif frame.n <= talk.durable[seat.author]:
                seat.tell(
                    wire.Taken(frame.round, frame.attempt, frame.place, talk.durable[seat.author])
                )

    def _verdict(self, seat: Seat, frame: wire.Verdict) -> None:
        status = self._status()
        round_ = (frame.round, frame.attempt)
        if seat.role != "judge":
            self._refuse(seat, "not-yours", "only judges give verdicts")
        elif status.phase is not Phase.SCORING or round_ != (status.round, status.attempt):
            self._refuse(seat, "not-now", "verdicts are taken while the round is scored")
        elif not seat.talks:
            self._refuse(seat, "not-yours", "this judge has no talks in this round")
        elif frame.confidence is not None and not 0 <= frame.confidence <= 100:
            self._refuse(seat, "bad-verdict", "the confidence is 0 to 100")
        else:
            version = seat.verdicts.get(round_, 0) + 1
            seat.verdicts[round_] = version

            def saved(event: Event) -> None:
                seat.saved_verdicts.add(round_)
                seat.tell(wire.Saved("verdict", version, event.at, *round_))
                self.changed.set()

            body = VerdictGiven(
                *round_,
                seat.id,
                frame.human,
                version,
                frame.confidence,
                frame.reason[:REASON_LIMIT],
            )
            self._journal.write(None, seat.id, body, saved)

    def _ranks(self, seat: Seat, frame: wire.Ranks) -> None:
        if not seat.labels or self._status().phase is not Phase.RANKING:
            self._refuse(seat, "not-now", "no ranking is asked for at this seat now")
            return
        wrong = _wrong_ranks(frame.ranks, seat.labels)
        if wrong is not None:
            self._refuse(seat, "bad-ranking", wrong)
            return
        seat.rankings += 1
        version = seat.rankings

        def saved(event: Event) -> None:
            seat.saved_ranking = True
            seat.tell(wire.Saved("ranking", version, event.at))
            self.changed.set()

        talks = {label: [talk.id for talk in talks] for label, talks in seat.labels.items()}
        self._journal.write(
            None, seat.id, RankingGiven(seat.id, version, dict(frame.ranks), talks), saved
        )

    @staticmethod
    def _refuse(seat: Seat, code: str, message: str) -> None:
        log.info("%s: refused (%s): %s", seat.id, code, message)
        seat.tell(wire.Refused(code, message))


def _may_press(key: str) -> bool:
    return is_strict(key) or key in SILENT_KEYS or (len(key) == 1 and is_bare(key))


def _wrong_ranks(ranks: Mapping[str, int], labels: Mapping[str, object]) -> str | None:
    missing = sorted(labels.keys() - ranks.keys())
    strange = sorted(ranks.keys() - labels.keys())
    if missing:
        return f"no rank for {', '.join(missing)}"
    if strange:
        return f"nobody is called {', '.join(strange)[:200]}"
    if not all(2 <= rank <= 2 * len(labels) for rank in ranks.values()):
        return f"ranks go from 1 to {len(labels)}, in half steps"
    return None
