"""The conductor: leads the contest through its rounds, ranking, reveal and end.

It stores no progress itself. It decides from the state, which is the fold of the record, and from
the clock what comes next, and writes an event, which changes the state. Everybody learns of it once
the event is durable. A restarted server folds the record and continues.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Concatenate, ParamSpec

import scheduler
from contest.errors import WrongMoment
from contest.links.link import Link
from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.record import bodies
from contest.record.bodies import AnyBody, Place, talk_id
from contest.record.events import Event
from contest.record.journal import Journal
from contest.results.contest import Contest
from contest.results.published import code_digest
from contest.setup.settings import Settings
from contest.state import phases
from contest.state.model import Attempt, State, Talk, desk
from contest.state.phases import Phase, Status, is_between_rounds, phase_of
from contest.state.schedules import read_schedule
from contest.tasks import running
from texts import Sentence

#: The reason for an automatic pause.
RECORD_UNAVAILABLE = "keys can't be recorded at the moment"
#: The reason for an automatic pause after a restart.
NOT_EVERYBODY_BACK = "the server was restarted, and not everybody has reconnected"
#: The reason for a pause when nothing can be recorded any more.
RECORD_FAILED = "keys can't be recorded any more: the server will be restarted"
#: The shortest wait in seconds of the clock; some clocks round shorter ones down to nothing.
RESOLUTION = 1e-5
#: Seconds of contest time between two recordings of the times at which keys were durable and shown.
TIMES_EVERY = 30.0
#: The same when there are more times than fit in one event.
TIMES_AGAIN = 0.1

_P = ParamSpec("_P")

# Sides: where the human sits, drawn once for each pairing and sealed. The draws are independent,
# because an exact balance would reveal the last ones to a judge. The seal in the record is a
# SHA-256 over the side and 128 random bits. The reveal, after all verdicts and rankings are closed,
# shows both, so that anybody can check that no side was changed afterwards.

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
        """The hash in the record before the reveal, in hex."""
        return hashlib.sha256(f"{self.human}:{self.nonce}".encode()).hexdigest()


def draw_side(rng: random.Random | None = None) -> Sealed:
    """Draws a side from `rng`, by default from the system's randomness. The seal's bits always come
    from the system."""
    chosen = (rng or random.SystemRandom()).choice(("left", "right"))
    human: Place = "left" if chosen == "left" else "right"
    return Sealed(human, secrets.token_hex(16))


class Conductor:
    """Runs a contest. Each round, and the ranking, waits for the organizer's `start`.

    Arguments:
        settings: the contest's settings.
        schedule: who meets whom; for a new contest only.
        journal: the record, with the contest's clock; the state follows from its events.
        program: the name and version of the running program, for the record.
        rng: the source for drawing sides; by default the system's randomness.
        state, seals: for a contest that has begun, the fold of its record, and the sides that were
            drawn: `side/1.1.J1` to what was sealed.

    Attributes:
        links: entry id to its open link; they need `hub`, and are added before `play`.
        state: the contest's state.
        by: the person whose orders are being carried out: the actor of their events.
    """

    def __init__(
        self,
        settings: Settings,
        schedule: scheduler.Schedule,
        journal: Journal,
        *,
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
        self._clock = journal.clock
        self._program = program
        self._rng = rng
        self._seals = dict(seals or {})
        self._started = False
        self._step = asyncio.Event()
        self.hub = Hub(journal, lambda: phase_of(self.state, self.now_ns())[0], state)
        self.state = self.hub.state
        self.seats = Seats(settings, self.hub, self.status)

    # The state

    def now_ns(self) -> int:
        """The contest's clock, in nanoseconds."""
        return round(self._clock.now() * 1e9)

    def status(self) -> Status:
        """The contest's status now."""
        return phases.status(self.state, self.now_ns())

    @property
    def schedule(self) -> scheduler.Schedule:
        """The schedule, with all changes."""
        rounds, schedule = self._schedule
        if self.state.opened is not None and rounds is not self.state.schedule:
            schedule = read_schedule(self.state.schedule)
            self._schedule = (self.state.schedule, schedule)
        return schedule

    @property
    def waits(self) -> bool:
        """Whether the contest waits for the organizer's start."""
        return not self._started and is_between_rounds(self.state)

    # Events from outside

    async def open(self) -> None:
        """Opens the record with the contest's settings and the text that people agree to."""
        settings = self.settings.as_json()
        settings["publication"]["text"] = self.settings.publication.agreement
        opened = await self._journal.write_and_wait(
            None,
            "server",
            bodies.ContestOpened(
                bodies.FORMAT,
                self._program,
                settings,
                {"rounds": scheduler.rounds_json(self.schedule)},
                round(self._clock.speed * 1000),
            ),
        )
        # The hash is salted, so it identifies the contest; it is known only now.
        self.state.contest_id = opened.hash[:16]

    def start(self) -> None:
        """Starts the next round, or after the last one the ranking.

        Raises:
            WrongMoment: if there is nothing to start.
        """
        if not self.waits:
            now = phases.in_words(self.status(), waits=False)
            raise WrongMoment(Sentence("board.not_now.start", now=now))
        self._started = True
        self.seats.changed.set()

    def order(
        self,
        decide: Callable[Concatenate[State, int, _P], list[AnyBody]],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> None:
        """Carries out an order of the organizer. Everybody learns of it once it is durable.

        Arguments:
            decide: the order's decision, from `contest.live.decisions`.
            args, kwargs: the order's values.

        Raises:
            WrongMoment: if it can't be done now.
            BadOrder: if its values can't be used.
        """
        for body in decide(self.state, self.now_ns(), *args, **kwargs):
            self._journal.write(None, self.by, body, self._order_durable)
        self.seats.changed.set()

    async def step(self) -> None:
        """Waits for the contest's next step: a round begun, ended or closed, the ranking, or the
        result. An order that leads to it is durable by then."""
        await self._step.wait()

    def pause_for_trouble(self, reason: str) -> None:
        """Pauses a running interaction without an order; the organizer resumes it when the trouble
        is over."""
        now = self.status()
        if now.phase is Phase.INTERACTION:
            body = bodies.RoundPaused(now.round, now.attempt, reason)
            self._journal.write(None, "server", body, self._inform)
            # Inform everybody at once: this event may not be durable for a while.
            self._inform()

    def record_stall(self, seconds: float) -> None:
        """Records that the server, and the contest's clock, froze for this many seconds of real
        time, and sends everybody the remaining time, because countdowns kept running."""
        self._journal.write(None, "server", bodies.ServerStalled(round(seconds * 1000)))
        self._inform()

    # Playing

    async def play(self) -> None:
        """Runs all rounds and the ranking, and reveals the sides; `conclude` ends the record."""
        state = self.state
        if not is_between_rounds(state) and state.ranking_opened is None and not state.revealed:
            await self._run_attempt()
        while is_between_rounds(state):
            await self._until(lambda: self._started)
            self._started = False
            following = phases.next_attempt(state)
            if following is None:
                await self._journal.write_and_wait(None, self.by, bodies.RankingOpened())
            else:
                await self._open_round(*following)
                await self._run_attempt()
        if not state.revealed:
            await self._rank()
            await self._journal.write_and_wait(None, "server", bodies.SidesRevealed(self._sides()))

    async def conclude(self) -> Event:
        """Records the official result, waits until the organizer has declared it final, and ends
        the record; returns the last event, whose hash is the head to publish."""
        await self._journal.flush()
        # The result is computed from the record alone, which is read back for it.
        if self.state.result is None:
            contest = await asyncio.to_thread(Contest.of, self._journal.record.log())
            await self._journal.write_and_wait(None, "server", contest.result())
            self._step_done()
        # The seats are no longer needed. The organizer shows the result to the public.
        self.seats.broadcast()
        await self._until(lambda: self.state.final is not None)
        code = await asyncio.to_thread(code_digest)
        return await self._journal.finish("server", lambda heads: bodies.ContestClosed(heads, code))

    def all_connected(self) -> bool:
        """Whether all seats have a console, and all entries a link."""
        return self.seats.all_connected() and all(link.here for link in self.links.values())

    async def _open_round(self, number: int, attempt: int) -> None:
        await self._journal.write_and_wait(None, self.by, bodies.RoundOpened(number, attempt))
        for link in self.links.values():
            await link.prepare()

    async def _run_attempt(self) -> None:
        """Runs the open attempt from where it is to its end."""
        attempt = self.state.attempt
        assert attempt is not None, "a round is running"
        await self._seat(attempt)
        self.seats.broadcast(snapshots=True)
        if attempt.started_ns is None:
            await self._begin(attempt)
        async with running(self._flush_times(attempt), "times of keys"):
            if attempt.ended_ns is None:
                await self._interact(attempt)
            # Wait the whole time: a verdict can be corrected until the round is closed.
            await self._until(
                lambda: attempt.shut_ns is not None, lambda: phases.end_of_round(self.state)
            )
        await self._close_round(attempt)

    async def _seat(self, attempt: Attempt) -> None:
        """Seats all pairings: draws sides, opens talks, assigns seats. Skips steps that an earlier
        server has already done."""
        number = attempt.number
        for pairing in self.schedule.rounds[number - 1]:
            judge = pairing.judge
            place = desk(number, attempt.attempt, judge)
            sealed = self._seals.get(f"side/{place}")
            if sealed is None:
                sealed = self._seals[f"side/{place}"] = draw_side(self._rng)
                await self._journal.seal(f"side/{place}", asdict(sealed))
            if place not in self.state.seals:
                seal = bodies.SideSealed(number, attempt.attempt, judge, sealed.seal)
                self._journal.write(None, "server", seal)
            program = self._talk(attempt, judge, pairing.entry, sealed.program)
            human = self._talk(attempt, judge, pairing.confederate, sealed.human)
            # Always left before right, because another order could reveal the program.
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
        # After a restart, the clock is stopped until people are back.
        await self._clock.sleep(0)
        seconds = max(1, round(self.settings.rules.interaction_minutes * 60))
        body = bodies.RoundStarted(attempt.number, attempt.attempt, seconds)
        await self._journal.write_and_wait(None, self.by, body)
        self.seats.broadcast()
        self._step_done()

    async def _interact(self, attempt: Attempt) -> None:
        await self._until(
            lambda: phase_of(self.state, self.now_ns())[0] not in phases.TYPING,
            lambda: phases.end_of_interaction(attempt),
        )
        if attempt.ended_ns is None:
            early = attempt.cut_ns is not None
            body = bodies.RoundEnded(
                attempt.number, attempt.attempt, attempt.reason if early else "time"
            )
            self._journal.write(None, "organizer" if early else "server", body)
        await self._journal.flush()
        self.seats.broadcast()
        if not self.state.again:
            self._step_done()

    async def _close_round(self, attempt: Attempt) -> None:
        for link in self.links.values():
            link.leave()
        self.seats.clear()
        for talk in attempt.talks:
            if self.state.talks[talk].open:
                self.hub.close_talk(self.state.talks[talk])
        await self._journal.flush()
        heads = self._journal.heads(attempt.talks)
        body = bodies.RoundClosed(attempt.number, attempt.attempt, heads)
        await self._journal.write_and_wait(None, "server", body)
        self.seats.broadcast()
        self._step_done()

    async def _flush_times(self, attempt: Attempt) -> None:
        while attempt.talks:
            # One talk at a time: the times of hundreds of talks at once would delay keys.
            for talk in list(attempt.talks):
                await self._clock.sleep(TIMES_EVERY / len(attempt.talks))
                while self.hub.flush_times(self.state.talks[talk]):
                    await self._clock.sleep(TIMES_AGAIN)

    async def _rank(self) -> None:
        state = self.state
        self.seats.broadcast()
        self._step_done()
        self.seats.ask_for_rankings()
        while state.ranking_closed is None:
            changed = partial(self._ranking_changed, phases.end_of_ranking(state))
            if not await self._until(changed, lambda: phases.end_of_ranking(state)):
                break
            if state.ranking_closed is None:
                self.seats.broadcast()

    def _ranking_changed(self, end: int | None) -> bool:
        """Whether the ranking is closed, or its end has changed."""
        return self.state.ranking_closed is not None or phases.end_of_ranking(self.state) != end

    async def _until(
        self, holds: Callable[[], bool], deadline: Callable[[], int | None] = lambda: None
    ) -> bool:
        """Waits until a condition holds, checking it after each change; returns whether it held
        before the deadline. The deadline, in nanoseconds of the contest's clock or None, is
        computed again after each wait, because a pause moves it."""
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
        """The sides of all pairings that were played, with the bits that open their seals."""
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
                found.append({**where, "judge": human.judge, **asdict(sealed)})
        return found

    def _step_done(self) -> None:
        self.seats.changed.set()
        self._step.set()
        self._step = asyncio.Event()

    def _order_durable(self, _event: Event) -> None:
        # The seats learn later that the contest is over: after the reveal and the result.
        if self.status().phase is not Phase.OVER:
            self.seats.broadcast()
        self.seats.changed.set()

    def _inform(self, _event: Event | None = None) -> None:
        self.seats.broadcast()
        self.seats.changed.set()
