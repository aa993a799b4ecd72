"""Verification of a season: what its record says that came out of something, computed anew.

    report = verify.verify(folder)     # None where no season was begun

The chains are checked as a contest's are (`contest.verification.chain`). Then each event is held
against those before it: by the same functions that made it where it was computed, and as the step
that wrote it would have been refused where somebody decided it.
"""
