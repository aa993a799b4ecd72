"""The conductor: takes the contest through its rounds, ranking, reveal and end.

It knows nothing of where the contest is but the state, which follows from the record: it decides by
the state and the clock what comes next and writes an event, by which the state changes. Everybody
hears of it when it is durable. A server that is started again folds the record and goes on.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate, ParamSpec

import scheduler
from contest.errors import WrongMoment
from contest.links.link import Link
from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.record.bodies import FORMAT as RECORD_FORMAT
from contest.record.bodies import (
    AnyBody,
    ContestClosed,
    ContestOpened,
    Place,
    RankingOpened,
    Result,
    RoundClosed,
    RoundEnded,
    RoundOpened,
    RoundPaused,
    RoundStarted,
    ServerStalled,
    SideSealed,
    SidesRevealed,
    talk_id,
)
from contest.record.events import Event
from contest.record.journal import Journal
from contest.setup.agreement import Terms
from contest.setup.settings import Settings
from contest.state.model import Attempt, State, Talk, desk
from contest.state.phases import (
    TYPING,
    Phase,
    Status,
    coming,
    end_of_interaction,
    end_of_ranking,
    end_of_round,
    in_words,
    is_between,
    phase_of,
    status,
)
from contest.state.schedules import read_schedule
from contest.tasks import running
from lpp.clock import Clock

#: Why the contest pauses itself.
NOT_WRITTEN = "keys can't be recorded at the moment"
#: The same, of a contest that was taken up again.
NOT_BACK = "the server was restarted, and not everybody is back"
#: Why the clock stops when nothing can be recorded any more.
NOT_RECORDED = "keys can't be recorded any more: the server will be restarted"
#: Seconds of the clock that are waited at least: less is lost in rounding by some clocks.
RESOLUTION = 1e-5
#: Seconds of contest time between two recordings of when keys were durable and shown.
TIMES_EVERY = 30.0
#: The same where there are more than fit one event.
TIMES_AGAIN = 0.1

_P = ParamSpec("_P")

# Sides: where the human sits, drawn once for each pairing and sealed. Each is drawn on its own: an
# exact balance would tell a judge the last one. The seal in the record is a SHA-256 over the side
# and 128 random bits; the reveal, after every verdict and ranking is closed, shows both, so that
# anybody can check that no side was changed afterwards.

_OTHER: dict[Place, Place] = {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class Sealed:
    """Where the human of a pairing sits, and the random bits of its seal (32 hex digits)."""

    human: Place
    nonce: str

    @property
    def program(self) -> Place:
        """Where the program sits."""
        return _OTHER[self.human]

    @property
    def seal(self) -> str:
        """What the record holds before the reveal, in hex."""
        return hashlib.sha256(f"{self.human}:{self.nonce}".encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """For the record."""
        return {"human": self.human, "nonce": self.nonce}


def draw_side(rng: random.Random | None = None) -> Sealed:
    """Draws a side from `rng`, or the system's randomness; the seal's bits are the system's."""
    chosen = (rng or random.SystemRandom()).choice(("left", "right"))
    human: Place = "left" if chosen == "left" else "right"
    return Sealed(human, secrets.token_hex(16))


class Conductor:
    """Plays a contest. Each round, and the ranking, waits for the organizer's `start`.

    Arguments:
        settings: the contest's.
        schedule: who meets whom, of a new contest.
        journal: the record; the state follows from what is written there.
        clock: the contest's clock.
        speed: seconds of contest time in a second, for the record and the consoles.
        program: the name and version of what plays it, for the record.
        rng: where sides are drawn from; the system's randomness if left out.
        state, seals: of a contest that was begun, the fold of its record, and the sides that were
            drawn: `side/1.1.J1` to what was sealed.

    Attributes:
        links: entry id to its open link; they need `hub`, and are put in before `play`.
        state: the contest's.
        by: who gives the orders that are being carried out: the actor of their events.
    """

    def __init__(
        self,
        settings: Settings,
        schedule: scheduler.Schedule,
        journal: Journal,
        clock: Clock,
        *,
        speed: float = 1.0,
        program: str = "loebner",
        rng: random.Random | None = None,
        state: State | None = None,
        seals: Mapping[str, Sealed] | None = None,
    ) -> None:
        self.settings = settings
        self.by = "organizer"
        self.links: dict[str, Link] = {}
        self._schedule: tuple[Mapping[str, Any], scheduler.Schedule] = ({}, schedule)
        self._journal = journal
        self._clock = clock
        self._speed = speed
        self._program = program
        self._rng = rng
        self._seals = dict(seals or {})
        self._terms = Terms.of(settings)
        self._started = False
        self._step = asyncio.Event()
        self.hub = Hub(journal, lambda: phase_of(self.state, self.now_ns())[0], state)
        self.state = self.hub.state
        self.seats = Seats(
            self.state,
            {
                **{judge.id: "judge" for judge in settings.judge},
                **{confederate.id: "confederate" for confederate in settings.confederate},
            },
            settings.contest.name,
            settings.rules.rounds,
            self.hub,
            journal,
            self.status,
            speed,
            self._terms,
        )

    # Where the contest is

    def now_ns(self) -> int:
        """The contest's clock, in nanoseconds."""
        return round(self._clock.now() * 1e9)

    def status(self) -> Status:
        """What the contest is doing now."""
        return status(self.state, self.now_ns())

    @property
    def schedule(self) -> scheduler.Schedule:
        """Who meets whom, with all changes."""
        rounds, schedule = self._schedule
        if self.state.opened is not None and rounds is not self.state.schedule:
            schedule = read_schedule(self.state.schedule)
            self._schedule = (self.state.schedule, schedule)
        return schedule

    @property
    def waits(self) -> bool:
        """Whether the organizer's start is waited for."""
        return not self._started and is_between(self.state)

    # What happens to it

    async def open(self) -> None:
        """Opens the record with the contest as set, and with the text that people agree to."""
        settings = self.settings.as_json()
        settings["publication"]["text"] = self._terms.agreement
        opened = await self._journal.written(
            None,
            "server",
            ContestOpened(
                RECORD_FORMAT,
                self._program,
                settings,
                {"rounds": scheduler.rounds_json(self.schedule)},
                round(self._speed * 1000),
            ),
        )
        # Salted, and so another one for each contest; known when the event has its place.
        self.state.contest_id = opened.hash[:16]

    def start(self) -> None:
        """Starts the next round, or after the last one the ranking.

        Raises:
            WrongMoment: if nothing waits for a start.
        """
        if not self.waits:
            now = in_words(self.status(), waits=False)
            raise WrongMoment(f"there is nothing to start: {now}")
        self._started = True
        self.seats.changed.set()

    def order(
        self,
        decide: Callable[Concatenate[State, int, _P], list[AnyBody]],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> None:
        """Carries out an order of the organizer, by a function of `contest.live.decisions` and what
        the order says; everybody hears of it when it is durable.

        Raises:
            WrongMoment: if this is not its moment.
            BadOrder: if it can't be carried out as it is.
        """
        for body in decide(self.state, self.now_ns(), *args, **kwargs):
            self._journal.write(None, self.by, body, self._ordered)
        self.seats.changed.set()

    async def step(self) -> None:
        """Waits for the play's next step: a round that was begun, ended or closed, the ranking or
        the result; until then what the organizer has asked for is not durable."""
        await self._step.wait()

    def pause_ourselves(self, reason: str) -> None:
        """Stops the clock of an interaction that is on, without the organizer's order: who lets it
        run again when the trouble is over."""
        now = self.status()
        if now.phase is Phase.INTERACTION:
            body = RoundPaused(now.round, now.attempt, reason)
            self._journal.write(None, "server", body, self._tell)
            # Told at once for this once: it may not be durable before the trouble is over.
            self._tell()

    def stood_still(self, seconds: float) -> None:
        """The server stood still for so many seconds of real time, and the contest's clock with it:
        that is recorded, and everybody gets the remaining time, for countdowns ran on meanwhile."""
        self._journal.write(None, "server", ServerStalled(round(seconds * 1000)))
        self._tell()

    async def conclude(self, result: Result) -> None:
        """Puts the official result on record."""
        await self._journal.written(None, "server", result)
        self._stepped()

    async def finality(self) -> None:
        """Waits until the organizer has declared the result final."""
        await self._until(lambda: self.state.final is not None)

    async def close(self, code: str) -> Event:
        """Ends the record; gives its last event, whose hash is the head to publish. `code` is the
        digest of the code that will write the results."""
        return await self._journal.finish("server", lambda heads: ContestClosed(heads, code))

    # Playing

    async def play(self) -> None:
        """Plays all rounds, has the ranking made, reveals the sides; `close` ends the record."""
        state = self.state
        if not is_between(state) and state.ranking_opened is None and not state.revealed:
            await self._go_on()
        while is_between(state):
            await self._until(lambda: self._started)
            self._started = False
            following = coming(state)
            if following is None:
                await self._journal.written(None, self.by, RankingOpened())
            else:
                await self._open_round(*following)
                await self._go_on()
        if not state.revealed:
            await self._rank()
            await self._journal.written(None, "server", SidesRevealed(self._sides()))

    def everybody_here(self) -> bool:
        """Whether a console sits at each seat, and each entry can be talked with."""
        return self.seats.everybody_here() and all(link.here for link in self.links.values())

    async def _open_round(self, number: int, attempt: int) -> None:
        await self._journal.written(None, self.by, RoundOpened(number, attempt))
        for link in self.links.values():
            await link.prepare()

    async def _go_on(self) -> None:
        """Plays the attempt that is open, from where it is to its end."""
        attempt = self.state.attempt
        assert attempt is not None, "a round is running"
        await self._seat(attempt)
        self.seats.broadcast(snapshots=True)
        if attempt.started_ns is None:
            await self._begin(attempt)
        async with running(self._flush_times(attempt), "times of keys"):
            if attempt.ended_ns is None:
                await self._interact(attempt)
            # For the whole time: a verdict can be corrected until the round is closed.
            await self._until(lambda: attempt.shut_ns is not None, lambda: end_of_round(self.state))
        await self._close_round(attempt)

    async def _seat(self, attempt: Attempt) -> None:
        """Seats all pairings: sides, talks, places. What a server did of it that ended in between
        is not done again."""
        number = attempt.number
        for pairing in self.schedule.rounds[number - 1]:
            judge = pairing.judge
            place = desk(number, attempt.attempt, judge)
            sealed = self._seals.get(f"side/{place}")
            if sealed is None:
                sealed = self._seals[f"side/{place}"] = draw_side(self._rng)
                await self._journal.seal(f"side/{place}", sealed.as_json())
            if place not in self.state.seals:
                seal = SideSealed(number, attempt.attempt, judge, sealed.seal)
                self._journal.write(None, "server", seal)
            program = self._talk(attempt, judge, pairing.entry, sealed.program)
            human = self._talk(attempt, judge, pairing.confederate, sealed.human)
            # Always in the order of the places, or the order would tell.
            for talk in sorted((program, human), key=lambda talk: talk.side):
                self.seats.assign(judge, talk.side, talk)
            self.seats.assign(pairing.confederate, "only", human)
            if pairing.entry in self.links:
                self.links[pairing.entry].join(program)

    def _talk(self, attempt: Attempt, judge: str, entity: str, side: Place) -> Talk:
        place = (attempt.number, attempt.attempt, judge)
        known = self.hub.talks.get(talk_id(*place, side))
        return known or self.hub.open_talk(*place, entity, side)

    async def _begin(self, attempt: Attempt) -> None:
        # Of a contest that is taken up the clock stands still until people are back.
        await self._clock.sleep(0)
        seconds = max(1, round(self.settings.rules.interaction_minutes * 60))
        body = RoundStarted(attempt.number, attempt.attempt, seconds)
        await self._journal.written(None, self.by, body)
        self.seats.broadcast()
        self._stepped()

    async def _interact(self, attempt: Attempt) -> None:
        await self._until(
            lambda: phase_of(self.state, self.now_ns())[0] not in TYPING,
            lambda: end_of_interaction(attempt),
        )
        if attempt.ended_ns is None:
            early = attempt.cut_ns is not None
            body = RoundEnded(attempt.number, attempt.attempt, attempt.reason if early else "time")
            self._journal.write(None, "organizer" if early else "server", body)
        await self._journal.flushed()
        self.seats.broadcast()
        if not self.state.again:
            self._stepped()

    async def _close_round(self, attempt: Attempt) -> None:
        for link in self.links.values():
            link.leave()
        self.seats.clear()
        for talk in attempt.talks:
            if self.state.talks[talk].open:
                self.hub.close_talk(self.state.talks[talk])
        await self._journal.flushed()
        heads = self._journal.heads(attempt.talks)
        body = RoundClosed(attempt.number, attempt.attempt, heads)
        await self._journal.written(None, "server", body)
        self.seats.broadcast()
        self._stepped()

    async def _flush_times(self, attempt: Attempt) -> None:
        while attempt.talks:
            # Talk by talk: those of hundreds at once would hold up the keys behind them.
            for talk in list(attempt.talks):
                await self._clock.sleep(TIMES_EVERY / len(attempt.talks))
                while self.hub.flush_times(self.state.talks[talk]):
                    await self._clock.sleep(TIMES_AGAIN)

    async def _rank(self) -> None:
        state = self.state
        self.seats.broadcast()
        self._stepped()
        self.seats.ask_for_rankings()
        while state.ranking_closed is None:
            moved = partial(self._has_moved, end_of_ranking(state))
            if not await self._until(moved, lambda: end_of_ranking(state)):
                break
            if state.ranking_closed is None:
                self.seats.broadcast()

    def _has_moved(self, end: int | None) -> bool:
        """Whether the ranking does not end any more when it was to end."""
        return self.state.ranking_closed is not None or end_of_ranking(self.state) != end

    async def _until(
        self, holds: Callable[[], bool], deadline: Callable[[], int | None] = lambda: None
    ) -> bool:
        """Waits until something holds, looking again whenever something has changed; gives whether
        it held before the deadline, in nanoseconds of the contest's clock. That is asked again each
        time, for a pause moves it; None is never."""
        changed = self.seats.changed
        while not holds():
            end, now = deadline(), self._clock.now()
            if end is not None and now >= end / 1e9:
                return False
            changed.clear()
            async with running(self._alarm(end, now), "the time is up"):
                await changed.wait()
        return True

    async def _alarm(self, end: int | None, now: float) -> None:
        if end is not None:
            await self._clock.sleep(max(end / 1e9 - now, RESOLUTION))
            self.seats.changed.set()

    def _sides(self) -> list[dict[str, Any]]:
        """The sides of all that was played, as they are revealed: each opens its seal."""
        entries = {entry.id for entry in self.settings.entry}
        found = []
        for attempt in self.state.attempts.values():
            talks = [self.state.talks[talk] for talk in attempt.talks]
            for human in talks:
                if human.entity in entries or attempt.closed_ns is None:
                    continue
                place = desk(attempt.number, attempt.attempt, human.judge)
                sealed = self._seals.get(f"side/{place}") or Sealed(human.side, "")
                where = {"round": attempt.number, "attempt": attempt.attempt}
                found.append({**where, "judge": human.judge, **sealed.as_json()})
        return found

    def _stepped(self) -> None:
        self.seats.changed.set()
        self._step.set()
        self._step = asyncio.Event()

    def _ordered(self, _event: Event) -> None:
        # Seats learn that the contest is over when it is: after the reveal and the result.
        if self.status().phase is not Phase.OVER:
            self.seats.broadcast()
        self.seats.changed.set()

    def _tell(self, _event: Event | None = None) -> None:
        self.seats.broadcast()
        self.seats.changed.set()
