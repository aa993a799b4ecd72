"""The season before a contest: entries come in, are tested for compliance, asked, marked, ranked.

A *season* ends with the finalists, who are the contest's entries. All that happens in it is kept in
`season.db` in the contest's folder (`contest.screening.season`), and computed anew from there.
"""
