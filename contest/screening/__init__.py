"""The season before a contest, in which entries are registered, tested for compliance, asked
questions, marked and ranked.

A *season* ends with the finalists, who become the contest's entries. Everything that happens in it
is in the contest's record (`contest.screening.season`), and can be recomputed from it.
"""
