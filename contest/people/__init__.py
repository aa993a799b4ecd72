"""Scripted people: judges and confederates who sit at seats as anybody would.

They are stand-ins for rehearsals and demonstrations, with our own lines and a stated rule of
judgement; docs/explanation/scripted-people.md says what they are, and what they are not.
"""

from contest.people.confederate import ScriptedConfederate
from contest.people.judge import ScriptedJudge
from contest.people.lines import confederates, judges
from contest.people.person import Person
from contest.people.seat import Seat

__all__ = [
    "Person",
    "ScriptedConfederate",
    "ScriptedJudge",
    "Seat",
    "confederates",
    "judges",
    "scripted_confederates",
    "scripted_judges",
]


def scripted_judges(count: int, seed: int = 0) -> list[ScriptedJudge]:
    """So many judges, each character in turn; where one comes again, chance is another.

    Arguments:
        count: how many; 0 or more.
        seed: the same seed gives the same judges.
    """
    names = judges()
    return [ScriptedJudge(names[i % len(names)], seed + 1000 * i) for i in range(count)]


def scripted_confederates(count: int, seed: int = 0) -> list[ScriptedConfederate]:
    """So many confederates, each persona in turn; where one comes again, chance is another.

    Arguments:
        count: how many; 0 or more.
        seed: the same seed gives the same confederates.
    """
    names = confederates()
    return [ScriptedConfederate(names[i % len(names)], seed + 1000 * i) for i in range(count)]
