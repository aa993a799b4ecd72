"""The organizer's wishes for a schedule, read from command-line options or the table `[schedule]`
of a contest's settings, and turned into a problem.

Wishes name people as J1, E2 and C3, or by their ids in the contest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scheduler.documents import MAX_ROUND, Node
from scheduler.errors import BadInput
from scheduler.planning.problem import WISHES, Problem
from scheduler.schedule import PLACES
from scheduler.texts import Phrase, did_you_mean, listed, shown

MAX_WEIGHT = 1000
"""The highest weight of a wish; more important wishes should be hard."""

MAX_DESKS = 1000
"""The most desks; no contest has more."""

_EMPTY: dict[str, object] = {"conflicts": [], "away": {}, "desks": [], "weights": {}, "hard": []}
"""The keys of a document, each with a value that means no wish."""


@dataclass(frozen=True)
class Wishes:
    """The organizer's wishes.

    Arguments:
        conflicts: pairs of people who must not meet.
        away: people, each with a round in which they are absent.
        desks: the number of desks, the same in all rounds or one for each; empty if there are
            enough.
        weights: letters of wishes, each with the weight of a missing pair.
        hard: letters of the wishes that must be granted completely.
    """

    conflicts: tuple[tuple[str, str], ...] = ()
    away: tuple[tuple[str, int], ...] = ()
    desks: tuple[int, ...] = ()
    weights: tuple[tuple[str, int], ...] = ()
    hard: tuple[str, ...] = ()

    def and_also(self, more: Wishes) -> Wishes:
        """Adds further wishes; if both give desks or a weight, the later ones apply."""
        return Wishes(
            conflicts=self.conflicts + more.conflicts,
            away=self.away + more.away,
            desks=more.desks or self.desks,
            weights=self.weights + more.weights,
            hard=self.hard + more.hard,
        )

    def problem(
        self,
        judges: Sequence[str],
        entries: Sequence[str],
        confederates: Sequence[str],
        rounds: int,
    ) -> Problem:
        """Turns the wishes into a problem for people with these ids and this number of rounds.

        Raises:
            BadInput: a wish names somebody who does not take part, or a number is invalid.
        """
        people = (judges, entries, confederates)
        kind = {name: place for place, names in enumerate(people) for name in names}
        away: dict[str, set[int]] = defaultdict(set)
        for name, number in self.away:
            if not 1 <= number <= rounds:
                raise BadInput(f"{name} is away in round {number}, but there are {rounds} rounds")
            away[_known(name, kind, "absence")].add(number)
        if len(self.desks) > 1 and len(self.desks) != rounds:
            raise BadInput(
                f"{len(self.desks)} numbers of desks are given for {rounds} rounds; give one "
                "number for all rounds, or one per round"
            )
        weights = {WISHES[letter]: weight for letter, weight in self.weights}
        if all(weights.get(each, 1) == 0 for each in PLACES):
            raise BadInput("all weights are 0; give one of a, b and c a weight above 0")
        numbers = range(1, rounds + 1)
        desks = self.desks * rounds if len(self.desks) == 1 else self.desks
        return Problem(
            tuple(judges),
            tuple(entries),
            tuple(confederates),
            tuple(numbers),
            desks=dict(zip(numbers, desks, strict=False)),
            conflicts=frozenset(self._conflicts(kind)),
            away={name: frozenset(absent) for name, absent in away.items()},
            weights=weights,
            hard=frozenset(WISHES[letter] for letter in self.hard),
        )

    def _conflicts(self, kind: dict[str, int]) -> Iterator[frozenset[str]]:
        for pair in self.conflicts:
            one, other = (_known(name, kind, "conflict") for name in pair)
            if kind[one] == kind[other]:
                same = (
                    "{one} and {other} never meet anyway; a conflict is between two people of "
                    "different kinds (judge, entry, confederate), such as J1E2"
                )
                raise BadInput(Phrase(same, one=one, other=other))
            yield frozenset(pair)


def _known(name: str, kind: dict[str, int], what: str) -> str:
    if name in kind:
        return name
    unknown = "{name}, named in a wish ({what}), does not take part{hint}"
    hint = did_you_mean(name, kind)
    raise BadInput(Phrase(unknown, name=shown(name), what=Phrase(what), hint=hint))


def read_options(
    conflicts: Iterable[str] = (),
    away: Iterable[str] = (),
    desks: str = "",
    weights: Iterable[str] = (),
    hard: str = "",
) -> Wishes:
    """Reads wishes from options; each may contain several, separated by commas.

    Arguments:
        conflicts: such as ``J1E2``, or ``Ann/hal`` for other ids.
        away: such as ``J2:3``, ``J2:1,3`` or ``J2:3-5``.
        desks: such as ``3``, or ``4,4,2``.
        weights: such as ``a=2``.
        hard: such as ``a,b``.

    Raises:
        BadInput: one of them can't be used.
    """
    absences: dict[str, list[object]] = defaultdict(list)
    for text in away:
        name, _, numbers = text.partition(":")
        if not name.strip() or not _parts(numbers):
            raise BadInput(
                f"{shown(text)} does not say who is away in which round; write, for example, "
                "J2:3, J2:1,3 or J2:3-5",
                field="away",
            )
        for part in _parts(numbers):
            begin, *end = (_number(each) for each in part.split("-", 1))
            if not isinstance(begin, int) or not end or not isinstance(end[0], int):
                absences[name].append(begin if not end else part)
            elif end[0] < begin:
                raise BadInput(f"{shown(part)} ends before it begins", field="away")
            else:
                absences[name] += range(begin, min(end[0], MAX_ROUND + 1) + 1)
    weighed: dict[str, object] = {}
    for part in (part for text in weights for part in _parts(text)):
        letter, equals, weight = part.partition("=")
        if not equals:
            raise BadInput(
                f"{shown(part)} is not a weight; write, for example, a=2", field="weights"
            )
        weighed[letter.strip()] = _number(weight)
    return wishes_of(
        {
            "conflicts": [part for text in conflicts for part in _parts(text)],
            "away": dict(absences),
            "desks": [_number(part) for part in _parts(desks)],
            "weights": weighed,
            "hard": _parts(hard),
        },
        "",
    )


def wishes_of(document: object, source: str = "wishes") -> Wishes:
    """Reads wishes from a document with the keys of the table `[schedule]`.

    Raises:
        BadInput: a key is unknown, or a value is invalid.
    """
    held = Node(document, source).table(_EMPTY)
    parts = {key: held.get(key, Node(value)) for key, value in _EMPTY.items()}
    desks = parts["desks"]
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
    )


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _number(text: str) -> object:
    """The number in a text of digits; any other text unchanged, to be refused later."""
    return int(text) if re.fullmatch(r"\s*[0-9]{1,9}\s*", text) else text


def _pair(node: Node) -> tuple[str, str]:
    value = node.value
    if isinstance(value, str):
        match = re.fullmatch(r"([JEC][0-9]+)[\s:]*([JEC][0-9]+)", value.strip())
        value = list(match.groups()) if match else value.split("/")
    if not isinstance(value, list) or len(value) != 2:
        not_two = "{text} does not name two people; write, for example, J1E2 or J1/hal"
        raise node.error(Phrase(not_two, text=shown(node.value)))
    return replace(node, value=value[0]).id(), replace(node, value=value[1]).id()


def _wish(node: Node) -> str:
    if isinstance(node.value, str) and node.value in WISHES:
        return node.value
    raise node.error(f"{shown(node.value)} is not a wish; the wishes are {listed(WISHES)}")
