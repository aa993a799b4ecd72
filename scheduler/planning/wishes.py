"""What an organizer asks for beside the numbers, and the problem that it makes.

Wishes name people as J1, E2 and C3, or by the ids that the contest gives them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from scheduler.errors import BadInput
from scheduler.planning.problem import PLACES, WISHES, Problem
from scheduler.texts import listed, near, shown


@dataclass(frozen=True)
class Session:
    """Rounds that are held one after the other, such as a morning's.

    Arguments:
        name: what it is called.
        rounds: how many.
        desks: how many there are; None for enough.
        away: who is not there.
    """

    name: str
    rounds: int
    desks: int | None = None
    away: tuple[str, ...] = ()


@dataclass(frozen=True)
class Room:
    """Where desks stand.

    Arguments:
        name: what it is called.
        desks: how many pairings it has room for at once.
        sessions: the names of the sessions in which it can be used; empty for all.
    """

    name: str
    desks: int
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wishes:
    """What is asked for beside the numbers.

    Arguments:
        conflicts: two who must not meet, each.
        away: somebody and a round in which that one is not there, each.
        desks: how many desks there are in all rounds, or one number a round; empty for enough.
        weights: a wish's letter and what a missing pair of it counts, each.
        hard: letters of the wishes that have to be granted whole.
        sessions: one after the other; empty for a single one.
        rooms: where the desks stand; empty where that does not matter.
    """

    conflicts: tuple[tuple[str, str], ...] = ()
    away: tuple[tuple[str, int], ...] = ()
    desks: tuple[int, ...] = ()
    weights: tuple[tuple[str, int], ...] = ()
    hard: tuple[str, ...] = ()
    sessions: tuple[Session, ...] = ()
    rooms: tuple[Room, ...] = ()

    def and_also(self, more: Wishes) -> Wishes:
        """These wishes and more; where both say how many desks or how much a wish counts, the
        later ones hold."""
        return Wishes(
            conflicts=self.conflicts + more.conflicts,
            away=self.away + more.away,
            desks=more.desks or self.desks,
            weights=self.weights + more.weights,
            hard=self.hard + more.hard,
            sessions=more.sessions or self.sessions,
            rooms=more.rooms or self.rooms,
        )

    @property
    def rounds(self) -> int | None:
        """How many rounds the sessions have together, or None without sessions."""
        return sum(session.rounds for session in self.sessions) or None

    def session_of(self, number: int) -> Session | None:
        """The session in which a round is held."""
        ends = accumulate(session.rounds for session in self.sessions)
        return next(
            (each for each, end in zip(self.sessions, ends, strict=True) if number <= end), None
        )

    def rooms_of(self, number: int, pairings: int) -> list[str]:
        """In which room each pairing of a round is held: the rooms are filled in their order."""
        session = self.session_of(number)
        places = [room.name for room in self._open(session) for _ in range(room.desks)]
        return places[:pairings]

    def problem(
        self,
        judges: Sequence[str],
        entries: Sequence[str],
        confederates: Sequence[str],
        rounds: int,
    ) -> Problem:
        """What is asked for, all in all.

        Arguments:
            judges: their ids.
            entries: their ids.
            confederates: their ids.
            rounds: how many rounds.

        Raises:
            BadInput: somebody is named who is not there, or a number does not fit.
        """
        if self.rounds not in (None, rounds):
            raise BadInput(
                f"the sessions have {self.rounds} rounds, but {rounds} are asked for; make them "
                "agree"
            )
        kind = {
            name: place
            for place, names in enumerate((judges, entries, confederates))
            for name in names
        }
        return Problem(
            tuple(judges),
            tuple(entries),
            tuple(confederates),
            tuple(range(1, rounds + 1)),
            desks=self._desks(rounds),
            conflicts=frozenset(self._apart(kind)),
            away=self._absences(kind, rounds),
            weights=self._counted(),
            hard=frozenset(WISHES[_letter(letter)] for letter in self.hard),
            sessions=self._sessions(),
        )

    def _apart(self, kind: dict[str, int]) -> Iterable[frozenset[str]]:
        for pair in self.conflicts:
            one, other = (_known(name, kind, "conflict") for name in pair)
            if kind[one] == kind[other]:
                raise BadInput(
                    f"{one} and {other} never meet anyway; a conflict is between a judge, an "
                    "entry and a confederate, such as J1E2"
                )
            yield frozenset(pair)

    def _absences(self, kind: dict[str, int], rounds: int) -> dict[str, frozenset[int]]:
        away: dict[str, set[int]] = defaultdict(set)
        for name, number in self.away:
            if not 1 <= number <= rounds:
                raise BadInput(f"{name} is away in round {number}, but there are {rounds} rounds")
            away[_known(name, kind, "absence")].add(number)
        for number in range(1, rounds + 1):
            session = self.session_of(number)
            for name in session.away if session else ():
                away[_known(name, kind, "absence")].add(number)
        return {name: frozenset(numbers) for name, numbers in away.items()}

    def _desks(self, rounds: int) -> dict[int, int]:
        if len(self.desks) > 1 and len(self.desks) != rounds:
            raise BadInput(
                f"{len(self.desks)} numbers of desks for {rounds} rounds; give one for all, or "
                "one a round"
            )
        desks: dict[int, int] = {}
        for number in range(1, rounds + 1):
            session = self.session_of(number)
            said = [self.desks[number - 1] if len(self.desks) > 1 else each for each in self.desks]
            if session is not None and session.desks is not None:
                said.append(session.desks)
            if self.rooms:
                said.append(sum(room.desks for room in self._open(session)))
            if said:
                desks[number] = min(said)
        return desks

    def _open(self, session: Session | None) -> list[Room]:
        for room in self.rooms:
            for name in room.sessions:
                if name not in [each.name for each in self.sessions]:
                    raise BadInput(
                        f"the room {shown(room.name)} is open in the session {shown(name)}, which "
                        f"there is not{near(name, [each.name for each in self.sessions])}"
                    )
        return [
            room
            for room in self.rooms
            if not room.sessions or (session is not None and session.name in room.sessions)
        ]

    def _counted(self) -> dict[str, int]:
        weights = {WISHES[_letter(letter)]: weight for letter, weight in self.weights}
        if all(weights.get(kind, 1) == 0 for kind in PLACES):
            raise BadInput("no wish counts anything; give one of a, b and c a weight above 0")
        return weights

    def _sessions(self) -> tuple[tuple[int, ...], ...]:
        ends = list(accumulate(session.rounds for session in self.sessions))
        return tuple(
            tuple(range(end - session.rounds + 1, end + 1))
            for session, end in zip(self.sessions, ends, strict=True)
        )


def _known(name: str, kind: dict[str, int], what: str) -> str:
    if name in kind:
        return name
    raise BadInput(f"{shown(name)}, named in a wish ({what}), is not there{near(name, kind)}")


def _letter(letter: str) -> str:
    if letter in WISHES:
        return letter
    raise BadInput(f"{shown(letter)} is no wish; there are {listed(WISHES)}")
