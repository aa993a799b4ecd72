"""Scripted people: judges and confederates who sit at seats as anybody would.

They are stand-ins for rehearsals and demonstrations: docs/explanation/scripted-people.md.
"""

from contest.scripted import characters
from contest.scripted.confederate import ScriptedConfederate
from contest.scripted.judge import ScriptedJudge
from contest.scripted.person import Person, Seat

__all__ = [
    "Person",
    "ScriptedConfederate",
    "ScriptedJudge",
    "Seat",
    "scripted_confederates",
    "scripted_judges",
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
