"""The seats: who sits there, what each is told, and what each may say.

A seat sees its own talks only and can do only its own: a frame about anything else is refused. A
console that comes back gets the same text, sides and remaining time, for all of it comes from the
hub and the clock, never from the console.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping

import msgspec

from contest.record.bodies import SeatJoined, SeatLeft
from contest.record.events import Event
from contest.record.journal import Journal
from contest.setup.agreement import Terms
from contest.state.phases import Phase
from contest.talks import decisions
from contest.talks.decisions import Decision, Decisions
from contest.talks.exchange import Durable, Exchange, Talk
from contest.talks.past import past
from contest.talks.seat import NotTaken, Outlet, Seat, SeatRefused, Status
from lpp import wire
from lpp.names import is_sendable, shown_as

__all__ = ["NotTaken", "Outlet", "Seat", "SeatRefused", "Seats", "Status"]

log = logging.getLogger(__name__)


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
        terms: what the settings say to the seats.

    Attributes:
        speed: see above.
        contest_id: another one for each contest that is held; empty before its record is opened.
        changed: set whenever something has happened that somebody may wait for.
    """

    def __init__(
        self,
        roles: Mapping[str, wire.Role],
        title: str,
        rounds: int,
        hub: Exchange,
        journal: Journal,
        status: Callable[[], Status],
        speed: float = 1.0,
        terms: Terms | None = None,
    ) -> None:
        self.seats = {id_: Seat(id_, role) for id_, role in roles.items()}
        self.contest_id = ""
        self._terms = terms or Terms()
        self._title = title
        self._rounds = rounds
        self._hub = hub
        self._journal = journal
        self._status = status
        self.speed = speed
        self.changed = asyncio.Event()
        self._to_correct: dict[tuple[str, wire.Place], None] = {}
        self._decisions = Decisions(self.seats, self._terms, journal, status, self.changed)

    # Coming and going

    def restore(self, decided: Iterable[tuple[Event, Decision]]) -> None:
        """Has all seats know again what was decided there, in a contest that is taken up."""
        for event, body in decided:
            decisions.restore(self.seats, event, body)

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
        self._welcome(seat)
        self.changed.set()
        return seat

    def leave(self, seat: Seat, outlet: Outlet, reason: str) -> None:
        """A console's connection ended."""
        if seat.outlet is outlet:
            seat.outlet = None
            self._journal.write(None, seat.id, SeatLeft(seat.id, reason[:200]))
            self.changed.set()

    def name(self, seat_id: str) -> str:
        """How whoever sits at a seat is called: as the organizer has it, or by the seat's id."""
        return self.seats[seat_id].name or self._terms.name(seat_id)

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
                self._tell_round(seat)
            else:
                seat.tell(self._state(seat))

    def ask_for_ranking(self, seat_id: str, labels: Mapping[str, list[Talk]]) -> None:
        """Asks a judge to rank all whom he met, under neutral labels."""
        seat = self.seats[seat_id]
        seat.labels = dict(labels)
        seat.tell(self._rank_these(seat))

    def _welcome(self, seat: Seat) -> None:
        """Tells a console that has just come all that it needs; what was saved last comes again,
        for a console may have been started anew."""
        terms, status = self._terms, self._status()
        seat.tell(
            wire.Welcome(
                seat.id,
                seat.role,
                self._title,
                self._rounds,
                name=seat.pseudonym or self.name(seat.id),
                contest_id=self.contest_id,
                paste=terms.paste,
            )
        )
        self._tell_round(seat)
        if seat.labels and status.phase is Phase.RANKING:
            seat.tell(self._rank_these(seat))
        seat.tell(wire.Agreement(terms.agreement, self.name(seat.id)))
        saved = [seat.saved_consent]
        if status.phase is Phase.SCORING:
            saved.append(seat.saved_verdicts.get((status.round, status.attempt)))
        if status.phase is Phase.RANKING:
            saved.append(seat.saved_ranking)
        for each in saved:
            if each is not None:
                seat.tell(msgspec.structs.replace(each, again=True))

    def _tell_round(self, seat: Seat) -> None:
        seat.tell(self._state(seat))
        for place, talk in seat.talks.items():
            seat.tell(_snapshot(seat, place, talk))

    def _state(self, seat: Seat) -> wire.State:
        status = self._status()
        return wire.State(
            status.phase.value,
            status.round,
            status.attempt,
            tuple(seat.talks),
            None if status.remaining is None else round(status.remaining * 1000),
            status.reason,
            self.speed,
        )

    def _rank_these(self, seat: Seat) -> wire.RankThese:
        return wire.RankThese(
            {
                label: [(talk.round, talk.attempt, talk.side) for talk in talks]
                for label, talks in seat.labels.items()
            },
            self._terms.ties,
        )

    def _hear(self, seat: Seat, place: wire.Place, talk: Talk, key: Durable) -> None:
        if key.author == seat.author:
            seat.tell(wire.Taken(talk.round, talk.attempt, place, key.n))
            if key.shown is None and shown_as(key.key) is not None:
                self._correct(seat, place)
        elif key.shown is not None:
            seat.tell(wire.Key(talk.round, talk.attempt, place, key.author, key.shown, key.key))

    def _correct(self, seat: Seat, place: wire.Place) -> None:
        """A key that was under way when the clock stopped stands on its own screen alone: that
        screen is told what is shown, once for all such keys that come together."""
        if not self._to_correct:
            asyncio.get_running_loop().call_soon(self._tell_corrections)
        self._to_correct[seat.id, place] = None

    def _tell_corrections(self) -> None:
        for seat_id, place in self._to_correct:
            seat = self.seats[seat_id]
            if place in seat.talks:
                seat.tell(_snapshot(seat, place, seat.talks[place]))
        self._to_correct.clear()

    # What the seats say

    def handle(self, seat: Seat, frame: wire.ToServer) -> None:
        """Takes a frame of a seated console; one that is not accepted is answered by why."""
        try:
            self._take(seat, frame)
        except NotTaken as why:
            self._refuse(seat, frame, why)

    def _take(self, seat: Seat, frame: wire.ToServer) -> None:
        match frame:
            case wire.Press():
                self._press(seat, frame)
            case wire.Shown():
                talk = self._talk(seat, frame.round, frame.attempt, frame.place)
                if talk is not None and frame.author != seat.author:
                    self._hub.seen(talk, frame.author, frame.n)
            case wire.Verdict():
                self._decisions.verdict(seat, frame)
            case wire.Ranks():
                self._decisions.ranking(seat, frame)
            case wire.Consent():
                self._decisions.consent(seat, frame)
            case wire.Read():
                seat.tell(past(seat, frame, self._hub.talks, self._status()))
            case wire.Hello():
                raise NotTaken("hello", "this console sits here already")

    def _talk(self, seat: Seat, round_: int, attempt: int, place: wire.Place) -> Talk | None:
        talk = seat.talks.get(place)
        if talk is None or (talk.round, talk.attempt) != (round_, attempt):
            return None
        return talk

    def _press(self, seat: Seat, frame: wire.Press) -> None:
        talk = self._talk(seat, frame.round, frame.attempt, frame.place)
        if talk is None:
            raise NotTaken("no-talk", "no such talk is on at this seat")
        if not is_sendable(frame.key):
            raise NotTaken("bad-key", f"{frame.key[:40]!r} is no key press")
        if not self._hub.press(talk, seat.author, seat.id, frame.key, frame.n):
            # Taken before, and on its way to being confirmed; or a number was left out.
            if frame.n > talk.accepted[seat.author] + 1:
                raise NotTaken("gap", f"key {talk.accepted[seat.author] + 1} is missing")
            if frame.n <= talk.durable[seat.author]:
                seat.tell(
                    wire.Taken(frame.round, frame.attempt, frame.place, talk.durable[seat.author])
                )

    @staticmethod
    def _refuse(seat: Seat, frame: wire.ToServer, why: NotTaken) -> None:
        log.info("%s: refused (%s): %s", seat.id, why.code, why)
        seat.tell(wire.Refused(why.code, str(why), str(frame.__struct_config__.tag)))


def _snapshot(seat: Seat, place: wire.Place, talk: Talk) -> wire.Talk:
    return wire.Talk(talk.round, talk.attempt, place, list(talk.shown), talk.durable[seat.author])
