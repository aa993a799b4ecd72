"""The season before a contest: entries come in, are tested for compliance, asked, marked, ranked.

A *season* ends with the finalists, who are the contest's entries. All that happens in it is in the
contest's record (`contest.screening.season`), and is computed again from there.
"""
