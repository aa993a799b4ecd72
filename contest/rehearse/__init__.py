"""A rehearsal: the contest with scripted people and injected faults, on a virtual clock.

    report = rehearse(folder, cast, choose(None), seed=1, program="loebner 0.1")

The server is the contest's own, without its sockets and threads (server.py); consoles and entries'
programs are handed in (cast.py). docs/explanation/rehearsal.md says what is rehearsed, and what is
not.
"""

from contest.rehearse.cast import Cast, Connect, Console, Keys, Program, SeatLine
from contest.rehearse.faults import FAULTS, choose
from contest.rehearse.play import rehearse
from contest.rehearse.report import Report, clock

__all__ = [
    "FAULTS",
    "Cast",
    "Connect",
    "Console",
    "Keys",
    "Program",
    "Report",
    "SeatLine",
    "choose",
    "clock",
    "rehearse",
]
