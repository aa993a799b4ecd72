"""Who sits where in an attempt at a round: the sides, the talks, and the places of all in them."""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import scheduler
from contest.history import sides
from contest.links.link import Link
from contest.record.bodies import Place, SideSealed, talk_id
from contest.record.journal import Journal
from contest.recovery.takeup import Attempt
from contest.talks.hub import Hub, Talk
from contest.talks.seats import Seats


@dataclass(frozen=True, slots=True)
class Seated:
    """A pairing that has been seated, with its talks."""

    pairing: scheduler.Pairing
    sealed: sides.Sealed
    program: Talk
    human: Talk


class Seating:
    """Seats pairings, and remembers which have been seated.

    Arguments:
        journal: the record, for the sides' seals.
        hub: where talks are opened.
        seats: who is given a place in them.
        rng: where sides are drawn from; the system's randomness if None.

    Attributes:
        now: the pairings of the attempt that is on.
        played: those of all attempts that are closed.
    """

    def __init__(
        self, journal: Journal, hub: Hub, seats: Seats, rng: random.Random | None = None
    ) -> None:
        self._journal = journal
        self._hub = hub
        self._seats = seats
        self._rng = rng
        self.now: list[Seated] = []
        self.played: list[Seated] = []
        # Sides that were drawn, and judges of this attempt whose sides are sealed in the record,
        # where a contest is taken up again.
        self._seals: dict[str, sides.Sealed] = {}
        self._sealed: set[str] = set()

    def take_up(
        self,
        attempts: Iterable[Attempt],
        seals: Mapping[str, sides.Sealed],
        entries: Container[str],
    ) -> None:
        """Remembers what was seated before the contest was taken up again; the hub has the talks.

        Arguments:
            attempts: all that were begun, in their order.
            seals: the sides that were drawn, `side/1.1.J1` to what was sealed.
            entries: the ids of those who are programs.
        """
        self._seals = dict(seals)
        for each in attempts:
            self._sealed = set(each.sealed)
            if each.closed:
                self.played.extend(self._known(each, entries))

    def _known(self, attempt: Attempt, entries: Container[str]) -> Iterator[Seated]:
        """The pairings of an attempt that was played, as its talks tell them."""
        talks = [self._hub.talks[name] for name in attempt.talks]
        for program in talks:
            if program.entity not in entries:
                continue
            for human in talks:
                if human.judge == program.judge and human is not program:
                    pairing = scheduler.Pairing(
                        attempt.round, program.judge, program.entity, human.entity
                    )
                    name = f"side/{attempt.round}.{attempt.attempt}.{program.judge}"
                    sealed = self._seals.get(name) or sides.Sealed(human.side, "")
                    yield Seated(pairing, sealed, program, human)

    def begin(self) -> None:
        """Another attempt begins, of which nothing is sealed yet."""
        self._sealed.clear()

    async def seat(
        self,
        round_: int,
        attempt: int,
        pairings: Iterable[scheduler.Pairing],
        links: Mapping[str, Link],
    ) -> None:
        """Seats all pairings of an attempt. What a server did of it that ended in between is not
        done again.

        Arguments:
            round_, attempt: which.
            pairings: who meets whom in it.
            links: entry id to its open link.
        """
        self.now = [await self._seat(round_, attempt, each, links) for each in pairings]

    async def _seat(
        self, round_: int, attempt: int, pairing: scheduler.Pairing, links: Mapping[str, Link]
    ) -> Seated:
        judge = pairing.judge
        name = f"side/{round_}.{attempt}.{judge}"
        sealed = self._seals.get(name)
        if sealed is None:
            sealed = sides.draw(self._rng)
            await self._journal.seal(name, sealed.as_json())
        if judge not in self._sealed:
            self._journal.write(None, "server", SideSealed(round_, attempt, judge, sealed.seal))

        def open_talk(entity: str, side: Place) -> Talk:
            known = self._hub.talks.get(talk_id(round_, attempt, judge, side))
            return known or self._hub.open_talk(round_, attempt, judge, entity, side)

        program = open_talk(pairing.entry, sealed.program)
        human = open_talk(pairing.confederate, sealed.human)
        # Always in the order of the places, or the order would tell.
        for talk in sorted((program, human), key=lambda talk: talk.side):
            self._seats.assign(judge, talk.side, talk)
        self._seats.assign(pairing.confederate, "only", human)
        if pairing.entry in links:
            links[pairing.entry].join(program)
        return Seated(pairing, sealed, program, human)

    def close(self) -> list[str]:
        """Ends the talks that are on, and clears their places.

        Returns:
            The talks' ids.
        """
        talks = [talk for each in self.now for talk in (each.program, each.human)]
        self._seats.clear()
        for talk in talks:
            if talk.open:
                self._hub.close_talk(talk)
        self.played.extend(self.now)
        return [talk.id for talk in talks]

    def counted(self) -> list[Talk]:
        """The talks of the last attempt at each round: their sides are the judges' labels for
        whom they met, one for each."""
        last = {each.program.round: each.program.attempt for each in self.played}
        return [
            talk
            for each in self.played
            for talk in (each.program, each.human)
            if last[talk.round] == talk.attempt
        ]

    def revealed(self) -> list[dict[str, Any]]:
        """The sides of all that was played, as they are revealed: each opens its seal."""
        return [
            {
                "round": each.program.round,
                "attempt": each.program.attempt,
                "judge": each.pairing.judge,
                **each.sealed.as_json(),
            }
            for each in self.played
        ]
