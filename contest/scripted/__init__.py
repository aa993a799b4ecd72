"""Scripted people: judges and confederates who sit at seats as anybody would.

They are stand-ins for rehearsals and demonstrations: docs/explanation/scripted-people.md.
"""

from collections.abc import Sequence

from contest.scripted import characters
from contest.scripted.people import ScriptedConfederate, ScriptedJudge
from contest.scripted.person import Person, Seat

__all__ = [
    "Person",
    "ScriptedConfederate",
    "ScriptedJudge",
    "Seat",
    "scripted_confederates",
    "scripted_judges",
    "scripted_people",
]


def scripted_judges(count: int, seed: int = 0) -> list[ScriptedJudge]:
    """Makes judges: each character in turn, with other chances when one comes again.

    Arguments:
        count: how many; 0 or more.
        seed: the same seed gives the same judges.
    """
    known = characters.judges()
    return [ScriptedJudge(known[i % len(known)], seed + 1000 * i) for i in range(count)]


def scripted_confederates(count: int, seed: int = 0) -> list[ScriptedConfederate]:
    """Makes confederates, as `scripted_judges` makes judges."""
    known = characters.confederates()
    return [ScriptedConfederate(known[i % len(known)], seed + 1000 * i) for i in range(count)]


def scripted_people(
    judges: Sequence[str], confederates: Sequence[str], seed: int = 0
) -> dict[str, Person]:
    """Makes people for seats.

    Arguments:
        judges, confederates: ids of the seats.
        seed: the same seed gives the same people.

    Returns:
        Seat to person.
    """
    people: list[Person] = [
        *scripted_judges(len(judges), seed),
        *scripted_confederates(len(confederates), seed),
    ]
    return dict(zip([*judges, *confederates], people, strict=True))
