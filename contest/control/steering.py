"""Further steps by which the organizer steers a contest: who sits at a seat, who meets whom in the
rounds to come, and the end, from the result to the word that it is final.

As in `contest.control.course` each is refused in words when it is not its moment, and stands in the
record before anybody is told of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import scheduler
from contest.control.course import Course
from contest.control.ending import Ending
from contest.control.replanning import Triple, replanned
from contest.errors import WrongMoment
from contest.history.swapping import change, swapped
from contest.record.bodies import PersonReplaced, Result, Revealed
from contest.record.journal import Journal
from contest.setup.settings import Settings
from contest.state.phases import Phase
from lpp.clock import Clock


class Steering(Course):
    """A course on which persons and rounds can be changed, with an end in the organizer's hand; see
    Course for the arguments.

    Attributes:
        ending: the result, how much of it is shown, and whether it is final.
    """

    def __init__(
        self,
        settings: Settings,
        schedule: scheduler.Schedule,
        journal: Journal,
        clock: Clock,
    ) -> None:
        super().__init__(settings, schedule, journal, clock)
        self.ending = Ending()

    @property
    def has_result(self) -> bool:
        """Whether the official result is on record."""
        return self.ending.result is not None

    # Persons and rounds

    def replace(self, seat: str, name: str, reason: str) -> None:
        """Another person takes a seat. What the one before has agreed to holds for what that one
        typed; the new one has agreed to nothing yet.

        Arguments:
            seat: its id.
            name: of the new person.
            reason: why.

        Raises:
            WrongMoment: if the seat is in a talk, or the ranking has begun, or the name is another
                seat's.
        """
        phase = self.status().phase
        if phase in (Phase.RANKING, Phase.OVER):
            raise WrongMoment(f"nobody can be replaced now: {self._now()}")
        if self.seats.seats[seat].talks:
            raise WrongMoment(
                f"{seat} is in a talk, and a talk has one person at each side: end the round, or "
                "have it played again, and then replace"
            )
        alike = " ".join(name.split()).casefold()
        for other in self.seats.seats:
            if other != seat and " ".join(self.seats.name(other).split()).casefold() == alike:
                raise WrongMoment(f"{other} has this name; name each seat apart")
        self._write(PersonReplaced(seat, name, reason))
        self.seats.seats[seat].replaced(name)

    def swap(self, rounds: range, one: str, other: str, reason: str) -> scheduler.Report:
        """Two judges, or two confederates, change their desks. One of them may have none in a
        round. As each gets the other's, nobody is in two places at once.

        Arguments:
            rounds: in which rounds.
            one, other: who.
            reason: why.

        Returns:
            What is to be said of the schedule as it is now: pairs that are missing or repeated.

        Raises:
            WrongMoment: if such a round was begun or is not there, or it would change nothing.
        """
        last = len(self.schedule.rounds)
        first = rounds.start
        self._refuse_without_rounds()
        if not rounds or rounds.stop - 1 > last:
            raise WrongMoment(f"there are {last} rounds, and no round {max(first, last + 1)}")
        if first <= self._round:
            raise WrongMoment(f"round {first} was begun: only rounds to come can be changed")
        changed = swapped(self.schedule, one, other, rounds)
        if changed == self.schedule:
            raise WrongMoment(f"neither {one} nor {other} has a desk there")
        self.schedule = changed
        self._write(change(changed, first, reason))
        return scheduler.check(changed)

    def replan(self, rounds: Mapping[int, Sequence[Triple]], reason: str) -> scheduler.Report:
        """The rest of the rounds is planned anew.

        Arguments:
            rounds: all rounds to come; see `contest.control.replanning.replanned`.
            reason: why.

        Returns:
            What is to be said of the schedule as it is now: pairs that are missing or repeated.

        Raises:
            WrongMoment: if no rounds are to come, or the plan changes others, or nothing.
            BadOrder: if the plan can't be played.
        """
        self._refuse_without_rounds()
        changed = replanned(self.schedule, rounds, self._round, self.settings)
        self.schedule = changed
        self._write(change(changed, self._round + 1, reason))
        return scheduler.check(changed)

    def _refuse_without_rounds(self) -> None:
        if self._special in (Phase.RANKING, Phase.OVER) or self._stopped:
            raise WrongMoment(f"no rounds are to come: {self._now()}")

    # The end

    async def conclude(self, result: Result) -> None:
        """Puts the official result on record."""
        await self._journal.written(None, "server", result)
        self.ending.take(result)
        self.seats.changed.set()
        # Who has closed the ranking is answered now: what comes next needs the result.
        self._stepped()

    async def reveal(self, everything: bool) -> list[str]:
        """Shows the public the next step of the result.

        Arguments:
            everything: all steps that are left.

        Returns:
            The steps that were shown.

        Raises:
            WrongMoment: if there is no result yet, or all is shown.
        """
        steps = self.ending.next_steps(everything)
        for step in steps:
            body = Revealed(step)
            await self._journal.written(None, self.by, body)
            self.ending.take(body)
        self.seats.changed.set()
        return steps

    async def declare_final(self, reason: str, still_open: list[str], anyway: bool) -> None:
        """Shows what is left of the result and declares it final: the contest is closed.

        Arguments:
            reason: why.
            still_open: what is open, in words.
            anyway: whether that is not waited for.

        Raises:
            WrongMoment: if there is no result yet, it is final already, or something is open.
        """
        declared = self.ending.declaration(reason, still_open, anyway)
        if self.ending.left:
            await self.reveal(everything=True)
        await self._journal.written(None, self.by, declared)
        self.ending.take(declared)
        self.seats.changed.set()
