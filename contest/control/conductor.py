"""The conductor: takes the contest through its rounds, ranking, reveal and end.

It decides nothing about time by itself: the phase is what `contest.history.phases` computes from
what has happened, and the conductor waits until that changes. Every step goes on record before
anybody is told of it. How the organizer steers it is in `contest.control.course`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import scheduler
from contest.control.course import TYPING
from contest.control.seating import Seating
from contest.control.steering import Steering
from contest.errors import RecordTrouble
from contest.history import sides
from contest.history.phases import Phase, RoundTimes, end_of_interaction
from contest.links.link import Link
from contest.record.bodies import FORMAT as RECORD_FORMAT
from contest.record.bodies import (
    ContestClosed,
    ContestOpened,
    RankingOpened,
    RoundClosed,
    RoundEnded,
    RoundOpened,
    RoundPaused,
    RoundStarted,
    ServerStalled,
    SidesRevealed,
)
from contest.record.events import Event
from contest.record.journal import Journal
from contest.recovery.takeup import Begun
from contest.setup.agreement import Terms
from contest.setup.settings import Settings
from contest.talks.hub import Hub
from contest.talks.ranking import end_of_ranking, labels
from contest.talks.seats import Seats
from contest.talks.waiting import until
from lpp.clock import Clock

#: Why the contest pauses itself.
NOT_WRITTEN = "what is typed can't be recorded for the moment"
#: The same, of a contest that was taken up again.
NOT_BACK = "the server was started again, and not all are back"
#: Why the clock stops when nothing can be recorded any more.
NOT_RECORDED = "what is typed can't be recorded any more: the server ends, and is started again"
#: Seconds of contest time between two recordings of when keys were durable and shown.
TIMES_EVERY = 30.0
#: The same where there are more than fit one event.
TIMES_AGAIN = 0.1


class Conductor(Steering):
    """Plays a contest.

    Arguments:
        settings: the contest's.
        schedule: who meets whom.
        journal: the record.
        clock: the contest's clock.
        speed: seconds of contest time in a second, for the record and the consoles.
        program: the name and version of what plays it, for the record.
        rng: where sides are drawn from; the system's randomness if left out.

    Each round, and the ranking, waits for the organizer's `start`.

    Attributes:
        links: entry id to its open link. They need `hub`, which is made here, and are put in before
            `play`.
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
    ) -> None:
        super().__init__(settings, schedule, journal, clock)
        self._speed = speed
        self._program = program
        self._flushing: asyncio.Task[None] | None = None
        self._terms = Terms.of(settings)
        self._ranking_opened: float | None = None
        self._revealed = False
        self.links: dict[str, Link] = {}
        self.hub = Hub(journal, clock, lambda: self.status().phase)
        self.seats = Seats(
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
        self._seating = Seating(journal, self.hub, self.seats, rng)
        self._until = partial(until, self.seats.changed, clock)

    # The whole

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
        # Salted, and so another one for each contest, whatever its settings.
        self.seats.contest_id = opened.hash[:16]

    def take_up(self, begun: Begun, seals: Mapping[str, sides.Sealed]) -> None:
        """Takes the contest up where its record says that it was; `play` goes on from there.

        Arguments:
            begun: what the record says.
            seals: the sides that were drawn, `side/1.1.J1` to what was sealed.
        """
        self.seats.contest_id = begun.contest_id
        self.hub.restore(begun.talks.values())
        self.seats.restore(begun.decided)
        entries = {entry.id for entry in self.settings.entry}
        self._seating.take_up(begun.attempts, seals, entries)
        self._again, self._stopped, self._voided = begun.again, begun.stopped, set(begun.voided)
        for each in begun.attempts:
            self._round, self._attempt, self._times = each.round, each.attempt, each.times
            self._scored, self._reason, self._between = each.scored, each.reason, each.closed
            self._special = None
        self._ranking_opened = begun.ranking_opened
        self._ranking_closed, self._revealed = begun.ranking_closed, begun.revealed
        for body in begun.ended:
            self.ending.take(body)
        if self._ranking_opened is not None:
            self._special, self._between = Phase.RANKING, False
        if self._ranking_closed or self._revealed:
            self._special = Phase.OVER

    def trouble(self, what: RecordTrouble) -> None:
        """The record can't be written. The clock of the interaction stops, for what is not durable
        is shown to nobody; the organizer lets it run again when the trouble is mended.

        Arguments:
            what: the trouble; the journal keeps what it could not write, and says it in the log.
        """
        self.pause_ourselves(NOT_WRITTEN)

    def pause_ourselves(self, reason: str) -> None:
        """Stops the clock of an interaction that is on, without the organizer's order."""
        if self.status().phase is Phase.INTERACTION:
            self._reason = reason
            self._times = self._times.paused(self._clock.now())
            body = RoundPaused(self._round, self._attempt, reason)
            self._journal.write(None, "server", body, lambda _event: self._changed())
            # Told at once for this once: it may not be durable before the trouble is over.
            self._changed()

    def stood_still(self, seconds: float) -> None:
        """The server stood still, and the contest's clock with it: that goes on record, and
        everybody is told what is left of the time, for countdowns ran on meanwhile.

        Arguments:
            seconds: of real time.
        """
        self._journal.write(None, "server", ServerStalled(round(seconds * 1000)))
        self._changed()

    async def play(self) -> None:
        """Plays all rounds, has the ranking made, reveals the sides; `close` ends the record."""
        if self._ranking_opened is None:
            if self._round and not self._between:
                await self._go_on()
            while (coming := await self._next()) is not None:
                await self._play_round(*coming)
        if not self._revealed:
            await self._rank()
            await self._reveal()

    def everybody_here(self) -> bool:
        """Whether a console sits at each seat, and each entry can be talked with."""
        return self.seats.everybody_here() and all(link.here for link in self.links.values())

    async def _next(self) -> tuple[int, int] | None:
        """Waits for the start of the next round and attempt, or of the ranking, which is None."""
        await self._until(lambda: self._started)
        coming = self.coming
        self._started = self._between = self._again = False
        return coming

    async def finality(self) -> None:
        """Waits until the organizer has declared the result final."""
        await self._until(lambda: self.ending.final is not None)

    async def close(self, code: str) -> Event:
        """Ends the record.

        Arguments:
            code: the digest of the code that will write the results.

        Returns:
            The last event: its hash is the head to publish.
        """
        return await self._journal.finish("server", lambda heads: ContestClosed(heads, code))

    def over(self) -> None:
        """Tells every seat that the contest is over."""
        self._special, self._special_until = Phase.OVER, None
        self.seats.broadcast()

    # A round

    async def _play_round(self, number: int, attempt: int) -> None:
        self._round, self._attempt = number, attempt
        self._times = RoundTimes(opened=self._clock.now())
        self._special, self._reason, self._scored = None, "", False
        self._seating.begin()
        await self._journal.written(None, self.by, RoundOpened(number, attempt))
        for link in self.links.values():
            await link.prepare()
        await self._go_on()

    async def _go_on(self) -> None:
        """Plays the attempt that is open, from where it is to its end."""
        pairings = self.schedule.rounds[self._round - 1]
        await self._seating.seat(self._round, self._attempt, pairings, self.links)
        self.seats.broadcast(snapshots=True)
        if self._times.started is None:
            await self._begin()
        self._flushing = asyncio.create_task(self._flush_times(), name="times of keys")
        try:
            if not self._scored:
                await self._interact()
            # For the whole time: a verdict can be corrected until the round is closed.
            await self._until(lambda: self._times.closed is not None, self._end_of_scoring)
        finally:
            self._flushing.cancel()
        await self._close_round()

    async def _begin(self) -> None:
        # Of a contest that is taken up the clock stands still until people are back.
        await self._clock.sleep(0)
        seconds = round(self._lengths.interaction)
        await self._journal.written(
            None, self.by, RoundStarted(self._round, self._attempt, seconds)
        )
        self._times = replace(self._times, started=self._clock.now())
        self.seats.broadcast()
        self._stepped()

    async def _interact(self) -> None:
        await self._until(
            lambda: self.status().phase not in TYPING,
            lambda: end_of_interaction(self._times, self._lengths),
        )
        ended = self._times.ended is not None
        await self._journal.written(
            None,
            self.by if ended else "server",
            RoundEnded(self._round, self._attempt, self._reason if ended else "time"),
        )
        self._scored = True
        self.seats.broadcast()
        if not self._again:
            self._stepped()

    async def _close_round(self) -> None:
        for link in self.links.values():
            link.leave()
        if self._times.closed is None:
            self._times = replace(self._times, closed=self._clock.now())
        talks = self._seating.close()
        await self._journal.flushed()
        heads = self._journal.heads(talks)
        await self._journal.written(None, "server", RoundClosed(self._round, self._attempt, heads))
        self._between = True
        self.seats.broadcast()
        self._stepped()

    def _end_of_scoring(self) -> float | None:
        end = end_of_interaction(self._times, self._lengths)
        return None if end is None else end + self._lengths.scoring

    async def _flush_times(self) -> None:
        while desks := list(self._seating.now):
            # Desk by desk: those of hundreds at once would hold up the keys behind them.
            for desk in desks:
                await self._clock.sleep(TIMES_EVERY / len(desks))
                for talk in (desk.program, desk.human):
                    while self.hub.flush_times(talk):
                        await self._clock.sleep(TIMES_AGAIN)

    # The end

    async def _rank(self) -> None:
        if self._ranking_opened is None:
            await self._journal.written(None, self.by, RankingOpened())
            self._ranking_opened = self._clock.now()
        latest = self._ranking_opened + self.settings.rules.ranking_minutes * 60
        self._special, self._special_until, self._reason = Phase.RANKING, latest, ""
        self.seats.broadcast()
        self._stepped()
        talks, judges = self._seating.counted(), []
        for judge in self.settings.judge:
            met = labels(judge.id, talks)
            if met:
                judges.append(self.seats.seats[judge.id])
                self.seats.ask_for_ranking(judge.id, met)
        while not self._ranking_closed:
            end = end_of_ranking(judges, latest)
            if end != self._special_until:
                self._special_until = end
                self.seats.broadcast()
            if not await self._until(
                lambda: (
                    end_of_ranking(judges, latest) != self._special_until or self._ranking_closed
                ),
                lambda: self._special_until,
            ):
                break
        # From here on no ballot is taken: the reveal must not find one behind it.
        self._special, self._special_until = Phase.OVER, None

    async def _reveal(self) -> None:
        await self._journal.written(None, "server", SidesRevealed(self._seating.revealed()))
