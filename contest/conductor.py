"""The conductor: takes the contest through its rounds, ranking, reveal and end.

It decides nothing about time by itself: the phase is what `contest.phases` computes from what has
happened, and the conductor waits until that changes. Every step goes on record before anybody is
told of it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import scheduler
from contest import sides
from contest.agreement import Terms
from contest.bodies import FORMAT as RECORD_FORMAT
from contest.bodies import (
    ContestClosed,
    ContestOpened,
    RankingClosed,
    RoundClosed,
    RoundEnded,
    RoundOpened,
    RoundPaused,
    RoundResumed,
    RoundStarted,
    ScoringClosed,
    SideSealed,
    SidesRevealed,
)
from contest.entrylink import EntryLink
from contest.events import Event
from contest.hub import Hub, Talk
from contest.journal import Journal
from contest.phases import Lengths, Phase, RoundTimes, end_of_interaction, phase
from contest.ranking import end_of_ranking, labels
from contest.seats import Seats, Status
from contest.settings import Settings
from contest.waiting import until
from lpp.clock import Clock

#: Seconds of contest time between two recordings of when keys were durable and shown.
TIMES_EVERY = 30.0


@dataclass(frozen=True, slots=True)
class _Desk:
    """A pairing that is on, with its talks."""

    pairing: scheduler.Pairing
    sealed: sides.Sealed
    program: Talk
    human: Talk


class Conductor:
    """Plays a contest.

    Arguments:
        settings: the contest's.
        schedule: who meets whom.
        journal: the record.
        clock: the contest's clock.
        speed: seconds of contest time in a second, for the record and the consoles.
        program: the name and version of what plays it, for the record.
        rng: where sides are drawn from; the system's randomness if left out.

    `hub` and `seats` are made here; `links` are given to `play`, for they need the hub.
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
        self.settings = settings
        self.schedule = schedule
        self._journal = journal
        self._clock = clock
        self._speed = speed
        self._program = program
        self._rng = rng
        self._lengths = Lengths(
            settings.rules.interaction_minutes * 60, settings.rules.scoring_minutes * 60
        )
        self._round = 0
        self._attempt = 0
        self._times = RoundTimes()
        self._special: Phase | None = Phase.BEFORE
        self._special_until: float | None = None
        self._scored = False
        self._ranking_closed = False
        self._reason = ""
        self._desks: list[_Desk] = []
        self._played: list[_Desk] = []
        self._flushing: asyncio.Task[None] | None = None
        self._terms = Terms.of(settings)
        self.links: Mapping[str, EntryLink] = {}
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
        self._until = partial(until, self.seats.changed, clock)

    def status(self) -> Status:
        """What the contest is doing now."""
        now = self._clock.now()
        if self._special is not None:
            left = None if self._special_until is None else max(0.0, self._special_until - now)
            return Status(self._special, self._round, self._attempt, left, self._reason)
        current, left = phase(now, self._lengths, self._times)
        return Status(current, self._round, self._attempt, left, self._reason)

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

    async def play(self, links: Mapping[str, EntryLink]) -> None:
        """Plays all rounds, has the ranking made, reveals the sides; `close` ends the record.

        Arguments:
            links: entry id to its open link.
        """
        self.links = links
        await self._until(self.seats.everybody_here)
        for number, pairings in enumerate(self.schedule.rounds, 1):
            if number > 1:
                # A round has its whole time (rules 2010, section 3: 30 minutes), also where the
                # organizer has closed its scoring early: people change places, and entries hear
                # the silence by which they know that a talk is over.
                await self._until(lambda: False, self._end_of_scoring)
            await self._play_round(number, pairings)
        await self._rank()
        await self._reveal()

    async def close(self) -> Event:
        """Ends the record.

        Returns:
            The last event: its hash is the head to publish.
        """
        return await self._journal.finish("server", ContestClosed)

    def over(self) -> None:
        """Tells every seat that the contest is over."""
        self._special, self._special_until = Phase.OVER, None
        self.seats.broadcast()

    # The organizer's

    def pause(self, reason: str) -> None:
        """Stops the clock of the interaction.

        Raises:
            RuntimeError: if no interaction is on.
        """
        if self.status().phase is not Phase.INTERACTION:
            raise RuntimeError("only an interaction that is on can be paused")
        self._reason = reason
        self._times = self._times.paused(self._clock.now())
        self._journal.write(None, "organizer", RoundPaused(self._round, self._attempt, reason))
        self._changed()

    def resume(self) -> None:
        """Lets the clock run again.

        Raises:
            RuntimeError: if the round is not paused.
        """
        if self.status().phase is not Phase.PAUSED:
            raise RuntimeError("the round is not paused")
        self._reason = ""
        self._times = self._times.resumed(self._clock.now())
        self._journal.write(None, "organizer", RoundResumed(self._round, self._attempt))
        self._changed()

    def end_interaction(self, reason: str) -> None:
        """Ends the interaction before its time.

        Raises:
            RuntimeError: if no interaction is on.
        """
        if self.status().phase not in (Phase.INTERACTION, Phase.PAUSED):
            raise RuntimeError("no interaction is on")
        self._reason = reason
        self._times = replace(self._times, ended=self._clock.now())
        self._changed()

    def close_scoring(self, reason: str) -> None:
        """Closes the scoring of the round before its time: no verdict is taken from now on.

        Raises:
            RuntimeError: if no round is being scored.
        """
        # The end of the interaction has to be on record first.
        if not self._scored or self.status().phase is not Phase.SCORING:
            raise RuntimeError("no round is being scored")
        self._reason = reason
        self._times = replace(self._times, closed=self._clock.now())
        self._journal.write(None, "organizer", ScoringClosed(self._round, self._attempt, reason))
        self._changed()

    def close_ranking(self, reason: str) -> None:
        """Closes the ranking before its time: no ballot is taken from now on.

        Raises:
            RuntimeError: if no ranking is on.
        """
        if self.status().phase is not Phase.RANKING:
            raise RuntimeError("no ranking is on")
        self._reason = reason
        self._special, self._special_until, self._ranking_closed = Phase.OVER, None, True
        self._journal.write(None, "organizer", RankingClosed(reason))
        # Seats are told that the contest is over when it is: after the reveal and the result.
        self.seats.changed.set()

    def _changed(self) -> None:
        self.seats.broadcast()
        self.seats.changed.set()

    # A round

    async def _play_round(self, number: int, pairings: Sequence[scheduler.Pairing]) -> None:
        self._round, self._attempt = number, 1
        self._times = RoundTimes(opened=self._clock.now())
        self._special, self._reason, self._scored = None, "", False
        await self._journal.written(None, "server", RoundOpened(number, self._attempt))
        for link in self.links.values():
            await link.prepare()
        self._desks = [await self._seat(pairing) for pairing in pairings]
        self.seats.broadcast(snapshots=True)
        await self._until(self.seats.everybody_here)

        seconds = round(self._lengths.interaction)
        await self._journal.written(None, "server", RoundStarted(number, self._attempt, seconds))
        self._times = replace(self._times, started=self._clock.now())
        self.seats.broadcast()
        self._flushing = asyncio.create_task(self._flush_times(), name="times of keys")
        try:
            await self._until(
                lambda: self.status().phase is Phase.SCORING,
                lambda: end_of_interaction(self._times, self._lengths),
            )
            await self._journal.written(
                None,
                "server" if self._times.ended is None else "organizer",
                RoundEnded(number, self._attempt, self._reason or "time"),
            )
            self._scored = True
            self.seats.broadcast()
            # For the whole time: a verdict can be corrected until the round is closed.
            await self._until(lambda: self._times.closed is not None, self._end_of_scoring)
        finally:
            self._flushing.cancel()
        await self._close_round()

    async def _seat(self, pairing: scheduler.Pairing) -> _Desk:
        sealed = sides.draw(self._rng)
        round_, attempt, judge = self._round, self._attempt, pairing.judge
        await self._journal.seal(f"side/{round_}.{attempt}.{judge}", sealed.as_json())
        self._journal.write(None, "server", SideSealed(round_, attempt, judge, sealed.seal))
        program = self.hub.open_talk(round_, attempt, judge, pairing.entry, sealed.program)
        human = self.hub.open_talk(round_, attempt, judge, pairing.confederate, sealed.human)
        # Always in the order of the places, or the order would tell.
        for talk in sorted((program, human), key=lambda talk: talk.side):
            self.seats.assign(judge, talk.side, talk)
        self.seats.assign(pairing.confederate, "only", human)
        if pairing.entry in self.links:
            self.links[pairing.entry].join(program)
        return _Desk(pairing, sealed, program, human)

    async def _close_round(self) -> None:
        for link in self.links.values():
            link.leave()
        if self._times.closed is None:
            self._times = replace(self._times, closed=self._clock.now())
        talks = [talk for desk in self._desks for talk in (desk.program, desk.human)]
        self.seats.clear()
        for talk in talks:
            self.hub.close_talk(talk)
        await self._journal.flushed()
        heads = self._journal.heads([talk.id for talk in talks])
        await self._journal.written(None, "server", RoundClosed(self._round, self._attempt, heads))
        self._played.extend(self._desks)
        self.seats.broadcast()

    def _end_of_scoring(self) -> float | None:
        end = end_of_interaction(self._times, self._lengths)
        return None if end is None else end + self._lengths.scoring

    async def _flush_times(self) -> None:
        while True:
            await self._clock.sleep(TIMES_EVERY)
            for desk in self._desks:
                self.hub.flush_times(desk.program)
                self.hub.flush_times(desk.human)

    # The end

    async def _rank(self) -> None:
        latest = self._clock.now() + self.settings.rules.ranking_minutes * 60
        self._special, self._special_until, self._reason = Phase.RANKING, latest, ""
        self.seats.broadcast()
        talks = [talk for desk in self._played for talk in (desk.program, desk.human)]
        judges = []
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
        revealed = [
            {
                "round": desk.program.round,
                "attempt": desk.program.attempt,
                "judge": desk.pairing.judge,
                **desk.sealed.as_json(),
            }
            for desk in self._played
        ]
        await self._journal.written(None, "server", SidesRevealed(revealed))
