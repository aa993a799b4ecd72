"""A rehearsal: the contest with scripted people and injected faults, on a virtual clock.

    report = rehearse(folder, cast, choose(None), seed=1, program="loebner 0.1")

The server is the contest's own, without sockets; consoles and entries' programs are passed in
(players.py). docs/explanation/rehearsal.md says what is rehearsed, and what is
not.
"""

from contest.rehearse.play import FAULTS, choose, rehearse
from contest.rehearse.players import Cast, Connect, Console, Program
from contest.rehearse.report import Report, clock

__all__ = [
    "FAULTS",
    "Cast",
    "Connect",
    "Console",
    "Program",
    "Report",
    "choose",
    "clock",
    "rehearse",
]
