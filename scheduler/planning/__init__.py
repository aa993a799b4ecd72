"""Plans schedules for any numbers of judges, entries, confederates and rounds, with conflicts of
interest, absences, too few desks, and wishes of different weights.

    asked = Wishes(conflicts=(("J1", "E2"),)).problem(judges, entries, confederates, rounds=5)
    made = plan(asked)            # pairings, cost, what is proved
    made.in_words()               # the reasons for missing pairs

The plan minimizes missing pairs (which could meet but don't) by the weights of their kinds, then
repeated meetings, then unevenness. Squares and a fast search come first; often counting proves that
their result is optimal. If not, a constraint solver continues (extra `scheduling`). With
`Problem.played`, the same code plans the rest of a contest that has begun.
"""
