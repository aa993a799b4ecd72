"""Schedules for any numbers: judges, entries, confederates and rounds, all different, with people
who must not meet, who are away, too few desks, and wishes that weigh more or less.

    asked = Wishes(conflicts=(("J1", "E2"),)).problem(judges, entries, confederates, rounds=5)
    made = plan(asked)            # pairings, cost, what is proved
    made.in_words()               # why what is missing is missing

What is minimized: pairs that could meet and do not, by the weights of their kinds; then repeated
meetings; then unevenness. Squares and a quick search come first, and often counting proves that
nothing is better. Where it does not, a constraint solver goes on (the extra `scheduling`). With
`Problem.played` the same plans the rest of a contest that has begun.
"""

from scheduler.planning.plan import SECONDS, NotKept, Plan, plan
from scheduler.planning.problem import Cost, Problem
from scheduler.planning.wishes import Wishes, read_options, wishes_of

__all__ = [
    "SECONDS",
    "Cost",
    "NotKept",
    "Plan",
    "Problem",
    "Wishes",
    "plan",
    "read_options",
    "wishes_of",
]
