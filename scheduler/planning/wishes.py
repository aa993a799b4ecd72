"""What an organizer asks for beside the numbers: as options of a command or a TOML file write it,
and the problem that it makes.

Wishes name people as J1, E2 and C3, or by the ids that the contest gives them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from scheduler.documents import MAX_ROUND, Node, load_toml
from scheduler.errors import BadInput
from scheduler.planning.problem import WISHES, Problem
from scheduler.schedule import PLACES
from scheduler.texts import listed, near, shown

MAX_WEIGHT = 1000
"""The highest weight of a wish: a wish that counts more is meant to be hard."""

MAX_DESKS = 1000
"""No contest has more."""

_EMPTY: dict[str, object] = {
    "conflicts": [],
    "away": {},
    "desks": [],
    "weights": {},
    "hard": [],
    "session": [],
    "room": [],
}
"""The keys of a file, each with a value that wishes for nothing."""


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
        ends = zip(self.sessions, self._ends, strict=True)
        return next((session for session, end in ends if number <= end), None)

    @property
    def _ends(self) -> list[int]:
        return list(accumulate(session.rounds for session in self.sessions))

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
        """The problem that these wishes make for people with these ids and so many rounds.

        Raises:
            BadInput: somebody is named who is not there, or a number does not fit.
        """
        if self.rounds not in (None, rounds):
            raise BadInput(
                f"the sessions have {self.rounds} rounds, but {rounds} are asked for; make them "
                "agree"
            )
        people = (judges, entries, confederates)
        kind = {name: place for place, names in enumerate(people) for name in names}
        return Problem(
            tuple(judges),
            tuple(entries),
            tuple(confederates),
            tuple(range(1, rounds + 1)),
            desks=self._desks(rounds),
            conflicts=frozenset(self._apart(kind)),
            away=self._absences(kind, rounds),
            weights=self._counted(),
            hard=frozenset(WISHES[_wish(Node(letter))] for letter in self.hard),
            sessions=tuple(
                tuple(range(end - session.rounds + 1, end + 1))
                for session, end in zip(self.sessions, self._ends, strict=True)
            ),
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
        known = [each.name for each in self.sessions]
        for room in self.rooms:
            if unknown := [name for name in room.sessions if name not in known]:
                raise BadInput(
                    f"the room {shown(room.name)} is open in the session {shown(unknown[0])}, "
                    f"which there is not{near(unknown[0], known)}"
                )
        return [
            room
            for room in self.rooms
            if not room.sessions or (session is not None and session.name in room.sessions)
        ]

    def _counted(self) -> dict[str, int]:
        weights = {WISHES[_wish(Node(letter))]: weight for letter, weight in self.weights}
        if all(weights.get(kind, 1) == 0 for kind in PLACES):
            raise BadInput("no wish counts anything; give one of a, b and c a weight above 0")
        return weights


def _known(name: str, kind: dict[str, int], what: str) -> str:
    if name in kind:
        return name
    raise BadInput(f"{shown(name)}, named in a wish ({what}), is not there{near(name, kind)}")


# How wishes are written.


def read_options(
    conflicts: Iterable[str] = (),
    away: Iterable[str] = (),
    desks: str = "",
    weights: Iterable[str] = (),
    hard: str = "",
) -> Wishes:
    """Wishes from options.

    Arguments:
        conflicts: such as ``J1E2``, or ``Ann/hal`` where ids are others.
        away: such as ``J2:3``, ``J2:1,3`` or ``J2:3-5``.
        desks: such as ``3``, or ``4,4,2``.
        weights: such as ``a=2``.
        hard: such as ``a,b``.

    Raises:
        BadInput: one of them is none.
    """
    return Wishes(
        conflicts=tuple(_pair(each) for text in conflicts for each in _parts(text, "conflict")),
        away=tuple(absence for text in away for absence in _absences(text)),
        desks=tuple(_digits(each, 1, MAX_DESKS) for each in _parts(desks, "desks")),
        weights=tuple(_weight(each) for text in weights for each in _parts(text, "weight")),
        hard=tuple(_wish(each) for each in _parts(hard, "hard")),
    )


def read_wishes(text: str, source: str = "wishes") -> Wishes:
    """Wishes from the text of a TOML file; see :func:`wishes_of`."""
    return wishes_of(load_toml(text, source), source)


def wishes_of(document: object, source: str = "wishes") -> Wishes:
    """Wishes from a document with the keys of a TOML file.

    Arguments:
        document: what was read.

    Raises:
        BadInput: a key is unknown, or a value does not fit.
    """
    held = Node(document, source).table(_EMPTY)
    parts = {key: held.get(key, Node(value)) for key, value in _EMPTY.items()}
    desks = parts["desks"]

    def tables(key: str, *known: str) -> list[Node]:
        for each in parts[key].items():
            each.table(known)
        return parts[key].items()

    return Wishes(
        conflicts=tuple(_pair(each) for each in parts["conflicts"].items()),
        away=tuple(
            (replace(rounds, value=name).id(), number.whole(1, MAX_ROUND))
            for name, rounds in parts["away"].fields().items()
            for number in rounds.items()
        ),
        desks=tuple(
            number.whole(1, MAX_DESKS)
            for number in (desks.items() if isinstance(desks.value, list) else [desks])
        ),
        weights=tuple(
            (_wish(replace(weight, value=letter)), weight.whole(0, MAX_WEIGHT))
            for letter, weight in parts["weights"].fields().items()
        ),
        hard=tuple(_wish(each) for each in parts["hard"].items()),
        sessions=tuple(
            Session(
                name=each.value_of("name", f"session {i}").id(),
                rounds=each.at("rounds").whole(1, MAX_ROUND),
                desks=each.at("desks").whole(1, MAX_DESKS) if "desks" in each.fields() else None,
                away=tuple(name.id() for name in each.value_of("away", []).items()),
            )
            for i, each in enumerate(tables("session", "name", "rounds", "desks", "away"), 1)
        ),
        rooms=tuple(
            Room(
                name=each.value_of("name", f"room {i}").id(),
                desks=each.at("desks").whole(1, MAX_DESKS),
                sessions=tuple(name.id() for name in each.value_of("sessions", []).items()),
            )
            for i, each in enumerate(tables("room", "name", "desks", "sessions"), 1)
        ),
    )


def _parts(text: str, field: str) -> list[Node]:
    return [Node(part.strip(), "", field) for part in text.split(",") if part.strip()]


def _pair(node: Node) -> tuple[str, str]:
    value = node.value
    if isinstance(value, str):
        match = re.fullmatch(r"([JEC][0-9]+)[\s:]*([JEC][0-9]+)", value.strip())
        value = list(match.groups()) if match else value.split("/")
    if not isinstance(value, list) or len(value) != 2:
        raise node.error(
            f"{shown(node.value)} are not two who could meet; write such as J1E2 or J1/hal"
        )
    return replace(node, value=value[0]).id(), replace(node, value=value[1]).id()


def _absences(text: str) -> Iterable[tuple[str, int]]:
    name, _, numbers = text.partition(":")
    if not name.strip() or not _parts(numbers, "away"):
        raise Node(text, "", "away").error(
            f"{shown(text)} does not say who is away in which round; write such as J2:3, J2:1,3 or "
            "J2:3-5"
        )
    for part in _parts(numbers, "away"):
        first, dash, last = str(part.value).partition("-")
        begin = _digits(replace(part, value=first), 1, MAX_ROUND)
        end = _digits(replace(part, value=last), 1, MAX_ROUND) if dash else begin
        if end < begin:
            raise part.error(f"{shown(part.value)} ends before it begins")
        for number in range(begin, end + 1):
            yield Node(name, "", "away").id(), number


def _weight(node: Node) -> tuple[str, int]:
    letter, equals, weight = str(node.value).partition("=")
    if not equals:
        raise node.error(f"{shown(node.value)} is no weight; write such as a=2")
    weighs = _digits(replace(node, value=weight), 0, MAX_WEIGHT)
    return _wish(replace(node, value=letter.strip())), weighs


def _wish(node: Node) -> str:
    if isinstance(node.value, str) and node.value in WISHES:
        return node.value
    raise node.error(f"{shown(node.value)} is no wish; there are {listed(WISHES)}")


def _digits(node: Node, least: int, most: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", str(node.value).strip()):
        raise node.error(f"{shown(node.value)} is no whole number")
    return replace(node, value=int(str(node.value))).whole(least, most)
