"""The course of a contest: where it is, and the steps by which the organizer steers it.

Each step is refused in words when it is not its moment. One that is taken goes on record with its
reason at once, in the order in which it holds for the keys; everybody is told of it when it is
durable. What plays the rounds is `contest.control.conductor`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import scheduler
from contest.errors import WrongMoment
from contest.history.phases import Lengths, Phase, RoundTimes, phase
from contest.record.bodies import (
    AnyBody,
    BallotExcluded,
    RankingClosed,
    RoundAgain,
    RoundExtended,
    RoundPaused,
    RoundResumed,
    RoundsStopped,
    ScoringClosed,
    Voided,
)
from contest.record.journal import Journal
from contest.setup.settings import Settings
from contest.talks.hub import Hub
from contest.talks.seats import Seats, Status
from lpp.clock import Clock

#: Phases in which people type, or would but for a pause.
TYPING = (Phase.INTERACTION, Phase.PAUSED)


class Course:
    """Where a contest is, and how the organizer steers it.

    Arguments:
        settings: the contest's.
        schedule: who meets whom.
        journal: the record.
        clock: the contest's clock.

    `hub` and `seats` are the subclass's to make.

    Attributes:
        by: who gives the orders that are being carried out: the actor of their events.
    """

    hub: Hub
    seats: Seats

    def __init__(
        self,
        settings: Settings,
        schedule: scheduler.Schedule,
        journal: Journal,
        clock: Clock,
    ) -> None:
        self.settings = settings
        self.schedule = schedule
        self.by = "organizer"
        self._journal = journal
        self._clock = clock
        self._lengths = Lengths(
            settings.rules.interaction_minutes * 60, settings.rules.scoring_minutes * 60
        )
        self._round = 0
        self._attempt = 0
        self._times = RoundTimes()
        self._special: Phase | None = Phase.BEFORE
        self._special_until: float | None = None
        self._reason = ""
        self._scored = False
        self._ranking_closed = False
        # Between two rounds, or before the first: whoever starts, starts the next one.
        self._between = True
        self._started = False
        self._again = False
        self._stopped = False
        self._voided: set[str] = set()
        self._steps: list[asyncio.Future[None]] = []

    def status(self) -> Status:
        """What the contest is doing now."""
        now = self._clock.now()
        if self._special is not None:
            left = None if self._special_until is None else max(0.0, self._special_until - now)
            return Status(self._special, self._round, self._attempt, left, self._reason)
        current, left = phase(now, self._lengths, self._times)
        return Status(current, self._round, self._attempt, left, self._reason)

    def now_ns(self) -> int:
        """The contest's clock, in nanoseconds."""
        return round(self._clock.now() * 1e9)

    @property
    def coming(self) -> tuple[int, int] | None:
        """The next round and its attempt; None when the ranking comes next."""
        if self._again:
            return self._round, self._attempt + 1
        if self._round >= self.last_round:
            return None
        return self._round + 1, 1

    @property
    def last_round(self) -> int:
        """The last round that is played: of the schedule, or after which the organizer stopped."""
        return self._round if self._stopped else len(self.schedule.rounds)

    @property
    def waits(self) -> bool:
        """Whether the organizer's start is waited for."""
        return self._between and self._special in (None, Phase.BEFORE)

    # The organizer's

    def start(self) -> None:
        """Starts the next round, or after the last one the ranking.

        Raises:
            WrongMoment: if nothing waits for a start.
        """
        if not self.waits:
            raise WrongMoment(f"nothing waits for a start: {self._now()}")
        self._between, self._started = False, True
        self.seats.changed.set()

    def pause(self, reason: str) -> None:
        """Stops the clock of the interaction.

        Raises:
            WrongMoment: if no interaction is on.
        """
        if self.status().phase is not Phase.INTERACTION:
            raise WrongMoment(f"only an interaction that is on can be paused: {self._now()}")
        self._reason = reason
        # Read before the event is stamped, and at its end after it: the pause is no shorter here
        # than by the record, or keys at the end would be later there than they were.
        self._times = self._times.paused(self._clock.now())
        self._write(RoundPaused(self._round, self._attempt, reason))

    def resume(self) -> None:
        """Lets the clock run again.

        Raises:
            WrongMoment: if the round is not paused.
        """
        if self.status().phase is not Phase.PAUSED:
            raise WrongMoment(f"the round is not paused: {self._now()}")
        self._reason = ""
        self._write(RoundResumed(self._round, self._attempt))
        self._times = self._times.resumed(self._clock.now())

    def extend(self, seconds: int, reason: str) -> None:
        """Gives the interaction more time.

        Arguments:
            seconds: how much, above 0.
            reason: why.

        Raises:
            WrongMoment: if no interaction is on.
        """
        if self.status().phase not in TYPING:
            raise WrongMoment(f"only an interaction that is on can be extended: {self._now()}")
        self._times = replace(self._times, extended=self._times.extended + seconds)
        self._write(RoundExtended(self._round, self._attempt, seconds, reason))

    def end_interaction(self, reason: str) -> None:
        """Ends the interaction before its time.

        Raises:
            WrongMoment: if no interaction is on.
        """
        if self.status().phase not in TYPING:
            raise WrongMoment(f"no interaction is on: {self._now()}")
        self._reason = reason
        self._times = replace(self._times, ended=self._clock.now())
        # Seats are told when the end is on record, which the conductor sees to.
        self.seats.changed.set()

    def close_scoring(self, reason: str) -> None:
        """Closes the scoring of the round before its time: no verdict is taken from now on.

        Raises:
            WrongMoment: if no round is being scored.
        """
        # The end of the interaction has to be on record first.
        if not self._scored or self.status().phase is not Phase.SCORING:
            raise WrongMoment(f"no round is being scored: {self._now()}")
        self._reason = reason
        self._times = replace(self._times, closed=self._clock.now())
        self._write(ScoringClosed(self._round, self._attempt, reason))

    def close_ranking(self, reason: str) -> None:
        """Closes the ranking before its time: no ballot is taken from now on.

        Raises:
            WrongMoment: if no ranking is on.
        """
        if self.status().phase is not Phase.RANKING:
            raise WrongMoment(f"no ranking is on: {self._now()}")
        self._reason = reason
        self._special, self._special_until, self._ranking_closed = Phase.OVER, None, True
        self._journal.write(None, self.by, RankingClosed(reason))
        # Seats are told that the contest is over when it is: after the reveal and the result.
        self.seats.changed.set()

    def again(self, reason: str) -> None:
        """Has the round that is on, or the last one, played again as a new attempt.

        Raises:
            WrongMoment: if there is none, or the ranking has begun.
        """
        current = self.status().phase
        on = current in (*TYPING, Phase.SCORING)
        if not on and not (self._round and self._between and self._special is None):
            raise WrongMoment(f"no round can be played again now: {self._now()}")
        if self._again:
            raise WrongMoment(f"round {self._round} is to be played again already")
        self._again = True
        self._write(RoundAgain(self._round, self._attempt, reason))
        if on:
            self._reason = reason
            now = self._clock.now()
            ended = now if current in TYPING else self._times.ended
            self._times = replace(self._times, ended=ended, closed=now)

    def stop(self, reason: str) -> None:
        """Has no more rounds played: after this one, the ranking comes next.

        Raises:
            WrongMoment: if no round was played yet, or none is to come.
        """
        if not self._round:
            raise WrongMoment("no round has been played yet: there is nothing to rank")
        if self._special is not None or self._stopped:
            raise WrongMoment(f"no more rounds are to come: {self._now()}")
        self._stopped = True
        if self._between:
            self._again = False
        self._write(RoundsStopped(reason))

    def void(self, what: str, reason: str) -> None:
        """Takes an attempt, one talk, or a judge's ballot, out of the count.

        Arguments:
            what: an attempt such as `2.1`, a talk such as `2.1.J3.left`, or a judge such as `J3`.
            reason: why.

        Raises:
            WrongMoment: if there was no such thing, it was voided before, or the sides are
                revealed.
        """
        if self.status().phase is Phase.OVER:
            raise WrongMoment("the result is being made or is there: nothing can be voided now")
        if what in {judge.id for judge in self.settings.judge}:
            self._exclude(what, reason)
            return
        talk = self.hub.talks.get(what) or next(
            (each for each in self.hub.talks.values() if f"{each.round}.{each.attempt}" == what),
            None,
        )
        if talk is None:
            raise WrongMoment(f"no talk and no attempt that was begun is called {what!r}")
        if {what, f"{talk.round}.{talk.attempt}"} & self._voided:
            raise WrongMoment(f"{what} was voided before")
        self._voided.add(what)
        name = talk.id if what == talk.id else ""
        self._write(Voided(talk.round, talk.attempt, reason, name))

    def _exclude(self, judge: str, reason: str) -> None:
        if not self.seats.seats[judge].rankings:
            raise WrongMoment(f"{judge} has given no ballot")
        if judge in self._voided:
            raise WrongMoment(f"the ballot of {judge} was voided before")
        self._voided.add(judge)
        self._write(BallotExcluded(judge, reason))

    async def step(self) -> None:
        """Waits for the play's next step: a round that was begun, ended or closed, or the
        ranking; until then what the organizer has asked for is not durable."""
        future = asyncio.get_running_loop().create_future()
        self._steps.append(future)
        await future

    # Inside

    def _stepped(self) -> None:
        for future in self._steps:
            if not future.done():
                future.set_result(None)
        self._steps.clear()

    def _write(self, body: AnyBody) -> None:
        """Records a step of the organizer; everybody is told when it is durable."""
        self._journal.write(None, self.by, body, lambda _event: self._changed())

    def _changed(self) -> None:
        self.seats.broadcast()
        self.seats.changed.set()

    def _now(self) -> str:
        """Where the contest is, as the end of a sentence."""
        return in_words(self.status(), self.waits)


_WORDS: dict[Phase, Callable[[str], str]] = {
    Phase.BEFORE: lambda _round: "the contest has not begun",
    Phase.WAITING: lambda round_: f"{round_} waits for its people",
    Phase.INTERACTION: lambda round_: f"the interaction of {round_} is on",
    Phase.PAUSED: lambda round_: f"{round_} is paused",
    Phase.SCORING: lambda round_: f"{round_} is being scored",
    Phase.CLOSED: lambda round_: f"{round_} is closed",
    Phase.RANKING: lambda _round: "the ranking is on",
    Phase.OVER: lambda _round: "the contest is over",
}


def in_words(status: Status, waits: bool, beside: str = "") -> str:
    """Where a contest is, in words without a full stop.

    Arguments:
        status: what it is doing.
        waits: whether the organizer's start is waited for.
        beside: what is to be said of the round.
    """
    attempt = f", attempt {status.attempt}" if status.attempt > 1 else ""
    name = f"round {status.round}{attempt}{beside}"
    words = _WORDS[status.phase](f"{name}," if beside else name)
    return words + ", and the start is waited for" * waits
