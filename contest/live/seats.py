"""The seats: their consoles, the frames that each console gets, and those that it may send.

A seat gets only its own talks, and frames about anything else are refused. A console that
reconnects gets the same text, sides and remaining time, because all of it comes from the state, the
hub and the clock, never from the console.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import msgspec

from contest.errors import Refusal
from contest.live.hub import DurableKey, Hub
from contest.net.sockets import Joined, Outlet
from contest.record import bodies
from contest.record.bodies import Author, ConsentGiven, RankingGiven, VerdictGiven, talk_id
from contest.record.events import Event
from contest.setup.settings import Settings
from contest.state.consents import BadPseudonym, check_pseudonym
from contest.state.model import State, Talk, desk
from contest.state.phases import TYPING, Phase, Status, labels
from lpp import wire
from lpp.names import is_sendable, shown_as
from texts import Sentence

log = logging.getLogger(__name__)

_Decided: TypeAlias = VerdictGiven | RankingGiven | ConsentGiven
#: The maximum number of characters in a verdict's reason.
REASON_LIMIT = 4000
#: A confederate's browser adds this to its client name once the person has confirmed that they use
#: one.
KEYBOARD = "hardware keyboard"
#: The maximum number of a seat's key presses that are held during a pause; more than a person types
#: while a console keeps unconfirmed keys.
MOST_HELD = 5000
#: Bytes reserved in the frame of an earlier talk for everything except its keys; more than enough.
_MARGIN = 1024


@dataclass
class Seat:
    """A place at a console.

    Attributes:
        id: a judge's or confederate's id.
        role: judge or confederate.
        outlet: the connected console's connection.
        talks: the talks at this seat's places in the current round.
        held: key presses that came during a pause, in order. A person can't type then, so they were
            typed before it, perhaps while the connection was away; they count after the pause.
    """

    id: str
    role: wire.Role
    outlet: Outlet | None = None
    talks: dict[wire.Place, Talk] = field(default_factory=dict)
    held: list[wire.Press] = field(default_factory=list)

    @property
    def author(self) -> Author:
        """The author of this seat's keys."""
        return "judge" if self.role == "judge" else "entity"

    def send(self, frame: wire.ToSeat) -> None:
        """Sends a frame, if a console is connected."""
        if self.outlet is not None:
            self.outlet.send(frame)


class Seats:
    """All seats of a contest.

    Arguments:
        settings: the contest's settings.
        hub: takes the keys; its journal records everything else.
        status: gives the contest's status.

    Attributes:
        seats: the seats, by id.
        changed: set after every change that somebody may be waiting for.
    """

    def __init__(self, settings: Settings, hub: Hub, status: Callable[[], Status]) -> None:
        self.seats = {each.id: Seat(each.id, "judge") for each in settings.judge}
        self.seats |= {each.id: Seat(each.id, "confederate") for each in settings.confederate}
        self._settings = settings
        self._hub, self._state, self._journal = hub, hub.state, hub.journal
        self._status = status
        self.changed = asyncio.Event()
        self._to_correct: dict[tuple[str, wire.Place], None] = {}

    # Joining and leaving

    def join(
        self, seat_id: str, hello: wire.Hello, outlet: Outlet, *, browser: bool = False
    ) -> Joined:
        """Connects a console, or a page in a `browser`, to its seat.

        Raises:
            Refusal: if another console is connected and this one does not take over, or if browsers
                may not use this seat.
        """
        seat = self.seats[seat_id]
        if browser:
            self._refuse_browser(seat, hello)
        if seat.outlet is not None:
            if not hello.take_over:
                raise Refusal(
                    "seat-taken",
                    f"another console uses the seat {seat_id}; take it over, or ask the organizer",
                    "hello",
                )
            seat.send(wire.Refused("seat-taken", "another console has taken over this seat"))
            seat.outlet.close(Sentence("left.taken_over"))
        seat.outlet = outlet
        seat.held.clear()  # the console sends unconfirmed keys again
        self._journal.write(None, seat_id, bodies.SeatJoined(seat_id, hello.client[:200]))
        self._welcome(seat)
        self.changed.set()
        return Joined(partial(self.handle, seat), partial(self.leave, seat, outlet))

    def _refuse_browser(self, seat: Seat, hello: wire.Hello) -> None:
        """Refuses a browser that may not use a seat."""
        if seat.role not in self._settings.seats.in_browser:
            raise Refusal("no-browser", "this seat can't be used in a browser", "hello")
        if seat.role == "confederate" and KEYBOARD not in hello.client:
            raise Refusal("keyboard", "a confederate needs a hardware keyboard", "hello")

    def leave(self, seat: Seat, outlet: Outlet, reason: str) -> None:
        """Handles the end of a console's connection."""
        if seat.outlet is outlet:
            seat.outlet = None
            self._journal.write(None, seat.id, bodies.SeatLeft(seat.id, reason[:200]))
            self.changed.set()

    def name(self, seat_id: str) -> str:
        """The name of the person at a seat, as the organizer gave it, or the seat's id."""
        occupants = self._state.persons.get(seat_id, ())
        return (occupants[-1].name if occupants else "") or seat_id

    async def until(self, holds: Callable[[], bool], patience: float) -> None:
        """Waits until a condition holds, checking it after each change, for at most `patience`
        seconds of real time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while not holds():
                    self.changed.clear()
                    await self.changed.wait()

    def all_connected(self) -> bool:
        """Whether all seats have a console."""
        return all(seat.outlet is not None for seat in self.seats.values())

    # Frames to the seats

    def assign(self, seat_id: str, place: wire.Place, talk: Talk) -> None:
        """Assigns a talk to a seat's place."""
        seat = self.seats[seat_id]
        seat.talks[place] = talk

        def listener(talk: Talk, key: DurableKey) -> None:
            self._on_durable(seat, place, talk, key)

        self._hub.listen(talk, listener)

    def clear(self) -> None:
        """Removes all talks from all seats."""
        for seat in self.seats.values():
            for talk in seat.talks.values():
                self._hub.remove_listeners(talk)
            seat.talks = {}

    def broadcast(self, *, snapshots: bool = False) -> None:
        """Sends every seat the state, and with `snapshots` the current contents of its talks. After
        a pause, takes the keys that were held."""
        status = self._status()
        for seat in self.seats.values():
            self._send_state(seat, status, snapshots=snapshots)
            if status.phase is not Phase.PAUSED:
                held, seat.held = seat.held, []
                for frame in held:
                    self.handle(seat, frame)

    def ask_for_rankings(self) -> None:
        """Asks the judges to rank everybody whom they met, under neutral labels."""
        for seat in self.seats.values():
            if seat.id in self._state.asked:
                seat.send(self._ranking_request(seat))

    def _welcome(self, seat: Seat) -> None:
        """Sends a newly connected console everything that it needs, including the last saved
        decisions, because the console may have been restarted."""
        settings, status, state = self._settings, self._status(), self._state
        occupants = state.persons.get(seat.id)
        consent = occupants[-1].consent if occupants else None
        seat.send(
            wire.Welcome(
                seat.id,
                seat.role,
                settings.contest.name,
                settings.rules.rounds,
                name=(consent.body.pseudonym if consent else "") or self.name(seat.id),
                contest_id=state.contest_id,
                paste=settings.rules.paste,
            )
        )
        self._send_state(seat, status, snapshots=True)
        if status.phase is Phase.RANKING and seat.id in state.asked:
            seat.send(self._ranking_request(seat))
        seat.send(wire.Agreement(settings.publication.agreement, self.name(seat.id)))
        verdict = state.verdicts.get(desk(status.round, status.attempt, seat.id))
        ranking = state.rankings.get(seat.id)
        for decided in (
            consent,
            verdict if status.phase is Phase.SCORING else None,
            ranking if status.phase is Phase.RANKING else None,
        ):
            # Any others follow once they are durable.
            if decided is not None and decided.seq <= self._journal.durable:
                saved = saved_of(decided.at, decided.body)
                seat.send(msgspec.structs.replace(saved, again=True))

    def _send_state(self, seat: Seat, status: Status, *, snapshots: bool) -> None:
        seat.send(
            wire.State(
                status.phase.value,
                status.round,
                status.attempt,
                tuple(seat.talks),
                None if status.remaining is None else round(status.remaining * 1000),
                status.reason,
                self._journal.clock.speed,
            )
        )
        if snapshots:
            for place, talk in seat.talks.items():
                seat.send(self._snapshot(seat, place, talk))

    def _snapshot(self, seat: Seat, place: wire.Place, talk: Talk) -> wire.Talk:
        shown, durable = self._hub.shown(talk), self._hub.durable(talk, seat.author)
        return wire.Talk(talk.round, talk.attempt, place, shown, durable)

    def _ranking_request(self, seat: Seat) -> wire.RankThese:
        met: dict[str, list[tuple[int, int, wire.Place]]] = {
            label: [(talk.round, talk.attempt, talk.side) for talk in talks]
            for label, talks in labels(self._state, seat.id).items()
        }
        return wire.RankThese(met, self._settings.rules.ties)

    def _on_durable(self, seat: Seat, place: wire.Place, talk: Talk, key: DurableKey) -> None:
        if key.author == seat.author:
            seat.send(wire.Taken(talk.round, talk.attempt, place, key.n))
            if key.shown is None and shown_as(key.key) is not None:
                self._correct(seat, place)
        elif key.shown is not None:
            seat.send(wire.Key(talk.round, talk.attempt, place, key.author, key.shown, key.key))

    def _correct(self, seat: Seat, place: wire.Place) -> None:
        """Schedules a snapshot for a screen with keys that were under way when the clock stopped,
        and that nobody else gets. One snapshot corrects all of them."""
        if not self._to_correct:
            asyncio.get_running_loop().call_soon(self._tell_corrections)
        self._to_correct[seat.id, place] = None

    def _tell_corrections(self) -> None:
        for seat_id, place in self._to_correct:
            seat = self.seats[seat_id]
            if place in seat.talks:
                seat.send(self._snapshot(seat, place, seat.talks[place]))
        self._to_correct.clear()

    # Frames from the seats

    def handle(self, seat: Seat, frame: wire.ToServer) -> None:
        """Handles a frame from a connected console; answers a refused frame with the reason."""
        try:
            match frame:
                case wire.Press():
                    self._press(seat, frame)
                case wire.Shown():
                    talk = self._talk(seat, frame)
                    if talk is not None and frame.author != seat.author:
                        self._hub.seen(talk, frame.author, frame.n)
                case wire.Pasted():
                    if self._talk(seat, frame) is not None:
                        said = (seat.id, frame.place, frame.how, frame.characters)
                        body = bodies.TextPasted(frame.round, frame.attempt, *said)
                        self._journal.write(None, seat.id, body)
                case wire.Verdict() | wire.Ranks() | wire.Consent():
                    self._decide(seat, frame)
                case wire.Read():
                    seat.send(self._earlier_talk(seat, frame))
                case wire.Hello():
                    raise Refusal("hello", "this console already has this seat")
        except Refusal as why:
            log.info("%s: refused (%s): %s", seat.id, why.code, why)
            seat.send(wire.Refused(why.code, str(why), str(frame.__struct_config__.tag)))

    def _decide(self, seat: Seat, frame: wire.Verdict | wire.Ranks | wire.Consent) -> None:
        state, status = self._state, self._status()
        body: _Decided
        match frame:
            case wire.Verdict():
                body = verdict_of(state, status, seat.id, seat.role, frame)
            case wire.Ranks():
                body = ranking_of(state, status, seat.id, frame, ties=self._settings.rules.ties)
            case wire.Consent():
                body = consent_of(state, seat.id, frame, self._settings)

        def durable(event: Event) -> None:
            seat.send(saved_of(event.at, body))
            self.changed.set()

        self._journal.write(None, seat.id, body, durable)

    def _earlier_talk(self, seat: Seat, frame: wire.Read) -> wire.Past:
        """An earlier talk of a judge, in any attempt, once its round is closed: the keys that were
        shown, without anything that identifies the entity. If the talk is too long for a frame, it
        has the first keys that fit."""
        # During the interaction, judges should read their current talks, not earlier ones.
        if self._status().phase in TYPING:
            raise Refusal("no-talk", "earlier talks can be read after the interaction")
        talk = self._hub.talks.get(talk_id(frame.round, frame.attempt, seat.id, frame.place))
        if talk is None or talk.open:
            raise Refusal("no-talk", "this seat has no such finished talk")
        return wire.Past(frame.round, frame.attempt, frame.place, _keys(talk))

    def _talk(self, seat: Seat, frame: wire.Press | wire.Shown | wire.Pasted) -> Talk | None:
        talk = seat.talks.get(frame.place)
        if talk is None or (talk.round, talk.attempt) != (frame.round, frame.attempt):
            return None
        return talk

    def _press(self, seat: Seat, frame: wire.Press) -> None:
        talk = self._talk(seat, frame)
        if talk is None:
            raise Refusal("no-talk", "this seat has no such running talk")
        if not is_sendable(frame.key):
            raise Refusal("bad-key", f"{frame.key[:40]!r} is not a key press")
        if (self._hub.paused or seat.held) and len(seat.held) < MOST_HELD:
            seat.held.append(frame)
        elif not self._hub.press(talk, seat.author, seat.id, frame.key, frame.n):
            # Taken before and soon confirmed; or a number was skipped.
            if frame.n > talk.accepted[seat.author] + 1:
                raise Refusal("gap", f"key {talk.accepted[seat.author] + 1} is missing")
            durable = self._hub.durable(talk, seat.author)
            if frame.n <= durable:
                seat.send(wire.Taken(frame.round, frame.attempt, frame.place, durable))


def _keys(talk: Talk) -> list[tuple[int, wire.Author, str]]:
    keys: list[tuple[int, wire.Author, str]] = []
    room = wire.SNAPSHOT_LIMIT - _MARGIN
    for at_ns, (author, key) in zip(talk.shown_ns, talk.shown, strict=True):
        row = ((at_ns - talk.shown_ns[0]) // 1_000_000, author, key)
        room -= len(msgspec.json.encode(row)) + 1
        if room < 0:
            break
        keys.append(row)
    return keys


# Decisions of the people at the seats: the events to record, from the state. A later decision is a
# new version.


def verdict_of(
    state: State, status: Status, seat: str, role: wire.Role, frame: wire.Verdict
) -> VerdictGiven:
    """The event for a judge's verdict, which says where the human sat.

    Raises:
        Refusal: if this seat can't give a verdict on this round now.
    """
    round_ = (frame.round, frame.attempt)
    if role != "judge":
        raise Refusal("not-yours", "only judges give verdicts")
    if status.phase is not Phase.SCORING or round_ != (status.round, status.attempt):
        raise Refusal("not-now", "verdicts can be given only while the round is being scored")
    if not any(talk_id(*round_, seat, side) in state.talks for side in ("left", "right")):
        raise Refusal("not-yours", "this judge has no talks in this round")
    if frame.confidence is not None and not 0 <= frame.confidence <= 100:
        raise Refusal("bad-verdict", "the confidence must be between 0 and 100")
    before = state.verdicts.get(desk(*round_, seat))
    version = 1 if before is None else before.body.version + 1
    reason = frame.reason[:REASON_LIMIT]
    return VerdictGiven(*round_, seat, frame.human, version, frame.confidence, reason)


def ranking_of(
    state: State, status: Status, seat: str, frame: wire.Ranks, *, ties: bool
) -> RankingGiven:
    """The event for a judge's ranking of everybody whom the judge met; `ties` allows shared ranks.

    Raises:
        Refusal: if this seat can't rank now, or the ranking is not valid.
    """
    if status.phase is not Phase.RANKING or seat not in state.asked:
        raise Refusal("not-now", "this seat can't rank now")
    met = labels(state, seat)
    wrong = _wrong_ranks(frame.ranks, met, ties)
    if wrong is not None:
        raise Refusal("bad-ranking", wrong)
    before = state.rankings.get(seat)
    version = 1 if before is None else before.body.version + 1
    talks = {label: [talk.id for talk in talks] for label, talks in met.items()}
    return RankingGiven(seat, version, dict(frame.ranks), talks)


def consent_of(state: State, seat: str, frame: wire.Consent, settings: Settings) -> ConsentGiven:
    """The event for a person's answer on whether their text may be published, and under which name.

    Raises:
        Refusal: if the contest is closed, or the pseudonym is not available.
    """
    if state.closed:
        raise Refusal("not-now", "the contest is closed; your last answer remains valid")
    sitting = {id_: occupants[-1] for id_, occupants in state.persons.items()}
    names = {entry.id: entry.name for entry in settings.entry}
    names |= {id_: each.name for id_, each in sitting.items()}
    others = {id_: each.consent.body.pseudonym for id_, each in sitting.items() if each.consent}
    try:
        pseudonym = check_pseudonym(frame.pseudonym, seat, names, others)
    except BadPseudonym as exc:
        raise Refusal("bad-consent", str(exc)) from exc
    # Versions are numbered across all persons at the seat, because the console knows only the seat.
    before = (each.consent.body.version for each in state.persons.get(seat, ()) if each.consent)
    return ConsentGiven(seat, frame.publish, max(before, default=0) + 1, pseudonym)


def saved_of(at: str, body: _Decided) -> wire.Saved:
    """The frame that confirms a durable decision, made at this real time, to the person."""
    match body:
        case VerdictGiven():
            return wire.Saved(
                *("verdict", body.version, at, body.round, body.attempt),
                human=body.human,
                confidence=body.confidence,
                reason=body.reason,
            )
        case RankingGiven():
            return wire.Saved("ranking", body.version, at, ranks=body.ranks)
        case ConsentGiven():
            return wire.Saved(
                "consent", body.version, at, publish=body.publish, pseudonym=body.pseudonym
            )


def _wrong_ranks(ranks: Mapping[str, int], met: Mapping[str, object], ties: bool) -> str | None:
    missing = sorted(met.keys() - ranks.keys())
    unknown = sorted(ranks.keys() - met.keys())
    if missing:
        return f"no rank for {', '.join(missing)}"
    if unknown:
        return f"there is no participant {', '.join(unknown)[:200]}"
    if not all(2 <= rank <= 2 * len(met) for rank in ranks.values()):
        return f"ranks go from 1 to {len(met)}, in half steps"
    if not ties and sorted(ranks.values()) != list(range(2, 2 * len(met) + 1, 2)):
        return f"give each of the ranks 1 to {len(met)} once; ties are not allowed"
    return None
