"""Scripted people: judges and confederates who use ordinary seats.

They stand in for people in rehearsals and demonstrations: docs/explanation/scripted-people.md.
"""

from collections.abc import Sequence

from contest.scripted import characters
from contest.scripted.people import ScriptedConfederate, ScriptedJudge
from contest.scripted.person import Person, SeatInterface

__all__ = ["Person", "ScriptedConfederate", "ScriptedJudge", "SeatInterface", "scripted_people"]


def scripted_people(
    judges: Sequence[str], confederates: Sequence[str], seed: int = 0
) -> dict[str, Person]:
    """Makes people for seats: each character in turn, with a different seed when one is repeated.

    Arguments:
        judges, confederates: ids of the seats.
        seed: the same seed gives the same people.

    Returns:
        Seat to person.
    """
    people: dict[str, Person] = {}
    known, others = characters.judges(), characters.confederates()
    for i, seat in enumerate(judges):
        people[seat] = ScriptedJudge(known[i % len(known)], seed + 1000 * i)
    for i, seat in enumerate(confederates):
        people[seat] = ScriptedConfederate(others[i % len(others)], seed + 1000 * i)
    return people
